// curl's reading of NO_PROXY. A host is either a name or an address, and each is compared only with entries of its own
// kind. An entry's address is read by inet_pton; a network of length 0 is a single address. Before 8.18 an IPv6 host is
// treated as a name, because its brackets are removed before curl examines the list.
#include <algorithm>
#include <charconv>

#include "provisioner/base/text.h"
#include "provisioner/egress/dialect_patterns.h"

namespace prov::egress {
namespace {

constexpr std::size_t kMaxAddressEntry = 127;

// The result of atoi as an unsigned number: 0 without digits; a negative number becomes too large for any network.
std::uint64_t LooseNumber(std::string_view digits) {
  if (digits.starts_with('+')) digits.remove_prefix(1);
  const bool negative = digits.starts_with('-');
  if (negative) digits.remove_prefix(1);
  unsigned value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error == std::errc::result_out_of_range) return 1000;
  if (end == digits.data()) return 0;
  return negative && value > 0 ? 1000 : value;
}

class CurlList final : public DialectList {
 public:
  CurlList(std::string_view text, CurlVersion version) : version_(version) {
    if (text == "*") names_.AddAll(texts_.Add(text));
    while (!text.empty()) {
      text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
      const std::size_t end = std::min(text.find_first_of(" \t,"), text.size());
      Add(text.substr(0, end));
      text.remove_prefix(end);
      text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
      // curl stops after a blank without a comma; 7.88 takes the blank as a separator.
      if (!text.empty() && text.front() != ',' && version_ != CurlVersion::k7_88) return;
      text.remove_prefix(std::min(text.find_first_not_of(','), text.size()));
    }
  }

  Bypass Find(const Destination& to) const override {
    if (names_.FindAll() != PatternSet::kNone) return texts_.Found(names_.FindAll());
    if (const auto address = AddressOf(to)) {
      return texts_.Found(addresses_.FindAddress(*address, FamilyOf(!to.is_ipv6)));
    }
    // Older versions compare IPv6 addresses as text, in canonical form if that is shorter.
    std::string_view host = to.is_ipv6 && to.normal.size() < to.name.size() ? to.normal : to.name;
    if (host.ends_with('.')) host.remove_suffix(1);
    return texts_.Found(names_.FindName(host));
  }

 private:
  bool IsOld() const { return version_ != CurlVersion::k8_18; }

  // The address of a host; nullopt for a name.
  std::optional<IpAddress> AddressOf(const Destination& to) const {
    if (IsOld()) return to.is_ipv6 ? std::nullopt : to.resolved;
    if (to.resolved || !to.name.ends_with('.')) return to.resolved;
    // From 8.21 on, an address may have a final dot. All versions from 8.18 are treated so.
    return ParseLooseIpv4(std::string_view(to.name).substr(0, to.name.size() - 1));
  }

  void Add(std::string_view token) {
    if (token.empty()) return;
    const PatternSet::Entry number = texts_.Add(token);
    AddAddress(token, number);
    std::string_view name = token;
    if (name.ends_with('.')) name.remove_suffix(1);
    if (name.starts_with('.')) name.remove_prefix(1);
    names_.AddName(AsciiLower(name), true, true, number);
  }

  void AddAddress(std::string_view token, PatternSet::Entry number) {
    if (token.size() > kMaxAddressEntry) return;
    const std::size_t slash = token.find('/');
    const auto parsed = ParseWrittenAddress(token.substr(0, slash));
    if (!parsed) return;
    const auto [address, family] = *parsed;
    std::uint64_t bits = 0;
    if (slash != std::string_view::npos) {
      const std::string_view digits = token.substr(slash + 1);
      const auto number_of_bits = IsOld() ? std::optional(LooseNumber(digits)) : ParseDecimal(digits, 128);
      if (!number_of_bits) return;
      bits = *number_of_bits;
    }
    const unsigned most = family == AddressFamily::kIpv4 ? 32 : 128;
    if (bits > most) return;
    if (bits == 0) bits = most;
    addresses_.AddNetwork(address, static_cast<unsigned>(bits) + (128 - most), family, number);
  }

  CurlVersion version_;
  EntryTexts texts_;
  PatternSet names_;
  PatternSet addresses_;
};

}  // namespace

std::unique_ptr<DialectList> CompileCurl(const NoProxy& list, CurlVersion version) {
  return std::make_unique<CurlList>(list.text(), version);
}

}  // namespace prov::egress
