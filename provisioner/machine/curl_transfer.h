// What all requests by libcurl have in common: TLS, whom they trust, the proxy, and what became of one that failed.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "provisioner/base/result.h"
#include "provisioner/base/secret.h"
#include "provisioner/machine/curl_functions.h"
#include "provisioner/machine/http_failure.h"
#include "provisioner/machine/peer_recorder.h"
#include "provisioner/machine/proxy_answer.h"

namespace prov::machine {

// Where a request goes and by whom the server is known. All of it outlives the transfer.
struct CurlRoute {
  const std::string& url;
  const std::optional<Secret>& proxy_url;  // as in HttpRequest
  const std::vector<std::string>& roots;   // as in HttpRequest
};

// How a proxy gets credentials. Of more than one way none is used before the proxy asked, so that one that takes Digest
// never sees the password; Basic alone goes with the first request, as Go programs have it.
inline constexpr unsigned long kWhenAsked = CURLAUTH_BASIC | CURLAUTH_DIGEST;
inline constexpr unsigned long kUnasked = CURLAUTH_BASIC;

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
  Result<CURLcode> Perform();

  // Of what Perform() gave, CURLE_OK included. How long it was waited the caller knows.
  HttpFailure FailureOf(CURLcode code);

  // Where it was spoken without TLS to somebody who did not understand: whether TLS would be understood.
  void LookForTls(HttpFailure& failure, int most_seconds);
  bool SpeaksTls(int most_seconds) const;
  bool spoken_plain() const { return proxy_.empty() ? !is_tls_ : !proxy_is_tls_; }

  // Whether an answer is the proxy's, or passed through it in the open.
  bool by_proxy() const { return !proxy_.empty() && !is_tls_; }
  // Whether a proxy that knows nothing of our credentials turned us away without asking for them.
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
  std::string PlainPeer() const;
  HttpTrouble TroubleOf(CURLcode code, bool with_proxy);
  bool WithProxy(int connect_status);
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
  std::optional<PeerRecorder> peers_;
  std::unique_ptr<CURL, decltype(&::curl_easy_cleanup)> handle_;  // goes before what it points to
  CURLcode refused_option_ = CURLE_OK;
};

}  // namespace prov::machine
