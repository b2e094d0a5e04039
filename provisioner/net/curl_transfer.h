// What all requests by libcurl have in common: TLS, whom they trust, the proxy, and what became of one that failed.
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

// Where a request goes and by whom the server is known. All of it outlives the transfer.
struct CurlRoute {
  const std::string& url;
  const std::optional<Secret>& proxy_url;  // as in HttpRequest
  const std::vector<std::string>& roots;   // as in HttpRequest
  // Only one that signed itself counts as root: what is issued by another, or is another, does not hold by it.
  bool up_to_roots = false;
};

// How long a transfer may take. libcurl's own time-outs hold for most of it, but not while it reads what a proxy sends
// along with its answer to CONNECT.
struct CurlBounds {
  int connect_seconds = 0;            // until the connection (with tunnel and TLS) stands; 0: no bound
  int total_seconds = 0;              // 0: no bound
  std::function<bool()> should_stop;  // asked a few times a second; true ends the transfer
};

// How a proxy gets credentials. Of more than one way none is used before the proxy asked, so that one that takes Digest
// never sees the password; Basic alone goes with the first request, as Go programs have it.
inline constexpr unsigned long kWhenAsked = CURLAUTH_BASIC | CURLAUTH_DIGEST;
inline constexpr unsigned long kUnasked = CURLAUTH_BASIC;

// Looks at the certificates that the TLS peers of a transfer show; whether they hold stays OpenSSL's judgement.
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

  // URL, TLS, trust and proxy; nothing of it is taken from the environment. `proxy` names the proxy's URL in errors:
  // proxy-url. Other errors: those of ParseRequestTarget(), internal.
  Result<void> Prepare(const std::string& proxy);

  // After all options. Errors: internal, where this libcurl does not know one: no request has less safety for that.
  Result<CURLcode> Perform(CurlBounds bounds);
  bool was_stopped() const { return was_stopped_; }  // by should_stop
  int Seconds() const;                               // since Perform() began

  // Of what Perform() gave, CURLE_OK included. How long it was waited the caller knows.
  HttpFailure FailureOf(CURLcode code);

  // Where it was spoken without TLS to somebody who did not understand: whether TLS would be understood. Takes what is
  // left of the transfer's time, three seconds at most.
  void LookForTls(HttpFailure& failure);
  bool SpeaksTls();
  bool looked_for_tls() const { return looked_for_tls_; }
  bool spoken_plain() const { return proxy_.empty() ? !is_tls_ : !proxy_is_tls_; }

  // Whether an answer is the proxy's, or passed through it in the open.
  bool by_proxy() const { return !proxy_.empty() && !is_tls_; }
  // Whether a proxy that knows nothing of our credentials turned us away without asking for them. Not if it got them.
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
