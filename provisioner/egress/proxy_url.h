// The URL of a forward proxy, in HTTP_PROXY or HTTPS_PROXY.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "provisioner/base/finding.h"
#include "provisioner/base/result.h"
#include "provisioner/base/secret.h"

namespace prov::egress {

enum class ProxyVariable { kHttp, kHttps };

std::string_view NameOf(ProxyVariable variable);  // "HTTP_PROXY", "HTTPS_PROXY"

// Who will read the URL: the clients of a node, from its environment, or only this program, which passes host, port,
// user and password separately to its HTTP client.
enum class ProxyReaders { kEveryClient, kThisProgram };

// A proxy URL that its readers use as intended. Only ParseProxyUrl makes one.
class ProxyUrl {
 public:
  const std::string& scheme() const { return scheme_; }  // "http" or "https": how clients connect to the proxy itself
  // Lower-case ASCII (also punycode), or UTF-8 as given for a name that is not ASCII; IPv6 in canonical form without
  // brackets.
  const std::string& host() const { return host_; }
  std::uint16_t port() const { return port_; }  // explicit, else 80 or 443
  bool has_explicit_port() const { return has_explicit_port_; }
  // Percent-decoded; may hold any byte, also control characters: print it through Printable().
  const std::string& username() const { return username_; }
  const Secret& password() const { return password_; }       // percent-decoded; may hold any byte
  bool has_credentials() const { return has_credentials_; }  // the URL has a userinfo part, even an empty one
  std::string HostPort() const;                              // "host:port", IPv6 in brackets
  const Secret& Text() const { return text_; }               // as given
  // The text without "userinfo@" (then always with a scheme), query and fragment: clients ignore these two, and they
  // may hold a token.
  const Secret& WithoutCredentials() const { return without_credentials_; }
  std::string Redacted() const;  // RedactUrl(Text())

  bool operator==(const ProxyUrl&) const = default;

 private:
  friend class ProxyUrlParser;
  ProxyUrl() = default;

  std::string scheme_;
  std::string host_;
  std::uint16_t port_ = 0;
  bool has_explicit_port_ = false;
  bool has_credentials_ = false;
  std::string username_;
  Secret password_;
  Secret text_;
  Secret without_credentials_;
};

// Accepts a URL that x/net/http/httpproxy and net/url would use as intended. Refuses (proxy-url) an empty text, and
// whatever makes these go direct silently or contact something else. Stricter than Go in some points: a host is
// required, and is a DNS-like name or an address; a host whose last label is a number must be a plain IPv4 address
// (010.0.0.1, 1.2.3, 0x7f.1 mean different things to different clients); zone ids and percent escapes in the host are
// refused; the port is 1-65535; HTTP_PROXY accepts only http, as in the cluster's operator; the URL of a PAC file is
// refused. For kEveryClient it also refuses (fail-open) what Go uses and another client drops silently: an empty port,
// a ':' in path, query or fragment, a password behind an empty user name, an escaped control character in user or
// password. Findings: proxy-url-no-scheme, proxy-url-path (path, query or fragment: ignored by clients), proxy-url-idn,
// proxy-url-at ('@' unescaped in the userinfo) as warnings; proxy-url-port (no port, the default counts) as info.
// Neither errors nor findings hold any part of the userinfo.
Result<ProxyUrl> ParseProxyUrl(const Secret& text, ProxyVariable variable, std::string_view where, Findings& findings,
                               ProxyReaders readers = ProxyReaders::kEveryClient);

// `any_text` without anything that could be a password, also in malformed URLs. Hides: from the first ':' (or %3A)
// after "http://" and its like, or of the whole text, up to the last '@'; a user name without a password, which may be
// a token; what follows a ':' and is not a port number; query and fragment. When in doubt it hides more, but no
// address: neither "mcs://host:22623" nor "2001:db8::1". The result may hold other bytes of the input, so pass it
// through Printable() before it is printed on a terminal.
std::string RedactUrl(std::string_view any_text);
// A requested URL or host for output: RedactUrl() if it has a user, a query or a fragment, else as given.
std::string RedactRequest(std::string_view text);
// Whether RedactUrl hides a part of the text (also true if the text itself holds "***").
bool MayHoldCredentials(std::string_view any_text);

}  // namespace prov::egress
