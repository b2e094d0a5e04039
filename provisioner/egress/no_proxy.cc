#include "provisioner/egress/no_proxy.h"

#include <fmt/format.h>

#include <algorithm>

#include "provisioner/base/ip_address.h"
#include "provisioner/base/text.h"

namespace prov::egress {
namespace {

using Kind = NoProxyEntry::Kind;

// Offset of the first control character (C0, DEL, C1) in well-formed UTF-8, or npos.
std::size_t FindControl(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c < 0x20 || c == 0x7F) return i;
    const bool c1 = c == 0xC2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xA0;
    if (c1) return i;
  }
  return std::string_view::npos;
}

struct HostPort {
  std::string_view host;
  std::string_view port;
};

// The result of Go's net.SplitHostPort; nullopt if it fails (mostly: no port).
std::optional<HostPort> SplitHostPort(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  std::string_view host = text.substr(0, colon);
  const std::string_view port = text.substr(colon + 1);
  if (text[0] == '[') {
    if (!host.ends_with(']')) return std::nullopt;
    host = host.substr(1, host.size() - 2);
  } else if (host.find(':') != std::string_view::npos) {
    return std::nullopt;
  }
  const bool stray =
      host.find_first_of("[]") != std::string_view::npos || port.find_first_of("[]") != std::string_view::npos;
  if (stray) return std::nullopt;
  return HostPort{host, port};
}

// A port in the form of requests: decimal, no leading zero, 0-65535.
std::optional<std::uint16_t> ParseEntryPort(std::string_view digits) {
  const auto port = ParseDecimal(digits, 65535);
  if (!port || (digits.size() > 1 && digits[0] == '0')) return std::nullopt;
  return static_cast<std::uint16_t>(*port);
}

// Why a name matches no host, or "". `name` is lower case and has no leading "*." or dot.
std::string_view FaultOfName(std::string_view name) {
  if (name.starts_with('[') && name.ends_with(']'))
    return "Go wants an IPv6 address without brackets (or with brackets and a port)";
  if (name.find('/') != std::string_view::npos) {
    return name.find("//") != std::string_view::npos ? "it is a URL; only the host belongs here"
                                                     : "it is not a valid network (address/bits)";
  }
  if (name.find('*') != std::string_view::npos) return "a '*' counts only alone or as \"*.\" in front of a name";
  if (name.find('%') != std::string_view::npos) return "a zone or percent escape is not supported";
  for (const char c : name) {
    const bool plain = IsLetter(c) || IsDigit(c) || c == '-' || c == '_' || c == '.';
    if (!plain && IsAscii(c)) return "it holds a character that no host name has";
  }
  if (name.starts_with('.') || name.find("..") != std::string_view::npos) return "it has an empty label (two dots)";
  return {};
}

void MakeInert(NoProxyEntry& entry, std::string_view reason) {
  entry.kind = Kind::kInert;
  entry.reason = reason;
  entry.name.clear();
  entry.port.reset();
}

void ClassifyName(NoProxyEntry& entry, std::string_view name) {
  const bool star = name.starts_with("*.");
  if (star) name.remove_prefix(1);
  entry.kind = name.starts_with('.') ? Kind::kSuffix : Kind::kHost;
  if (entry.kind == Kind::kSuffix) name.remove_prefix(1);
  if (const std::string_view fault = FaultOfName(name); !fault.empty()) {
    MakeInert(entry, fault);
  } else {
    entry.name = name;
  }
}

// `text` must be trimmed and not empty.
NoProxyEntry Classify(std::string_view text) {
  NoProxyEntry entry;
  entry.text = text;
  const std::string lower = AsciiLower(text);
  if (lower == "*") {
    entry.kind = Kind::kAll;
    return entry;
  }
  if (const auto network = IpNetwork::Parse(lower)) {
    entry.kind = Kind::kNetwork;
    entry.network = network;
    return entry;
  }
  std::string_view host = lower;
  bool bad_port = false;
  if (const auto split = SplitHostPort(lower)) {
    host = split->host;
    if (host.empty()) {
      MakeInert(entry, "it has no host");
      return entry;
    }
    entry.port = ParseEntryPort(split->port);
    bad_port = !entry.port && !split->port.empty();
  }
  if (bad_port) {
    MakeInert(entry, lower.find("//") != std::string::npos ? "it is a URL; only the host belongs here"
                                                           : "the text after the ':' is not a port from 0 to 65535");
  } else if (const auto address = IpAddress::Parse(host)) {
    entry.kind = Kind::kAddress;
    entry.address = address;
  } else {
    ClassifyName(entry, host);
  }
  return entry;
}

std::vector<std::string> CanonicalSet(const NoProxy& list) {
  std::vector<std::string> out;
  for (const NoProxyEntry& entry : list.entries()) out.push_back(AsciiLower(entry.text));
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

}  // namespace

Result<NoProxy> NoProxy::Parse(std::string_view text, std::string_view where) {
  if (const std::size_t at = FindInvalidUtf8(text); at != std::string_view::npos) {
    return Fail(Code::kNoProxy,
                fmt::format("NO_PROXY is not UTF-8 from byte {} on; write names in ASCII (punycode)", at + 1),
                std::string(where));
  }
  if (const std::size_t at = FindControl(text); at != std::string_view::npos) {
    return Fail(
        Code::kNoProxy,
        fmt::format(
            "NO_PROXY holds a control character (such as a tab, line end or NUL) at byte {}; entries are separated by "
            "commas, remove it",
            at + 1),
        std::string(where));
  }
  NoProxy out;
  out.text_ = text;
  for (const std::string_view piece : Split(text, ',')) {
    const std::string_view trimmed = TrimGoSpace(piece);
    if (trimmed.empty()) continue;
    out.entries_.push_back(Classify(trimmed));
    if (out.entries_.back().kind == Kind::kAll) out.has_all_ = true;
  }
  return out;
}

bool NoProxy::SameSet(const NoProxy& other) const { return CanonicalSet(*this) == CanonicalSet(other); }

namespace {

constexpr std::size_t kMostName = 253;  // bytes of a DNS name

// RFC 1123 as Kubernetes checks a subdomain, which does not limit the length of labels.
bool IsSubdomain(std::string_view text) {
  if (text.size() > kMostName) return false;
  for (const std::string_view label : Split(text, '.')) {
    if (label.empty() || label.front() == '-' || label.back() == '-' ||
        label.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") != std::string_view::npos)
      return false;
  }
  return true;
}

}  // namespace

bool IsAddressOrRange(std::string_view text) {
  return IpAddress::Parse(text).has_value() || IpNetwork::Parse(text).has_value();
}

bool IsNoProxyItem(std::string_view item) {
  std::string_view name = item;
  if (name.starts_with('.')) name.remove_prefix(1);
  if (name.ends_with('.')) name.remove_suffix(1);
  return IsSubdomain(name) || IsAddressOrRange(item);
}

}  // namespace prov::egress
