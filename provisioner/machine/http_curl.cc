#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <memory>

#include "provisioner/base/base64.h"
#include "provisioner/base/text.h"
#include "provisioner/egress/proxy_url.h"
#include "provisioner/machine/curl_functions.h"
#include "provisioner/machine/http_failure.h"
#include "provisioner/machine/http_fetch.h"
#include "provisioner/machine/live_ports.h"

namespace prov::machine {
namespace {

constexpr std::size_t kMostBodyBytes = std::size_t{64} << 10U;
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

class Transfer {
 public:
  Transfer(const CurlFunctions& curl, const HttpRequest& request)
      : curl_(curl), request_(request), pem_(ToPem(request.roots)), handle_(curl.init(), curl.cleanup) {}

  Result<int> Run() {
    if (!handle_) return Fail(Code::kInternal, "there is no memory for a request");
    Set(CURLOPT_ERRORBUFFER, words_.data());
    SetLimits();
    SetTrust();
    PROV_TRY(SetProxy());
    // After all else, so that an option that this libcurl does not know is no request with less safety.
    if (refused_option_ != CURLE_OK) {
      return Fail(Code::kInternal, fmt::format("libcurl refuses an option: {}", curl_.strerror(refused_option_)));
    }
    const CURLcode code = curl_.perform(handle_.get());
    const bool cut_by_us = code == CURLE_WRITE_ERROR && body_bytes_ > kMostBodyBytes;
    if (code != CURLE_OK && !cut_by_us) return std::unexpected(Explain(FailureOf(code)));
    const int status = static_cast<int>(Info(CURLINFO_RESPONSE_CODE));
    // Only a proxy answers so, also for a plain request.
    if (status == kProxyAuthenticationRequired) {
      HttpFailure failure = FailureOf(CURLE_OK);
      failure.connect_status = status;
      return std::unexpected(Explain(failure));
    }
    return status;
  }

 private:
  template <class Value>
  void Set(CURLoption option, Value value) {
    const CURLcode code = curl_.setopt(handle_.get(), option, value);
    if (code != CURLE_OK) refused_option_ = code;
  }

  long Info(CURLINFO which) {
    long value = 0;
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
    Set(CURLOPT_PROXY, fmt::format("{}://{}", proxy.scheme(), proxy_).c_str());
    if (!proxy.has_credentials()) return {};
    const std::string& password = proxy.password().Reveal();
    if ((proxy.username() + password).find('\0') != std::string::npos) {
      return Fail(Code::kProxyUrl, "the credentials hold a NUL character", "the proxy's URL");
    }
    Set(CURLOPT_PROXYAUTH, static_cast<long>(CURLAUTH_BASIC));
    Set(CURLOPT_PROXYUSERNAME, proxy.username().c_str());
    Set(CURLOPT_PROXYPASSWORD, password.c_str());
    return {};
  }

  HttpTrouble TroubleOf(CURLcode code) {
    switch (code) {
      case CURLE_COULDNT_RESOLVE_PROXY:
        return HttpTrouble::kProxyName;
      case CURLE_COULDNT_RESOLVE_HOST:
        return HttpTrouble::kServerName;
      case CURLE_COULDNT_CONNECT:
        return HttpTrouble::kConnect;
      case CURLE_OPERATION_TIMEDOUT:
        return HttpTrouble::kTimeout;
      case CURLE_PEER_FAILED_VERIFICATION:
        return Info(CURLINFO_PROXY_SSL_VERIFYRESULT) != 0 ? HttpTrouble::kProxyCertificate : HttpTrouble::kCertificate;
      case CURLE_SSL_CONNECT_ERROR:
      case CURLE_SSL_CACERT_BADFILE:
      case CURLE_SSL_CIPHER:
        return HttpTrouble::kTls;
      case CURLE_GOT_NOTHING:
      case CURLE_RECV_ERROR:
      case CURLE_SEND_ERROR:
      case CURLE_PARTIAL_FILE:
        return HttpTrouble::kCut;
      default:
        return HttpTrouble::kOther;
    }
  }

  HttpFailure FailureOf(CURLcode code) {
    HttpFailure out;
    out.trouble = TroubleOf(code);
    out.where = egress::RedactUrl(request_.url);
    out.proxy = proxy_;
    const int connect_status = static_cast<int>(Info(CURLINFO_HTTP_CONNECTCODE));
    if (connect_status != 0 && (connect_status < kFirstGood || connect_status >= kAfterGood)) {
      out.connect_status = connect_status;
    }
    out.refused = IsRefused(Info(CURLINFO_OS_ERRNO));
    out.timeout_seconds = request_.timeout_seconds;
    out.own_roots = !pem_.empty();
    out.detail = words_[0] != '\0' ? words_.data() : curl_.strerror(code);
    return out;
  }

  const CurlFunctions& curl_;
  const HttpRequest& request_;
  std::string pem_;
  std::array<char, CURL_ERROR_SIZE> words_{};
  std::unique_ptr<CURL, decltype(&::curl_easy_cleanup)> handle_;  // goes before words_, which it points to
  std::string proxy_;
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
    return Transfer(*PROV_TRY(LoadCurl()), request).Run();
  }

  Result<FetchAnswer> Fetch(const FetchRequest& request) override { return FetchByCurl(request); }
};

}  // namespace

Http& LiveHttp() {
  static CurlHttp http;
  return http;
}

}  // namespace prov::machine
