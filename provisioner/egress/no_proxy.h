// NO_PROXY as Go's x/net/http/httpproxy reads it, which is how OpenShift's components understand it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "provisioner/base/finding.h"
#include "provisioner/base/ip_address.h"
#include "provisioner/base/result.h"

namespace prov::egress {

// Windows takes so many UTF-16 units for a variable's name, '=' and value together with the final NUL
// (docs/formats/environment.md#length-of-a-variable).
inline constexpr std::size_t kMaxVariableUnits = 32767;

struct NoProxyEntry {
  enum class Kind {
    kAll,     // "*"
    kHost,    // "foo.com": that name and all names below it
    kSuffix,  // ".foo.com" or "*.foo.com": only names below it
    kAddress,
    kNetwork,
    kInert,  // matches nothing
  };

  Kind kind = Kind::kInert;
  std::string text;  // trimmed, as given
  std::string name;  // kHost, kSuffix: ASCII-lower-case, no leading dot or "*."; "" for "." (hosts that end in a dot)
  std::optional<IpAddress> address;   // kAddress
  std::optional<IpNetwork> network;   // kNetwork
  std::optional<std::uint16_t> port;  // kHost, kSuffix, kAddress: only requests to this port
  std::string reason;                 // kInert: the reason, as text for people
};

class NoProxy {
 public:
  // Only control characters (C0 with tab and line ends, DEL, C1) and malformed UTF-8 are errors: no-proxy.
  static Result<NoProxy> Parse(std::string_view text, std::string_view where);

  const std::vector<NoProxyEntry>& entries() const {
    return entries_;
  }  // in order, empty ones left out, duplicates kept
  const std::string& text() const { return text_; }  // as given
  bool HasAll() const { return has_all_; }           // an entry is "*"
  // Whether both hold the same entries: order, duplicates, blanks and ASCII case do not matter.
  bool SameSet(const NoProxy& other) const;

 private:
  std::string text_;
  std::vector<NoProxyEntry> entries_;
  bool has_all_ = false;
};

// Whether a Go client would contact host:port directly. `host` as in a URL (IPv6 with or without brackets); nothing is
// resolved. localhost (lower case only), 127.0.0.0/8 and ::1 are always direct. Compares names that are not ASCII as
// text; Go would compare their punycode.
bool GoBypasses(const NoProxy& no_proxy, std::string_view host, std::uint16_t port);

// The known facts of a cluster; an empty member is unknown.
struct ClusterFacts {
  std::string api_host;                     // name or address of the internal API server
  std::vector<std::string> service_ranges;  // CIDRs
  std::string metadata_address;             // of the platform's metadata service, e.g. 169.254.169.254
};

// Findings about the list (all warnings unless said otherwise; at most 20 of a kind, then one that counts the rest):
//   no-proxy-separator     blanks or ';' inside an entry
//   no-proxy-inert         an entry that matches nothing, and why; a range of addresses
//   no-proxy-odd-address   a name that looks like an address but is none
//   no-proxy-idn           a name that is not ASCII
//   no-proxy-wide          "*" in a list, 0.0.0.0/0, ::/0
//   no-proxy-missing       API host, metadata address or service range is not covered
//   no-proxy-all           info: "*" alone
//   no-proxy-host-bits     info: bits below the mask are set
//   no-proxy-trailing-dot  info: matches only hosts written with a final dot
Findings LintNoProxy(const NoProxy& no_proxy, const ClusterFacts& facts, std::string_view where);

// Whether OpenShift's network operator accepts the item of a list: a DNS name in lower case (with or without a dot at
// either end), an address or a network. AKS documents the same rules. Facts: docs/openshift.md#proxy-status,
// docs/egress-systems.md#aks-httpproxyconfig.
bool IsNoProxyItem(std::string_view item);

// Whether the text is an IP address or a network in CIDR notation.
bool IsAddressOrRange(std::string_view text);

// An entry as output may show it: without the password of a proxy URL that was pasted into the list, and without
// anything else that RedactUrl hides. Names, ports, addresses (also with a zone) and networks stay as they are.
std::string RedactNoProxyEntry(std::string_view entry);
// Redacts each entry of a list; everything between the entries stays. A bypass list separates by "; ".
std::string RedactNoProxy(std::string_view list, std::string_view separators = ",");

}  // namespace prov::egress
