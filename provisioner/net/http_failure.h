// Explains why a request failed, in a sentence for the person who has to fix it.
#pragma once

#include <string>
#include <vector>

#include "provisioner/base/error.h"
#include "provisioner/net/certificate_failure.h"

namespace prov::net {

enum class HttpTrouble {
  kProxyName,   // the proxy's address is not found
  kServerName,  // the server's
  kConnect,     // nobody answers at the proxy, or without one at the server
  kTimeout,
  kCertificate,  // the server's certificate
  kProxyCertificate,
  kPlain,    // greeted by TLS, it answered with something else
  kTlsCut,   // the connection ended while TLS was being set up
  kTls,      // anything else about TLS
  kNotHttp,  // the answer is not HTTP
  kCut,      // the connection ended before there was an answer
  kHeaders,  // the answer's headers are larger than libcurl takes
  kOther,
};

struct HttpFailure {
  HttpTrouble trouble = HttpTrouble::kOther;
  std::string where;                    // the URL, without credentials
  std::string host;                     // of the URL; only for certificates
  std::string proxy;                    // "host:port"; "" for none
  int connect_status = 0;               // with which the proxy refused; 0: it didn't
  bool credentials = false;             // the proxy's URL has some
  std::vector<std::string> challenges;  // values of the proxy's newest Proxy-Authenticate headers
  std::string proxy_reason;             // the proxy's own word for its refusal, as squid's ERR_DNS_FAIL; "": none
  bool refused = false;                 // the connection was refused, rather than lost
  bool connected = true;                // somebody took the connection
  bool with_proxy = false;              // the trouble with TLS is with the proxy itself
  bool speaks_tls = false;              // whom it was spoken to without TLS would take TLS
  int timeout_seconds = 0;              // how long it was waited
  bool own_roots = false;               // certificates of a trust bundle counted, not those of the system
  bool roots_are_named = false;         // these are CAs named for this server, and no trust bundle
  PeerCertificates peer;                // of kCertificate and kProxyCertificate, as far as known
  std::vector<std::string> roots;       // DER: the certificates that counted
  std::string detail;                   // the library's words
};

// Codes: tls for what is wrong with TLS or certificates, network for all else.
Error Explain(const HttpFailure& failure);

// Whether the same request may succeed a moment later: not if certificates, credentials or rules prevent it.
bool MayPass(const HttpFailure& failure);
bool MayPass(int status);

// What a proxy's refusal means and what to do about it; `reason` as HttpFailure::proxy_reason.
std::string ExplainProxyStatus(int status, const std::string& reason = "");

// The meaning of a server's answer of 400 or above, where one below was expected.
std::string ExplainStatus(int status);

}  // namespace prov::net
