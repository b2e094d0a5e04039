#include "provisioner/source/remote_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "provisioner/base/clock.h"
#include "provisioner/base/text.h"
#include "provisioner/egress/proxy_url.h"
#include "provisioner/net/http_status.h"

namespace prov::source {
namespace {

constexpr std::int64_t kFirstWait = 200;  // milliseconds
constexpr std::int64_t kLongestWait = 5000;
constexpr int kMostRedirects = 5;

// "https://host:port" of a URL, in lower case.
std::string OriginOf(std::string_view url) {
  const std::size_t host = url.find("://");
  if (host == std::string_view::npos) return {};
  return AsciiLower(url.substr(0, url.find_first_of("/?#", host + 3)));
}

class Asking {
 public:
  Asking(const RemoteRequest& request, const SourcePorts& ports, int total_seconds, int retry_seconds)
      : request_(request),
        ports_(ports),
        total_seconds_(total_seconds),
        retry_seconds_(retry_seconds),
        start_(ports.clock.NowUnix()) {}

  Result<net::FetchAnswer> Run() {
    url_ = request_.url;
    net::FetchAnswer answer = PROV_TRY(Persist());
    for (int hops = 0; net::http_status::IsRedirect(answer.status); ++hops) {
      PROV_TRY(Redirect(answer, hops));
      answer = PROV_TRY(Persist());
    }
    if (answer.status == net::http_status::kNotModified && AsksForChange()) return answer;
    if (answer.status != net::http_status::kOk) return Refuse(answer);
    PROV_TRY(CheckBody(answer, Where()));
    return answer;
  }

 private:
  std::string Where() const { return egress::RedactUrl(url_); }

  bool AsksForChange() const {
    return std::ranges::any_of(request_.headers, [](const auto& h) { return AsciiLower(h.first) == "if-none-match"; });
  }

  std::unexpected<Error> Refuse(const net::FetchAnswer& answer) const {
    const int status = answer.status;
    if (!answer.proxy_refusal.empty()) {
      return Fail(Code::kNetwork, fmt::format("{} (--source-proxy)", answer.proxy_refusal), Where());
    }
    const Code code = status == 404 || status == 410 ? Code::kNotFound : Code::kNetwork;
    std::string meaning = request_.explain == nullptr ? "" : request_.explain(status);
    if (meaning.empty()) meaning = ExplainStatus(status);
    const char* who = status == net::http_status::kProxyAuthenticationRequired ? "proxy" : "server";
    return Fail(code, fmt::format("the {} answered with status {}: {}", who, status, meaning), Where());
  }

  // The clock may be set meanwhile, above all at a first boot, so count at least the pauses.
  std::int64_t Elapsed() const {
    return std::max(ports_.clock.NowUnix() - start_, (waited_ + kMillisecondsPerSecond - 1) / kMillisecondsPerSecond);
  }

  net::FetchRequest Prepared() const {
    net::FetchRequest out;
    out.url = url_;
    out.headers = request_.headers;
    out.headers.emplace_back("Accept-Encoding", "identity");
    if (OriginOf(url_) == OriginOf(request_.url)) {
      out.headers.insert(out.headers.end(), request_.own_headers.begin(), request_.own_headers.end());
    }
    out.proxy_url = request_.proxy_url;
    out.roots = request_.roots;
    out.most_bytes = request_.most_bytes;
    out.has_digest = request_.has_digest;
    const std::int64_t left = total_seconds_ - Elapsed();
    out.total_seconds = static_cast<int>(std::clamp<std::int64_t>(left, 1, total_seconds_));
    out.connect_seconds = std::min(out.connect_seconds, out.total_seconds);
    const bool tries_all_the_while = retry_seconds_ >= total_seconds_;
    if (tries_all_the_while) out.given_seconds = total_seconds_;
    out.answer_seconds =
        request_.answer_seconds == 0 ? out.total_seconds : std::min(request_.answer_seconds, out.total_seconds);
    out.should_stop = [&clock = ports_.clock, stopped = stopped_] {
      const bool stop = !clock.Wait(0);
      *stopped = *stopped || stop;
      return stop;
    };
    return out;
  }

  // Tries until there is an answer that another try would not change.
  Result<net::FetchAnswer> Persist() {
    for (std::int64_t wait = kFirstWait;; wait = std::min(2 * wait, kLongestWait)) {
      net::HttpNotes notes;
      notes.is_temporary = true;
      net::FetchRequest request = Prepared();
      request.notes = &notes;
      Result<net::FetchAnswer> answer = ports_.http.Fetch(request);
      if (*stopped_ || (answer && answer->status == 0)) return Stopped();  // even with a partial answer
      // A proxy that refuses the credentials must not get them again and again.
      const bool is_temporary = answer ? answer->status >= net::http_status::kInternalServerError
                                       : answer.error().code == Code::kNetwork && notes.is_temporary;
      if (!is_temporary) return answer;
      const std::int64_t then = Elapsed() * kMillisecondsPerSecond + wait;
      const int until = std::min(retry_seconds_, total_seconds_);
      if (then > until * kMillisecondsPerSecond) return answer;
      if (!ports_.clock.Wait(wait)) return Stopped();
      waited_ += wait;
    }
  }

  std::unexpected<Error> Stopped() const {
    return Fail(Code::kNetwork, "this program was asked to stop before there was an answer", Where());
  }

  Result<void> Redirect(const net::FetchAnswer& answer, int hops) {
    const std::string& to = answer.redirect_url;
    if (!request_.follow || to.empty()) return Refuse(answer);
    const auto is_https = [](std::string_view url) { return AsciiLower(url.substr(0, 8)) == "https://"; };
    if (!is_https(url_) || !is_https(to)) {
      return Fail(Code::kNetwork,
                  fmt::format("the server redirects to {}, and redirects are followed only from https:// to https://",
                              egress::RedactUrl(to)),
                  Where());
    }
    if (hops == kMostRedirects) {
      return Fail(Code::kNetwork, fmt::format("the server still redirects after {} redirects", kMostRedirects),
                  Where());
    }
    url_ = to.substr(0, to.find('#'));
    return {};
  }

  const RemoteRequest& request_;
  const SourcePorts& ports_;
  int total_seconds_;
  int retry_seconds_;
  std::string url_;
  std::int64_t start_;
  std::int64_t waited_ = 0;                                        // milliseconds
  std::shared_ptr<bool> stopped_ = std::make_shared<bool>(false);  // requests may outlive this
};

}  // namespace

Result<net::FetchAnswer> Ask(const RemoteRequest& request, const SourcePorts& ports, SourceTime& time,
                             int most_seconds) {
  if (time.left() == 0) {
    return Fail(Code::kNetwork, "there was no time left for this: " + time.Reason(), egress::RedactUrl(request.url));
  }
  const bool short_of_time = time.left() < std::min(time.whole(), most_seconds);
  const std::int64_t begin = ports.clock.NowUnix();
  Result<net::FetchAnswer> answer = Asking(request, ports, std::min(time.left(), most_seconds), time.retry()).Run();
  time.Spend(ports.clock.NowUnix() - begin);
  if (!answer && short_of_time && time.left() == 0 && answer.error().code == Code::kNetwork) {
    answer.error().message += "; " + time.Reason();
  }
  return answer;
}

std::string ExplainStatus(int status) {
  switch (status) {
    case 204:
      return "it has nothing to send";
    case net::http_status::kNotModified:
      return "it says that nothing changed, although the request did not ask for that";
    case 400:
      return "it does not understand the request";
    case 401:
      return "Unauthorized: the server requires a login, which this program does not support; serve the document "
             "without a login, or fetch it yourself and give the file";
    case 403:
      return "Forbidden: it does not let this machine have the document; allow this machine there, or fetch it "
             "elsewhere and give the file";
    case 404:
    case 410:
      return "the document does not exist at this address; check the path";
    case 405:
    case 406:
      return "it does not serve the document in this way; is this the right "
             "server?";
    case net::http_status::kProxyAuthenticationRequired:
      return "it wants other credentials than those in its URL";
    case 429:
      return "it was asked too often; try again later";
    case 502:
    case 503:
    case 504:
      return "the proxy or gateway before the server can't reach it, or it is not ready yet; try again later";
    default:
      break;
  }
  if (net::http_status::IsRedirect(status)) return "it points elsewhere, which is not followed here";
  if (status >= net::http_status::kInternalServerError) return "it failed; see its log, or try again later";
  return "this status comes without a document";
}

Result<void> CheckBody(const net::FetchAnswer& answer, const std::string& where) {
  const std::string coding = AsciiLower(answer.Header("content-encoding"));
  if (!coding.empty() && coding != "identity") {
    return Fail(Code::kKind,
                "the server sends the document compressed, which it was not "
                "asked to; serve it as it is",
                where);
  }
  const std::string_view body = answer.body;
  const std::size_t start = body.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  if (start == std::string_view::npos) {
    return Fail(Code::kKind, "the server sends nothing, or only blanks, which makes no statement about egress", where);
  }
  const std::string type = AsciiLower(answer.Header("content-type"));
  const std::string head = AsciiLower(body.substr(start, 16));
  if (type.starts_with("text/html") || head.starts_with("<!doctype html") || head.starts_with("<html")) {
    return Fail(Code::kKind,
                "the server sends an HTML page: a login or an error page "
                "stands where a document should be; "
                "open the address in a browser to see what it says",
                where);
  }
  return {};
}

}  // namespace prov::source
