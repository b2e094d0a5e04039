#include "provisioner/fleet/approver.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "provisioner/base/json_reader.h"
#include "provisioner/base/json_writer.h"
#include "provisioner/egress/request_way.h"
#include "provisioner/fleet/cluster_node.h"
#include "provisioner/fleet/rollout_record.h"
#include "provisioner/net/http_status.h"
#include "provisioner/node/probe.h"
#include "provisioner/registries/image_reference.h"
#include "provisioner/source/kube_client.h"

namespace prov::fleet {
namespace {

constexpr int kQuestionSeconds = 20;
constexpr std::int64_t kTrySeconds = 10;
constexpr int kTries = 3;
constexpr std::size_t kMostBytes = std::size_t{64} << 10U;
constexpr std::int64_t kMostAttempts = 1'000'000;
constexpr std::array<std::string_view, 5> kMembers = {"schema", "probes", "images", "trialSeconds", "attempt"};

bool IsDigest(std::string_view text) {
  constexpr std::size_t kDigits = 64;
  return text.size() == kDigits && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

Result<std::vector<std::string>> ReadEntries(const JsonNode& node) {
  std::vector<std::string> out = PROV_TRY(node.Texts());
  if (out.size() > kMostApprovalEntries)
    return node.Refuse(Code::kTooLarge, fmt::format("has more than {} entries", kMostApprovalEntries));
  return out;
}

Result<std::int64_t> ReadNumber(const JsonNode& node, std::int64_t least, std::int64_t most) {
  const std::int64_t out = PROV_TRY(node.Integer());
  if (out >= least && out <= most) return out;
  return node.Refuse(Code::kType, fmt::format("is not between {} and {}", least, most));
}

Result<node::Approval> ParseRollout(const std::string& text, std::string digest, const std::string& where) {
  if (text.size() > kMostBytes) return Fail(Code::kTooLarge, fmt::format("has more than {} bytes", kMostBytes), where);
  const JsonNode root = PROV_TRY(ParseSchemaOne(text, where));
  for (const auto& [name, value] : PROV_TRY(root.Members())) {
    if (std::ranges::find(kMembers, name) != kMembers.end()) continue;
    return value.Refuse(Code::kType, "is a member that this program does not know");
  }
  node::Approval out;
  out.digest = std::move(digest);
  out.probes = PROV_TRY(root.Get("probes", ReadEntries));
  out.images = PROV_TRY(root.Get("images", ReadEntries));
  out.trial_seconds = PROV_TRY(ReadNumber(PROV_TRY(root.Get("trialSeconds")), kShortestTrial, kLongestTrial));
  out.attempt = PROV_TRY(ReadNumber(PROV_TRY(root.Get("attempt")), 1, kMostAttempts));
  PROV_TRY(node::CheckProbeUrls(out.probes));
  for (const std::string& image : out.images) PROV_TRY(registries::ParseImageReference(image, where));
  return out;
}

// An answer of the API server itself, and no sign that something on the way refused the request or that it can't work.
bool IsAnswer(int status) {
  return status >= net::http_status::kOk && status < net::http_status::kInternalServerError &&
         status != net::http_status::kProxyAuthenticationRequired;
}

}  // namespace

std::string ApprovalPatch(const std::optional<node::Approval>& approval) {
  JsonWriter json;
  json.BeginObject().Key("metadata").BeginObject().Key("annotations").BeginObject();
  if (approval) {
    JsonWriter rollout;
    rollout.BeginObject().Member("schema", 1).Strings("probes", approval->probes).Strings("images", approval->images);
    rollout.Member("trialSeconds", approval->trial_seconds).Member("attempt", approval->attempt).EndObject();
    json.Member(kApprovedAnnotation, approval->digest).Member(kRolloutAnnotation, rollout.OneLine());
  } else {
    json.Key(kApprovedAnnotation).Null().Key(kRolloutAnnotation).Null();
  }
  return json.EndObject().EndObject().EndObject().OneLine();
}

Result<std::optional<node::Approval>> ReadApproval(const std::string& node_object, const std::string& where) {
  const JsonNode root = PROV_TRY(ParseJsonDocument(node_object, where));
  const auto annotations = PROV_TRY(PROV_TRY(root.Get("metadata")).Find("annotations"));
  if (!annotations) return std::nullopt;
  const auto digest = PROV_TRY(annotations->Find(kApprovedAnnotation, &JsonNode::Text));
  if (!digest || digest->empty()) return std::nullopt;
  if (!IsDigest(*digest)) {
    return Fail(Code::kType, "is not a digest of settings: 64 hexadecimal digits in lower case",
                fmt::format("{}, annotation {}", where, kApprovedAnnotation));
  }
  const std::string place = fmt::format("{}, annotation {}", where, kRolloutAnnotation);
  const auto rollout = PROV_TRY(annotations->Find(kRolloutAnnotation, &JsonNode::Text));
  if (!rollout) {
    return Fail(Code::kType,
                fmt::format("is missing beside {}, so it is not known how to try the settings", kApprovedAnnotation),
                place);
  }
  return PROV_TRY(ParseRollout(*rollout, *digest, place));
}

Result<std::optional<node::Approval>> ClusterApprover::Read() {
  const source::KubeAccess access = PROV_TRY(OpenCluster(host_, node_, kQuestionSeconds));
  source::KubeClient client(access, {host_.http(), host_.clock()});
  return ReadApproval(PROV_TRY(client.Get(source::NodeObject(node_.name))), fmt::format("Node {}", node_.name));
}

Result<std::optional<node::ConfirmedConfig>> ClusterApprover::Confirmed() {
  const source::KubeAccess access = PROV_TRY(OpenCluster(host_, node_, kQuestionSeconds));
  source::KubeClient client(access, {host_.http(), host_.clock()});
  const std::string& own = access.name_space();
  return ConfirmedOf(PROV_TRY(ReadConfirmedSecret(client, own.empty() ? std::string(kFleetNamespace) : own)));
}

Result<void> ClusterApprover::Reach(const egress::EgressConfig& config, std::int64_t seconds) {
  const std::int64_t end = host_.clock().NowUnix() + seconds;
  const source::KubeAccess access = PROV_TRY(OpenCluster(host_, node_, kQuestionSeconds));
  net::FetchRequest request = PROV_TRY(access.Request(source::NodeObject(node_.name).Path()));
  const egress::RequestWay way = PROV_TRY(egress::WayOf(config, request.url));
  if (way.decision.route == egress::Route::kInvalid) return Fail(Code::kProxyUrl, way.decision.note, request.url);
  if (!request.proxy_url) request.proxy_url = way.proxy_url;
  for (int tries = 1;; ++tries) {
    const std::int64_t left = end - host_.clock().NowUnix();
    request.total_seconds = static_cast<int>(std::clamp<std::int64_t>(left, 1, kTrySeconds));
    const Result<net::FetchAnswer> answer = host_.http().Fetch(request);
    if (answer && IsAnswer(answer->status)) return {};
    const bool may_pass = left > 1 && tries < kTries && host_.clock().Wait(1000);
    if (may_pass) continue;
    if (!answer) return std::unexpected(answer.error());
    const std::string refused = answer->proxy_refusal.empty() ? "" : fmt::format(" ({})", answer->proxy_refusal);
    return Fail(Code::kNetwork,
                fmt::format("the answer has status {}{}, {}", answer->status, refused,
                            way.proxy_url ? "through the proxy " + way.Via() : "directly"),
                request.url);
  }
}

}  // namespace prov::fleet
