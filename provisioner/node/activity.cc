#include "provisioner/node/activity.h"

#include "provisioner/base/hash.h"
#include "provisioner/base/json_reader.h"
#include "provisioner/base/json_writer.h"
#include "provisioner/base/text.h"

namespace prov::node {
namespace {

constexpr std::int64_t kMinute = 60;

std::string SourceDigest(const StoredSource& source) { return ToHex(Sha256(SourceJson({source.spec, true, false}))); }

void Write(JsonWriter& json, const RoundFailure& failure) {
  json.Key("failure").BeginObject().Member("code", failure.code).Member("message", failure.message);
  json.Member("where", failure.where).Member("since", failure.since);
  if (failure.over) json.Member("over", *failure.over);
  json.EndObject();
}

std::string ToJson(const Activity& activity) {
  JsonWriter json;
  json.BeginObject().Member("schema", 1);
  json.Member("source", activity.source);
  if (activity.read_at) json.Member("readAt", *activity.read_at);
  if (activity.failure) Write(json, *activity.failure);
  return json.EndObject().Text();
}

Result<RoundFailure> ParseFailure(const JsonNode& node) {
  RoundFailure out{PROV_TRY(node.Get("code", &JsonNode::Text)), PROV_TRY(node.Get("message", &JsonNode::Text)),
                   PROV_TRY(node.Get("where", &JsonNode::Text)), PROV_TRY(node.Get("since", &JsonNode::Integer)),
                   std::nullopt};
  out.over = PROV_TRY(node.Find("over", &JsonNode::Integer));
  return out;
}

Result<Activity> ParseActivity(std::string_view text) {
  const JsonNode root = PROV_TRY(ParseSchemaOne(text, kActivityFile));
  Activity out;
  out.source = PROV_TRY(root.Get("source", &JsonNode::Text));
  out.read_at = PROV_TRY(root.Find("readAt", &JsonNode::Integer));
  out.failure = PROV_TRY(root.Find("failure", ParseFailure));
  return out;
}

// Whether `next` is worth writing: it differs from `now`, or its reading is at least a minute later. A clock that was
// set back counts as later, too.
bool IsNews(const Activity& now, const Activity& next) {
  Activity same = next;
  same.read_at = now.read_at;
  if (same != now || now.read_at.has_value() != next.read_at.has_value()) return true;
  return next.read_at && (*next.read_at - *now.read_at >= kMinute || *next.read_at < *now.read_at);
}

void Save(OpenNode& node, const Activity& now, const Activity& next) {
  if (!IsNews(now, next)) return;
  // best effort: `status` keeps showing the earlier activity
  (void)node.machine.state.folder().Write(kActivityFile, ToJson(next));
}

RoundFailure FailureOf(const Error& error, const std::optional<RoundFailure>& before, std::int64_t now) {
  RoundFailure out{std::string(InfoOf(error.code).name), error.message, error.where, now, std::nullopt};
  const bool stands = before && !before->over && before->code == out.code && before->where == out.where;
  if (stands) out.since = before->since;
  return out;
}

}  // namespace

Activity LoadActivity(machine::StateFolder& folder) {
  const auto text = folder.Read(kActivityFile);
  if (!text || !*text) return {};
  return ParseActivity(**text).value_or(Activity());
}

Activity LoadActivity(machine::StateFolder& folder, const StoredSource& source) {
  Activity out = LoadActivity(folder);
  if (out.source == SourceDigest(source)) return out;
  return {.source = SourceDigest(source), .read_at = {}, .failure = {}};
}

void NoteRound(OpenNode& node, const StoredSource& source, bool was_read, const Error* failure) {
  machine::StateFolder& folder = node.machine.state.folder();
  const Activity before = LoadActivity(folder);
  const std::int64_t now = node.host.clock().NowUnix();
  Activity next = LoadActivity(folder, source);
  if (was_read) next.read_at = now;
  if (failure != nullptr) {
    next.failure = FailureOf(*failure, next.failure, now);
  } else if (next.failure && !next.failure->over) {
    next.failure->over = now;
  }
  Save(node, before, next);
}

void ForgetActivity(OpenNode& node) {
  machine::StateFolder& folder = node.machine.state.folder();
  const auto text = folder.Read(kActivityFile);
  if (text && *text) (void)folder.Remove(kActivityFile);
}

}  // namespace prov::node
