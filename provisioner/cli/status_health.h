// The parts of `status` that need attention: the boot service, failures, damage, certificates that expire.
#pragma once

#include <cstdint>
#include <string>

#include "provisioner/base/json_writer.h"
#include "provisioner/node/status.h"

namespace prov::cli {

// `failure`, `lastFailure`, `bootService`, `firstExpiry`, `damage`, `recordLost`, `repairs` and `reasons` as members of
// the open object.
void WriteHealth(JsonWriter& json, const node::NodeStatus& status);

// As text lines, each with its line end. `now`: Unix time.
std::string BootLine(const node::BootService& service);
std::string FailureLines(const node::NodeStatus& status,
                         std::int64_t now);                // also damage, loss of the record and lost files
std::string ExpiryLine(const node::NodeStatus& status);    // "" until 90 days before
std::string HistoryLines(const node::NodeStatus& status);  // what is over: failures, repairs

// Adds `state-damaged` for each damaged file of the state, and `state-lost` if the record is lost.
void ReportDamage(const node::NodeStatus& status, Findings& findings);

}  // namespace prov::cli
