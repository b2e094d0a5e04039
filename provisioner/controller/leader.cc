#include "provisioner/controller/leader.h"

#include <utility>

#include "provisioner/base/json_reader.h"
#include "provisioner/base/json_writer.h"

namespace prov::controller {
namespace {

// MicroTime: RFC 3339 with six digits of a second.
std::string MicroTime(std::int64_t unix_seconds) {
  std::string out = FormatUtc(unix_seconds);
  out.insert(out.size() - 1, ".000000");
  return out;
}

}  // namespace

struct Leader::Read {
  std::string resource_version;
  Seen seen;
  std::int64_t duration = kLeaseSeconds;
  std::int64_t changes = 0;  // leaseTransitions
};

Result<Leader::Read> Leader::Get(source::KubeClient& client) const {
  const JsonNode root = PROV_TRY(ParseJsonDocument(PROV_TRY(client.Get(lease_)), lease_.Path()));
  Read out;
  out.resource_version = PROV_TRY(PROV_TRY(root.Get("metadata")).Get("resourceVersion", &JsonNode::Text));
  const auto spec = PROV_TRY(root.Find("spec"));
  if (!spec) return out;
  out.seen.holder = PROV_TRY(spec->Find("holderIdentity", &JsonNode::Text)).value_or("");
  out.seen.renewed = PROV_TRY(spec->Find("renewTime", &JsonNode::Text)).value_or("");
  out.duration = PROV_TRY(spec->Find("leaseDurationSeconds", &JsonNode::Integer)).value_or(kLeaseSeconds);
  out.changes = PROV_TRY(spec->Find("leaseTransitions", &JsonNode::Integer)).value_or(0);
  return out;
}

Result<bool> Leader::Write(source::KubeClient& client, const Read& read, const std::string& holder,
                           std::int64_t changes) const {
  const std::string now = MicroTime(clock_.NowUnix());
  JsonWriter json;
  json.BeginObject().Key("metadata").BeginObject().Member("resourceVersion", read.resource_version).EndObject();
  json.Key("spec").BeginObject().Member("holderIdentity", holder).Member("renewTime", now);
  json.Member("leaseDurationSeconds", holder.empty() ? std::int64_t{1} : kLeaseSeconds);
  if (changes != read.changes) json.Member("acquireTime", now).Member("leaseTransitions", changes);
  json.EndObject().EndObject();
  return client.PatchUnchanged(lease_, json.Text());
}

Result<bool> Leader::Hold(source::KubeClient& client) {
  const Read read = PROV_TRY(Get(client));
  const std::int64_t now = clock_.NowUnix();
  if (seen_ != read.seen || now < seen_at_) {
    seen_ = read.seen;
    seen_at_ = now;
  }
  const bool own = read.seen.holder == identity_;
  const bool free = read.seen.holder.empty() || now - seen_at_ >= read.duration;
  if (!own && !free) return holds_ = false;
  holds_ = PROV_TRY(Write(client, read, identity_, own ? read.changes : read.changes + 1));
  return holds_;
}

Result<void> Leader::Release(source::KubeClient& client) {
  if (!std::exchange(holds_, false)) return {};
  const Read read = PROV_TRY(Get(client));
  if (read.seen.holder == identity_) PROV_TRY(Write(client, read, "", read.changes));
  return {};
}

}  // namespace prov::controller
