#include "provisioner/node/left_out.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "provisioner/reconcile/service_name.h"

namespace prov::node {
namespace {

void Report(std::string option, Findings& findings) {
  AddWarning(findings, "option-left-out",
             "the last run had this option, and this run goes on without it; give it again unless that is meant",
             std::move(option));
}

// Which settings are taken. A payload may have the option in itself, so what counts is what is in effect.
void ReportChoices(const Choices& before, const Settings& settings, Findings& findings) {
  const Choices& given = settings.given->choices;
  const reconcile::DesiredOptions& now = settings.options;
  for (const std::string& service : before.services.value_or(std::vector<std::string>())) {
    const auto is_same = [&](const std::string& one) { return reconcile::IsSameService(one, service); };
    if (std::ranges::none_of(now.services, is_same)) Report("--service " + service, findings);
  }
  if (before.scope && !given.scope && *before.scope != now.scope && !given.with_wmco) {
    Report(fmt::format("--scope {}", fmt::join(before.scope->Names(), ",")), findings);
  }
  if (before.with_wmco && !given.scope && now.scope.machine) Report("--with-wmco", findings);
  if (before.credentials && !given.credentials && *before.credentials != now.credentials) {
    Report(fmt::format("--credentials {}", NameOf(*before.credentials)), findings);
  }
  for (const std::string& digest : before.trusted) {
    if (!now.trusted.contains(digest)) Report("--trust " + digest, findings);
  }
  if (before.hns_policy_file && !now.hns) Report("--hns-policy " + *before.hns_policy_file, findings);
  if (before.win_http_octets && !now.win_http_octets) Report("--winhttp-octets", findings);
}

// Options that change what the source says.
void ReportEdits(const SettingsSpec& before, const SettingsSpec& given, Findings& findings) {
  const std::optional<std::string>& subtracted = before.choices.subtract_file;
  if (subtracted && !given.choices.subtract_file) Report("--subtract " + *subtracted, findings);
  if (before.choices.augment && !given.choices.augment) Report("--augment", findings);
  if (before.source.add_cluster_suffixes && !given.source.add_cluster_suffixes) {
    Report("--add-cluster-suffixes", findings);
  }
}

}  // namespace

void ReportLeftOut(const std::optional<Applied>& before, const Settings& now, bool names_pool, Findings& findings) {
  if (!before || !before->given || !now.given) return;
  const source::SourceSpec& last = before->given->source;
  const source::SourceSpec& source = now.given->source;
  if (last.selection.name != source.selection.name && source.selection.name.empty()) {
    Report("--name " + last.selection.name, findings);
  }
  if (last.selection.pool != source.selection.pool && !names_pool) {
    Report("--pool " + last.selection.pool, findings);
  }
  ReportChoices(before->given->choices, now, findings);
  if (now.payload.empty()) ReportEdits(*before->given, *now.given, findings);  // a payload was made with its edits
}

}  // namespace prov::node
