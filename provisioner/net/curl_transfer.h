// What all requests through libcurl share: TLS and trust, the proxy, and turning a failure into an error.
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

// The destination of a request, and how the server is verified. All of it must outlive the transfer.
struct CurlRoute {
  const std::string& url;
  const std::optional<Secret>& proxy_url;  // as in HttpRequest
  const std::vector<std::string>& roots;   // as in HttpRequest
  // Only self-signed certificates count as roots, not those that another CA issued.
  bool up_to_roots = false;
  bool skip_verify = false;    // of the server
  bool beside_system = false;  // the system's roots count, too
};

// Time limits of a transfer. libcurl's own timeouts do not cover the time in which it reads what a proxy sends along
// with its answer to CONNECT.
struct CurlBounds {
  int connect_seconds = 0;            // until connected, with tunnel and TLS; 0: no limit
  int total_seconds = 0;              // 0: no limit
  std::function<bool()> should_stop;  // called a few times a second; returning true ends the transfer
};

// The authentication for a proxy. With several schemes, libcurl sends nothing before the proxy asks, so that a proxy
// with Digest never sees the password. Basic alone is sent with the first request, as Go programs do.
inline constexpr unsigned long kAfterChallenge = CURLAUTH_BASIC | CURLAUTH_DIGEST;
inline constexpr unsigned long kPreemptive = CURLAUTH_BASIC;

// Records the certificates that the TLS peers of a transfer present; only OpenSSL decides whether they are valid.
class PeerRecorder {
 public:
  // `proxy_is_tls`: the first TLS layer of a connection is the proxy's.
  PeerRecorder(const CurlFunctions& curl, bool proxy_is_tls) : curl_(curl), proxy_is_tls_(proxy_is_tls) {}
  PeerRecorder(const PeerRecorder&) = delete;
  PeerRecorder& operator=(const PeerRecorder&) = delete;

  // Call it before the transfer; this object must outlive it. Records nothing if libcurl uses another TLS library.
  void Attach(CURL* handle);

  const PeerCertificates& proxy() const { return proxy_.shown; }
  const PeerCertificates& server() const { return server_.shown; }
  // Whether the newest connection reached TLS with the server.
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
  int layers_ = 0;  // number of TLS layers in the newest connection
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
  // `bytes` must outlive the transfer.
  void SetBlob(CURLoption option, const std::string& bytes);

  template <class Value>
  Value Info(CURLINFO which) {
    Value value{};
    curl_.getinfo(handle_.get(), which, &value);
    return value;
  }

  // Sets URL, TLS, trust and proxy, and takes nothing from the environment. `proxy` names the proxy's URL in errors.
  // Errors: proxy-url; those of ParseRequestTarget(), internal.
  Result<void> Prepare(const std::string& proxy);

  // Call it after all options are set. Errors: internal, if this libcurl does not know an option: a request is never
  // made with less security.
  Result<CURLcode> Perform(CurlBounds bounds);
  bool was_stopped() const { return was_stopped_; }  // by should_stop
  int Seconds() const;                               // since Perform() began

  // Explains the result of Perform(), also CURLE_OK. The caller adds how long it waited.
  HttpFailure FailureOf(CURLcode code);

  // For a connection without TLS whose peer did not understand the request: tests whether the peer speaks TLS. Takes at
  // most the transfer's remaining time, and at most three seconds.
  void LookForTls(HttpFailure& failure);
  bool SpeaksTls();
  bool spoken_plain() const { return proxy_.empty() ? !is_tls_ : !proxy_is_tls_; }

  // Whether an answer is from the proxy itself, or passed through it unencrypted.
  bool by_proxy() const { return !proxy_.empty() && !is_tls_; }
  // Whether the proxy refused without asking for credentials, although it had not got any.
  bool RefusedWithoutChallenge(int status) const;
  bool RefusedWithoutChallenge(const HttpFailure& failure);

  std::string Where() const;  // the redacted URL, for messages
  std::string Detail(CURLcode code) const { return words_[0] != '\0' ? words_.data() : curl_.strerror(code); }
  const std::string& proxy() const { return proxy_; }  // "host:port"; "" without a proxy
  bool credentials() const { return credentials_; }
  // Is passed each header line of each answer, in order, that of a proxy to CONNECT, too.
  void AddHeaderLine(std::string_view line);
  // The status of the proxy's answer to CONNECT; 0: there is none to the newest CONNECT.
  int ConnectStatus();
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
  bool WaitsForAnswer();  // a request was sent after the newest answer
  bool WaitsAfterLogin();
  bool MayOffer() const { return credentials_ && authentication_ != kPreemptive; }
  bool IsCutUnheard(const HttpFailure& failure);

  const CurlFunctions& curl_;
  CurlRoute route_;
  unsigned long authentication_;
  std::string roots_;    // PEM
  std::string host_;     // of the URL
  std::string server_;   // "host:port" of the URL
  bool is_tls_ = false;  // for https://
  std::string proxy_;
  bool proxy_is_tls_ = false;
  bool credentials_ = false;
  std::array<char, CURL_ERROR_SIZE> words_{};
  ProxyAnswer answer_;
  long answered_size_ = 0;  // CURLINFO_REQUEST_SIZE as of the newest answer
  CurlBounds bounds_;
  std::chrono::steady_clock::time_point start_, next_question_;
  bool was_stopped_ = false;
  std::optional<PeerRecorder> peers_;
  std::unique_ptr<CURL, decltype(&::curl_easy_cleanup)> handle_;  // destroyed before the members that it points to
  CURLcode refused_option_ = CURLE_OK;
};

}  // namespace prov::net
