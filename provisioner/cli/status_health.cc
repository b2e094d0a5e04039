#include "provisioner/cli/status_health.h"

#include <fmt/format.h>

#include "provisioner/base/clock.h"
#include "provisioner/base/text.h"
#include "provisioner/cli/command.h"
#include "provisioner/node/reconcile_once.h"
#include "provisioner/node/upgrade.h"

namespace prov::cli {
namespace {

void WriteBootService(JsonWriter& json, const std::optional<node::BootService>& service) {
  if (!BeginObjectOrNull(json, "bootService", service.has_value())) return;
  json.Member("name", node::kServiceName).Member("expected", service->expected);
  json.Member("installed", service->installed).Member("running", service->running);
  json.Member("processId", std::int64_t{service->process_id}).Member("version", service->version);
  json.Member("outdated", service->outdated).EndObject();
}

// "network: no route (kube:///worker)"
std::string DescribeFailure(const node::RoundFailure& failure) {
  return failure.where.empty() ? fmt::format("{}: {}", failure.code, failure.message)
                               : fmt::format("{}: {} ({})", failure.code, failure.message, failure.where);
}

void WriteFailures(JsonWriter& json, const node::NodeStatus& status) {
  std::optional<std::string> present;
  if (status.failure) {
    present = status.failure->Text();
  } else if (status.RoundsFail()) {
    present = DescribeFailure(*status.round_failure);
  }
  json.Member("failure", present);
  if (!BeginObjectOrNull(json, "lastFailure", status.round_failure.has_value())) return;
  const node::RoundFailure& last = *status.round_failure;
  json.Member("code", last.code).Member("message", last.message).Member("where", last.where);
  json.Member("since", last.since);
  json.Member("over", last.over).EndObject();
}

void WriteExpiry(JsonWriter& json, const std::optional<node::Expiry>& expiry) {
  if (!BeginObjectOrNull(json, "firstExpiry", expiry.has_value())) return;
  json.Member("key", expiry->key).Member("name", expiry->name).Member("subject", expiry->subject);
  json.Member("notAfter", expiry->not_after).Member("days", expiry->Days()).EndObject();
}

void WriteDamagedFile(JsonWriter& json, const node::DamagedFile& file) {
  json.Member("file", file.file).Member("problem", file.problem);
  WriteTextOrNull(json, "from", file.from);
  json.Member("effect", file.effect);
}

void WriteDamage(JsonWriter& json, const node::NodeStatus& status) {
  json.Key("damage").BeginArray();
  for (const node::DamagedFile& file : status.damage) {
    WriteDamagedFile(json.BeginObject(), file);
    json.EndObject();
  }
  json.EndArray().Member("recordLost", status.record_lost).Key("repairs").BeginArray();
  for (const node::PastRepair& repair : status.repairs) {
    WriteDamagedFile(json.BeginObject().Member("at", repair.at), repair.file);
    json.Member("kept", repair.file.kept).EndObject();
  }
  json.EndArray();
}

void WriteLostFiles(JsonWriter& json, const std::vector<node::LostFile>& files) {
  json.Key("lostFiles").BeginArray();
  for (const node::LostFile& file : files)
    json.BeginObject().Member("path", file.path).Member("problem", file.problem).EndObject();
  json.EndArray();
}

}  // namespace

void WriteHealth(JsonWriter& json, const node::NodeStatus& status) {
  WriteFailures(json, status);
  WriteBootService(json, status.boot_service);
  WriteExpiry(json, status.first_expiry);
  WriteDamage(json, status);
  WriteLostFiles(json, status.lost_files);
  json.Strings("reasons", status.Reasons());
}

std::string BootLine(const node::BootService& service) {
  const std::string name = fmt::format("boot     the service {}{}{}", node::kServiceName,
                                       service.version.empty() ? "" : " ", Printable(service.version));
  if (!service.installed) {
    return service.expected ? name + " is gone; provisioner service install brings it back\n"
                            : "boot     no service is installed, so nothing keeps this in place\n";
  }
  if (!service.running) {
    return name + (service.expected ? " does not run; its event log says why, provisioner service install starts it\n"
                                    : " starts when Windows setup is over\n");
  }
  const std::string runs = fmt::format("{} runs (process {})", name, service.process_id);
  return runs + (service.outdated ? ", still with an earlier program: restart the service\n" : "\n");
}

std::string FailureLines(const node::NodeStatus& status, std::int64_t now) {
  std::string out;
  if (status.failure) out += fmt::format("failed   the first boot: {}\n", Printable(status.failure->Text()));
  if (status.RoundsFail()) {
    out += fmt::format("failed   for {}: {}\n", node::DescribeAge(now - status.round_failure->since),
                       Printable(DescribeFailure(*status.round_failure)));
  }
  for (const node::DamagedFile& file : status.damage)
    out += fmt::format("damaged  {} {}\n", Printable(file.file), Printable(file.problem));
  if (status.record_lost)
    out += "lost     the record of what is ours; the next apply adopts values that equal its settings\n";
  for (const node::LostFile& file : status.lost_files)
    out += fmt::format("files    {} {}\n", Printable(file.path), Printable(file.problem));
  return out;
}

std::string HistoryLines(const node::NodeStatus& status) {
  std::string out;
  if (status.round_failure && status.round_failure->over) {
    out += fmt::format("earlier  failed until {}: {}\n", FormatUtc(*status.round_failure->over),
                       Printable(DescribeFailure(*status.round_failure)));
  }
  for (const node::PastRepair& repair : status.repairs) {
    out += fmt::format("repaired {}: {} {}{}\n", FormatUtc(repair.at), Printable(repair.file.file),
                       Printable(repair.file.problem),
                       repair.file.kept.empty() ? "" : fmt::format("; kept as {}", Printable(repair.file.kept)));
  }
  return out;
}

std::string ExpiryLine(const node::NodeStatus& status) {
  constexpr std::int64_t kShownSeconds = std::int64_t{90} * 24 * 60 * 60;
  if (!status.first_expiry || status.first_expiry->seconds > kShownSeconds) return {};
  const node::Expiry& expiry = *status.first_expiry;
  const std::int64_t days = expiry.Days();
  return fmt::format("{}: certificate {} {}\n",
                     days < 0 ? fmt::format("expired  at {}", expiry.not_after)
                              : fmt::format("expires  in {} day{}", days, days == 1 ? "" : "s"),
                     Printable(expiry.name), Printable(expiry.subject));
}

void ReportDamage(const node::NodeStatus& status, Findings& findings) {
  for (const node::DamagedFile& file : status.damage) {
    AddError(findings, "state-damaged", Describe(file, node::Moment::kFound), file.file);
  }
  if (status.record_lost) AddError(findings, "state-lost", node::DescribeLoss());
}

}  // namespace prov::cli
