// What all requests by libcurl share: TLS and trust, the proxy, and turning a failure into an error.
#pragma once

#include <array>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "provisioner/base/result.h"
#include "provisioner/base/secret.h"
#include "provisioner/net/certificate_failure.h"
#include "provisioner/net/curl_functions.h"
#include "provisioner/net/http_failure.h"
#include "provisioner/net/proxy_answer.h"

namespace prov::net {

// Where a request goes, and how the server is verified. All of it must outlive the transfer.
struct CurlRoute {
  const std::string& url;
  const std::optional<Secret>& proxy_url;  // as in HttpRequest
  const std::vector<std::string>& roots;   // as in HttpRequest
  // Only self-signed certificates count as roots: a certificate that another one issued is no root.
  bool up_to_roots = false;
};

// Time limits of a transfer. libcurl's own time-outs cover most of it, but not the time in which it reads what a proxy
// sends along with its answer to CONNECT.
struct CurlBounds {
  int connect_seconds = 0;            // until the connection (with tunnel and TLS) stands; 0: no bound
  int total_seconds = 0;              // 0: no bound
  std::function<bool()> should_stop;  // asked a few times a second; true ends the transfer
};

// Which authentication to use with a proxy. If several are allowed, none is used before the proxy asks, so that a proxy
// that takes Digest never sees the password. Basic alone is sent with the first request, as Go programs do it.
inline constexpr unsigned long kWhenAsked = CURLAUTH_BASIC | CURLAUTH_DIGEST;
inline constexpr unsigned long kUnasked = CURLAUTH_BASIC;

// Reads the certificates that the TLS peers of a transfer present; OpenSSL alone decides whether they are valid.
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

class CurlTransfer {
 public:
  CurlTransfer(const CurlFunctions& curl, const CurlRoute& route, unsigned long authentication);
  CurlTransfer(const CurlTransfer&) = delete;
  CurlTransfer& operator=(const CurlTransfer&) = delete;

  template <class Value>
  void Set(CURLoption option, Value value) {
    const CURLcode code = curl_.setopt(handle_.get(), option, value);
    if (code != CURLE_OK) refused_option_ = code;
  }
  // `bytes` outlive the transfer.
  void SetBlob(CURLoption option, const std::string& bytes);

  template <class Value>
  Value Info(CURLINFO which) {
    Value value{};
    curl_.getinfo(handle_.get(), which, &value);
    return value;
  }

  // Sets URL, TLS, trust and proxy; nothing is taken from the environment. `proxy` names the proxy's URL in errors:
  // proxy-url. Other errors: those of ParseRequestTarget(), internal.
  Result<void> Prepare(const std::string& proxy);

  // To be called after all options. Errors: internal, if this libcurl does not know an option: a request is never made
  // with less security for that.
  Result<CURLcode> Perform(CurlBounds bounds);
  bool was_stopped() const { return was_stopped_; }  // by should_stop
  int Seconds() const;                               // since Perform() began

  // Explains the result of Perform(), CURLE_OK included. The caller knows how long the wait was.
  HttpFailure FailureOf(CURLcode code);

  // For a connection without TLS whose peer did not understand the request: tests whether the peer speaks TLS. Takes
  // the time that the transfer has left, three seconds at most.
  void LookForTls(HttpFailure& failure);
  bool SpeaksTls();
  bool looked_for_tls() const { return looked_for_tls_; }
  bool spoken_plain() const { return proxy_.empty() ? !is_tls_ : !proxy_is_tls_; }

  // Whether an answer is from the proxy itself, or passed through it unencrypted.
  bool by_proxy() const { return !proxy_.empty() && !is_tls_; }
  // Whether the proxy refused without asking for credentials, although it did not get any yet.
  bool RefusedUnasked(int status) const;
  bool RefusedUnasked(const HttpFailure& failure);

  std::string Where() const;  // the URL as messages may show it
  std::string Detail(CURLcode code) const { return words_[0] != '\0' ? words_.data() : curl_.strerror(code); }
  const std::string& proxy() const { return proxy_; }  // "host:port"; "" for none
  bool credentials() const { return credentials_; }
  ProxyAnswer& answer() { return answer_; }  // gets each header line
  const PeerRecorder& peers() const { return *peers_; }

 private:
  void SetTrust();
  Result<void> SetProxy(const std::string& name);
  void SetBounds();
  static int OnProgress(void* self, curl_off_t, curl_off_t, curl_off_t, curl_off_t);
  bool Ends();
  std::string PlainPeer() const;
  HttpTrouble TroubleOf(CURLcode code, bool with_proxy);
  bool WithProxy(int connect_status);
  bool MayOffer() const { return credentials_ && authentication_ != kUnasked; }
  bool IsCutUnheard(const HttpFailure& failure);

  const CurlFunctions& curl_;
  CurlRoute route_;
  unsigned long authentication_;
  std::string roots_;    // PEM
  std::string host_;     // of the URL
  std::string server_;   // "host:port" of the URL
  bool is_tls_ = false;  // the URL
  std::string proxy_;
  bool proxy_is_tls_ = false;
  bool credentials_ = false;
  std::array<char, CURL_ERROR_SIZE> words_{};
  ProxyAnswer answer_;
  CurlBounds bounds_;
  std::chrono::steady_clock::time_point start_, next_question_;
  bool was_stopped_ = false;
  bool looked_for_tls_ = false;
  std::optional<PeerRecorder> peers_;
  std::unique_ptr<CURL, decltype(&::curl_easy_cleanup)> handle_;  // goes before what it points to
  CURLcode refused_option_ = CURLE_OK;
};

}  // namespace prov::net
