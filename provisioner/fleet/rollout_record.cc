#include "provisioner/fleet/rollout_record.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "provisioner/base/base64.h"
#include "provisioner/base/json_reader.h"
#include "provisioner/base/json_writer.h"
#include "provisioner/egress/settings_digest.h"
#include "provisioner/fleet/approver.h"
#include "provisioner/node/settings.h"
#include "provisioner/source/kube_client.h"

namespace prov::fleet {
namespace {

constexpr std::array kPhases = {RolloutPhase::kOpen, RolloutPhase::kHeld, RolloutPhase::kTakingBack,
                                RolloutPhase::kFailed, RolloutPhase::kDone};

Result<std::size_t> ReadCount(const JsonNode& node) {
  const std::int64_t out = PROV_TRY(node.Integer());
  if (out < 0) return node.Refuse(Code::kType, "is negative");
  return static_cast<std::size_t>(out);
}

Result<RolloutPhase> ReadPhase(const JsonNode& node) {
  const std::string name = PROV_TRY(node.Text());
  for (const RolloutPhase one : kPhases) {
    if (NameOf(one) == name) return one;
  }
  return node.Refuse(Code::kType, "is no phase of a rollout");
}

Result<RolloutOrder> ReadOrder(const JsonNode& node) {
  RolloutOrder out;
  out.digest = PROV_TRY(node.Get("digest", &JsonNode::Text));
  out.previous = PROV_TRY(node.Get("previous", &JsonNode::Text));
  out.attempt = PROV_TRY(node.Get("attempt", &JsonNode::Integer));
  out.canaries = PROV_TRY(node.Get("canaries", ReadCount));
  out.wave.number = PROV_TRY(node.Get("wave", ReadCount));
  out.wave.is_percent = PROV_TRY(node.Get("waveIsPercent", &JsonNode::Bool));
  out.soak_seconds = PROV_TRY(node.Get("soakSeconds", &JsonNode::Integer));
  out.timeout_seconds = PROV_TRY(node.Get("timeoutSeconds", &JsonNode::Integer));
  out.most_unreachable = PROV_TRY(node.Get("mostUnreachable", ReadCount));
  out.takes_back = PROV_TRY(node.Get("takesBack", &JsonNode::Bool));
  return out;
}

Result<RolloutProgress> ReadProgress(const JsonNode& node) {
  RolloutProgress out;
  out.phase = PROV_TRY(node.Get("phase", ReadPhase));
  out.wave = PROV_TRY(node.Get("wave", ReadCount));
  out.members = PROV_TRY(node.Get("members", &JsonNode::Texts));
  out.wave_since = PROV_TRY(node.Get("waveSince", &JsonNode::Integer));
  out.confirmed_since = PROV_TRY(node.Find("confirmedSince", &JsonNode::Integer));
  out.reason = PROV_TRY(node.Get("reason", &JsonNode::Text));
  out.failed = PROV_TRY(node.Get("failed", &JsonNode::Texts));
  return out;
}

Result<node::Approval> ReadApproved(const JsonNode& node) {
  node::Approval out;
  out.probes = PROV_TRY(node.Get("probes", &JsonNode::Texts));
  out.images = PROV_TRY(node.Get("images", &JsonNode::Texts));
  out.trial_seconds = PROV_TRY(node.Get("trialSeconds", &JsonNode::Integer));
  return out;
}

// Nobody but a person can mend what somebody changed by hand.
Result<RolloutRecord> ReadRecord(const std::string& text, const std::string& where) {
  Result<RolloutRecord> out = ParseRolloutRecord(text, where);
  if (!out && out.error().code != Code::kVersion) {
    out.error().message += fmt::format(
        "; the rollout's record is damaged: remove the annotation (kubectl annotate secret {} {}- with -n and the "
        "namespace), and roll out the settings that the nodes should have",
        kConfirmedSecret, kRolloutRecordAnnotation);
  }
  return out;
}

void WriteKey(JsonWriter& json, std::string_view key, const std::optional<std::string>& bytes) {
  if (bytes) {
    json.Member(key, EncodeBase64(*bytes));
  } else {
    json.Key(key).Null();
  }
}

}  // namespace

std::string RolloutText(const RolloutRecord& record) {
  const auto& [order, progress, approval] = record;
  JsonWriter json;
  json.BeginObject().Member("schema", 1).Key("order").BeginObject();
  json.Member("digest", order.digest)
      .Member("previous", order.previous)
      .Member("attempt", order.attempt)
      .Member("canaries", order.canaries);
  json.Member("wave", order.wave.number).Member("waveIsPercent", order.wave.is_percent);
  json.Member("soakSeconds", order.soak_seconds).Member("timeoutSeconds", order.timeout_seconds);
  json.Member("mostUnreachable", order.most_unreachable).Member("takesBack", order.takes_back).EndObject();
  json.Key("progress").BeginObject().Member("phase", NameOf(progress.phase)).Member("wave", progress.wave);
  json.Strings("members", progress.members).Member("waveSince", progress.wave_since);
  json.Member("confirmedSince", progress.confirmed_since)
      .Member("reason", progress.reason)
      .Strings("failed", progress.failed);
  json.EndObject();
  json.Key("approval").BeginObject().Strings("probes", approval.probes).Strings("images", approval.images);
  json.Member("trialSeconds", approval.trial_seconds).EndObject();
  return json.EndObject().OneLine();
}

Result<RolloutRecord> ParseRolloutRecord(std::string_view text, const std::string& where) {
  const JsonNode root = PROV_TRY(ParseSchemaOne(text, where));
  RolloutRecord out;
  out.order = PROV_TRY(root.Get("order", ReadOrder));
  out.progress = PROV_TRY(root.Get("progress", ReadProgress));
  out.approval = PROV_TRY(root.Get("approval", ReadApproved));
  out.approval.digest = out.order.digest;
  out.approval.attempt = out.order.attempt;
  out.order.trial_seconds = out.approval.trial_seconds;
  return out;
}

Result<ConfirmedSecret> ParseConfirmedSecret(const std::string& body, const std::string& where) {
  const JsonNode root = PROV_TRY(ParseJsonDocument(body, where));
  const JsonNode metadata = PROV_TRY(root.Get("metadata"));
  ConfirmedSecret out;
  out.where = where;
  out.resource_version = PROV_TRY(metadata.Get("resourceVersion", &JsonNode::Text));
  if (const auto annotations = PROV_TRY(metadata.Find("annotations"))) {
    if (const auto text = PROV_TRY(annotations->Find(kRolloutRecordAnnotation, &JsonNode::Text)))
      out.record = PROV_TRY(ReadRecord(*text, fmt::format("{}, annotation {}", where, kRolloutRecordAnnotation)));
  }
  const auto data = PROV_TRY(root.Find("data"));
  if (!data) return out;
  out.confirmed = PROV_TRY(data->Find(kConfirmedKey, &JsonNode::Bytes));
  out.next = PROV_TRY(data->Find(kNextKey, &JsonNode::Bytes));
  return out;
}

source::KubeObject ConfirmedSecretObject(const std::string& name_space) {
  return source::SecretObject(name_space, std::string(kConfirmedSecret));
}

Result<ConfirmedSecret> ReadConfirmedSecret(source::KubeClient& client, const std::string& name_space) {
  const source::KubeObject object = ConfirmedSecretObject(name_space);
  const Result<std::string> body = client.Get(object);
  if (body) return ParseConfirmedSecret(*body, object.Path());
  if (body.error().code == Code::kNotFound) return ConfirmedSecret();
  return std::unexpected(body.error());
}

namespace {

Result<egress::EgressConfig> ConfirmedConfigOf(const ConfirmedSecret& secret) {
  return PROV_TRY(node::ParseSettings(*secret.confirmed, fmt::format("{}, {}", secret.where, kConfirmedKey))).config;
}

}  // namespace

Result<std::optional<node::ConfirmedConfig>> ConfirmedOf(const ConfirmedSecret& secret) {
  if (!secret.confirmed) return std::nullopt;
  return node::ConfirmedConfig{PROV_TRY(ConfirmedConfigOf(secret)), PROV_TRY(ConfirmedDigest(secret))};
}

Result<std::string> ConfirmedDigest(const ConfirmedSecret& secret) {
  if (!secret.confirmed) return std::string();
  if (const auto& record = secret.record)
    return record->progress.phase == RolloutPhase::kDone ? record->order.digest : record->order.previous;
  return egress::SettingsDigest(PROV_TRY(ConfirmedConfigOf(secret)));
}

std::string ConfirmedSecretDocument(const ConfirmedSecret& secret, const std::string& name_space) {
  JsonWriter json;
  json.BeginObject();
  if (secret.resource_version.empty())
    json.Member("apiVersion", "v1").Member("kind", "Secret").Member("type", "Opaque");
  json.Key("metadata").BeginObject();
  if (secret.resource_version.empty()) {
    json.Member("name", kConfirmedSecret).Member("namespace", name_space);
  } else {
    json.Member("resourceVersion", secret.resource_version);
  }
  json.Key("annotations").BeginObject();
  if (secret.record) json.Member(kRolloutRecordAnnotation, RolloutText(*secret.record));
  json.EndObject().EndObject().Key("data").BeginObject();
  const bool is_new = secret.resource_version.empty();
  if (secret.confirmed || !is_new) WriteKey(json, kConfirmedKey, secret.confirmed);
  if (secret.next || !is_new) WriteKey(json, kNextKey, secret.next);
  return json.EndObject().EndObject().OneLine();
}

}  // namespace prov::fleet
