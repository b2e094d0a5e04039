#include "provisioner/base/ip_address.h"

#include <fmt/format.h>

#include <algorithm>

#include "provisioner/base/text.h"

namespace prov {
namespace {

constexpr std::size_t kMaxAddressText = 45;  // the longest IPv6 form, with an embedded IPv4 address
constexpr std::size_t kMaxPrefixDigits = 8;

using Quad = std::array<std::uint8_t, 4>;

// Removes decimal digits from the front of `text` and returns their value: at least one, at most three, no leading
// zero, at most 255.
std::optional<std::uint8_t> ReadOctet(std::string_view& text) {
  unsigned value = 0;
  std::size_t digits = 0;
  while (digits < text.size() && text[digits] >= '0' && text[digits] <= '9') {
    if (digits == 3) return std::nullopt;
    value = value * 10 + static_cast<unsigned>(text[digits] - '0');
    ++digits;
  }
  const bool leading_zero = digits > 1 && text[0] == '0';
  if (digits == 0 || leading_zero || value > 255) return std::nullopt;
  text.remove_prefix(digits);
  return static_cast<std::uint8_t>(value);
}

std::optional<Quad> ParseQuad(std::string_view text) {
  Quad out{};
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (i > 0) {
      if (text.empty() || text[0] != '.') return std::nullopt;
      text.remove_prefix(1);
    }
    const auto octet = ReadOctet(text);
    if (!octet) return std::nullopt;
    out[i] = *octet;
  }
  if (!text.empty()) return std::nullopt;
  return out;
}

std::optional<IpAddress::Bytes> ParseIpv6(std::string_view text) {
  IpAddress::Bytes out{};
  std::size_t filled = 0;
  std::optional<std::size_t> gap;  // position of "::"
  if (text.starts_with("::")) {
    gap = 0;
    text.remove_prefix(2);
  }
  while (!text.empty() && filled < out.size()) {
    unsigned value = 0;
    std::size_t digits = 0;
    while (digits < text.size() && digits < 5 && HexDigit(text[digits]) >= 0) {
      value = value * 16 + static_cast<unsigned>(HexDigit(text[digits]));
      ++digits;
    }
    if (digits == 0 || digits > 4) return std::nullopt;
    if (digits < text.size() && text[digits] == '.') {
      const auto quad = ParseQuad(text);
      if (!quad || filled + quad->size() > out.size() || (!gap && filled != 12)) return std::nullopt;
      std::copy(quad->begin(), quad->end(), out.begin() + static_cast<std::ptrdiff_t>(filled));
      filled += quad->size();
      text = {};
      break;
    }
    out[filled++] = static_cast<std::uint8_t>(value >> 8U);
    out[filled++] = static_cast<std::uint8_t>(value & 0xFFU);
    text.remove_prefix(digits);
    if (text.empty()) break;
    if (text[0] != ':' || text.size() == 1) return std::nullopt;
    text.remove_prefix(1);
    if (text[0] == ':') {
      if (gap) return std::nullopt;
      gap = filled;
      text.remove_prefix(1);
    }
  }
  if (!text.empty()) return std::nullopt;
  if (gap) {
    // "::" must stand for at least one group.
    if (filled == out.size()) return std::nullopt;
    IpAddress::Bytes spread{};
    const std::size_t tail = filled - *gap;
    std::copy_n(out.begin(), *gap, spread.begin());
    std::copy_n(out.begin() + static_cast<std::ptrdiff_t>(*gap), tail,
                spread.end() - static_cast<std::ptrdiff_t>(tail));
    return spread;
  }
  if (filled != out.size()) return std::nullopt;
  return out;
}

constexpr std::array<std::uint8_t, 12> kMappedPrefix = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};

IpAddress::Bytes Mapped(const Quad& quad) {
  IpAddress::Bytes out{};
  std::copy(kMappedPrefix.begin(), kMappedPrefix.end(), out.begin());
  std::copy(quad.begin(), quad.end(), out.begin() + kMappedPrefix.size());
  return out;
}

std::string Ipv6Text(const IpAddress::Bytes& bytes) {
  std::array<unsigned, 8> groups{};
  for (std::size_t i = 0; i < groups.size(); ++i) {
    groups[i] = (static_cast<unsigned>(bytes[2 * i]) << 8U) | bytes[2 * i + 1];
  }
  // The first of the longest runs of at least two zero groups becomes "::".
  std::size_t best = groups.size();
  std::size_t best_length = 1;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    std::size_t end = i;
    while (end < groups.size() && groups[end] == 0) ++end;
    if (end - i > best_length) best = i, best_length = end - i;
  }
  std::string out;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (i == best) {
      out += "::";
      i += best_length - 1;
      continue;
    }
    if (!out.empty() && out.back() != ':') out += ':';
    out += fmt::format("{:x}", groups[i]);
  }
  return out;
}

}  // namespace

std::optional<IpAddress> IpAddress::Parse(std::string_view text) {
  if (text.empty() || text.size() > kMaxAddressText) return std::nullopt;
  if (text.find(':') == std::string_view::npos) {
    const auto quad = ParseQuad(text);
    if (!quad) return std::nullopt;
    return IpAddress(Mapped(*quad));
  }
  const auto bytes = ParseIpv6(text);
  if (!bytes) return std::nullopt;
  return IpAddress(*bytes);
}

bool IpAddress::IsIpv4() const { return std::equal(kMappedPrefix.begin(), kMappedPrefix.end(), bytes_.begin()); }

bool IpAddress::IsLoopback() const {
  if (IsIpv4()) return bytes_[12] == 127;
  Bytes loopback{};
  loopback.back() = 1;
  return bytes_ == loopback;
}

IpAddress IpAddress::Masked(unsigned bits) const {
  IpAddress out = *this;
  for (unsigned i = 0; i < bytes_.size(); ++i) {
    const unsigned kept = bits > i * 8 ? std::min(8U, bits - i * 8) : 0;
    out.bytes_[i] = static_cast<std::uint8_t>(bytes_[i] & (0xFFU << (8U - kept)));
  }
  return out;
}

std::string IpAddress::ToString() const {
  if (!IsIpv4()) return Ipv6Text(bytes_);
  return fmt::format("{}.{}.{}.{}", bytes_[12], bytes_[13], bytes_[14], bytes_[15]);
}

std::optional<IpNetwork> IpNetwork::Parse(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const auto address = IpAddress::Parse(text.substr(0, slash));
  if (!address) return std::nullopt;
  const std::string_view digits = text.substr(slash + 1);
  const bool written_as_ipv6 = text.substr(0, slash).find(':') != std::string_view::npos;
  const auto prefix = ParseDecimal(digits, written_as_ipv6 ? 128 : 32);
  if (!prefix || digits.size() > kMaxPrefixDigits) return std::nullopt;
  const unsigned bits = static_cast<unsigned>(*prefix) + (written_as_ipv6 ? 0 : 96);
  const IpAddress base = address->Masked(bits);
  return base.IsIpv4() ? IpNetwork(base, bits - 96, true) : IpNetwork(base, bits, false);
}

bool IpNetwork::Contains(const IpAddress& address) const {
  return address.IsIpv4() == ipv4_ && address.Masked(bits()) == address_;
}

bool IpNetwork::Contains(const IpNetwork& other) const {
  return other.ipv4_ == ipv4_ && other.prefix_ >= prefix_ && Contains(other.address_);
}

std::string IpNetwork::ToString() const { return fmt::format("{}/{}", address_.ToString(), prefix_); }

std::string_view ReservedKind(const IpAddress& address) {
  const auto& bytes = address.bytes();
  const std::uint8_t first = address.IsIpv4() ? bytes[12] : bytes[0];
  if (address.IsLoopback()) return "a loopback address";
  if (address.IsIpv4() ? first == 0 : std::ranges::count(bytes, 0) == 16) return "an unspecified address";
  if (address.IsIpv4() ? first >> 4U == 0xE : first == 0xFF) return "a multicast address";
  if (address.IsIpv4() && first >> 4U == 0xF) return "a reserved or broadcast address";
  return {};
}

std::string_view ReservedKind(const IpAddress& address, const IpNetwork& network) {
  if (const std::string_view kind = ReservedKind(address); !kind.empty()) return kind;
  const std::size_t bits = (network.IsIpv4() ? 32 : 128) - network.prefix();
  if (bits <= 1) return {};
  bool zeros = true;
  bool ones = network.IsIpv4();
  for (std::size_t i = 0; i < bits; ++i) {
    const bool bit = (address.bytes()[15 - i / 8] >> (i % 8) & 1U) != 0;
    zeros = zeros && !bit;
    ones = ones && bit;
  }
  if (zeros) return network.IsIpv4() ? "the address of the network itself" : "the address of the network's routers";
  return ones ? "the broadcast address of the network" : std::string_view();
}

}  // namespace prov
