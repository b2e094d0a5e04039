// Looks at the certificates that the TLS peers of a libcurl transfer show; whether they hold stays OpenSSL's judgement.
#pragma once

#include "provisioner/net/certificate_failure.h"
#include "provisioner/net/curl_functions.h"

namespace prov::net {

class PeerRecorder {
 public:
  // `proxy_is_tls`: the first TLS layer of a connection is the proxy's.
  PeerRecorder(const CurlFunctions& curl, bool proxy_is_tls) : curl_(curl), proxy_is_tls_(proxy_is_tls) {}
  PeerRecorder(const PeerRecorder&) = delete;
  PeerRecorder& operator=(const PeerRecorder&) = delete;

  // Before the transfer; this object must outlive it. Where libcurl's TLS is not OpenSSL's nothing is ever known.
  void Attach(CURL* handle);

  const PeerCertificates& proxy() const { return proxy_.shown; }
  const PeerCertificates& server() const { return server_.shown; }
  // Whether the newest connection came as far as TLS with the server.
  bool reached_server_tls() const { return layers_ > (proxy_is_tls_ ? 1 : 0); }

 private:
  struct Peer {
    const TlsFunctions* tls = nullptr;
    PeerCertificates shown;
  };

  static int StartConnection(void* self, curl_socket_t socket, curlsocktype purpose);
  static CURLcode StartTls(CURL* handle, void* context, void* self);
  static int Verify(X509_STORE_CTX* store, void* peer);

  const CurlFunctions& curl_;
  bool proxy_is_tls_;
  int layers_ = 0;  // of TLS in the newest connection
  Peer proxy_;
  Peer server_;
};

}  // namespace prov::net
