#include "provisioner/egress/no_proxy_item.h"

#include "provisioner/base/ip_address.h"
#include "provisioner/base/text.h"

namespace prov::egress {
namespace {

constexpr std::size_t kMostName = 253;  // bytes of a DNS name

bool IsLabelCharacter(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; }

// RFC 1123 as Kubernetes checks a subdomain: labels may be of any length.
bool IsSubdomain(std::string_view text) {
  if (text.size() > kMostName) return false;
  for (const std::string_view label : Split(text, '.')) {
    if (label.empty() || label.front() == '-' || label.back() == '-') return false;
    for (const char c : label) {
      if (!IsLabelCharacter(c)) return false;
    }
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
