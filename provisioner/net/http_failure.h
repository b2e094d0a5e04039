// Explains why a request failed, in a sentence for the administrator.
#pragma once

#include <string>
#include <vector>

#include "provisioner/base/error.h"
#include "provisioner/net/certificate_failure.h"

namespace prov::net {

enum class HttpTrouble {
  kProxyName,   // the proxy's name does not resolve
  kServerName,  // the server's name does not resolve
  kConnect,     // no connection to the proxy, or without one to the server
  kTimeout,
  kCertificate,  // the server's certificate
  kProxyCertificate,
  kPlain,    // the answer to a TLS handshake is not TLS
  kTlsCut,   // the connection ended during the TLS handshake
  kTls,      // another failure of TLS
  kNotHttp,  // the answer is not HTTP
  kCut,      // the connection ended before an answer
  kCutBody,  // the connection ended within an answer
  kHeaders,  // the answer's headers exceed libcurl's limit
  kOther,
};

struct HttpFailure {
  HttpTrouble trouble = HttpTrouble::kOther;
  std::string where;                    // the URL, without credentials
  std::string proxy;                    // "host:port"; "" for none
  int connect_status = 0;               // status with which the proxy refused; 0: it did not
  bool credentials = false;             // the proxy's URL has some
  bool after_login = false;             // the proxy asked for credentials, and did not answer the request with them
  std::vector<std::string> challenges;  // values of the proxy's newest Proxy-Authenticate headers
  std::string proxy_reason;             // the proxy's own name for its refusal, such as squid's ERR_DNS_FAIL; "": none
  bool refused = false;                 // the connection was refused, not lost
  bool connected = true;                // a connection was made
  bool with_proxy = false;              // the TLS failure is with the proxy itself
  bool speaks_tls = false;              // the peer of a connection without TLS speaks TLS
  int timeout_seconds = 0;              // how long the client waited
  std::string detail;                   // the library's message
  CertificateFailure certificate;       // for kCertificate and kProxyCertificate, as far as known; `host` is the URL's
};

// The error for a failure. Codes: tls for TLS and certificates, otherwise network.
Error Explain(const HttpFailure& failure);

// Whether no connection to the server came about, where none goes through a proxy.
bool IsUnreachable(const HttpFailure& failure);

// Whether the same request may succeed a moment later: not if certificates, credentials or rules prevent it.
bool IsTemporary(const HttpFailure& failure);
bool IsTemporary(int status);

// The meaning of a server's status of 400 or above, when a lower one was expected.
std::string ExplainStatus(int status);

}  // namespace prov::net
