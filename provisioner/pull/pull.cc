#include "provisioner/pull/pull.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "provisioner/base/base64.h"
#include "provisioner/base/hash.h"
#include "provisioner/base/json_reader.h"
#include "provisioner/base/text.h"
#include "provisioner/egress/proxy_url.h"
#include "provisioner/egress/request_way.h"
#include "provisioner/net/http_failure.h"
#include "provisioner/net/http_status.h"
#include "provisioner/pull/challenge.h"
#include "provisioner/pull/refusal.h"

namespace prov::pull {
namespace {

namespace http_status = net::http_status;
using net::FetchAnswer;
using registries::Endpoint;

constexpr std::uint64_t kMostManifest = 4ULL * 1048 * 1048;  // containerd's limit
constexpr std::uint64_t kMostConfig = 16ULL << 20U;
constexpr std::uint64_t kMostToken = 1ULL << 20U;
constexpr std::uint64_t kMostLayer = 1ULL << 40U;
constexpr int kMostRedirects = 10;  // requests in a row, as Go has it
constexpr int kMostTries = 3;       // of one request that the server puts off
constexpr std::int64_t kBetweenTries = 1000;

constexpr std::string_view kAnyManifest =
    "application/vnd.docker.distribution.manifest.v2+json, application/vnd.docker.distribution.manifest.list.v2+json, "
    "application/vnd.oci.image.manifest.v1+json, application/vnd.oci.image.index.v1+json, */*";
constexpr int kMostIndexes = 4;  // one within the other

constexpr std::string_view kPortal =
    "an HTML page came instead of the image's data: a proxy or a portal on the way answers for the registry";

// Queries hold signatures that open what the URL names.
std::string WithoutQuery(std::string_view url) { return egress::RedactRequest(url.substr(0, url.find_first_of("?#"))); }

// "host:port" of a URL, in lower case, without the port that the scheme has by itself.
std::string HostOf(std::string_view url) {
  std::string out = AsciiLower(UrlHost(url));
  const std::string_view own_port = url.starts_with("https://") ? ":443" : ":80";
  if (out.ends_with(own_port)) out.resize(out.size() - own_port.size());
  return out;
}

// Whether the second URL is at the host of the first, and not less protected.
bool IsSameHost(std::string_view first, std::string_view second) {
  const bool weaker = first.starts_with("https://") && !second.starts_with("https://");
  return !weaker && HostOf(first) == HostOf(second);
}

// With the scheme in lower case, as Go reads it.
std::string WithLowerScheme(std::string_view url) {
  const std::size_t end = url.find(':');
  if (end == std::string_view::npos) return std::string(url);
  return AsciiLower(url.substr(0, end)) + std::string(url.substr(end));
}

bool IsHttpUrl(std::string_view url) { return url.starts_with("http://") || url.starts_with("https://"); }

// Whether a host can stand in lists and on a terminal: registries name the hosts of layers and tokens.
bool IsPlainHost(std::string_view host) {
  return !host.empty() && std::ranges::all_of(host, [](char c) {
    return IsLetter(c) || IsDigit(c) || c == '.' || c == '-' || c == '_' || c == ':';
  });
}

std::string PercentEncoded(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                       std::string_view("-._~").find(c) != std::string_view::npos;
    if (plain) {
      out += c;
    } else {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return out;
}

// How much of an answer is wanted.
enum class Want { kHeaders, kWhole, kFirstByte };

struct Order {
  Purpose purpose = Purpose::kPing;
  const Endpoint* endpoint = nullptr;  // nullptr: a URL that a manifest names
  std::string url;
  Want want = Want::kWhole;
  std::string accept = "*/*";
  std::uint64_t limit = kMostManifest;
};

class Puller {
 public:
  Puller(net::Http& http, Clock& clock, const egress::EgressConfig& config, const registries::ImageEndpoints& image,
         const PullOptions& options)
      : http_(http),
        clock_(clock),
        config_(config),
        image_(image),
        options_(options),
        end_(clock.NowUnix() + options.total_seconds) {
    out_.image = image.image.Text();
    out_.note = image.unused;
  }

  Result<Pulled> Run() {
    if (auto done = Walk(); !done) {
      // These are faults of the settings and not of the pull.
      if (done.error().code == Code::kNoProxy || done.error().code == Code::kInterrupted)
        return std::unexpected(std::move(done).error());
      out_.error = std::move(done).error();
    }
    return std::move(out_);
  }

 private:
  struct Authorizer {
    Challenge challenge;
    std::map<std::string, Secret> values;  // of Authorization headers, by scope
  };

  // --- What is fetched, in order -----------------------------------------------------------------------------------

  Result<void> Walk() {
    if (!image_.refusal.empty()) return Fail(Code::kNetwork, image_.refusal, out_.image);
    if (image_.image.by_digest() && !IsDigest(image_.image.digest)) {
      return Fail(Code::kImageReference,
                  "only digests by sha256 and sha512 can be checked here; name the image by its tag", out_.image);
    }
    const Descriptor found = PROV_TRY(Resolve());
    out_.digest = found.digest;
    const std::string bytes = PROV_TRY(Document(found, Purpose::kIndex, kMostManifest));
    const Manifest first = PROV_TRY(Parse(bytes, found));
    if (!first.index) {
      for (Step& step : out_.steps) {
        if (step.purpose == Purpose::kIndex) step.purpose = Purpose::kManifest;
      }
      return WalkManifest(first, true);
    }
    return WalkIndex(first, 1);
  }

  // `depth`: how many indexes this one makes, with those that it is in.
  Result<void> WalkIndex(const Manifest& index, int depth) {
    if (depth > kMostIndexes)
      return Fail(Code::kInvalidConfig, fmt::format("{} indexes lie one within the other", depth), out_.image);
    const std::vector<Descriptor> entries = EntriesFor(index, options_.platform);
    if (entries.empty()) return NothingForPlatform(index);
    for (const Descriptor& entry : entries) {
      if (!IsIndexType(entry.media_type) && !IsManifestType(entry.media_type)) {
        return Fail(Code::kInvalidConfig,
                    fmt::format("the index calls its entry {} \"{}\", and containerd does not look into that",
                                entry.digest, Shorten(entry.media_type)),
                    out_.image);
      }
      const bool within = IsIndexType(entry.media_type);
      const std::string text = PROV_TRY(Document(entry, within ? Purpose::kIndex : Purpose::kManifest, kMostManifest));
      if (!entry.os.empty()) out_.steps.back().of_entry = DescribeEntry(entry);
      const Manifest inner = PROV_TRY(Parse(text, entry));
      PROV_TRY(within ? WalkIndex(inner, depth + 1) : WalkManifest(inner, false));
    }
    return {};
  }

  Result<Manifest> Parse(const std::string& bytes, const Descriptor& of) {
    auto out = ParseManifest(bytes, of.media_type, out_.image);
    if (!out)
      return Fail(
          Code::kInvalidConfig,
          fmt::format("{} is no manifest of an image that containerd takes: {}", of.digest, out.error().message),
          out_.image);
    return out;
  }

  std::unexpected<Error> NothingForPlatform(const Manifest& index) const {
    const Platform& platform = options_.platform;
    const bool by_build = !platform.os_version.empty();
    return Fail(Code::kNotFound,
                fmt::format("the image has nothing for {}/{}{}{}; it has {}", platform.os, platform.architecture,
                            by_build ? " " : "", platform.os_version, DescribeEntries(index)),
                out_.image);
  }

  Result<void> WalkManifest(const Manifest& manifest, bool alone) {
    const std::string config = PROV_TRY(Document(*manifest.config, Purpose::kConfig, kMostConfig));
    // An image without an index says only here what it is for.
    if (alone) PROV_TRY(CheckPlatform(config));
    for (const Descriptor& layer : manifest.layers) {
      if (layers_.insert(layer.digest).second) PROV_TRY(FirstByte(layer));
    }
    return {};
  }

  Result<void> CheckPlatform(const std::string& config) const {
    const auto root = ParseJsonDocument(config, out_.image);
    if (!root) return Fail(Code::kInvalidConfig, "the image's config is not JSON", out_.image);
    const auto os = root->Find("os", &JsonNode::Text);
    const auto architecture = root->Find("architecture", &JsonNode::Text);
    if (!os || !architecture || !*os || !*architecture) return {};
    if (**os == options_.platform.os && **architecture == options_.platform.architecture) return {};
    return Fail(Code::kNotFound,
                fmt::format("the image is for {}/{}, and not for {}/{}", Shorten(**os), Shorten(**architecture),
                            options_.platform.os, options_.platform.architecture),
                out_.image);
  }

  // --- One object, asked for at one endpoint after the other ---------------------------------------------------------

  // Which digest the reference has. The first endpoint that has the image says so.
  Result<Descriptor> Resolve() {
    std::optional<Error> first, missing;
    bool asked = false;
    const auto keep = [&](const Endpoint& endpoint, Error error) {
      NoteFailure(endpoint, error);
      std::optional<Error>& place = error.code == Code::kNotFound ? missing : first;
      if (!place || error.code == Code::kNotFound) place = std::move(error);
    };
    const registries::ImageReference& image = image_.image;
    for (const Endpoint& endpoint : image_.endpoints) {
      if (!endpoint.pull || (!image.by_digest() && !endpoint.resolve)) continue;
      asked = true;
      if (auto reachable = Ping(endpoint); !reachable) {
        keep(endpoint, std::move(reachable).error());
        continue;
      }
      auto found = ResolveAt(endpoint);
      if (found) {
        out_.endpoint = endpoint.url;
        return found;
      }
      if (ended_ || IsFatal(found.error())) return found;
      keep(endpoint, std::move(found).error());
    }
    if (first) return std::unexpected(*std::move(first));
    if (missing) return std::unexpected(*std::move(missing));
    return Fail(Code::kNetwork,
                asked ? "no endpoint has the image"
                      : "no endpoint may say which digest a tag has (capabilities without \"resolve\"): name the image "
                        "by its digest",
                out_.image);
  }

  static bool IsFatal(const Error& error) { return error.code == Code::kNoProxy || error.code == Code::kInterrupted; }

  Result<Descriptor> ResolveAt(const Endpoint& endpoint) {
    const registries::ImageReference& image = image_.image;
    Order order{Purpose::kIndex, &endpoint, endpoint.UrlOf("manifests/" + image.Object()), Want::kHeaders,
                std::string(kAnyManifest)};
    FetchAnswer answer = PROV_TRY(Ask(order));
    PROV_TRY(CheckStatus(order, answer));
    ended_ = true;  // what fails from here on ends the pull
    Descriptor out;
    out.media_type = PROV_TRY(ManifestTypeOf(answer));
    out.digest = image.digest;
    const std::string_view told = answer.Header("docker-content-digest");
    const bool has_length = !answer.Header("content-length").empty();
    if (has_length) out.size = PROV_TRY(LengthOf(answer));
    if (out.digest.empty() && has_length && !told.empty()) {
      if (!IsDigest(told)) return Refuse("the registry names a malformed digest (Docker-Content-Digest)");
      out.digest = told;
    }
    if (!out.digest.empty() && has_length) return out;
    order.want = Want::kWhole;
    answer = PROV_TRY(Ask(order));
    PROV_TRY(CheckStatus(order, answer));
    out.media_type = PROV_TRY(ManifestTypeOf(answer));
    out.size = static_cast<std::int64_t>(answer.body.size());
    if (out.digest.empty()) out.digest = "sha256:" + ToHex(Sha256(answer.body));
    return out;
  }

  // The length that the answer to HEAD states.
  Result<std::int64_t> LengthOf(const FetchAnswer& answer) {
    const std::string_view text = TrimBlanks(answer.Header("content-length"));
    std::int64_t out = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), out);
    if (fault != std::errc() || end != text.data() + text.size() || out < 0)
      return Refuse("the answer has a malformed Content-Length");
    if (out == 0) {
      return Refuse(
          "the answer to HEAD states a length of 0 (Content-Length), with which containerd does not pull: a "
          "server before the registry drops it");
    }
    return out;
  }

  // containerd looks only into what the answer calls a manifest or an index.
  Result<std::string> ManifestTypeOf(const FetchAnswer& answer) {
    const std::string_view header = answer.Header("content-type");
    const std::string_view type = TrimBlanks(header.substr(0, header.find(';')));
    if (IsIndexType(type) || IsManifestType(type)) return std::string(type);
    if (EqualsIgnoreAsciiCase(type, "text/html")) return Refuse(std::string(kPortal));
    return Refuse(
        fmt::format("the answer's Content-Type is \"{}\", which is no manifest that containerd takes", Shorten(type)));
  }

  // A document with its digest. The first endpoint that gives something ends the search, as for containerd.
  Result<std::string> Document(const Descriptor& what, Purpose purpose, std::uint64_t limit) {
    if (what.size <= 0) return Fail(Code::kInvalidConfig, fmt::format("{} has no size", what.digest), out_.image);
    const FetchAnswer answer = PROV_TRY(Fetch(what, purpose, Want::kWhole, limit));
    if (HasDigest(answer.body, what.digest)) {
      if (answer.body.size() == static_cast<std::size_t>(what.size)) return answer.body;
      return Refuse(fmt::format("{} has {} bytes, and {} were stated, so containerd refuses it", what.digest,
                                answer.body.size(), what.size));
    }
    const bool html = AsciiLower(answer.Header("content-type")).starts_with("text/html");
    const std::string_view end = image_.endpoints.size() > 1 ? "; containerd asks no other endpoint then" : "";
    return Refuse(html
                      ? fmt::format("{}{}", kPortal, end)
                      : fmt::format("what came has not the digest {}: a server or proxy on the way changed or cut it{}",
                                    what.digest, end));
  }

  Result<void> FirstByte(const Descriptor& layer) {
    if (layer.size <= 0)
      return Fail(Code::kInvalidConfig, fmt::format("the layer {} has no size", layer.digest), out_.image);
    for (const std::string& written : layer.urls) {
      const std::string url = WithLowerScheme(written);
      if (!IsHttpUrl(url)) continue;
      Order order{Purpose::kLayer, nullptr, url, Want::kFirstByte, layer.media_type + ", */*", kMostLayer};
      const FetchAnswer answer = PROV_TRY(Ask(order));
      const auto checked = CheckStatus(order, answer);
      if (checked) return {};
      if (checked.error().code != Code::kNotFound) return checked;
    }
    PROV_TRY(Fetch(layer, Purpose::kLayer, Want::kFirstByte, kMostLayer));
    return {};
  }

  Result<FetchAnswer> Fetch(const Descriptor& what, Purpose purpose, Want want, std::uint64_t limit) {
    const bool manifest = purpose == Purpose::kIndex || purpose == Purpose::kManifest;
    std::optional<Error> first;
    for (const Endpoint& endpoint : image_.endpoints) {
      Order order{purpose,
                  &endpoint,
                  endpoint.UrlOf((manifest ? "manifests/" : "blobs/") + what.digest),
                  want,
                  what.media_type.empty() ? "*/*" : what.media_type + ", */*",
                  limit};
      auto answer = Ask(order);
      auto checked = answer ? CheckStatus(order, *answer) : Result<void>(std::unexpected(answer.error()));
      if (checked) {
        if (std::ranges::find(out_.sources, endpoint.url) == out_.sources.end()) out_.sources.push_back(endpoint.url);
        return answer;
      }
      if (IsFatal(checked.error())) return std::unexpected(std::move(checked).error());
      NoteFailure(endpoint, checked.error());
      if (!first) first = std::move(checked).error();
    }
    if (!first) return Fail(Code::kNetwork, "there is no endpoint", out_.image);
    return std::unexpected(*std::move(first));
  }

  void NoteFailure(const Endpoint& endpoint, const Error& error) {
    if (std::ranges::find(out_.failures, endpoint.url, &EndpointFailure::endpoint) == out_.failures.end())
      out_.failures.push_back({endpoint.url, error});
  }

  std::unexpected<Error> Refuse(std::string why) {
    Error error{Code::kNetwork, std::move(why), out_.steps.empty() ? out_.image : out_.steps.back().url};
    if (!out_.steps.empty()) out_.steps.back().error = error;
    return std::unexpected(std::move(error));
  }

  // --- What a status means -------------------------------------------------------------------------------------------

  // The step of the answer gets the error, too.
  Result<void> CheckStatus(const Order& order, const FetchAnswer& answer) {
    if (answer.status >= http_status::kOk && answer.status < http_status::kMultipleChoices) return {};
    Error error{answer.status == http_status::kNotFound ? Code::kNotFound : Code::kNetwork, Meaning(order, answer),
                out_.steps.back().url};
    if (!out_.steps.back().error) out_.steps.back().error = error;
    return std::unexpected(std::move(error));
  }

  std::string Meaning(const Order& order, const FetchAnswer& answer) const {
    const Endpoint* endpoint = order.endpoint;
    RefusedObject out;
    out.status = answer.status;
    out.host = HostOf(out_.steps.back().url);
    out.purpose = order.purpose;
    out.image = image_.image.Text();
    out.repository = image_.image.Repository();
    if (endpoint == nullptr) {
      out.redirected = true;
      return ExplainRefusal(out);
    }
    const std::string asked = HostOf(endpoint->url);
    out.redirected = out.host != asked;
    out.login_sent_on = out.redirected && IsBelow(out.host, asked);
    out.mirror = endpoint->mirror;
    out.login_name = NameOfLogin(endpoint);
    out.has_login = LoginFor(endpoint) != nullptr;
    if (const auto known = authorizers_.find(asked); known != authorizers_.end())
      out.scheme = known->second.challenge.scheme;
    return ExplainRefusal(out);
  }

  // --- One request with its login, its redirects and its repetitions -------------------------------------------------

  // Whether the registry's server can be reached. containerd makes no such request, so any answer is good: it leads to
  // no other host, and it gets no login.
  Result<void> Ping(const Endpoint& endpoint) {
    const std::string scheme = endpoint.url.substr(0, endpoint.url.find("://"));
    const std::string root = fmt::format("{}://{}/v2/", scheme, UrlHost(endpoint.url));
    if (const auto known = pings_.find(&endpoint); known != pings_.end()) return known->second;
    net::FetchRequest request;
    request.url = root;
    request.most_bytes = kMostToken;
    request.has_digest = true;
    auto answer = Send(Purpose::kPing, std::move(request), &endpoint, nullptr);
    Result<void> out;
    if (!answer) out = std::unexpected(std::move(answer).error());
    pings_.emplace(&endpoint, out);
    return out;
  }

  Result<FetchAnswer> Ask(Order& order) {
    int put_off = 0;
    bool challenged = false;
    while (true) {
      FetchAnswer answer = PROV_TRY(Once(order));
      if (answer.status == http_status::kUnauthorized && order.endpoint != nullptr && !challenged &&
          IsSameHost(order.endpoint->url, out_.steps.back().url)) {
        challenged = true;
        if (PROV_TRY(TakeChallenge(*order.endpoint, answer))) continue;
      } else if (answer.status == http_status::kMethodNotAllowed && order.want == Want::kHeaders) {
        order.want = Want::kWhole;
        continue;
      } else if ((answer.status == http_status::kRequestTimeout || answer.status == http_status::kTooManyRequests) &&
                 ++put_off < kMostTries) {
        if (!clock_.Wait(kBetweenTries)) return Fail(Code::kInterrupted, "was asked to stop", out_.image);
        continue;
      }
      return answer;
    }
  }

  // Follows redirects. A login goes to the endpoint's host only.
  Result<FetchAnswer> Once(const Order& order) {
    std::string url = order.url;
    for (int hop = 0; hop < kMostRedirects; ++hop) {
      net::FetchRequest request;
      request.url = url;
      request.head = order.want == Want::kHeaders;
      request.most_bytes = order.limit;
      request.has_digest = true;
      request.headers.emplace_back("Accept", order.accept);
      if (order.want == Want::kFirstByte) request.sink = [](std::string_view) { return false; };
      if (order.endpoint != nullptr && IsSameHost(order.endpoint->url, url)) PROV_TRY(AddOwn(*order.endpoint, request));
      FetchAnswer answer = PROV_TRY(Send(order.purpose, std::move(request), order.endpoint, nullptr));
      if (!http_status::IsRedirect(answer.status) || answer.redirect_url.empty()) return answer;
      out_.steps.back().redirected_to = WithoutQuery(answer.redirect_url);
      url = std::move(answer.redirect_url);
    }
    return Refuse(fmt::format("{} redirects lead from one to the next", kMostRedirects));
  }

  Result<void> AddOwn(const Endpoint& endpoint, net::FetchRequest& request) {
    for (const auto& [name, value] : endpoint.headers) {
      if (EqualsIgnoreAsciiCase(name, "authorization")) {
        request.authorization = value;
      } else {
        request.headers.emplace_back(name, value.Reveal());
      }
    }
    const auto found = authorizers_.find(HostOf(endpoint.url));
    if (found == authorizers_.end()) return {};
    // An endpoint with another name at the same host may have no login.
    const Login* login = LoginFor(&endpoint);
    const bool usable = found->second.challenge.scheme != "basic" || (login != nullptr && !login->user.empty());
    if (usable) request.authorization = PROV_TRY(ValueOf(endpoint, found->second));
    return {};
  }

  // Makes one request and records it. `sent`: the form of a POST; null for a GET or HEAD.
  Result<FetchAnswer> Send(Purpose purpose, net::FetchRequest request, const Endpoint* endpoint,
                           const std::string* sent) {
    PROV_TRY(FailIfStopped(clock_, out_.image));
    const bool own = endpoint != nullptr && HostOf(request.url) == HostOf(endpoint->url);
    const bool tls_first = own && endpoint->tls_first && request.url.starts_with("http://");
    if (tls_first) {
      net::FetchRequest tls = request;
      tls.url = "https://" + tls.url.substr(std::string_view("http://").size());
      net::HttpNotes notes;
      const bool own_port = HostOf(endpoint->url).find(':') == std::string::npos;
      auto answer = SendOne(purpose, std::move(tls), endpoint, sent, notes);
      const bool falls_back = notes.is_plain || endpoint->plain_after_any_failure || (own_port && notes.is_unreachable);
      if (answer || !falls_back) return answer;
    }
    net::HttpNotes notes;
    return SendOne(purpose, std::move(request), endpoint, sent, notes);
  }

  Result<FetchAnswer> SendOne(Purpose purpose, net::FetchRequest request, const Endpoint* endpoint,
                              const std::string* sent, net::HttpNotes& notes) {
    Step& step = out_.steps.emplace_back();
    step.purpose = purpose;
    step.url = WithoutQuery(request.url);
    const auto target = egress::ParseRequestTarget(request.url);
    if (!target || !IsPlainHost(target->host)) return Refuse("a server names a URL that is malformed");
    step.host = AsciiLower(target->host);
    step.port = target->port;
    egress::RequestWay way = PROV_TRY(egress::WayOf(config_, request.url));
    step.via = way.Via();
    if (way.decision.route == egress::Route::kInvalid) {
      step.error = Error{Code::kProxyUrl, way.decision.note, step.url};
      return std::unexpected(*step.error);
    }
    const std::int64_t left = end_ - clock_.NowUnix();
    if (left <= 0)
      return Refuse(fmt::format("was not requested: the requests before it took the {} seconds that there are for all",
                                options_.total_seconds));
    request.proxy_url = std::move(way.proxy_url);
    request.as_node = true;
    request.of_machine = options_.of_machine;
    request.roots = options_.roots;
    if (endpoint != nullptr) {
      const bool only_these = endpoint->only_these_roots && !endpoint->roots.empty();
      if (only_these) request.roots.clear();
      request.beside_system = request.roots.empty() && !only_these;
      request.roots.insert(request.roots.end(), endpoint->roots.begin(), endpoint->roots.end());
      request.skip_verify = endpoint->skip_verify;
      if (!endpoint->client_certificate.empty())
        request.client = net::ClientIdentity{endpoint->client_certificate, endpoint->client_key};
    }
    request.connect_seconds = request.answer_seconds = options_.timeout_seconds;
    request.total_seconds = static_cast<int>(std::min<std::int64_t>(left, options_.timeout_seconds));
    request.notes = &notes;
    auto answer =
        sent == nullptr
            ? http_.Fetch(request)
            : http_.Send({std::move(request), "POST", "application/x-www-form-urlencoded;charset=utf-8", *sent});
    if (!answer) {
      step.error = answer.error();
      if (notes.is_unreachable && way.decision.entry && way.decision.route == egress::Route::kDirect) {
        std::string& message = step.error->message;
        message += fmt::format(
            "{} entry \"{}\" of NO_PROXY sends it there directly: if only the proxy reaches this host, remove the "
            "entry or narrow it",
            message.ends_with('?') ? " The" : "; the", Shorten(*way.decision.entry));
      }
      return std::unexpected(*step.error);
    }
    step.status = answer->status;
    if (answer->status == http_status::kProxyAuthenticationRequired) {
      step.error = Error{Code::kNetwork, answer->proxy_refusal, step.url};
      return std::unexpected(*step.error);
    }
    out_.reached = true;
    return answer;
  }

  // --- Logins --------------------------------------------------------------------------------------------------------

  // The name by which a login is looked up.
  const registries::ImageReference& LoginName(const Endpoint* endpoint) const {
    return endpoint != nullptr && endpoint->login_name ? *endpoint->login_name : image_.image;
  }
  std::string NameOfLogin(const Endpoint* endpoint) const { return LoginName(endpoint).Repository(); }
  // nullptr: none.
  const Login* LoginFor(const Endpoint* endpoint) const {
    return options_.logins == nullptr ? nullptr : options_.logins->Find(LoginName(endpoint));
  }

  // Notes what the registry asks for. Returns whether the request may be made again.
  Result<bool> TakeChallenge(const Endpoint& endpoint, const FetchAnswer& answer) {
    const std::string host = HostOf(endpoint.url);
    const Login* login = LoginFor(&endpoint);
    // The first of each header, as containerd reads them. Bearer counts before Basic.
    std::vector<Challenge> challenges;
    for (const auto& [name, value] : answer.headers) {
      if (name != "www-authenticate") continue;
      if (auto all = ParseChallenges(value); !all.empty()) challenges.push_back(std::move(all.front()));
    }
    for (const std::string_view scheme : {"bearer", "basic"}) {
      for (Challenge& challenge : challenges) {
        if (challenge.scheme != scheme) continue;
        if (scheme == "basic" && (login == nullptr || login->user.empty())) continue;
        if (scheme == "bearer" && authorizers_.contains(host)) return false;  // its token was refused
        authorizers_.insert_or_assign(host, Authorizer{std::move(challenge), {}});
        return true;
      }
    }
    return false;
  }

  // The value of the header for this host.
  Result<Secret> ValueOf(const Endpoint& endpoint, Authorizer& authorizer) {
    if (authorizer.challenge.scheme == "basic") return BasicOf(*LoginFor(&endpoint));
    std::set<std::string> scopes = {fmt::format("repository:{}:pull", LoginName(&endpoint).repository)};
    const std::string told = authorizer.challenge.Get("scope");
    for (const std::string_view one : Split(told, ' '))
      if (!one.empty()) scopes.emplace(one);
    const std::string key = fmt::format("{}", fmt::join(scopes, " "));
    const auto known = authorizer.values.find(key);
    if (known != authorizer.values.end()) return known->second;
    Secret value("Bearer " + PROV_TRY(FetchToken(endpoint, authorizer.challenge, scopes)));
    authorizer.values.emplace(key, value);
    return value;
  }

  Secret BasicOf(const Login& login) {
    out_.used_login = true;
    return Secret("Basic " + EncodeBase64(login.user + ":" + login.password.Reveal()));
  }

  Result<std::string> FetchToken(const Endpoint& endpoint, const Challenge& challenge,
                                 const std::set<std::string>& scopes) {
    const Login* login = LoginFor(&endpoint);
    const std::string realm = WithLowerScheme(challenge.Get("realm"));
    if (!IsHttpUrl(realm))
      return Refuse("the registry asks for a token and does not say where (no realm in WWW-Authenticate)");
    if (login != nullptr && endpoint.url.starts_with("https://") && !realm.starts_with("https://"))
      return Refuse(
          fmt::format("the registry names a token service without TLS, {}, which would get the login in clear "
                      "text; containerd would send it, and nothing was sent here",
                      HostOf(realm)));
    if (login != nullptr) {
      const FetchAnswer answer = PROV_TRY(PostForToken(endpoint, *login, realm, challenge.Get("service"), scopes));
      const bool known = answer.status != http_status::kNotFound && answer.status != http_status::kUnauthorized &&
                         answer.status != http_status::kBadRequest &&
                         (answer.status != http_status::kMethodNotAllowed || login->user.empty());
      if (known) return TokenIn(answer, "access_token", endpoint);
      out_.steps.back().error.reset();  // registries without POST answer so; GET follows
    }
    std::string url = realm + (realm.find('?') == std::string::npos ? "?" : "&");
    const std::string service = challenge.Get("service");
    if (!service.empty()) url += "service=" + PercentEncoded(service) + "&";
    std::vector<std::string> query;
    query.reserve(scopes.size());
    for (const std::string& scope : scopes) query.push_back("scope=" + PercentEncoded(scope));
    url += fmt::format("{}", fmt::join(query, "&"));
    for (int hop = 0; hop < kMostRedirects; ++hop) {
      net::FetchRequest request;
      request.url = url;
      request.most_bytes = kMostToken;
      request.has_digest = true;
      if (login != nullptr && IsSameHost(realm, url)) request.authorization = BasicOf(*login);
      FetchAnswer answer = PROV_TRY(Send(Purpose::kToken, std::move(request), &endpoint, nullptr));
      if (!http_status::IsRedirect(answer.status) || answer.redirect_url.empty())
        return TokenIn(answer, "token", endpoint);
      out_.steps.back().redirected_to = WithoutQuery(answer.redirect_url);
      url = std::move(answer.redirect_url);
    }
    return Refuse(fmt::format("{} redirects lead from one to the next", kMostRedirects));
  }

  // Follows a redirect only where the form may be sent again: it holds the login.
  Result<FetchAnswer> PostForToken(const Endpoint& endpoint, const Login& login, const std::string& realm,
                                   const std::string& service, const std::set<std::string>& scopes) {
    std::string form = "client_id=containerd-client&service=" + PercentEncoded(service) +
                       "&scope=" + PercentEncoded(fmt::format("{}", fmt::join(scopes, " ")));
    const std::string password = PercentEncoded(login.password.Reveal());
    out_.used_login = true;
    if (login.user.empty()) {
      form += "&grant_type=refresh_token&refresh_token=" + password;
    } else {
      form += "&grant_type=password&username=" + PercentEncoded(login.user) + "&password=" + password;
    }
    std::string url = realm;
    for (int hop = 0; hop < kMostRedirects; ++hop) {
      net::FetchRequest request;
      request.url = url;
      request.most_bytes = kMostToken;
      request.has_digest = true;
      FetchAnswer answer = PROV_TRY(Send(Purpose::kToken, std::move(request), &endpoint, &form));
      const bool again =
          (answer.status == http_status::kTemporaryRedirect || answer.status == http_status::kPermanentRedirect);
      if (!again || answer.redirect_url.empty()) return answer;
      out_.steps.back().redirected_to = WithoutQuery(answer.redirect_url);
      if (!IsSameHost(realm, answer.redirect_url)) {
        return Refuse(fmt::format("the token service leads to {}, which would get the login; nothing was sent there",
                                  HostOf(answer.redirect_url)));
      }
      url = std::move(answer.redirect_url);
    }
    return Refuse(fmt::format("{} redirects lead from one to the next", kMostRedirects));
  }

  Result<std::string> TokenIn(const FetchAnswer& answer, std::string_view first, const Endpoint& endpoint) {
    if (answer.status >= http_status::kBadRequest) {
      const std::string host = HostOf(out_.steps.back().url);
      if (answer.status == http_status::kUnauthorized || answer.status == http_status::kForbidden) {
        return Refuse(
            LoginFor(&endpoint) == nullptr
                ? fmt::format("{} gives no token without a login (status {}): add --pull-secret FILE", host,
                              answer.status)
                : fmt::format("{} refuses the login for {} (status {}): check the entry of the pull secret{}", host,
                              NameOfLogin(&endpoint), answer.status,
                              answer.status == http_status::kForbidden ? ", and the rules of proxies on the way" : ""));
      }
      return Refuse(fmt::format("{} gives no token (status {}): {}", host, answer.status, AdviceFor(answer.status)));
    }
    const auto root = ParseJsonDocument(answer.body, out_.steps.back().url);
    if (!root)
      return Refuse("the token service's answer is not JSON: a proxy or a portal on the way may answer for it");
    for (const std::string_view name : {first, std::string_view("access_token"), std::string_view("token")}) {
      const auto token = root->Find(name, &JsonNode::Text);
      if (token && *token && !(*token)->empty()) return **token;
    }
    return Refuse("the token service's answer has no token");
  }

  net::Http& http_;
  Clock& clock_;
  const egress::EgressConfig& config_;
  const registries::ImageEndpoints& image_;
  const PullOptions& options_;
  std::int64_t end_;
  std::map<std::string, Authorizer> authorizers_;  // by host
  std::map<const Endpoint*, Result<void>> pings_;
  std::set<std::string> layers_;  // asked for already
  bool ended_ = false;            // an endpoint has the image, so no other is asked which digest it has
  Pulled out_;
};

}  // namespace

Result<Pulled> Pull(net::Http& http, Clock& clock, const egress::EgressConfig& config,
                    const registries::ImageEndpoints& image, const PullOptions& options) {
  return Puller(http, clock, config, image, options).Run();
}

}  // namespace prov::pull
