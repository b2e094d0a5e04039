// Python's readings of NO_PROXY: that of urllib, and that of requests, which uses urllib's if its own rules do not
// match.
#include <algorithm>

#include "provisioner/base/text.h"
#include "provisioner/egress/dialect_patterns.h"

namespace prov::egress {
namespace {

std::string_view WithoutDots(std::string_view text) {
  return text.substr(std::min(text.find_first_not_of('.'), text.size()));
}

// `host` without ":digits" at its end. Like urllib, also cuts an IPv6 address without brackets.
std::string_view WithoutPort(std::string_view host) {
  const std::size_t end = host.find_last_not_of("0123456789");
  return end != std::string_view::npos && host[end] == ':' ? host.substr(0, end) : host;
}

class UrllibList final : public DialectList {
 public:
  explicit UrllibList(const NoProxy& list) {
    if (list.text() == "*") patterns_.AddAll(texts_.Add("*"));
    for (const NoProxyEntry& entry : list.entries())
      patterns_.AddName(WithoutDots(AsciiLower(entry.text)), true, true, texts_.Add(entry.text));
  }

  Bypass Find(const Destination& to) const override { return Find(to.authority_port); }

  // `host`: in lower case, with or without a port.
  Bypass Find(std::string_view host) const {
    const PatternSet::Entry found = std::min(patterns_.FindName(host), patterns_.FindName(WithoutPort(host)));
    return texts_.Found(std::min(patterns_.FindAll(), found));
  }

 private:
  EntryTexts texts_;
  PatternSet patterns_;
};

// The address and the length of a text that requests reads as a network.
std::optional<std::pair<IpAddress, unsigned>> ParseNetwork(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  std::string_view digits = text.substr(slash + 1);
  if (digits.starts_with('+')) digits.remove_prefix(1);
  const auto bits = static_cast<unsigned>(ParseDecimal(digits, 32).value_or(0));
  const auto address = ParseLooseIpv4(text.substr(0, slash));
  if (bits == 0 || !address) return std::nullopt;
  return std::pair(*address, bits);
}

class RequestsList final : public DialectList {
 public:
  explicit RequestsList(const NoProxy& list) : urllib_(list) {
    std::string text = list.text();
    std::erase(text, ' ');
    for (const std::string_view entry : Split(text, ',')) {
      if (entry.empty()) continue;
      const PatternSet::Entry number = texts_.Add(entry);
      if (const auto network = ParseNetwork(entry)) {
        addresses_.AddNetwork(network->first, network->second + 96, AddressFamily::kIpv4, number);
      } else {
        addresses_.AddName(entry, true, false, number);
      }
      // The entries keep their case, although hosts are in lower case by now.
      names_.AddName(WithoutDots(entry), true, true, number);
    }
  }

  Bypass Find(const Destination& to) const override {
    PatternSet::Entry found = PatternSet::kNone;
    if (!to.is_ipv6 && to.resolved) {
      found = std::min(addresses_.FindName(to.name), addresses_.FindAddress(*to.resolved, AddressFamily::kIpv4));
    } else {
      found = std::min(names_.FindName(to.name), names_.FindName(to.name_port));
    }
    return found != PatternSet::kNone ? texts_.Found(found) : urllib_.Find(to.name);
  }

 private:
  UrllibList urllib_;
  EntryTexts texts_;
  PatternSet addresses_;
  PatternSet names_;
};

}  // namespace

std::unique_ptr<DialectList> CompileUrllib(const NoProxy& list) { return std::make_unique<UrllibList>(list); }

std::unique_ptr<DialectList> CompileRequests(const NoProxy& list) { return std::make_unique<RequestsList>(list); }

}  // namespace prov::egress
