// RedactNoProxy: removes the passwords of URLs that were pasted into a list of exceptions.
#include <algorithm>
#include <array>

#include "provisioner/base/ip_address.h"
#include "provisioner/base/text.h"
#include "provisioner/egress/no_proxy.h"
#include "provisioner/egress/proxy_url.h"

namespace prov::egress {
namespace {

// An address with a zone, such as fe80::1%eth0. No list accepts it, and no part of it is secret.
bool IsZonedAddress(std::string_view item) {
  const std::size_t zone = item.find('%');
  return zone != std::string_view::npos && item.find_first_of("@/:", zone) == std::string_view::npos &&
         IpAddress::Parse(item.substr(0, zone)).has_value();
}

// Whether a '%' may stand for what separates a password from the rest of a URL, also where it is escaped twice. Other
// entries with a '%', such as %PATH%, are mistakes that output must show.
bool MayHideSeparators(std::string_view item) {
  constexpr std::array<std::string_view, 4> kSeparators = {"%3a", "%40", "%2f", "%25"};
  const std::string lower = AsciiLower(item);
  return lower.find_first_of("@:/?#") != std::string::npos ||
         std::ranges::any_of(kSeparators, [&](auto escape) { return lower.find(escape) != std::string::npos; });
}

}  // namespace

std::string RedactNoProxyEntry(std::string_view entry) {
  const std::string_view item = TrimBlanks(entry);
  if (item.empty() || IsAddressOrRange(item) || IsZonedAddress(item) || !MayHideSeparators(item))
    return std::string(entry);
  // RedactUrl would not recognise a URL with blanks around it.
  const std::size_t begin = entry.find(item);
  return std::string(entry.substr(0, begin)) + RedactUrl(item) + std::string(entry.substr(begin + item.size()));
}

std::string RedactNoProxy(std::string_view list, std::string_view separators) {
  std::string out;
  while (true) {
    const std::size_t end = std::min(list.find_first_of(separators), list.size());
    out += RedactNoProxyEntry(list.substr(0, end));
    if (end == list.size()) return out;
    out += list[end];
    list.remove_prefix(end + 1);
  }
}

}  // namespace prov::egress
