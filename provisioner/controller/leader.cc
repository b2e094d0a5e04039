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

// Time goes on, and no request to stop ends a request to the server. A failed one is not repeated.
class ClockOfTheEnd final : public Clock {
 public:
  explicit ClockOfTheEnd(Clock& clock) : clock_(clock) {}
  std::int64_t NowUnix() override { return clock_.NowUnix(); }
  bool Wait(std::int64_t milliseconds) override { return milliseconds == 0; }

 private:
  Clock& clock_;
};

}  // namespace

struct Leader::Read {
  std::string resource_version;
  Seen seen;
  std::int64_t duration = kLeaseSeconds;
  std::int64_t changes = 0;  // leaseTransitions
};

Result<Leader::Read> Leader::Get(source::KubeClient& client) const {
  auto body = client.Get(lease_);
  if (!body) {
    if (body.error().code == Code::kNotFound)
      body.error().message += "; provisioner deploy --print prints it with the controller";
    return std::unexpected(std::move(body).error());
  }
  const JsonNode root = PROV_TRY(ParseJsonDocument(*body, lease_.Path()));
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

Result<void> Leader::Release(const source::KubeAccess& access, net::Http& http) {
  if (!std::exchange(holds_, false)) return {};
  ClockOfTheEnd clock(clock_);
  source::KubeClient client(access, {http, clock});
  const Read read = PROV_TRY(Get(client));
  if (read.seen.holder == identity_) PROV_TRY(Write(client, read, "", read.changes));
  return {};
}

}  // namespace prov::controller
