// The port Http through libcurl: Get for probes, and Fetch for one document, with limits of time and size.
#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "provisioner/base/text.h"
#include "provisioner/egress/decision.h"
#include "provisioner/egress/proxy_url.h"
#include "provisioner/net/curl_transfer.h"
#include "provisioner/net/http.h"
#include "provisioner/net/http_status.h"
#include "provisioner/net/proxy_answer.h"

namespace prov::net {
namespace {

constexpr std::size_t kMostBodyBytes = std::size_t{64} << 10U;

// Drops a body. Ends the transfer beyond the limit.
std::size_t Drop(char* /*bytes*/, std::size_t size, std::size_t count, void* total) {
  auto& read = *static_cast<std::size_t*>(total);
  read += size * count;
  return read <= kMostBodyBytes ? size * count : 0;
}

std::size_t ReadHeader(char* bytes, std::size_t size, std::size_t count, void* transfer) {
  static_cast<CurlTransfer*>(transfer)->AddHeaderLine({bytes, size * count});
  return size * count;
}

class Probe {
 public:
  Probe(const CurlFunctions& curl, const HttpRequest& request, unsigned long authentication)
      : request_(request),
        transfer_(curl, {request.url, request.proxy_url, request.roots, request.up_to_roots}, authentication) {}

  Result<int> Run(int seconds) {
    PROV_TRY(transfer_.Prepare("the proxy's URL"));
    transfer_.Set(CURLOPT_WRITEFUNCTION, Drop);
    transfer_.Set(CURLOPT_WRITEDATA, &body_bytes_);
    transfer_.Set(CURLOPT_HEADERFUNCTION, ReadHeader);
    transfer_.Set(CURLOPT_HEADERDATA, &transfer_);
    return End(PROV_TRY(transfer_.Perform({.total_seconds = seconds, .should_stop = {}})));
  }

  bool RefusedWithoutChallenge() const { return refused_without_challenge_; }  // as in CurlTransfer
  int Seconds() const { return transfer_.Seconds(); }

 private:
  Result<int> End(CURLcode code) {
    const bool cut_by_us = code == CURLE_WRITE_ERROR && body_bytes_ > kMostBodyBytes;
    if (code != CURLE_OK && !cut_by_us) return Failed(FailureOf(code));
    const int status = static_cast<int>(transfer_.Info<long>(CURLINFO_RESPONSE_CODE));
    HttpFailure failure = FailureOf(CURLE_OK);
    refused_without_challenge_ = transfer_.RefusedWithoutChallenge(status);
    // Only a proxy sends 407, also to a plain request. Of other errors, only squid marks its own.
    const bool own_error = transfer_.by_proxy() && status >= http_status::kBadRequest && !failure.proxy_reason.empty();
    if (status == http_status::kProxyAuthenticationRequired || own_error) {
      failure.connect_status = status;
      return Failed(std::move(failure));
    }
    if (status == http_status::kBadRequest && transfer_.spoken_plain() && transfer_.SpeaksTls()) {
      failure.speaks_tls = true;
      return Failed(std::move(failure));
    }
    return Good(status, failure.challenges);
  }

  HttpFailure FailureOf(CURLcode code) {
    HttpFailure out = transfer_.FailureOf(code);
    out.timeout_seconds = request_.timeout_seconds;
    out.certificate.of_machine = request_.of_machine;
    return out;
  }

  Result<int> Failed(HttpFailure failure) {
    refused_without_challenge_ = transfer_.RefusedWithoutChallenge(failure);
    if (!refused_without_challenge_) transfer_.LookForTls(failure);
    if (request_.notes != nullptr) request_.notes->is_temporary = IsTemporary(failure);
    return std::unexpected(Explain(failure));
  }

  // What libcurl accepts must also work for Go programs, so report if it does not.
  Result<int> Good(int status, const std::vector<std::string>& challenges) {
    if (request_.notes == nullptr) return status;
    std::string words;
    if (transfer_.credentials()) words = ReviewSchemesForGo(transfer_.proxy(), AuthenticationSchemes(challenges));
    if (!words.empty()) {
      AddWarning(request_.notes->findings, "probe-digest", std::move(words), transfer_.Where());
    }
    request_.notes->is_temporary = IsTemporary(status);
    return status;
  }

  const HttpRequest& request_;
  std::size_t body_bytes_ = 0;  // declared before the transfer, which points to it
  CurlTransfer transfer_;
  bool refused_without_challenge_ = false;
};

constexpr std::size_t kMostHeaderBytes = std::size_t{64} << 10U;
constexpr std::size_t kMostErrorBytes = std::size_t{64} << 10U;
constexpr std::size_t kMostReserved = std::size_t{16} << 20U;  // reserved by the server's Content-Length
constexpr std::size_t kSpare = 64;                             // for parsers that work in place

// A libcurl list; libcurl points into its lines.
class CurlList {
 public:
  void Add(std::string line) {
    lines_.push_back(std::move(line));
    nodes_.push_back({lines_.back().data(), nullptr});
    if (nodes_.size() > 1) nodes_[nodes_.size() - 2].next = &nodes_.back();
  }
  curl_slist* get() { return nodes_.empty() ? nullptr : &nodes_.front(); }

 private:
  std::deque<std::string> lines_;  // a deque, because libcurl points into the strings
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
  if (host == 0 || !IsPlain(url) || !egress::ParseRequestTarget(url)) {
    return Fail(Code::kScheme, "is not a URL that starts with http:// or https://", egress::RedactUrl(url));
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
  // `sent`: the method and body; null for a GET.
  FetchTransfer(const CurlFunctions& curl, const FetchRequest& request, const SendRequest* sent,
                unsigned long authentication, int total_seconds)
      : request_(request),
        sent_(sent),
        total_seconds_(total_seconds),
        transfer_(curl,
                  {request.url, request.proxy_url, request.roots, request.as_node, request.skip_verify,
                   request.beside_system},
                  authentication) {}

  Result<FetchAnswer> Run() {
    if (request_.notes != nullptr) *request_.notes = {.findings = std::move(request_.notes->findings)};
    PROV_TRY(transfer_.Prepare("the URL of the proxy for this request"));
    SetRequest();
    PROV_TRY(SetHeaders());
    SetBounds();
    SetClient();
    return End(PROV_TRY(transfer_.Perform({request_.connect_seconds, total_seconds_, request_.should_stop})));
  }

  bool RefusedWithoutChallenge() const { return refused_without_challenge_; }  // as in CurlTransfer
  int Seconds() const { return transfer_.Seconds(); }

 private:
  enum class Stop { kNone, kHeaders, kLengths, kBody, kErrorBody, kBySink, kAsked };

  void SetRequest() {
    transfer_.Set(CURLOPT_HEADEROPT,
                  static_cast<long>(CURLHEADER_SEPARATE));  // not sent to the proxy with CONNECT
    transfer_.Set(CURLOPT_HEADERFUNCTION, &OnHeader);
    transfer_.Set(CURLOPT_HEADERDATA, this);
    transfer_.Set(CURLOPT_WRITEFUNCTION, &OnBody);
    transfer_.Set(CURLOPT_WRITEDATA, this);
    if (request_.head) transfer_.Set(CURLOPT_NOBODY, 1L);
    if (sent_ != nullptr) {
      transfer_.Set(CURLOPT_CUSTOMREQUEST, sent_->method.c_str());
      transfer_.Set(CURLOPT_POSTFIELDS, sent_->body.data());  // not copied: it outlives the transfer
      transfer_.Set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(sent_->body.size()));
    }
    if (!request_.connect_to.empty()) {
      connect_to_.Add("::" + request_.connect_to);
      transfer_.Set(CURLOPT_CONNECT_TO, connect_to_.get());
    }
  }

  Result<void> SetHeaders() {
    for (const auto& [name, value] : request_.headers) {
      const bool sound = !name.empty() && IsPlain(name) && name.find(':') == std::string::npos && IsOneLine(value);
      if (!sound)
        return Fail(Code::kInternal, "a request header contains characters that headers can't hold", transfer_.Where());
      // libcurl's form for an empty value is "name;".
      headers_.Add(fmt::format("{}{}{}", name, value.empty() ? ";" : ": ", value));
    }
    if (request_.bearer_token) {
      if (!IsPlain(request_.bearer_token->Reveal()) || request_.bearer_token->empty()) {
        return Fail(Code::kInternal, "the token contains characters that headers can't hold", transfer_.Where());
      }
      headers_.Add("Authorization: Bearer " + request_.bearer_token->Reveal());
    }
    if (request_.authorization) {
      if (request_.bearer_token || request_.authorization->empty() || !IsOneLine(request_.authorization->Reveal()))
        return Fail(Code::kInternal, "the authorization contains characters that headers can't hold",
                    transfer_.Where());
      headers_.Add("Authorization: " + request_.authorization->Reveal());
    }
    if (sent_ != nullptr) {
      if (sent_->content_type.empty() || !IsPlain(sent_->content_type))
        return Fail(Code::kInternal, "the type of the body contains characters that headers can't hold",
                    transfer_.Where());
      headers_.Add("Content-Type: " + sent_->content_type);
      headers_.Add("Expect:");  // no wait for 100 Continue with a small body
    }
    if (headers_.get() != nullptr) transfer_.Set(CURLOPT_HTTPHEADER, headers_.get());
    return {};
  }

  void SetBounds() {
    transfer_.Set(CURLOPT_LOW_SPEED_LIMIT, 1L);
    transfer_.Set(CURLOPT_LOW_SPEED_TIME, static_cast<long>(request_.answer_seconds));
  }

  void SetClient() {
    if (!request_.client) return;
    transfer_.Set(CURLOPT_SSLCERTTYPE, "PEM");
    transfer_.Set(CURLOPT_SSLKEYTYPE, "PEM");
    transfer_.Set(CURLOPT_KEYPASSWD,
                  "");  // otherwise OpenSSL would prompt for the password of an encrypted key
    transfer_.SetBlob(CURLOPT_SSLCERT_BLOB, request_.client->certificate_pem);
    transfer_.SetBlob(CURLOPT_SSLKEY_BLOB, request_.client->key_pem.Reveal());
  }

  static std::size_t OnHeader(char* bytes, std::size_t size, std::size_t count, void* self) {
    return static_cast<FetchTransfer*>(self)->AddHeader({bytes, size * count}) ? size * count : 0;
  }
  static std::size_t OnBody(char* bytes, std::size_t size, std::size_t count, void* self) {
    return static_cast<FetchTransfer*>(self)->AddBody({bytes, size * count}) ? size * count : 0;
  }

  bool End(Stop why) {
    stop_ = why;
    return false;
  }

  bool AddHeader(std::string_view line) {
    header_bytes_ += line.size();
    if (header_bytes_ > kMostHeaderBytes) return End(Stop::kHeaders);
    transfer_.AddHeaderLine(line);
    if (line.starts_with("HTTP/")) {  // drops an earlier answer, such as that to CONNECT
      answer_.headers.clear();
      length_.clear();
    }
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || line.starts_with("HTTP/")) return true;
    const auto& [name, value] =
        answer_.headers.emplace_back(AsciiLower(TrimBlanks(line.substr(0, colon))), TrimBlanks(line.substr(colon + 1)));
    return name != "content-length" || IsTheLength(value) || End(Stop::kLengths);
  }

  // Reject differing Content-Length headers: libcurl takes the last, a proxy may not.
  bool IsTheLength(std::string_view value) {
    for (const std::string_view piece : Split(value, ',')) {
      const std::string_view length = TrimBlanks(piece);
      if (length_.empty()) length_ = length;
      if (length_ != length) return false;
    }
    return true;
  }

  bool AddBody(std::string_view piece) {
    const bool wanted = transfer_.Info<long>(CURLINFO_RESPONSE_CODE) == http_status::kOk;
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
    const auto told = transfer_.Info<curl_off_t>(CURLINFO_CONTENT_LENGTH_DOWNLOAD_T);
    const auto most = static_cast<curl_off_t>(std::min<std::uint64_t>(kMostReserved, request_.most_bytes));
    answer_.body.reserve(static_cast<std::size_t>(std::clamp<curl_off_t>(told, 0, most)) + kSpare);
  }

  Result<FetchAnswer> End(CURLcode code) {
    if (transfer_.was_stopped()) stop_ = Stop::kAsked;
    if (stop_ == Stop::kHeaders) {
      return Fail(Code::kTooLarge, fmt::format("the answer has more than {} bytes of headers", kMostHeaderBytes),
                  transfer_.Where());
    }
    if (stop_ == Stop::kLengths) {
      return Fail(Code::kNetwork,
                  "the answer has two different values of Content-Length, so its end is not known: correct the server, "
                  "or the proxy or gateway before it",
                  transfer_.Where());
    }
    if (stop_ == Stop::kBody) {
      return Fail(Code::kTooLarge,
                  fmt::format("the answer is larger than {} bytes; nothing of it was used", request_.most_bytes),
                  transfer_.Where());
    }
    const bool cut_by_us = stop_ != Stop::kNone;
    const bool wants_credentials = transfer_.ConnectStatus() == http_status::kProxyAuthenticationRequired;
    if (code != CURLE_OK && !cut_by_us && !wants_credentials) return std::unexpected(ErrorOf(code));
    answer_.status = wants_credentials ? http_status::kProxyAuthenticationRequired
                                       : static_cast<int>(transfer_.Info<long>(CURLINFO_RESPONSE_CODE));
    if (answer_.status == http_status::kOk && !cut_by_us && !request_.head && !EndIsKnown()) {
      return Fail(Code::kNetwork,
                  "the server does not send the length of its answer, so a truncated answer would not be noticed: let "
                  "it send Content-Length, or Transfer-Encoding: chunked (HTTP/1.1)",
                  transfer_.Where());
    }
    if (answer_.status == http_status::kProxyAuthenticationRequired) answer_.proxy_refusal = ProxyRefusal();
    refused_without_challenge_ = transfer_.RefusedWithoutChallenge(answer_.status);
    if (const char* url = transfer_.Info<char*>(CURLINFO_REDIRECT_URL)) answer_.redirect_url = url;
    if (answer_.body.capacity() < answer_.body.size() + kSpare) answer_.body.reserve(answer_.body.size() + kSpare);
    return std::move(answer_);
  }

  // If the body ends with the connection, a lost connection looks like a complete body.
  bool EndIsKnown() {
    if (request_.sink || request_.has_digest || transfer_.Info<curl_off_t>(CURLINFO_CONTENT_LENGTH_DOWNLOAD_T) >= 0)
      return true;
    const std::string coding = AsciiLower(answer_.Header("transfer-encoding"));
    return TrimBlanks(std::string_view(coding).substr(coding.rfind(',') + 1)) == "chunked";
  }

  std::string ProxyRefusal() {
    HttpFailure failure = transfer_.FailureOf(CURLE_OK);
    failure.connect_status = http_status::kProxyAuthenticationRequired;
    return Explain(failure).message;
  }

  Error ErrorOf(CURLcode code) {
    if (code == CURLE_SSL_CERTPROBLEM) {
      return {Code::kCert, fmt::format("the client's certificate or its key can't be used: {}", transfer_.Detail(code)),
              transfer_.Where()};
    }
    HttpFailure failure = transfer_.FailureOf(code);
    failure.timeout_seconds = Waited();
    failure.certificate.roots_are_named = !request_.as_node;
    failure.certificate.of_machine = request_.of_machine;
    refused_without_challenge_ = transfer_.RefusedWithoutChallenge(failure);
    if (!refused_without_challenge_) transfer_.LookForTls(failure);
    if (request_.notes != nullptr) {
      request_.notes->is_temporary = IsTemporary(failure);
      request_.notes->is_plain = failure.trouble == HttpTrouble::kPlain && !failure.with_proxy;
      request_.notes->is_unreachable = IsUnreachable(failure);
    }
    Error out = Explain(failure);
    if (failure.trouble == HttpTrouble::kHeaders) out.code = Code::kTooLarge;  // like this program's own limits
    return out;
  }

  // The time of a vain wait: the nearest limit, or that of all tries. libcurl's clock may be slightly behind the limit.
  int Waited() {
    constexpr curl_off_t kSecond = 1'000'000, kBehind = 100'000;
    if (request_.given_seconds != 0) return request_.given_seconds;
    const curl_off_t waited = transfer_.Info<curl_off_t>(CURLINFO_TOTAL_TIME_T) + kBehind;
    if (total_seconds_ != 0 && waited >= total_seconds_ * kSecond) return total_seconds_;
    return transfer_.Info<curl_off_t>(CURLINFO_PRETRANSFER_TIME_T) == 0 ? request_.connect_seconds
                                                                        : request_.answer_seconds;
  }

  const FetchRequest& request_;
  const SendRequest* sent_;
  int total_seconds_;
  CurlList headers_, connect_to_;  // declared before the transfer, which points to them
  CurlTransfer transfer_;
  FetchAnswer answer_;
  std::size_t header_bytes_ = 0;
  std::string length_;  // Content-Length of the answer; "": none
  std::uint64_t body_bytes_ = 0;
  Stop stop_ = Stop::kNone;
  bool refused_without_challenge_ = false;
};

// Http::Fetch and Http::Send. Besides the limits of the request: 64 KiB of headers, and of the body of an answer other
// than 200, which is cut there. Uses no environment and no cookies. Sends `headers`, Host, User-Agent and, unless
// given, Accept: */*.
Result<FetchAnswer> FetchByCurl(const FetchRequest& request, const SendRequest* sent) {
  PROV_TRY(CheckUrl(request.url));
  const CurlFunctions& curl = *PROV_TRY(LoadCurl());
  FetchTransfer first(curl, request, sent, kAfterChallenge, request.total_seconds);
  Result<FetchAnswer> answer = first.Run();
  const int left = request.total_seconds == 0 ? 0 : request.total_seconds - first.Seconds();
  if (!first.RefusedWithoutChallenge() || left < 0 || (left == 0 && request.total_seconds != 0)) return answer;
  // The proxy never asks, so send Basic at once.
  return FetchTransfer(curl, request, sent, kPreemptive, left).Run();
}

class CurlHttp final : public Http {
 public:
  Result<int> Get(const HttpRequest& request) override {
    const std::string start = AsciiLower(request.url.substr(0, 8));
    const bool has_scheme = start.starts_with("http://") || start.starts_with("https://");
    if (!has_scheme || request.url.find('\0') != std::string::npos) {
      return Fail(Code::kScheme, "is not a URL that starts with http:// or https://", egress::RedactUrl(request.url));
    }
    const CurlFunctions& curl = *PROV_TRY(LoadCurl());
    Probe first(curl, request, kAfterChallenge);
    Result<int> answer = first.Run(request.timeout_seconds);
    const int left = request.timeout_seconds - first.Seconds();
    if (!first.RefusedWithoutChallenge() || left <= 0) return answer;
    // The proxy never asks, so send Basic at once, as Go programs do.
    return Probe(curl, request, kPreemptive).Run(left);
  }

  Result<FetchAnswer> Fetch(const FetchRequest& request) override { return FetchByCurl(request, nullptr); }
  Result<FetchAnswer> Send(const SendRequest& request) override { return FetchByCurl(request.to, &request); }
};

}  // namespace

Http& LiveHttp() {
  static CurlHttp http;
  return http;
}

}  // namespace prov::net
