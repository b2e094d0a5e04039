#include "provisioner/source/machine_config_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "ignition/config.h"
#include "provisioner/base/finding.h"
#include "provisioner/base/text.h"
#include "provisioner/egress/egress_config.h"
#include "provisioner/egress/environment_file.h"
#include "provisioner/source/mirror_files.h"
#include "provisioner/source/source_members.h"

namespace prov::source {
namespace {

// kubelet comes first: its environment matters most, and all releases configure it.
constexpr std::array<std::string_view, 4> kUnits = {"kubelet.service", "crio.service",
                                                    "machine-config-daemon-host.service", "pivot.service"};
constexpr std::array<std::string_view, 2> kDropIns = {"10-mco-default-env.conf", "10-default-env.conf"};

// A file, unit or drop-in that may have the proxy settings before OpenShift 4.7: `Environment=` lines in drop-in files
// (4.2-4.4) or in drop-ins and units (4.5, 4.6). Facts: docs/openshift.md#proxyenv.
struct LegacyText {
  std::string path;  // of the file, or the unit and drop-in
  std::string text;
  unsigned mode = 0644;
  std::vector<egress::Assignment> assignments = {};  // the proxy variables among its Environment= lines
};

Result<std::vector<LegacyText>> LegacyFiles(const ignition::Config& config) {
  std::vector<LegacyText> places;
  for (const std::string_view unit : kUnits) {
    for (const std::string_view drop_in : kDropIns) {
      const std::string path = fmt::format("/etc/systemd/system/{}.d/{}", unit, drop_in);
      if (auto file = PROV_TRY(config.Read(path))) places.push_back({path, std::move(file->bytes), file->mode});
    }
  }
  return places;
}

std::vector<LegacyText> LegacyUnits(const std::vector<ignition::Unit>& units) {
  std::vector<LegacyText> drop_ins;
  std::vector<LegacyText> contents;
  for (const std::string_view name : kUnits) {
    for (const ignition::Unit& unit : units) {
      if (unit.name != name) continue;
      for (const ignition::DropIn& drop_in : unit.drop_ins) {
        if (std::ranges::find(kDropIns, drop_in.name) != kDropIns.end()) {
          drop_ins.push_back({unit.name + "/" + drop_in.name, drop_in.contents});
        }
      }
      if (!unit.contents.empty()) contents.push_back({unit.name, unit.contents});
    }
  }
  drop_ins.insert(drop_ins.end(), contents.begin(), contents.end());
  return drop_ins;
}

std::vector<egress::Assignment> ProxyVariables(const LegacyText& place, Findings& findings) {
  std::vector<egress::Assignment> all = egress::ParseUnitEnvironment(place.text, place.path, findings);
  std::erase_if(all, [](const egress::Assignment& a) {
    return std::ranges::find(egress::kProxyVariables, a.name) == egress::kProxyVariables.end();
  });
  return all;
}

bool SameAssignments(const std::vector<egress::Assignment>& a, const std::vector<egress::Assignment>& b) {
  return std::ranges::equal(a, b, [](const auto& x, const auto& y) { return x.name == y.name && x.value == y.value; });
}

// The first of the old places that the config has. nullopt: none, or they only refer to /etc/mco/proxy.env. Reports
// places that disagree with it.
Result<std::optional<LegacyText>> ReadLegacyEnvironment(const ignition::Config& config, Findings& findings) {
  std::vector<LegacyText> places = PROV_TRY(LegacyFiles(config));
  std::vector<LegacyText> unit_places = LegacyUnits(config.Units());
  std::ranges::move(unit_places, std::back_inserter(places));
  std::optional<LegacyText> taken;
  for (LegacyText& place : places) {
    // In later releases, these only refer to proxy.env.
    if (place.text.find("EnvironmentFile=") != std::string::npos) continue;
    PROV_TRY(egress::CheckEnvironmentSize(place.text, place.path));
    Findings own;
    place.assignments = ProxyVariables(place, own);
    const bool drop_in = place.path.find("default-env.conf") != std::string::npos;
    if (place.assignments.empty() && !drop_in) continue;  // a unit without proxy lines makes no statement
    if (!taken) {
      findings.insert(findings.end(), own.begin(), own.end());
      taken = std::move(place);
    } else if (!SameAssignments(taken->assignments, place.assignments)) {
      AddWarning(findings, "legacy-differs",
                 fmt::format("its proxy settings differ from those of {}, which were taken", taken->path), place.path);
    }
  }
  return taken;
}

constexpr std::string_view kApiServerUrlPath = "/etc/kubernetes/apiserver-url.env";

using egress::EgressConfig;

Result<void> ReadProxyFile(const ignition::Config& config, EgressConfig& out) {
  out.proxy_file.path = kProxyEnvPath;
  if (const auto file = PROV_TRY(config.Read(kProxyEnvPath))) {
    out.proxy_file = DescribeFile(std::string(kProxyEnvPath), file->bytes, file->mode);
    AssignVariables(PROV_TRY(egress::ParseEnvironmentFile(file->bytes, kProxyEnvPath, out.findings)),
                    out.proxy_file.path, out);
    return {};
  }
  if (const auto legacy = PROV_TRY(ReadLegacyEnvironment(config, out.findings))) {
    out.proxy_file = DescribeFile(legacy->path, legacy->text, legacy->mode);
    AssignVariables(legacy->assignments, legacy->path, out);
    AddInfo(out.findings, "legacy-environment", "taken from Environment= lines, as releases before 4.7 have them",
            legacy->path);
    return {};
  }
  AddWarning(out.findings, "no-proxy-file",
             "the config has no proxy.env and none of its older forms: it makes no statement about the proxy, so proxy "
             "settings stay as they are",
             std::string(kProxyEnvPath));
  return {};
}

// Every file of the folder of anchors is trusted by the pool's nodes; the cluster's own bundle comes first.
Result<std::vector<TrustText>> ReadTrustFiles(const ignition::Config& config, EgressConfig& out) {
  std::vector<TrustText> files;
  const auto read = [&](std::string_view path) -> Result<void> {
    auto file = PROV_TRY(config.Read(path));
    if (file) files.push_back({.where = std::string(path), .bytes = std::move(file->bytes), .mode = file->mode});
    return {};
  };
  PROV_TRY(read(kTrustBundlePath));
  const bool has_bundle = !files.empty();
  for (const std::string& path : config.FilePaths()) {
    const SourceMember* row = FindFile(path);
    if (path != kTrustBundlePath && row != nullptr && row->subject == Subject::kTrust && row->use == Use::kApplied)
      PROV_TRY(read(path));
  }
  if (has_bundle) return files;
  out.trust_file.path = kTrustBundlePath;
  out.not_read.trust = true;  // each rendered config has the bundle, if only an empty one
  AddWarning(out.findings, "no-trust-file",
             files.empty()
                 ? "the config has no trust bundle: it makes no statement about certificates, so they stay as they are"
                 : "the config has no trust bundle of the cluster: the certificates of its other files are added, and "
                   "none is removed",
             std::string(kTrustBundlePath));
  return files;
}

bool HasMark(std::string_view text, std::string_view mark) {
  return mark.empty() || AsciiLower(text).find(mark) != std::string::npos;
}

// Reports files and units that speak of proxies, trust or registries and are not read.
Result<void> ReportOtherFiles(const ignition::Config& config, EgressConfig& out) {
  const bool has_proxy_file = out.proxy_file.path == kProxyEnvPath && out.proxy_file.present;
  for (const std::string& path : config.FilePaths()) {
    const SourceMember* row = FindFile(path);
    // Without proxy.env, the older places count, which have findings of their own.
    if (row == nullptr || row->use != Use::kNamed || (row->subject == Subject::kProxy && !has_proxy_file)) continue;
    const auto file = PROV_TRY(config.Read(path));
    if (file && !file->bytes.empty() && HasMark(file->bytes, row->mark))
      ReportNotRead(row->subject, "the file", row->words, path, out);
  }
  if (!has_proxy_file) return {};
  const SourceMember& units = *FindFile("/etc/systemd/system/any.service");
  for (const ignition::Unit& unit : config.Units()) {
    bool found = HasMark(unit.contents, units.mark);
    for (const ignition::DropIn& drop_in : unit.drop_ins) found = found || HasMark(drop_in.contents, units.mark);
    if (found) ReportNotRead(units.subject, "the unit", units.words, unit.name, out);
  }
  return {};
}

// Reads the address at which kubelets reach the API server. Only the review of NO_PROXY needs it, so a malformed file
// is ignored.
void ReadConfigFacts(const ignition::Config& config, EgressConfig& out) {
  const auto file = config.Read(kApiServerUrlPath);
  if (!file || !*file) return;
  Findings ignored;
  const auto assignments = egress::ParseEnvironmentFile((*file)->bytes, kApiServerUrlPath, ignored);
  if (!assignments) return;
  for (const egress::Assignment& a : *assignments) {
    if (a.name == "KUBERNETES_SERVICE_HOST") out.facts.api_host = a.value.Reveal();
  }
}

}  // namespace

Result<Reading> ReadMachineConfig(ignition::Document read) {
  const ignition::Document document = std::move(read);  // freed here: the caller frees its parameter later
  Reading out;
  out.config.source = {document.kind, document.name, document.config.version()};
  out.config.findings = document.findings;
  PROV_TRY(ReadProxyFile(document.config, out.config));
  out.trust = PROV_TRY(ReadTrustFiles(document.config, out.config));
  PROV_TRY(ReadMirrorFiles(document.config, out.config));
  PROV_TRY(ReportOtherFiles(document.config, out.config));
  ReadConfigFacts(document.config, out.config);
  return out;
}

}  // namespace prov::source
