#include "provisioner/fleet/metrics.h"

#include <fmt/format.h>

#include <string_view>

namespace prov::fleet {
namespace {

// Escapes a label's value: backslash, quote and line feed.
std::string Label(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\n') {
      out += "\\n";
      continue;
    }
    if (c == '\\' || c == '"') out += '\\';
    out += c;
  }
  return out;
}

class Metrics {
 public:
  void Add(std::string_view name, std::string_view help, std::int64_t value, const std::string& labels = {}) {
    text_ += fmt::format("# HELP provisioner_{0} {1}\n# TYPE provisioner_{0} gauge\nprovisioner_{0}{2} {3}\n", name,
                         help, labels.empty() ? "" : "{" + labels + "}", value);
  }
  // Adds nothing if the value is unknown.
  void Add(std::string_view name, std::string_view help, const std::optional<std::int64_t>& value) {
    if (value) Add(name, help, *value);
  }
  std::string Take() { return std::move(text_); }

 private:
  std::string text_;
};

}  // namespace

std::string MetricsText(const NodeState& state, const std::optional<node::Expiry>& first_expiry, std::int64_t now) {
  Metrics out;
  out.Add("settings_info", "The digest of the egress settings of this node and the version of provisioner.", 1,
          fmt::format("digest=\"{}\",version=\"{}\"", Label(state.digest.value_or("")), Label(state.version)));
  out.Add("settings_applied_timestamp_seconds", "When these settings were applied first.", state.applied_at);
  out.Add("source_read_timestamp_seconds", "When the source was last read well, to the minute.", state.read_at);
  out.Add("round_timestamp_seconds", "When the last round ended.", now);
  out.Add("drift_items", "Items of ours that somebody else changed.", state.drift);
  out.Add("stale_services", "Services that run with an earlier environment.",
          static_cast<std::int64_t>(state.stale_services.size()));
  out.Add("reboot_required", "1: programs run with earlier settings until this node boots again.",
          state.reboot_required ? 1 : 0);
  out.Add("held", "1: a rollback or a trial holds, and the source is not followed.", state.held ? 1 : 0);
  out.Add("failure", "1: rounds fail.", state.failure ? 1 : 0,
          state.failure ? fmt::format("code=\"{}\"", Label(state.failure->code)) : std::string("code=\"\""));
  if (state.approval) {
    out.Add("settings_pending", "1: new settings wait for the cluster's approval.", state.approval->pending ? 1 : 0);
    out.Add("settings_taken_back", "1: the settings that wait were tried here and taken back.",
            state.approval->PendingFailed() ? 1 : 0);
  }
  if (first_expiry) {
    out.Add("certificate_expiry_timestamp_seconds", "When the certificate of ours that expires first does so.",
            now + first_expiry->seconds);
    out.Add("certificate_expiry_days", "Whole days until then; negative: it has expired.", first_expiry->Days());
  }
  return out.Take();
}

}  // namespace prov::fleet
