// Explains why a TLS peer's certificate is not valid, in a sentence for the person who has to fix it.
#pragma once

#include <string>
#include <vector>

namespace prov::net {

enum class CertificateFault {
  kNone,
  kUnknownIssuer,  // nobody who is trusted issued it; also a self-signed one
  kSignature,      // the issuer that is trusted did not sign it
  kExpired,
  kNotYetValid,
  kNotCa,    // issued by a certificate that is not a CA
  kTooWeak,  // key or signature
  kPurpose,  // it is not made for servers
  kName,     // it holds, but is for other hosts
  kOther,
};

// What a TLS peer presented, and the result of verification.
struct PeerCertificates {
  std::vector<std::string> chain;  // DER, the peer's own first, as sent; empty: not known
  CertificateFault fault = CertificateFault::kNone;
  std::string culprit;  // DER: the one at which verification ended
};

struct CertificateFailure {
  PeerCertificates peer;
  std::string whose;               // "the proxy proxy.example.com:3128", "the server"
  std::string host;                // as which it was spoken to
  bool own_roots = false;          // certificates of a trust bundle counted, not those of the system
  std::vector<std::string> roots;  // DER: these
  bool roots_are_named = false;    // they are CAs that somebody named for this server, and no trust bundle
  bool behind_proxy = false;       // it may be a proxy on the way that showed it
  std::string detail;              // the library's words
};

// What is wrong and what to do. Names in certificates are quoted and cut to a sensible length.
std::string ExplainCertificate(const CertificateFailure& failure);

// Whether a valid certificate names its hosts as Go programs require it: "" or what is wrong. libcurl still accepts a
// host name in the subject (CN); kubelet and containerd don't.
std::string ReviewForGo(const PeerCertificates& peer, const std::string& whose);

}  // namespace prov::net
