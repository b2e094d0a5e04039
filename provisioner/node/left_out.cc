#include "provisioner/node/left_out.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "provisioner/egress/egress_config.h"
#include "provisioner/payload/egress_json.h"
#include "provisioner/payload/manifest.h"
#include "provisioner/reconcile/desired_state.h"
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
  if (before.registry_folder && !now.registry_folder) Report("--registry-folder " + *before.registry_folder, findings);
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

// The choices that a payload was baked with. Its scope holds only what its source stated: for the rest, that of `now`.
Choices ChoicesOf(const payload::EgressDocument& payload, const reconcile::Scope& now) {
  const reconcile::DesiredOptions& options = payload.options;
  reconcile::Scope scope = now;
  if (egress::StatesProxy(payload.config) || payload.config.proxy_file.left_out) {
    scope = options.scope;
    scope.certificates = now.certificates;
  }
  const egress::SourceFile& trust = payload.config.trust_file;
  if (trust.present || trust.left_out) scope.certificates = options.scope.certificates;
  scope.hns = now.hns;                // --hns-policy stands for it
  scope.registries = now.registries;  // --registry-folder stands for it
  Choices out;
  out.credentials = options.credentials;
  out.services = options.services;
  out.trusted = options.trusted;
  out.win_http_octets = options.win_http_octets;
  if (options.hns) out.hns_policy_file = "FILE";
  out.registry_folder = options.registry_folder;
  reconcile::Scope with_wmco = now;
  with_wmco.machine = false;
  out.with_wmco = scope == with_wmco;
  if (!out.with_wmco) out.scope = scope;
  return out;
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

void ReportLeftOut(const payload::LoadedPayload& before, const payload::Payload& after, const Settings& now,
                   Findings& findings) {
  const auto document = payload::ReadEgressJson(before.files, payload::kManifestName);
  if (!document || !now.given) return;
  constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kCarried = {
      {{"provisioner.exe", "--exe"}, {payload::kSignaturePath, "--sign"}, {payload::kNextSignerPath, "--next-signer"}}};
  for (const auto& [path, option] : kCarried) {
    const bool stays = std::ranges::find(after.files, path, &payload::PayloadFile::path) != after.files.end();
    if (before.files.contains(path) && !stays) Report(std::string(option), findings);
  }
  if (const std::string& cluster = before.manifest.cluster; !cluster.empty() && after.cluster.empty())
    Report("--for " + cluster, findings);
  ReportChoices(ChoicesOf(*document, now.options.scope), now, findings);
}

}  // namespace prov::node
