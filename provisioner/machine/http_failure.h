// Why a request failed, in a sentence for whoever has to mend it.
#pragma once

#include <string>

#include "provisioner/base/error.h"

namespace prov::machine {

enum class HttpTrouble {
  kProxyName,   // the proxy's address is not found
  kServerName,  // the server's
  kConnect,     // nobody answers at the proxy, or without one at the server
  kTimeout,
  kCertificate,  // the server's certificate
  kProxyCertificate,
  kTls,  // anything else about TLS
  kCut,  // the connection ended before there was an answer
  kOther,
};

struct HttpFailure {
  HttpTrouble trouble = HttpTrouble::kOther;
  std::string where;        // the URL, without credentials
  std::string proxy;        // "host:port"; "" for none
  int connect_status = 0;   // what the proxy answered to CONNECT; 0: nothing
  bool refused = false;     // the connection was refused, rather than lost
  int timeout_seconds = 0;  // how long it was waited
  bool own_roots = false;   // certificates of a trust bundle counted, not those of the system
  std::string detail;       // the library's words
};

Error Explain(const HttpFailure& failure);

// What a proxy's refusal means and what to do about it.
std::string ExplainProxyStatus(int status);

}  // namespace prov::machine
