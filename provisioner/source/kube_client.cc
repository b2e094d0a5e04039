#include "provisioner/source/kube_client.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <random>
#include <utility>

#include "provisioner/base/clock.h"
#include "provisioner/base/json.h"
#include "provisioner/base/json_reader.h"
#include "provisioner/base/json_writer.h"
#include "provisioner/base/text.h"
#include "provisioner/net/http_status.h"

namespace prov::source {
namespace {

constexpr int kAfterErrors = 600;

constexpr std::string_view kMachineConfigGroup = "machineconfiguration.openshift.io";
constexpr std::string_view kConfigGroup = "config.openshift.io";
constexpr std::string_view kCertificatesGroup = "certificates.k8s.io";
constexpr std::string_view kHyperShiftGroup = "hypershift.openshift.io";
constexpr std::string_view kRancherGroup = "provisioning.cattle.io";
// Those in which a ClusterTrustBundle is served, newest first.
constexpr std::array<std::string_view, 3> kTrustBundleVersions = {"v1", "v1beta1", "v1alpha1"};

// The body of an error of the API server (metav1.Status).
struct ApiStatus {
  std::string message;
  bool names_object = false;  // the server knows the kind, but not the object
  bool is_status = false;     // it is one
};

ApiStatus ReadApiStatus(const std::string& body) {
  constexpr std::size_t kMostBody = std::size_t{64} << 10U;
  constexpr std::size_t kMostShown = 300;
  ApiStatus out;
  if (body.size() > kMostBody) return out;
  JsonLimits limits;
  limits.depth = 20;
  const auto document = ParseJson(body, limits);
  if (!document) return out;
  const JsonValue& root = (*document)->root();
  out.message = std::string(Shorten(JsonTextAt(root, {"message"}), kMostShown));
  out.names_object = !JsonTextAt(root, {"details", "name"}).empty();
  out.is_status = JsonTextAt(root, {"kind"}) == "Status";
  return out;
}

std::string ForbiddenMessage(std::string_view verb, const KubeObject& object, const KubeAccess& access,
                             const ApiStatus& status) {
  const std::string quoted = status.message.empty() ? "" : fmt::format(" (\"{}\")", status.message);
  const std::string names = object.name.empty() ? "" : fmt::format("resourceNames [\"{}\"], ", object.name);
  return fmt::format(
      "the API server forbids this to {}{} (403 Forbidden); a {} bound to it must have the rule apiGroups [\"{}\"], "
      "resources [\"{}\"], {}verbs [\"{}\"]",
      access.who(), quoted, object.name_space.empty() ? "ClusterRole" : "Role", object.group, object.resource, names,
      verb);
}

std::string UnauthorizedMessage(const KubeAccess& access) {
  if (access.anonymous()) {
    return fmt::format(
        "the API server requires authentication (401 Unauthorized), but {} has neither a token nor a client "
        "certificate; "
        "name another user in the kubeconfig, or give it a token (oc create token NAME)",
        access.who());
  }
  return fmt::format(
      "the API server does not accept the credentials of {}: the token or client certificate has expired, was revoked "
      "or belongs to another cluster (401 Unauthorized); get a new one, for example with oc create token NAME",
      access.who());
}

// That the server does not know such objects.
std::string NotServedMessage(const KubeObject& object) {
  if (object.group == kCertificatesGroup) {
    return fmt::format(
        "this cluster serves no {} in {} ({}): Kubernetes 1.37 and later does; 1.33 to 1.36 only if its API server has "
        "--feature-gates=ClusterTrustBundle=true and --runtime-config={}/v1beta1/{}=true",
        object.resource, object.group, fmt::join(kTrustBundleVersions, ", "), object.group, object.resource);
  }
  const std::string_view what = object.group == kHyperShiftGroup ? "HyperShift's management cluster"
                                : object.group == kRancherGroup  ? "Rancher's own cluster"
                                                                 : "OpenShift";
  return fmt::format("this cluster has no {} in {}: is it {}, and is this the right context?", object.resource,
                     object.group, what);
}

std::string NotFoundMessage(const KubeObject& object) {
  if (!object.name_space.empty()) {
    return fmt::format("\"{}\" is not among the {} of the namespace {}", object.name, object.resource,
                       object.name_space);
  }
  return fmt::format("\"{}\" is not among the {} of this cluster", object.name, object.resource);
}

// A 404. Every API server knows the core API, so an answer that does not name its object comes from something else.
Error NotFound(const KubeObject& object, const ApiStatus& status) {
  if (object.group.empty() && !status.names_object) {
    return {Code::kNetwork,
            "the answer has status 404, but is not from a Kubernetes API: another server, such as a gateway or a "
            "proxy, answered; check the address of the API server",
            object.Path()};
  }
  if (!status.names_object) return {Code::kNotFound, NotServedMessage(object), object.CollectionPath()};
  return {Code::kNotFound, NotFoundMessage(object), object.Path()};
}

// The token of the next page; "": this is the last one.
Result<std::string> RestOf(const std::string& page, const std::string& where) {
  const JsonNode root = PROV_TRY(ParseJsonDocument(page, where));
  const auto metadata = PROV_TRY(root.Find("metadata"));
  const auto rest = metadata ? PROV_TRY(metadata->Find("continue")) : std::nullopt;
  return rest ? rest->Text() : std::string();
}

}  // namespace

std::string KubeObject::CollectionPath() const {
  std::string out = group.empty() ? std::string("/api/v1") : fmt::format("/apis/{}/{}", group, version);
  if (!name_space.empty()) out += fmt::format("/namespaces/{}", name_space);
  return resource.empty() ? out : out + "/" + resource;
}

std::string KubeObject::Path() const { return name.empty() ? CollectionPath() : CollectionPath() + "/" + name; }

KubeObject PoolObject(std::string name) {
  return {.group = std::string(kMachineConfigGroup), .resource = "machineconfigpools", .name = std::move(name)};
}
KubeObject MachineConfigObject(std::string name) {
  return {.group = std::string(kMachineConfigGroup), .resource = "machineconfigs", .name = std::move(name)};
}
KubeObject ControllerConfigObject() {
  return {
      .group = std::string(kMachineConfigGroup), .resource = "controllerconfigs", .name = "machine-config-controller"};
}
KubeObject ProxyObject() { return {.group = std::string(kConfigGroup), .resource = "proxies", .name = "cluster"}; }
KubeObject ConfigMapObject(std::string name_space, std::string name) {
  return {.group = "", .resource = "configmaps", .name_space = std::move(name_space), .name = std::move(name)};
}

KubeObject PodObject(std::string name_space, std::string name) {
  return {.group = "", .resource = "pods", .name_space = std::move(name_space), .name = std::move(name)};
}

KubeObject SecretObject(std::string name_space, std::string name) {
  return {.group = "", .resource = "secrets", .name_space = std::move(name_space), .name = std::move(name)};
}

KubeObject LeaseObject(std::string name_space, std::string name) {
  return {.group = "coordination.k8s.io",
          .resource = "leases",
          .name_space = std::move(name_space),
          .name = std::move(name)};
}

KubeObject ObjectOf(const KubeTarget& target) {
  switch (target.kind) {
    case KubeKind::kMachineConfig:
      return MachineConfigObject(target.name);
    case KubeKind::kControllerConfig:
      return ControllerConfigObject();
    case KubeKind::kProxy:
      return ProxyObject();
    case KubeKind::kConfigMap:
      return ConfigMapObject(target.name_space, target.name);
    case KubeKind::kClusterTrustBundle:
      return {.group = std::string(kCertificatesGroup),
              .resource = "clustertrustbundles",
              .name = target.name,
              .version = kTrustBundleVersions.front()};
    case KubeKind::kHostedCluster:
      return {.group = std::string(kHyperShiftGroup),
              .resource = "hostedclusters",
              .name_space = target.name_space,
              .name = target.name,
              .version = "v1beta1"};
    case KubeKind::kRancherCluster:
      return {.group = std::string(kRancherGroup),
              .resource = "clusters",
              .name_space = target.name_space,
              .name = target.name};
    case KubeKind::kPool:
    case KubeKind::kData:  // none that a URI names
      break;
  }
  return PoolObject(target.name);
}

std::optional<KubeObject> InOlderVersion(KubeObject object) {
  if (object.group != kCertificatesGroup) return std::nullopt;
  const auto* const older = std::ranges::find(kTrustBundleVersions, object.version) + 1;
  if (older >= kTrustBundleVersions.end()) return std::nullopt;
  object.version = *older;
  return object;
}

KubeObject EventsIn(std::string name_space) {
  return {.group = "", .resource = "events", .name_space = std::move(name_space), .name = {}};
}

KubeObject NodeObject(std::string name) { return {.group = "", .resource = "nodes", .name = std::move(name)}; }

// Events of cluster-scoped objects are in "default".
KubeObject NodeEvents() { return {.group = "", .resource = "events", .name_space = "default", .name = {}}; }

std::int64_t KubeBackoff::Next() {
  const std::int64_t whole = next_;
  next_ = std::min(next_ * 2, longest_);
  const std::int64_t half = whole / 2;
  return whole - half + static_cast<std::int64_t>(random_() % static_cast<std::uint32_t>(half + 1));
}

std::uint32_t KubeRandom() {
  // The only use is to vary pauses of nodes that boot together. std::random_device would make the Linux program need
  // glibc 2.36.
  thread_local std::mt19937 engine(
      static_cast<std::mt19937::result_type>(std::chrono::steady_clock::now().time_since_epoch().count()));
  return static_cast<std::uint32_t>(engine());
}

bool IsKubeTrouble(int status) {
  return status == net::http_status::kTooManyRequests ||
         (status >= net::http_status::kInternalServerError && status < kAfterErrors);
}

std::int64_t RetryAfterMs(const net::FetchAnswer& answer) {
  constexpr std::int64_t kMostSeconds = 60;
  const std::string_view text = TrimBlanks(answer.Header("retry-after"));
  const auto seconds = ParseDecimal(text, std::numeric_limits<std::int64_t>::max()).value_or(0);
  return std::min(static_cast<std::int64_t>(seconds), kMostSeconds) * kMillisecondsPerSecond;
}

Error ExplainKubeStatus(const net::FetchAnswer& answer, std::string_view verb, const KubeObject& object,
                        const KubeAccess& access) {
  const ApiStatus status = ReadApiStatus(answer.body);
  const std::string where = object.Path();
  if (answer.status == net::http_status::kUnauthorized) return {Code::kNetwork, UnauthorizedMessage(access), where};
  if (answer.status == net::http_status::kForbidden)
    return {Code::kNetwork, ForbiddenMessage(verb, object, access, status), where};
  if (answer.status == net::http_status::kNotFound) return NotFound(object, status);
  if (answer.status == net::http_status::kProxyAuthenticationRequired) {
    return {Code::kNetwork,
            fmt::format("{} (the proxy of --source-proxy or of the kubeconfig's proxy-url)",
                        answer.proxy_refusal.empty() ? "the proxy on the way to the API server wants credentials"
                                                     : answer.proxy_refusal),
            where};
  }
  const std::string quoted = status.message.empty() ? "" : fmt::format(" (\"{}\")", status.message);
  if (IsKubeTrouble(answer.status)) {
    return {
        Code::kNetwork,
        fmt::format("the API server is overloaded or not ready: it answers with status {}{}", answer.status, quoted),
        where};
  }
  if (status.is_status && answer.status >= net::http_status::kBadRequest) {
    return {Code::kInvalidConfig,
            fmt::format("the API server refuses to {} this object, with status {}{}", verb, answer.status, quoted),
            where};
  }
  return {Code::kNetwork,
          fmt::format("the server answers with status {}{}: is this the address of a Kubernetes API?", answer.status,
                      quoted),
          where};
}

namespace {

// Answers to an eviction: a budget, or what admits requests, refuses this pod's; with 500, several budgets are for it.
// 403 is such an answer unless the asker lacks the right, which would be so for each pod.
bool IsNotNow(const net::FetchAnswer& answer) {
  if (answer.status == net::http_status::kForbidden)
    return ReadApiStatus(answer.body).message.find("cannot create resource") == std::string::npos;
  return answer.status == net::http_status::kTooManyRequests ||
         answer.status == net::http_status::kInternalServerError || answer.status == net::http_status::kBadRequest ||
         answer.status == net::http_status::kUnprocessableContent;
}

// Which budget it is, for example.
Result<std::string> CausesIn(const std::string& body) {
  std::string out;
  const JsonNode root = PROV_TRY(ParseJsonDocument(body, "eviction"));
  const auto details = PROV_TRY(root.Find("details"));
  const auto causes = details ? PROV_TRY(details->Find("causes")) : std::nullopt;
  if (!causes) return out;
  for (const JsonNode& cause : PROV_TRY(causes->Items()))
    out += " " + PROV_TRY(cause.Find("message", &JsonNode::Text)).value_or("");
  return out;
}

}  // namespace

// A request and what is known of it.
struct KubeClient::Call {
  const KubeObject& object;
  std::string_view verb;  // as in a ClusterRole
  std::string path;       // with its query
  std::string body;
  bool metadata_will_do = false;  // for a list
  bool may_conflict = false;      // for a patch: a conflict is an answer
  bool evicts = false;            // so is that the pod is gone, or may not go now

  bool IsDone(const net::FetchAnswer& answer) const {
    const int status = answer.status;
    if (status == net::http_status::kOk) return true;
    if (evicts && (status == net::http_status::kNotFound || IsNotNow(answer))) return true;
    if (may_conflict && status == net::http_status::kConflict) return true;
    return verb == "create" && (status == net::http_status::kCreated || status == net::http_status::kConflict);
  }
};

Result<std::string> KubeClient::Get(const KubeObject& object) {
  return std::move(PROV_TRY(Timed({.object = object, .verb = "get", .path = object.Path(), .body = {}})).body);
}

Result<std::string> KubeClient::List(const KubeObject& objects, const std::string& query, KubeDetail detail) {
  return std::move(PROV_TRY(Timed({.object = objects,
                                   .verb = "list",
                                   .path = objects.CollectionPath() + "?" + query,
                                   .body = {},
                                   .metadata_will_do = detail == KubeDetail::kMetadata}))
                       .body);
}

Result<void> KubeClient::ListPages(const KubeObject& objects, const std::string& query, KubeDetail detail,
                                   const std::function<Result<void>(std::string page)>& take) {
  constexpr int kMostPages = 1000;
  std::string next = query;
  for (int pages = 0; pages < kMostPages; ++pages) {
    std::string page = PROV_TRY(List(objects, next, detail));
    const std::string rest = PROV_TRY(RestOf(page, objects.Path()));
    PROV_TRY(take(std::move(page)));
    if (rest.empty()) return {};
    next = fmt::format("{}&continue={}", query, PercentEncode(rest));
  }
  return Fail(Code::kTooLarge, fmt::format("the API server's list of {} does not end", objects.resource),
              objects.Path());
}

Result<void> KubeClient::Create(const KubeObject& objects, const std::string& document) {
  PROV_TRY(Timed({.object = objects, .verb = "create", .path = objects.CollectionPath(), .body = document}));
  return {};
}

Result<void> KubeClient::Patch(const KubeObject& object, const std::string& document) {
  PROV_TRY(Timed({.object = object, .verb = "patch", .path = object.Path(), .body = document}));
  return {};
}

Result<std::optional<std::string>> KubeClient::Evict(const KubeObject& pod, const std::string& uid) {
  JsonWriter json;
  json.BeginObject().Member("apiVersion", "policy/v1").Member("kind", "Eviction").Key("metadata").BeginObject();
  json.Member("name", pod.name).Member("namespace", pod.name_space).EndObject().Key("deleteOptions").BeginObject();
  json.Key("preconditions").BeginObject().Member("uid", uid).EndObject().EndObject().EndObject();
  const KubeObject evictions{.group = "", .resource = "pods/eviction", .name_space = pod.name_space, .name = {}};
  const net::FetchAnswer answer = PROV_TRY(Timed({.object = evictions,
                                                  .verb = "create",
                                                  .path = pod.Path() + "/eviction",
                                                  .body = json.OneLine(),
                                                  .evicts = true}));
  if (!IsNotNow(answer)) return std::nullopt;
  std::string words = ReadApiStatus(answer.body).message + CausesIn(answer.body).value_or("");
  return words.empty() ? fmt::format("status {}", answer.status) : std::move(words);
}

Result<bool> KubeClient::PatchUnchanged(const KubeObject& object, const std::string& document) {
  const std::string path = fmt::format("{}?fieldManager={}", object.Path(), kFieldManager);
  const net::FetchAnswer answer =
      PROV_TRY(Timed({.object = object, .verb = "patch", .path = path, .body = document, .may_conflict = true}));
  return answer.status != net::http_status::kConflict;
}

Result<net::FetchAnswer> KubeClient::Timed(const Call& call) {
  if (time_.left() == 0) {
    return Fail(Code::kNetwork, "there was no time left for this: " + time_.Reason(), call.object.Path());
  }
  const std::int64_t begin = ports_.clock.NowUnix();
  Result<net::FetchAnswer> out = Persist(call, begin + time_.left());
  time_.Spend(ports_.clock.NowUnix() - begin);
  return out;
}

Result<net::FetchAnswer> KubeClient::Ask(const Call& call, net::FetchRequest request) const {
  if (call.verb == "patch" || call.verb == "create") {
    const bool patches = call.verb == "patch";
    return ports_.http.Send({.to = std::move(request),
                             .method = patches ? "PATCH" : "POST",
                             .content_type = patches ? "application/merge-patch+json" : "application/json",
                             .body = call.body});
  }
  if (call.metadata_will_do) {
    for (auto& [name, value] : request.headers) {
      if (name == "Accept") value = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io,application/json";
    }
  }
  return ports_.http.Fetch(request);
}

bool KubeClient::was_refused() const {
  return status_ >= net::http_status::kBadRequest && !IsKubeTrouble(status_) &&
         status_ != net::http_status::kUnauthorized && status_ != net::http_status::kProxyAuthenticationRequired;
}

Result<net::FetchAnswer> KubeClient::Persist(const Call& call, std::int64_t end) {
  constexpr int kTries = 5;
  constexpr std::int64_t kFirstWait = 200;
  constexpr std::int64_t kLongestWait = 5000;
  constexpr std::int64_t kSecondsForOne = 60;
  constexpr std::int64_t kAfterForbidden = 1000;
  KubeBackoff backoff(kFirstWait, kLongestWait, random_);
  bool stopped = false;
  bool token_refused = false;
  for (int left = kTries - 1;; --left) {
    net::FetchRequest request = PROV_TRY(access_.Request(call.path));
    const std::int64_t time = std::clamp<std::int64_t>(end - ports_.clock.NowUnix(), 1, time_.left());
    request.total_seconds = static_cast<int>(access_.timeout_seconds() ? time : std::min(time, kSecondsForOne));
    if (access_.timeout_seconds() && request.total_seconds <= request.connect_seconds)
      request.given_seconds = *access_.timeout_seconds();
    request.should_stop = [&] { return stopped = stopped || !ports_.clock.Wait(0); };
    net::HttpNotes notes;
    notes.is_temporary = true;
    request.notes = &notes;
    Result<net::FetchAnswer> answer = Ask(call, std::move(request));
    if (stopped) return Fail(Code::kNetwork, "this program was asked to stop", call.object.Path());
    status_ = answer ? answer->status : 0;
    if (answer && call.IsDone(*answer)) return answer;
    const int status = status_;
    const std::int64_t wish = answer ? RetryAfterMs(*answer) : 0;
    Error error = answer ? ExplainKubeStatus(*answer, call.verb, call.object, access_) : std::move(answer).error();
    // A token may be replaced after it was read, so try once more. A second refusal is an error.
    const bool stale = status == net::http_status::kUnauthorized && access_.has_token_file() && !token_refused;
    token_refused = token_refused || stale;
    const bool lost = status == 0 && error.code == Code::kNetwork && notes.is_temporary;
    // A server that has just started refuses what it allows a moment later, when it has read who may do what.
    const bool early = status == net::http_status::kForbidden && !std::exchange(forbidden_, true);
    const bool again = stale || early || IsKubeTrouble(status) || lost;
    const std::int64_t pause = std::max({backoff.Next(), wish, early ? kAfterForbidden : 0});
    const std::int64_t now = ports_.clock.NowUnix();
    const bool late = now >= end || now + pause / kMillisecondsPerSecond > end;
    if (left == 0 || !again || late || !ports_.clock.Wait(pause)) return std::unexpected(std::move(error));
  }
}

}  // namespace prov::source
