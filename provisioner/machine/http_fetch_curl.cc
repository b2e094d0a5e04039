#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <deque>
#include <memory>

#include "provisioner/base/text.h"
#include "provisioner/egress/pem.h"
#include "provisioner/egress/proxy_url.h"
#include "provisioner/machine/curl_functions.h"
#include "provisioner/machine/http_failure.h"
#include "provisioner/machine/http_fetch.h"

namespace prov::machine {
namespace {

constexpr std::size_t kMostHeaderBytes = std::size_t{64} << 10U;
constexpr std::size_t kMostErrorBytes = std::size_t{64} << 10U;
constexpr std::size_t kMostReserved = std::size_t{16} << 20U;  // on the word of a server
constexpr std::size_t kSpare = 64;                             // for readers that parse in place
constexpr long kMilliseconds = 1000;
constexpr int kOk = 200;
constexpr int kProxyAuthenticationRequired = 407;

// A list as libcurl takes it, of lines that live as long.
class CurlList {
 public:
  void Add(std::string line) {
    lines_.push_back(std::move(line));
    nodes_.push_back({lines_.back().data(), nullptr});
    if (nodes_.size() > 1) nodes_[nodes_.size() - 2].next = &nodes_.back();
  }
  curl_slist* get() { return nodes_.empty() ? nullptr : &nodes_.front(); }

 private:
  std::deque<std::string> lines_;  // a deque, as nodes and libcurl point into it
  std::deque<curl_slist> nodes_;
};

bool IsPlain(std::string_view text) {
  return std::ranges::none_of(text, [](char c) { return static_cast<unsigned char>(c) <= ' ' || c == '\x7F'; });
}

bool IsOneLine(std::string_view text) {
  return std::ranges::none_of(text, [](char c) { return c == '\r' || c == '\n' || c == '\0'; });
}

Result<void> CheckUrl(const std::string& url) {
  const std::string start = AsciiLower(url.substr(0, 8));
  const std::size_t host = start.starts_with("https://") ? 8 : start.starts_with("http://") ? 7 : 0;
  if (host == 0 || !IsPlain(url)) {
    return Fail(Code::kScheme, "is no URL that starts with http:// or https://", egress::RedactUrl(url));
  }
  if (const std::size_t at = url.find('@'); at != std::string::npos && at < url.find_first_of("/?#", host)) {
    return Fail(Code::kScheme,
                "has credentials in it, which a log or another process may "
                "see; leave them out",
                egress::RedactUrl(url));
  }
  return {};
}

class FetchTransfer {
 public:
  FetchTransfer(const CurlFunctions& curl, const FetchRequest& request)
      : curl_(curl), request_(request), handle_(curl.init(), curl.cleanup) {
    for (const std::string& der : request.roots) roots_ += egress::ArmourPem("CERTIFICATE", der);
  }

  Result<FetchAnswer> Run() {
    if (!handle_) return Fail(Code::kInternal, "there is no memory for a request");
    Set(CURLOPT_ERRORBUFFER, words_.data());
    SetRequest();
    PROV_TRY(SetHeaders());
    SetBounds();
    SetTrust();
    PROV_TRY(SetProxy());
    // After all else, so that an option that this libcurl does not know is no
    // request with less safety.
    if (refused_option_ != CURLE_OK) {
      return Fail(Code::kInternal, fmt::format("libcurl refuses an option: {}", curl_.strerror(refused_option_)));
    }
    return End(curl_.perform(handle_.get()));
  }

 private:
  enum class Stop { kNone, kHeaders, kBody, kErrorBody, kBySink, kAsked };

  template <class Value>
  void Set(CURLoption option, Value value) {
    const CURLcode code = curl_.setopt(handle_.get(), option, value);
    if (code != CURLE_OK) refused_option_ = code;
  }

  template <class Value>
  Value Info(CURLINFO which) {
    Value value{};
    curl_.getinfo(handle_.get(), which, &value);
    return value;
  }

  std::string Where() const { return egress::RedactUrl(request_.url); }

  void SetRequest() {
    Set(CURLOPT_URL, request_.url.c_str());
    Set(CURLOPT_PROTOCOLS_STR, "http,https");
    Set(CURLOPT_FOLLOWLOCATION, 0L);
    Set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
    Set(CURLOPT_USERAGENT, "provisioner");
    Set(CURLOPT_NETRC, static_cast<long>(CURL_NETRC_IGNORED));
    Set(CURLOPT_NOSIGNAL, 1L);  // no SIGALRM for time-outs
    Set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
    Set(CURLOPT_HEADEROPT,
        static_cast<long>(CURLHEADER_SEPARATE));  // the proxy of a CONNECT gets none of them
    Set(CURLOPT_HEADERFUNCTION, &OnHeader);
    Set(CURLOPT_HEADERDATA, this);
    Set(CURLOPT_WRITEFUNCTION, &OnBody);
    Set(CURLOPT_WRITEDATA, this);
    if (!request_.connect_to.empty()) {
      connect_to_.Add("::" + request_.connect_to);
      Set(CURLOPT_CONNECT_TO, connect_to_.get());
    }
    if (request_.should_stop) {
      Set(CURLOPT_NOPROGRESS, 0L);
      Set(CURLOPT_XFERINFOFUNCTION, &OnProgress);
      Set(CURLOPT_XFERINFODATA, this);
    }
  }

  Result<void> SetHeaders() {
    for (const auto& [name, value] : request_.headers) {
      const bool sound = !name.empty() && IsPlain(name) && name.find(':') == std::string::npos && IsOneLine(value);
      if (!sound) return Fail(Code::kInternal, "a request header holds what no header may hold", Where());
      // "name;" is how libcurl takes an empty value.
      headers_.Add(fmt::format("{}{}{}", name, value.empty() ? ";" : ": ", value));
    }
    if (request_.bearer_token) {
      if (!IsPlain(request_.bearer_token->Reveal()) || request_.bearer_token->empty()) {
        return Fail(Code::kInternal, "the token holds what no header may hold", Where());
      }
      headers_.Add("Authorization: Bearer " + request_.bearer_token->Reveal());
    }
    if (headers_.get() != nullptr) Set(CURLOPT_HTTPHEADER, headers_.get());
    return {};
  }

  void SetBounds() {
    Set(CURLOPT_CONNECTTIMEOUT_MS, kMilliseconds * request_.connect_seconds);
    Set(CURLOPT_TIMEOUT_MS, kMilliseconds * request_.total_seconds);
    Set(CURLOPT_LOW_SPEED_LIMIT, 1L);
    Set(CURLOPT_LOW_SPEED_TIME, static_cast<long>(request_.answer_seconds));
  }

  // With roots of its own, a request must not succeed by one of the system's.
  void SetTrust() {
    Set(CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
    Set(CURLOPT_PROXY_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
    Set(CURLOPT_SSL_VERIFYPEER, 1L);
    Set(CURLOPT_SSL_VERIFYHOST, 2L);
    if (roots_.empty()) {
      Set(CURLOPT_SSL_OPTIONS, static_cast<long>(CURLSSLOPT_NATIVE_CA));
      Set(CURLOPT_PROXY_SSL_OPTIONS, static_cast<long>(CURLSSLOPT_NATIVE_CA));
    } else {
      const char* nowhere = nullptr;
      for (const CURLoption place : {CURLOPT_CAINFO, CURLOPT_CAPATH, CURLOPT_PROXY_CAINFO, CURLOPT_PROXY_CAPATH}) {
        Set(place, nowhere);
      }
      SetBlob(CURLOPT_CAINFO_BLOB, roots_);
      SetBlob(CURLOPT_PROXY_CAINFO_BLOB, roots_);
    }
    if (!request_.client) return;
    Set(CURLOPT_SSLCERTTYPE, "PEM");
    Set(CURLOPT_SSLKEYTYPE, "PEM");
    Set(CURLOPT_KEYPASSWD,
        "");  // else an encrypted key would have OpenSSL ask on the terminal
    SetBlob(CURLOPT_SSLCERT_BLOB, request_.client->certificate_pem);
    SetBlob(CURLOPT_SSLKEY_BLOB, request_.client->key_pem.Reveal());
  }

  void SetBlob(CURLoption option, const std::string& bytes) {
    curl_blob blob = {const_cast<char*>(bytes.data()), bytes.size(), CURL_BLOB_NOCOPY};
    Set(option, &blob);
  }

  // Always said, as libcurl takes from the environment what is not.
  Result<void> SetProxy() {
    Set(CURLOPT_NOPROXY, "");
    if (!request_.proxy_url) {
      Set(CURLOPT_PROXY, "");
      return {};
    }
    Findings findings;
    const egress::ProxyUrl proxy = PROV_TRY(egress::ParseProxyUrl(*request_.proxy_url, egress::ProxyVariable::kHttps,
                                                                  "the URL of the proxy for this request", findings));
    proxy_ = proxy.HostPort();
    Set(CURLOPT_PROXY, fmt::format("{}://{}", proxy.scheme(), proxy_).c_str());
    if (!proxy.has_credentials()) return {};
    const std::string& password = proxy.password().Reveal();
    if ((proxy.username() + password).find('\0') != std::string::npos) {
      return Fail(Code::kProxyUrl, "the credentials hold a NUL character", "the URL of the proxy for this request");
    }
    Set(CURLOPT_PROXYAUTH, static_cast<long>(CURLAUTH_BASIC));
    Set(CURLOPT_PROXYUSERNAME, proxy.username().c_str());
    Set(CURLOPT_PROXYPASSWORD, password.c_str());
    return {};
  }

  static std::size_t OnHeader(char* bytes, std::size_t size, std::size_t count, void* self) {
    return static_cast<FetchTransfer*>(self)->TakeHeader({bytes, size * count}) ? size * count : 0;
  }
  static std::size_t OnBody(char* bytes, std::size_t size, std::size_t count, void* self) {
    return static_cast<FetchTransfer*>(self)->TakeBody({bytes, size * count}) ? size * count : 0;
  }
  static int OnProgress(void* self, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
    return static_cast<FetchTransfer*>(self)->AskedToStop() ? 1 : 0;
  }

  bool End(Stop why) {
    stop_ = why;
    return false;
  }

  bool AskedToStop() {
    if (!request_.should_stop()) return false;
    stop_ = Stop::kAsked;
    return true;
  }

  bool TakeHeader(std::string_view line) {
    header_bytes_ += line.size();
    if (header_bytes_ > kMostHeaderBytes) return End(Stop::kHeaders);
    if (line.starts_with("HTTP/")) answer_.headers.clear();  // of an answer that came before, such as 100
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || line.starts_with("HTTP/")) return true;
    answer_.headers.emplace_back(AsciiLower(TrimBlanks(line.substr(0, colon))), TrimBlanks(line.substr(colon + 1)));
    return true;
  }

  bool TakeBody(std::string_view piece) {
    const bool wanted = Info<long>(CURLINFO_RESPONSE_CODE) == kOk;
    if (wanted && request_.sink) {
      body_bytes_ += piece.size();
      if (body_bytes_ > request_.most_bytes) return End(Stop::kBody);
      return request_.sink(piece) || End(Stop::kBySink);
    }
    if (answer_.body.empty()) Reserve();
    const std::uint64_t most =
        wanted ? request_.most_bytes : std::min<std::uint64_t>(request_.most_bytes, kMostErrorBytes);
    if (piece.size() > most - answer_.body.size()) {
      if (!wanted) answer_.body += piece.substr(0, most - answer_.body.size());
      return End(wanted ? Stop::kBody : Stop::kErrorBody);
    }
    answer_.body += piece;
    return true;
  }

  void Reserve() {
    const auto told = Info<curl_off_t>(CURLINFO_CONTENT_LENGTH_DOWNLOAD_T);
    const auto most = static_cast<curl_off_t>(std::min<std::uint64_t>(kMostReserved, request_.most_bytes));
    answer_.body.reserve(static_cast<std::size_t>(std::clamp<curl_off_t>(told, 0, most)) + kSpare);
  }

  Result<FetchAnswer> End(CURLcode code) {
    if (stop_ == Stop::kHeaders) {
      return Fail(Code::kTooLarge, fmt::format("the answer has more than {} bytes of headers", kMostHeaderBytes),
                  Where());
    }
    if (stop_ == Stop::kBody) {
      return Fail(Code::kTooLarge,
                  fmt::format("the answer is larger than {} bytes; nothing of it was used", request_.most_bytes),
                  Where());
    }
    const bool cut_by_us = stop_ != Stop::kNone;
    const bool wants_credentials = Info<long>(CURLINFO_HTTP_CONNECTCODE) == kProxyAuthenticationRequired;
    if (code != CURLE_OK && !cut_by_us && !wants_credentials) return std::unexpected(ErrorOf(code));
    answer_.status =
        wants_credentials ? kProxyAuthenticationRequired : static_cast<int>(Info<long>(CURLINFO_RESPONSE_CODE));
    if (const char* url = Info<char*>(CURLINFO_REDIRECT_URL)) answer_.redirect_url = url;
    if (answer_.body.capacity() < answer_.body.size() + kSpare) answer_.body.reserve(answer_.body.size() + kSpare);
    return std::move(answer_);
  }

  Error ErrorOf(CURLcode code) {
    if (code == CURLE_SSL_CERTPROBLEM) {
      return {Code::kCert, fmt::format("the client's certificate or its key can't be used: {}", Detail(code)), Where()};
    }
    HttpFailure failure = FailureOf(code);
    if (failure.trouble == HttpTrouble::kCertificate) {
      return {Code::kTls,
              fmt::format("the server shows a certificate that does not hold "
                          "against {} ({}): is this the right server, "
                          "and was the right CA named?",
                          roots_.empty() ? "what this system trusts" : "the CA that counts for it", failure.detail),
              failure.where};
    }
    return Explain(failure);
  }

  std::string Detail(CURLcode code) const { return words_[0] != '\0' ? words_.data() : curl_.strerror(code); }

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
        return Info<long>(CURLINFO_PROXY_SSL_VERIFYRESULT) != 0 ? HttpTrouble::kProxyCertificate
                                                                : HttpTrouble::kCertificate;
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

  // How long it was waited in vain, to the nearest of the bounds.
  int Waited() {
    const auto total = static_cast<int>(Info<curl_off_t>(CURLINFO_TOTAL_TIME_T) / 1'000'000);
    if (request_.total_seconds != 0 && total >= request_.total_seconds) return request_.total_seconds;
    return Info<curl_off_t>(CURLINFO_PRETRANSFER_TIME_T) == 0 ? request_.connect_seconds : request_.answer_seconds;
  }

  HttpFailure FailureOf(CURLcode code) {
    constexpr long kWindowsRefused = 10'061;  // WSAECONNREFUSED
    constexpr int kFirstGood = 200;
    constexpr int kAfterGood = 300;
    HttpFailure out;
    out.trouble = TroubleOf(code);
    out.where = Where();
    out.proxy = proxy_;
    const int connect_status = static_cast<int>(Info<long>(CURLINFO_HTTP_CONNECTCODE));
    if (connect_status != 0 && (connect_status < kFirstGood || connect_status >= kAfterGood)) {
      out.connect_status = connect_status;
    }
    const long system_error = Info<long>(CURLINFO_OS_ERRNO);
    out.refused = system_error == ECONNREFUSED || system_error == kWindowsRefused;
    out.timeout_seconds = Waited();
    out.own_roots = !roots_.empty();
    out.detail = Detail(code);
    return out;
  }

  const CurlFunctions& curl_;
  const FetchRequest& request_;
  std::string roots_;  // PEM
  CurlList headers_, connect_to_;
  std::array<char, CURL_ERROR_SIZE> words_{};
  std::unique_ptr<CURL, decltype(&::curl_easy_cleanup)> handle_;  // goes before what it points to
  std::string proxy_;
  FetchAnswer answer_;
  std::size_t header_bytes_ = 0;
  std::uint64_t body_bytes_ = 0;
  Stop stop_ = Stop::kNone;
  CURLcode refused_option_ = CURLE_OK;
};

}  // namespace

Result<FetchAnswer> FetchByCurl(const FetchRequest& request) {
  PROV_TRY(CheckUrl(request.url));
  return FetchTransfer(*PROV_TRY(LoadCurl()), request).Run();
}

}  // namespace prov::machine
