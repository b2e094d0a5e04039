// What each client stack does with a request: proxy, direct or broken; which entry of NO_PROXY decides; and why the
// result differs from Go, whose reading is the one that the cluster means.
#pragma once

#include <array>
#include <cstdint>
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

// The settings that decide; empty texts are unset.
struct ClientSettings {
  Secret http_proxy;
  Secret https_proxy;
  std::string no_proxy;
  bool win_http_octets = false;
};

struct ClientDecision {
  enum class Why {
    kScheme,      // one that the client has no proxy for
    kUnset,       // no proxy for this scheme
    kImplicit,    // the client never proxies this host
    kEntry,       // NO_PROXY has it
    kNotCarried,  // WinHTTP's and WinINET's settings can't hold this proxy
    kMalformed,   // the proxy's URL
    kApplies,     // to the proxy
  };

  Route route = Route::kDirect;
  Why why = Why::kUnset;
  std::string_view proxy;  // redacted; of kProxy and kInvalid
  std::string_view entry;  // of kEntry: as the client reads it; for WinHTTP and WinINET the one it was translated from

  bool operator==(const ClientDecision&) const = default;
};

// The settings, compiled for all clients: each question costs about a hundred nanoseconds. Views in its answers live as
// long as it does.
class Explainer {
 public:
  // Errors: no-proxy (control characters). Malformed proxy URLs are Route::kInvalid in the answers.
  static Result<Explainer> Make(const ClientSettings& settings);

  ClientDecision Decide(Dialect dialect, const Destination& to) const;

  // For a person, one line: why, and where the client differs from Go or its versions do. May quote NO_PROXY.
  std::string Note(Dialect dialect, const Destination& to, const ClientDecision& decision) const;

  // What WinHTTP's and WinINET's settings will be; nullptr: none.
  const WinHttpProxy* win_http() const { return has_windows_ ? &windows_ : nullptr; }

 private:
  // The proxy of one scheme.
  struct Proxy {
    bool is_set = false;
    bool has_credentials = false;
    bool is_tls = false;  // it is spoken to over https
    std::string redacted;
    std::string host_port;  // as WinHTTP, WinINET and Java have it; "" if it is malformed
    std::string fault;      // of a malformed URL
    bool carried = false;   // by WinHTTP and WinINET
  };

  Explainer() = default;
  static Proxy ReadProxy(const Secret& text, ProxyVariable variable);
  void TranslateWindows(const ClientSettings& settings);
  void AddPattern(const NoProxyEntry& entry);
  std::string_view OriginOf(std::string_view pattern) const;
  Bypass FindWindows(Dialect dialect, const Destination& to) const;
  const Proxy& ProxyOf(ProxyVariable variable) const { return variable == ProxyVariable::kHttps ? https_ : http_; }
  const NoProxyEntry* EntryOf(std::string_view text) const;
  std::string Base(Dialect dialect, const Destination& to, const ClientDecision& decision) const;
  bool LacksTls(Dialect dialect, const Proxy& proxy) const;
  std::string Difference(Dialect dialect, const Destination& to, const ClientDecision& decision) const;

  Proxy http_, https_;
  bool has_windows_ = false;
  WinHttpProxy windows_;
  NoProxy list_;
  std::array<std::unique_ptr<DialectList>, kDialectCount> lists_;
  // WinHTTP's patterns, each with the entry of NO_PROXY that it says.
  std::unordered_map<std::string, std::size_t> origins_;
  std::unordered_map<std::string_view, std::size_t> by_text_;  // entries of NO_PROXY; the first of each text
  std::vector<std::size_t> networks_;                          // entries that octet patterns may come from
};

}  // namespace prov::egress
