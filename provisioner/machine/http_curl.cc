#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <memory>
#include <optional>

#include "provisioner/base/base64.h"
#include "provisioner/base/text.h"
#include "provisioner/egress/decision.h"
#include "provisioner/egress/proxy_url.h"
#include "provisioner/machine/curl_functions.h"
#include "provisioner/machine/http_failure.h"
#include "provisioner/machine/http_fetch.h"
#include "provisioner/machine/live_ports.h"
#include "provisioner/machine/peer_recorder.h"
#include "provisioner/machine/proxy_answer.h"
#include "provisioner/machine/proxy_challenge.h"

namespace prov::machine {
namespace {

constexpr std::size_t kMostBodyBytes = std::size_t{64} << 10U;
constexpr int kBadRequest = 400;
constexpr int kUnauthorized = 401;
constexpr int kForbidden = 403;
constexpr int kProxyAuthenticationRequired = 407;
constexpr int kFirstGood = 200;
constexpr int kAfterGood = 300;

std::string ToPem(const std::vector<std::string>& roots) {
  constexpr std::size_t kLine = 64;
  std::string out;
  for (const std::string& der : roots) {
    out += "-----BEGIN CERTIFICATE-----\n";
    const std::string text = EncodeBase64(der);
    for (std::size_t at = 0; at < text.size(); at += kLine) out += text.substr(at, kLine) + "\n";
    out += "-----END CERTIFICATE-----\n";
  }
  return out;
}

// A connection error of this system that says: nothing listens there.
bool IsRefused(long number) {
  constexpr long kWindowsRefused = 10'061;  // WSAECONNREFUSED
  return number == ECONNREFUSED || number == kWindowsRefused;
}

// Reads a body that nobody wants: what is more than the limit ends the transfer.
std::size_t Drop(char* /*bytes*/, std::size_t size, std::size_t count, void* total) {
  auto& read = *static_cast<std::size_t*>(total);
  read += size * count;
  return read <= kMostBodyBytes ? size * count : 0;
}

std::size_t ReadHeader(char* bytes, std::size_t size, std::size_t count, void* answer) {
  static_cast<ProxyAnswer*>(answer)->AddLine({bytes, size * count});
  return size * count;
}

// Whether TLS is spoken there. Nothing but the handshake is sent.
bool SpeaksTls(const CurlFunctions& curl, const std::string& host_port) {
  constexpr long kPatience = 3000;  // milliseconds
  const std::unique_ptr<CURL, decltype(&::curl_easy_cleanup)> handle(curl.init(), curl.cleanup);
  if (!handle) return false;
  curl.setopt(handle.get(), CURLOPT_URL, fmt::format("https://{}/", host_port).c_str());
  curl.setopt(handle.get(), CURLOPT_PROXY, "");
  curl.setopt(handle.get(), CURLOPT_CONNECT_ONLY, 1L);
  curl.setopt(handle.get(), CURLOPT_NOSIGNAL, 1L);
  curl.setopt(handle.get(), CURLOPT_TIMEOUT_MS, kPatience);
  const CURLcode code = curl.perform(handle.get());
  return code == CURLE_OK || code == CURLE_PEER_FAILED_VERIFICATION;  // it showed a certificate, good or not
}

bool HasAny(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(words, [&](std::string_view word) { return text.find(word) != std::string_view::npos; });
}

// Why a TLS handshake failed, by the words of OpenSSL and GnuTLS.
HttpTrouble TlsTrouble(std::string_view words) {
  if (HasAny(words, {"wrong version number", "packet length too long", "http request", "unexpected TLS packet"})) {
    return HttpTrouble::kPlain;
  }
  if (HasAny(words, {"SSL_ERROR_SYSCALL", "unexpected eof", "reset by peer", "improperly terminated"})) {
    return HttpTrouble::kTlsCut;
  }
  return HttpTrouble::kTls;
}

class Transfer {
 public:
  // `authentication`: CURLAUTH_… of which libcurl takes the best that the proxy offers. Of more than one none is used
  // before the proxy asked; Basic alone goes with the first request.
  Transfer(const CurlFunctions& curl, const HttpRequest& request, unsigned long authentication)
      : curl_(curl),
        request_(request),
        authentication_(authentication),
        pem_(ToPem(request.roots)),
        handle_(curl.init(), curl.cleanup) {}

  Result<int> Run() {
    if (!handle_) return Fail(Code::kInternal, "there is no memory for a request");
    const auto target = PROV_TRY(egress::ParseRequestTarget(request_.url));
    host_ = target.host;
    is_tls_ = target.scheme == "https";
    Set(CURLOPT_ERRORBUFFER, words_.data());
    SetLimits();
    SetTrust();
    PROV_TRY(SetProxy());
    // After all else, so that an option that this libcurl does not know is no request with less safety.
    if (refused_option_ != CURLE_OK) {
      return Fail(Code::kInternal, fmt::format("libcurl refuses an option: {}", curl_.strerror(refused_option_)));
    }
    peers_.emplace(curl_, proxy_is_tls_);
    peers_->Attach(handle_.get());
    return Perform();
  }

  // Whether a proxy that knows nothing of our credentials turned us away without asking for them.
  bool RefusedUnasked() const { return credentials_ && refused_ && answer_.challenges().empty(); }

 private:
  Result<int> Perform() {
    const CURLcode code = curl_.perform(handle_.get());
    const bool cut_by_us = code == CURLE_WRITE_ERROR && body_bytes_ > kMostBodyBytes;
    if (code != CURLE_OK && !cut_by_us) return Failed(FailureOf(code));
    const int status = static_cast<int>(Info<long>(CURLINFO_RESPONSE_CODE));
    HttpFailure failure = FailureOf(CURLE_OK);
    const bool by_proxy = !proxy_.empty() && !is_tls_;  // the answer is the proxy's or passed through it in the open
    refused_ = by_proxy && (status == kUnauthorized || status == kForbidden);
    // Only a proxy answers so, also to a plain request; and only squid says that an error is its own.
    const bool own_error = by_proxy && status >= kBadRequest && !answer_.reason().empty();
    if (status == kProxyAuthenticationRequired || own_error) {
      failure.connect_status = status;
      return Failed(std::move(failure));
    }
    if (status == kBadRequest && SpokenPlain() && SpeaksTls(curl_, PlainPeer())) {
      failure.speaks_tls = true;
      return Failed(std::move(failure));
    }
    return Good(status);
  }

  Result<int> Failed(HttpFailure failure) {
    const bool cut = failure.trouble == HttpTrouble::kCut || failure.trouble == HttpTrouble::kNotHttp;
    const int refusal = failure.connect_status;
    if (SpokenPlain() && (refusal == 0 ? cut : refusal == kBadRequest)) {
      failure.speaks_tls = SpeaksTls(curl_, PlainPeer());
    }
    refused_ = refusal == 0 ? cut : refusal == kUnauthorized || refusal == kForbidden;
    if (request_.notes != nullptr) request_.notes->may_pass = MayPass(failure);
    return std::unexpected(Explain(failure));
  }

  // What works for libcurl must work for Go programs as well.
  Result<int> Good(int status) {
    const std::string proxy = "the proxy " + proxy_;
    std::string words = ReviewForGo(peers_->proxy(), proxy);
    if (words.empty()) words = ReviewForGo(peers_->server(), "the server");
    if (!words.empty()) return Fail(Code::kTls, std::move(words), Where());
    if (request_.notes == nullptr) return status;
    words = credentials_ ? ReviewSchemesForGo(proxy_, AuthenticationSchemes(answer_.challenges())) : std::string();
    if (!words.empty()) AddWarning(request_.notes->findings, "probe-digest", std::move(words), Where());
    request_.notes->may_pass = MayPass(status);
    return status;
  }

  template <class Value>
  void Set(CURLoption option, Value value) {
    const CURLcode code = curl_.setopt(handle_.get(), option, value);
    if (code != CURLE_OK) refused_option_ = code;
  }

  template <class Value>
  Value Info(CURLINFO which) {
    Value value = 0;
    curl_.getinfo(handle_.get(), which, &value);
    return value;
  }

  void SetLimits() {
    constexpr long kMillisecondsPerSecond = 1000;
    Set(CURLOPT_URL, request_.url.c_str());
    Set(CURLOPT_PROTOCOLS_STR, "http,https");
    Set(CURLOPT_FOLLOWLOCATION, 0L);
    Set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
    Set(CURLOPT_USERAGENT, "provisioner");
    Set(CURLOPT_TIMEOUT_MS, kMillisecondsPerSecond * request_.timeout_seconds);
    Set(CURLOPT_NOSIGNAL, 1L);  // no SIGALRM for time-outs
    Set(CURLOPT_WRITEFUNCTION, Drop);
    Set(CURLOPT_WRITEDATA, &body_bytes_);
    Set(CURLOPT_HEADERFUNCTION, ReadHeader);
    Set(CURLOPT_HEADERDATA, &answer_);
  }

  // With roots of its own, a request must not succeed by one of the system's.
  void SetTrust() {
    Set(CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
    Set(CURLOPT_PROXY_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
    if (pem_.empty()) {
      Set(CURLOPT_SSL_OPTIONS, static_cast<long>(CURLSSLOPT_NATIVE_CA));
      Set(CURLOPT_PROXY_SSL_OPTIONS, static_cast<long>(CURLSSLOPT_NATIVE_CA));
      return;
    }
    const char* nowhere = nullptr;
    for (const CURLoption place : {CURLOPT_CAINFO, CURLOPT_CAPATH, CURLOPT_PROXY_CAINFO, CURLOPT_PROXY_CAPATH}) {
      Set(place, nowhere);
    }
    curl_blob blob = {pem_.data(), pem_.size(), CURL_BLOB_NOCOPY};
    Set(CURLOPT_CAINFO_BLOB, &blob);
    Set(CURLOPT_PROXY_CAINFO_BLOB, &blob);
  }

  // Always said, as libcurl takes from the environment what is not.
  Result<void> SetProxy() {
    Set(CURLOPT_NOPROXY, "");
    if (!request_.proxy_url) {
      Set(CURLOPT_PROXY, "");
      return {};
    }
    Findings findings;
    const egress::ProxyUrl proxy = PROV_TRY(
        egress::ParseProxyUrl(*request_.proxy_url, egress::ProxyVariable::kHttps, "the proxy's URL", findings));
    proxy_ = proxy.HostPort();
    proxy_is_tls_ = proxy.scheme() == "https";
    Set(CURLOPT_PROXY, fmt::format("{}://{}", proxy.scheme(), proxy_).c_str());
    if (!proxy.has_credentials()) return {};
    credentials_ = true;
    const std::string& password = proxy.password().Reveal();
    if ((proxy.username() + password).find('\0') != std::string::npos) {
      return Fail(Code::kProxyUrl, "the credentials hold a NUL character", "the proxy's URL");
    }
    Set(CURLOPT_PROXYAUTH, static_cast<long>(authentication_));
    Set(CURLOPT_PROXYUSERNAME, proxy.username().c_str());
    Set(CURLOPT_PROXYPASSWORD, password.c_str());
    return {};
  }

  std::string Where() const { return egress::RedactUrl(request_.url); }

  // Whether the first we speak to is spoken to without TLS, and who that is.
  bool SpokenPlain() const { return proxy_.empty() ? !is_tls_ : !proxy_is_tls_; }
  std::string PlainPeer() const {
    if (!proxy_.empty()) return proxy_;
    const auto target = egress::ParseRequestTarget(request_.url);
    const bool brackets = target->host.find(':') != std::string::npos;
    return fmt::format("{}{}{}:{}", brackets ? "[" : "", target->host, brackets ? "]" : "", target->port);
  }

  HttpTrouble TroubleOf(CURLcode code, bool with_proxy) {
    switch (code) {
      case CURLE_COULDNT_RESOLVE_PROXY:
        return HttpTrouble::kProxyName;
      case CURLE_COULDNT_RESOLVE_HOST:
        return HttpTrouble::kServerName;
      case CURLE_COULDNT_CONNECT:
        return HttpTrouble::kConnect;
      case CURLE_OPERATION_TIMEDOUT:
        if (Info<curl_off_t>(CURLINFO_NAMELOOKUP_TIME_T) != 0) return HttpTrouble::kTimeout;
        return proxy_.empty() ? HttpTrouble::kServerName : HttpTrouble::kProxyName;
      case CURLE_PEER_FAILED_VERIFICATION:
        return with_proxy ? HttpTrouble::kProxyCertificate : HttpTrouble::kCertificate;
      case CURLE_SSL_CONNECT_ERROR: {
        // For a signature that another key made libcurl has no code.
        const PeerCertificates& peer = with_proxy ? peers_->proxy() : peers_->server();
        if (peer.fault == CertificateFault::kNone) return TlsTrouble(words_.data());
        return with_proxy ? HttpTrouble::kProxyCertificate : HttpTrouble::kCertificate;
      }
      case CURLE_SSL_CACERT_BADFILE:
      case CURLE_SSL_CIPHER:
        return HttpTrouble::kTls;
      case CURLE_GOT_NOTHING:
      case CURLE_RECV_ERROR:
      case CURLE_SEND_ERROR:
      case CURLE_PARTIAL_FILE:
        return HttpTrouble::kCut;
      case CURLE_UNSUPPORTED_PROTOCOL:  // the scheme is one of two: so this is an answer without a status line
      case CURLE_WEIRD_SERVER_REPLY:
        return HttpTrouble::kNotHttp;
      default:
        return HttpTrouble::kOther;
    }
  }

  // Whether trouble with TLS is with the proxy itself.
  bool WithProxy(int connect_status) {
    if (!proxy_is_tls_ || peers_->reached_server_tls()) return false;
    const bool opened = connect_status >= kFirstGood && connect_status < kAfterGood;
    return !opened || Info<long>(CURLINFO_PROXY_SSL_VERIFYRESULT) != 0;
  }

  HttpFailure FailureOf(CURLcode code) {
    HttpFailure out;
    const int connect_status = static_cast<int>(Info<long>(CURLINFO_HTTP_CONNECTCODE));
    out.with_proxy = WithProxy(connect_status);
    out.trouble = TroubleOf(code, out.with_proxy);
    out.where = Where();
    out.host = host_;
    out.proxy = proxy_;
    if (connect_status != 0 && (connect_status < kFirstGood || connect_status >= kAfterGood)) {
      out.connect_status = connect_status;
    }
    out.credentials = credentials_;
    out.challenges = answer_.challenges();
    out.proxy_reason = answer_.reason();
    out.refused = IsRefused(Info<long>(CURLINFO_OS_ERRNO));
    out.connected = Info<long>(CURLINFO_LOCAL_PORT) != 0;  // CONNECT_TIME_T waits for the tunnel
    out.timeout_seconds = request_.timeout_seconds;
    out.own_roots = !pem_.empty();
    out.peer = out.with_proxy ? peers_->proxy() : peers_->server();
    // OpenSSL verifies what libcurl then compares with the name.
    if (out.peer.fault == CertificateFault::kNone) out.peer.fault = CertificateFault::kName;
    out.roots = request_.roots;
    out.detail = words_[0] != '\0' ? words_.data() : curl_.strerror(code);
    return out;
  }

  const CurlFunctions& curl_;
  const HttpRequest& request_;
  unsigned long authentication_;
  std::string pem_;
  std::string host_;     // of the URL
  bool is_tls_ = false;  // the URL
  std::array<char, CURL_ERROR_SIZE> words_{};
  ProxyAnswer answer_;
  std::optional<PeerRecorder> peers_;
  std::unique_ptr<CURL, decltype(&::curl_easy_cleanup)> handle_;  // goes before what it points to
  std::string proxy_;
  bool proxy_is_tls_ = false;
  bool credentials_ = false;
  bool refused_ = false;
  std::size_t body_bytes_ = 0;
  CURLcode refused_option_ = CURLE_OK;
};

class CurlHttp final : public Http {
 public:
  Result<int> Get(const HttpRequest& request) override {
    const std::string start = AsciiLower(request.url.substr(0, 8));
    const bool has_scheme = start.starts_with("http://") || start.starts_with("https://");
    if (!has_scheme || request.url.find('\0') != std::string::npos) {
      return Fail(Code::kScheme, "is no URL that starts with http:// or https://", egress::RedactUrl(request.url));
    }
    const CurlFunctions& curl = *PROV_TRY(LoadCurl());
    // Asked first, so that a proxy that takes Digest never sees the password.
    Transfer polite(curl, request, CURLAUTH_BASIC | CURLAUTH_DIGEST);
    Result<int> answer = polite.Run();
    if (!polite.RefusedUnasked()) return answer;
    // A proxy that never asks: Go programs offer Basic unasked.
    return Transfer(curl, request, CURLAUTH_BASIC).Run();
  }

  Result<FetchAnswer> Fetch(const FetchRequest& request) override { return FetchByCurl(request); }
};

}  // namespace

Http& LiveHttp() {
  static CurlHttp http;
  return http;
}

}  // namespace prov::machine
