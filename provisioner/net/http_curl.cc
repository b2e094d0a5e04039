// The port Http by libcurl: Get, which probes use.
#include <fmt/format.h>

#include "provisioner/base/text.h"
#include "provisioner/egress/proxy_url.h"
#include "provisioner/net/curl_transfer.h"
#include "provisioner/net/http.h"
#include "provisioner/net/http_fetch.h"
#include "provisioner/net/http_status.h"
#include "provisioner/net/proxy_challenge.h"

namespace prov::net {
namespace {

constexpr std::size_t kMostBodyBytes = std::size_t{64} << 10U;

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
    transfer_.Set(CURLOPT_HEADERDATA, &transfer_.answer());
    return End(PROV_TRY(transfer_.Perform({.total_seconds = seconds, .should_stop = {}})));
  }

  // Whether a proxy that knows nothing of our credentials turned us away without asking for them.
  bool RefusedUnasked() const { return refused_unasked_; }
  int Seconds() const { return transfer_.Seconds(); }

 private:
  Result<int> End(CURLcode code) {
    const bool cut_by_us = code == CURLE_WRITE_ERROR && body_bytes_ > kMostBodyBytes;
    if (code != CURLE_OK && !cut_by_us) return Failed(FailureOf(code));
    const int status = static_cast<int>(transfer_.Info<long>(CURLINFO_RESPONSE_CODE));
    HttpFailure failure = FailureOf(CURLE_OK);
    refused_unasked_ = transfer_.RefusedUnasked(status);
    // Only a proxy answers so, also to a plain request; and only squid says that an error is its own.
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
    return out;
  }

  Result<int> Failed(HttpFailure failure) {
    refused_unasked_ = transfer_.RefusedUnasked(failure);
    const bool is_known = request_.notes != nullptr && request_.notes->is_plain;
    if (!refused_unasked_ && !is_known) transfer_.LookForTls(failure);
    if (request_.notes != nullptr) {
      request_.notes->may_pass = MayPass(failure);
      request_.notes->is_plain = is_known || (transfer_.looked_for_tls() && !failure.speaks_tls);
    }
    return std::unexpected(Explain(failure));
  }

  // What works for libcurl must work for Go programs as well.
  Result<int> Good(int status, const std::vector<std::string>& challenges) {
    std::string words = ReviewForGo(transfer_.peers().proxy(), "the proxy " + transfer_.proxy());
    if (words.empty()) words = ReviewForGo(transfer_.peers().server(), "the server");
    if (!words.empty()) return Fail(Code::kTls, std::move(words), transfer_.Where());
    if (request_.notes == nullptr) return status;
    if (transfer_.credentials()) words = ReviewSchemesForGo(transfer_.proxy(), AuthenticationSchemes(challenges));
    if (!words.empty()) {
      AddWarning(request_.notes->findings, "probe-digest", std::move(words), transfer_.Where());
    }
    request_.notes->may_pass = MayPass(status);
    return status;
  }

  const HttpRequest& request_;
  std::size_t body_bytes_ = 0;  // before the transfer, which points to it
  CurlTransfer transfer_;
  bool refused_unasked_ = false;
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
    Probe polite(curl, request, kWhenAsked);
    Result<int> answer = polite.Run(request.timeout_seconds);
    const int left = request.timeout_seconds - polite.Seconds();
    if (!polite.RefusedUnasked() || left <= 0) return answer;
    // A proxy that never asks: Go programs offer Basic unasked.
    return Probe(curl, request, kUnasked).Run(left);
  }

  Result<FetchAnswer> Fetch(const FetchRequest& request) override { return FetchByCurl(request); }
};

}  // namespace

Http& LiveHttp() {
  static CurlHttp http;
  return http;
}

}  // namespace prov::net
