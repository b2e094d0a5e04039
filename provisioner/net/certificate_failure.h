// Explains why a TLS peer's certificate is not valid, in a sentence for the administrator.
#pragma once

#include <string>
#include <vector>

namespace prov::net {

enum class CertificateFault {
  kNone,
  kUnknownIssuer,  // issued by none of the trusted CAs; also a self-signed one
  kSignature,      // not signed by the trusted issuer of that name
  kExpired,
  kNotYetValid,
  kNotCa,    // issued by a certificate that is not a CA
  kTooWeak,  // key or signature
  kPurpose,  // not for servers
  kName,     // valid, but for other hosts, or for none (no subjectAltName)
  kOther,
};

// The certificates that a TLS peer presented, and the result of verification.
struct PeerCertificates {
  std::vector<std::string> chain;  // DER, as sent, the peer's own first; empty: unknown
  CertificateFault fault = CertificateFault::kNone;
  std::string culprit;  // DER: the certificate at which verification ended
};

struct CertificateFailure {
  PeerCertificates peer;
  std::string whose;               // "the proxy proxy.example.com:3128", "the server"
  std::string host;                // the name that the client used for the peer
  bool own_roots = false;          // a trust bundle was used, not the system's roots
  std::vector<std::string> roots;  // DER: its certificates
  bool roots_are_named = false;    // they are CAs that the user named for this server, not a trust bundle
  bool of_machine = false;         // as in HttpRequest
  bool behind_proxy = false;       // a proxy on the way may have presented the certificate
  std::string detail;              // the library's message
};

// The fault and a remedy. Names in certificates are quoted and shortened.
std::string ExplainCertificate(const CertificateFailure& failure);

}  // namespace prov::net
