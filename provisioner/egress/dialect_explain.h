// Explains what each client does with a request: proxy, direct or invalid; which entry of NO_PROXY decides; and why the
// result differs from Go, whose reading the cluster's list is written for.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "provisioner/base/result.h"
#include "provisioner/base/secret.h"
#include "provisioner/egress/dialect.h"
#include "provisioner/egress/win_http_bypass.h"

namespace prov::egress {

// The settings that the clients read; empty texts are unset.
struct ClientSettings {
  Secret http_proxy;
  Secret https_proxy;
  std::string no_proxy;
  bool win_http_octets = false;
  bool node_env_proxy = false;  // NODE_USE_ENV_PROXY=1 is set, too; else it is a condition in the notes
};

struct ClientDecision {
  enum class Why {
    kScheme,      // the client uses no proxy for this scheme
    kUnset,       // no proxy is set for this scheme
    kImplicit,    // the client never proxies this host
    kEntry,       // an entry of NO_PROXY matches
    kNotCarried,  // WinHTTP's and WinINET's settings can't hold this proxy, or Node's http does not know its scheme
    kMalformed,   // the proxy's URL is malformed, or the client does not take it
    kZone,        // the client does not take the request's URL, because its address has a zone
    kApplies,     // the request goes to the proxy
  };

  Route route = Route::kDirect;
  Why why = Why::kUnset;
  std::string_view proxy;     // redacted; for kProxy and kInvalid
  std::string_view entry;     // for kEntry: as the client reads it; for WinHTTP and WinINET before translation
  bool answered_407 = false;  // for kApplies: the client's settings can't hold the credentials that the proxy wants

  bool operator==(const ClientDecision&) const = default;
};

// The settings, compiled for all clients: a decision takes about a hundred nanoseconds. Views in its answers are valid
// as long as it is.
class Explainer {
 public:
  // Errors: no-proxy (control characters). A malformed proxy URL gives answers with Route::kInvalid.
  static Result<Explainer> Make(const ClientSettings& settings);

  ClientDecision Decide(Dialect dialect, const Destination& to) const;

  // One line of text for people: the reason, and where the client differs from Go or its versions differ. May quote
  // NO_PROXY.
  std::string Note(Dialect dialect, const Destination& to, const ClientDecision& decision) const;

  // The future settings of WinHTTP and WinINET; nullptr: none.
  const WinHttpProxy* win_http() const { return has_windows_ ? &windows_ : nullptr; }

 private:
  // The proxy for one scheme.
  struct Proxy {
    bool is_set = false;
    bool has_credentials = false;
    bool is_tls = false;  // clients connect to it with TLS
    std::string redacted;
    std::string host_port;      // in the form for WinHTTP, WinINET and Java; "" if the URL is malformed
    std::string fault;          // why the URL is malformed
    bool carried = false;       // WinHTTP and WinINET can hold it
    std::string curl_fault;     // why curl refuses each request that would go to it
    std::string node_fault;     // why Node.js ends at its start, whatever it is asked for
    bool has_capitals = false;  // in its scheme
  };

  Explainer() = default;
  static Proxy ReadProxy(const Secret& text, ProxyVariable variable);
  void TranslateWindows(const ClientSettings& settings);
  void AddPattern(const NoProxyEntry& entry);
  std::string_view OriginOf(std::string_view pattern) const;
  Bypass FindWindows(Dialect dialect, const Destination& to) const;
  std::optional<ProxyVariable> VariableFor(Dialect dialect, std::string_view scheme) const;
  const Proxy& ProxyOf(ProxyVariable variable) const { return variable == ProxyVariable::kHttps ? https_ : http_; }
  const NoProxyEntry* EntryOf(std::string_view text) const;
  std::string Base(Dialect dialect, const Destination& to, const ClientDecision& decision) const;
  const Proxy* NodeRefuses(Dialect dialect) const;
  bool LacksTls(Dialect dialect, const Proxy& proxy) const;
  std::string Difference(Dialect dialect, const Destination& to, const ClientDecision& decision) const;

  Proxy http_, https_;
  bool node_env_proxy_ = false;
  bool has_windows_ = false;
  WinHttpProxy windows_;
  NoProxy list_;
  std::array<std::unique_ptr<DialectList>, kDialectCount> lists_;
  // WinHTTP's patterns, with the index of the NO_PROXY entry that each comes from.
  std::unordered_map<std::string, std::size_t> origins_;
  std::unordered_map<std::string_view, std::size_t> by_text_;  // entries of NO_PROXY; the first of each text
  std::vector<std::size_t> networks_;                          // entries that may have become octet patterns
};

}  // namespace prov::egress
