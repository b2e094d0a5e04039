#include "provisioner/node/doctor.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <utility>

#include "provisioner/base/clock.h"
#include "provisioner/base/sentence.h"
#include "provisioner/base/text.h"
#include "provisioner/egress/egress_config.h"
#include "provisioner/egress/review.h"
#include "provisioner/machine/image_ports.h"
#include "provisioner/node/activity.h"
#include "provisioner/node/image_record.h"
#include "provisioner/node/present_settings.h"
#include "provisioner/node/reconcile_once.h"
#include "provisioner/node/state_repair.h"
#include "provisioner/node/upgrade.h"
#include "provisioner/reconcile/containerd_folders.h"
#include "provisioner/reconcile/desired_state.h"
#include "provisioner/reconcile/environment.h"
#include "provisioner/reconcile/items.h"
#include "provisioner/reconcile/ledger.h"
#include "provisioner/reconcile/plan.h"
#include "provisioner/reconcile/service_name.h"
#include "provisioner/reconcile/windows_proxy.h"

namespace prov::node {
namespace {

using Problems = std::vector<Problem>;
using Commands = std::vector<std::string>;

constexpr std::int64_t kProgramIsYounger = 1'767'225'600;  // 2026-01-01: no clock that is right shows an earlier time
constexpr std::int64_t kClockTolerance = 3600;
constexpr std::int64_t kReadForLong = 3600;
constexpr std::int64_t kLongInIntervals = 10;  // where rounds are rare
constexpr std::string_view kLogCommand = R"(Get-Content C:\ProgramData\Provisioner\provisioner.log -Tail 20)";

// The services that pull images and start pods, and those of the ledger.
std::set<std::string> ServicesToLookAt(const reconcile::Ledger& ledger) {
  std::set<std::string> out = {"containerd", "kubelet"};
  out.insert(reconcile::kContainerdStarters.begin(), reconcile::kContainerdStarters.end());
  for (const auto& [item, entry] : ledger) {
    if (!item.starts_with(reconcile::kServiceItem) || reconcile::ServiceOf(item) != item) continue;
    out.insert(item.substr(reconcile::kServiceItem.size()));
  }
  return out;
}

// The findings that all requests of a kind go around the proxy, and what their place lacks to end with the variable.
struct WayAround {
  FindingCode code;
  std::string_view rest;
};
constexpr std::array<WayAround, 4> kWaysAround = {
    {{"https-direct", ": HTTPS_PROXY"}, {"http-direct", ": HTTP_PROXY"}, {"no-proxy-all", ""}, {"no-proxy-wide", ""}}};

// The faults of these entries that let requests go elsewhere than to the proxy.
Findings FaultsOf(const std::vector<std::string>& entries, const std::string& where) {
  egress::EgressConfig config;
  SetProxy(entries, config);
  config.proxy_file.path = where;
  Findings out;
  const Result<Findings> all = egress::ReviewProxySettings(config);
  if (!all) AddWarning(out, "no-proxy", all.error().message, all.error().where);
  for (const Finding& one : all.value_or(Findings())) {
    if (one.severity == Severity::kError) out.push_back(one);
    for (const WayAround& way : kWaysAround) {
      if (one.code != way.code.name()) continue;
      out.push_back(one);
      out.back().where += way.rest;
    }
  }
  return out;
}

// The machine variables as the ledger has them.
std::vector<std::string> MachineEntriesOf(const reconcile::Ledger& ledger) {
  std::vector<std::string> out;
  for (const std::string_view name : egress::kProxyVariables) {
    const auto found = ledger.find(reconcile::ItemKey(reconcile::kEnvironmentItem, name));
    if (found == ledger.end() || !found->second.ours) continue;
    out.push_back(fmt::format("{}={}", name, reconcile::StringOf(*found->second.ours).value_or("")));
  }
  return out;
}

// What a service would start with if all its variables were those of the ledger.
std::vector<std::string> StartEntriesOf(const reconcile::Ledger& ledger, std::string_view service) {
  const auto found = ledger.find(reconcile::ItemKey(reconcile::kServiceItem, service));
  return StartEntries(MachineEntriesOf(ledger),
                      reconcile::EntriesIn(found == ledger.end() ? std::nullopt : found->second.ours));
}

// The folders that hold hosts.toml files of ours: each is that of a registry, below the one that containerd looks in.
std::set<std::string> RegistryFoldersOf(const reconcile::Ledger& ledger) {
  std::set<std::string> out;
  for (const auto& [item, entry] : ledger) {
    if (!item.starts_with(reconcile::kFileItem) || !entry.ours) continue;
    const std::string& path = entry.ours->name;
    const std::string registry = path.substr(0, path.rfind('\\'));
    out.insert(registry.substr(0, registry.rfind('\\')));
  }
  return out;
}

class Observer {
 public:
  Observer(OpenNode& node, Observations& out) : node_(node), out_(out) {}

  Result<void> Run(images::ImageTree* image) {
    out_.runs = !PROV_TRY(node_.machine.system.BootId()).empty();
    out_.now = node_.host.clock().NowUnix();
    out_.status = PROV_TRY(StatusOf(node_, image));
    const auto entries = PROV_TRY(ReadMachineEntries(node_.machine.registry));
    NoteProxy(entries);
    out_.machine = FaultsOf(entries, reconcile::EnvironmentKeyPath());
    out_.machine_is_as_given = entries == MachineEntriesOf(out_.status.engine.ledger);
    for (const std::string& name : ServicesToLookAt(out_.status.engine.ledger)) PROV_TRY(LookAtService(name));
    PROV_TRY(LookAtCertificates());
    PROV_TRY(LookAtInstallation());
    PROV_TRY(LookAtRegistries());
    return LookAtWinHttp();
  }

  Result<void> Probe(const std::vector<std::string>& urls, net::Http& http) {
    if (urls.empty()) return {};
    egress::EgressConfig config = PROV_TRY(ReadPresentSettings(node_));
    ProbeOptions options;
    for (const pki::Certificate& one : config.certificates) options.trusted.insert(one.sha256);
    std::ranges::move(config.findings, std::back_inserter(out_.findings));
    out_.probes = PROV_TRY(node::Probe(http, node_.host.clock(), config, urls, options, out_.findings));
    return {};
  }

 private:
  void NoteProxy(const std::vector<std::string>& entries) {
    out_.sets_proxy =
        out_.sets_proxy || !ValueIn(entries, "HTTP_PROXY").empty() || !ValueIn(entries, "HTTPS_PROXY").empty();
  }

  Result<void> LookAtService(const std::string& name) {
    const std::string key = reconcile::ServiceKeyPath(name);
    if (!PROV_TRY(node_.machine.registry.KeyExists(key))) return {};
    Observations::Service out{.name = name};
    const auto value = PROV_TRY(node_.machine.registry.Read(key, reconcile::kServiceEnvironmentValue));
    const auto own = reconcile::EntriesIn(value);
    NoteProxy(own);
    const auto for_containerd = PROV_TRY(ReadEntriesForContainerd(node_.machine.registry, name));
    NoteProxy(for_containerd);
    const auto start = PROV_TRY(ReadStartEntries(node_.machine.registry, name));
    out.own_proxy = ReviewEntriesForContainerd(name, start, for_containerd);
    if (std::ranges::any_of(egress::kProxyVariables, [&](auto variable) { return !ValueIn(own, variable).empty(); })) {
      out.faults = FaultsOf(start, key);
      out.is_as_given = start == StartEntriesOf(out_.status.engine.ledger, name);
    }
    if (!reconcile::ServiceEntries(value))
      AddWarning(out.faults, "service-environment", "is not a REG_MULTI_SZ, so Windows does not read it", key);
    if (out_.runs) {
      const auto state = PROV_TRY(node_.host.services().Query(name));
      out.stopped = state && !state->running;
      out.running = PROV_TRY(ReadRunningService(node_, out_.status.engine, name));
      if (out.running) PROV_TRY(Judge(*out.running));
    }
    out_.services.push_back(std::move(out));
    return {};
  }

  // Others may give a service that is not ours more than is set, such as a script that starts it.
  Result<void> Judge(RunningService& service) {
    if (!service.unreadable.empty()) AddWarning(out_.findings, "process-unreadable", service.unreadable, service.name);
    if (out_.status.engine.ledger.contains(reconcile::ItemKey(reconcile::kServiceItem, service.name))) return {};
    const auto wanted = PROV_TRY(ReadStartEntries(node_.machine.registry, service.name));
    std::erase_if(service.stale, [&](const std::string& variable) { return ValueIn(wanted, variable).empty(); });
    return {};
  }

  Result<void> LookAtCertificates() {
    for (const auto& [item, entry] : out_.status.engine.ledger) {
      if (!item.starts_with(reconcile::kCertificateItem) || !entry.ours) continue;
      auto certificate = pki::ParseCertificate(entry.ours->data, item);
      if (!certificate) continue;
      const bool disallowed = PROV_TRY(node_.machine.certificates.IsDisallowed(certificate->der));
      out_.certificates.push_back({item, *std::move(certificate), disallowed});
    }
    return {};
  }

  Result<void> LookAtInstallation() {
    if (out_.runs) return {};  // the status has it
    RepairedView view(node_);
    const auto record = PROV_TRY(LoadImageRecord(PROV_TRY(view.Open()).machine.state));
    out_.has_program = record && std::ranges::find(record->files, machine::kImageProgram, &ImageRecord::File::path) !=
                                     record->files.end();
    out_.lacks_boot_service = out_.has_program && !PROV_TRY(node_.host.services().Query(kServiceName));
    return {};
  }

  Result<void> LookAtRegistries() {
    const std::set<std::string> folders = RegistryFoldersOf(out_.status.engine.ledger);
    if (folders.empty()) return {};
    const auto containerd = PROV_TRY(reconcile::ReadContainerdFolders(node_.machine));
    for (const std::string& folder : folders) {
      if (auto finding = reconcile::ReviewRegistryFolder(containerd, folder))
        out_.registries.push_back(*std::move(finding));
    }
    return {};
  }

  Result<void> LookAtWinHttp() {
    for (const reconcile::WinHttpView& view : reconcile::kWinHttpViews) {
      const auto value = PROV_TRY(node_.machine.registry.Read(view.key, reconcile::kWinHttpValue));
      if (!value) continue;
      const auto settings = reconcile::DecodeWinHttp(value->data);
      if (!settings) out_.unreadable_win_http.push_back(fmt::format("{}{}", reconcile::kWinHttpItem, view.bits));
      if (settings && !settings->proxy.proxy.empty()) out_.win_http = reconcile::ShowWindowsProxy(settings->proxy);
    }
    return {};
  }

  OpenNode& node_;
  Observations& out_;
};

// The newest time at which this machine is known to have run.
std::int64_t LastKnownTime(const NodeStatus& status) {
  std::int64_t out = std::max(kProgramIsYounger, status.read_at.value_or(0));
  if (status.round_failure) out = std::max({out, status.round_failure->since, status.round_failure->over.value_or(0)});
  return out;
}

bool ClockIsBehind(const Observations& seen) { return seen.now + kClockTolerance < LastKnownTime(seen.status); }

bool Drifts(const Observations& seen, std::string_view key) {
  return std::ranges::find(seen.status.engine.drift, key, &reconcile::Drift::key) != seen.status.engine.drift.end();
}

// What applies the source. For an image, a plan shows first what that changes.
Commands Apply(const Observations& seen, std::string_view options = {}) {
  if (seen.runs) return {"provisioner apply " + seen.words.source};
  Commands out;
  for (const std::string_view command : {"plan", "apply"})
    out.push_back(fmt::format("provisioner {} {} {}{}", command, seen.words.target, seen.words.source, options));
  return out;
}

// What installs the payload into an image again.
Commands Install(const Observations& seen) {
  return Apply(seen, seen.has_program ? " --install --exe " + seen.words.program : " --install");
}

// What restores a setting.
Commands Restore(const Observations& seen) {
  if (seen.runs && seen.status.source && !seen.status.held) return {"provisioner reconcile --once"};
  return Apply(seen);
}

// Commands that act on the machine where they are typed; none for an image.
Commands OnMachine(const Observations& seen, Commands commands) { return seen.runs ? std::move(commands) : Commands(); }

// The items of ours that differ and whose keys have this prefix.
void AddDrift(const Observations& seen, std::string_view prefix, Problems& out) {
  for (const reconcile::Drift& drift : seen.status.engine.drift) {
    if (!drift.key.starts_with(prefix)) continue;
    Problem problem{{Severity::kError, "setting-changed",
                     fmt::format("{} {} {} since provisioner set it", NameOf(drift.kind), drift.name,
                                 drift.missing ? "was removed" : "was changed")},
                    drift.key,
                    Restore(seen)};
    const std::string_view service = reconcile::ServiceOf(std::string_view(drift.key).substr(prefix.size()));
    const auto found = std::ranges::find(seen.services, service, &Observations::Service::name);
    if (prefix == reconcile::kServiceItem && found != seen.services.end() && found->running)
      problem.commands.push_back(RestartCommand(service));
    out.push_back(std::move(problem));
  }
}

// `is_as_given`: what is set is what a source gave, so setting it again mends nothing.
void AddFaults(const Observations& seen, const Findings& faults, const std::string& key, bool is_as_given,
               Problems& out) {
  for (const Finding& fault : faults) {
    std::string one = key;
    if (one.empty())
      one = reconcile::ItemKey(reconcile::kEnvironmentItem, fault.where.substr(fault.where.rfind(' ') + 1));
    if (Drifts(seen, one)) continue;  // restoring it mends this, too
    Finding finding = fault;
    finding.message = fmt::format("{}: {}", fault.where, fault.message);
    if (is_as_given) finding.message += "; the source gave this, so change the source";
    out.push_back({std::move(finding), std::move(one), is_as_given ? Commands() : Restore(seen)});
  }
}

void CheckClock(const Observations& seen, Problems& out) {
  if (!ClockIsBehind(seen)) return;
  out.push_back({{Severity::kError, "clock-wrong",
                  fmt::format("the clock shows {}, and it was later than {} already", FormatUtc(seen.now),
                              FormatUtc(LastKnownTime(seen.status)))},
                 {},
                 {"w32tm /query /status", "w32tm /resync"}});
}

void CheckVariables(const Observations& seen, Problems& out) {
  AddDrift(seen, reconcile::kEnvironmentItem, out);
  AddFaults(seen, seen.machine, {}, seen.machine_is_as_given, out);
}

void CheckServices(const Observations& seen, Problems& out) {
  AddDrift(seen, reconcile::kServiceItem, out);
  AddDrift(seen, reconcile::kServiceSecurityItem, out);
  for (const Observations::Service& service : seen.services) {
    const std::string key = reconcile::ItemKey(reconcile::kServiceItem, service.name);
    AddFaults(seen, service.faults, key, service.is_as_given, out);
    if (!service.own_proxy) continue;
    out.push_back({*service.own_proxy, key,
                   OnMachine(seen, {fmt::format(R"(reg query "HKLM\{}" /v {})", reconcile::ServiceKeyPath(service.name),
                                                reconcile::kServiceEnvironmentValue),
                                    fmt::format(R"(reg query "HKLM\{}" /f {})", reconcile::EnvironmentKeyPath(),
                                                reconcile::kContainerdPrefix)})});
  }
}

// Restoring the values makes the process right again.
bool FollowsFromDrift(const Observations& seen, const RunningService& service) {
  if (Drifts(seen, reconcile::ItemKey(reconcile::kServiceItem, service.name))) return true;
  return service.needs_boot && std::ranges::any_of(service.stale, [&](const std::string& variable) {
           return Drifts(seen, reconcile::ItemKey(reconcile::kEnvironmentItem, variable));
         });
}

void CheckProcesses(const Observations& seen, Problems& out) {
  for (const Observations::Service& service : seen.services) {
    const std::string key = reconcile::ItemKey(reconcile::kServiceItem, service.name);
    if (service.stopped) {
      out.push_back({{Severity::kError, "service-stopped", fmt::format("the service {} does not run", service.name)},
                     {},
                     {"Start-Service " + QuotedForPowerShell(service.name)}});
    }
    if (!service.running || service.running->stale.empty() || FollowsFromDrift(seen, *service.running)) continue;
    const RunningService& running = *service.running;
    out.push_back(
        {{Severity::kError, "service-stale",
          fmt::format("{} (process {}) runs with another {} than is set {}", service.name, running.process_id,
                      fmt::join(running.stale, ", "), running.needs_boot ? "in the machine variables" : "for it")},
         key,
         {running.Command()}});
  }
}

void CheckCertificates(const Observations& seen, Problems& out) {
  AddDrift(seen, reconcile::kCertificateItem, out);
  for (const auto& [key, certificate, disallowed] : seen.certificates) {
    const std::string name = fmt::format("certificate {} {} {}", pki::NameOf(reconcile::StoreOfItem(key)),
                                         reconcile::Thumbprint(certificate), certificate.subject);
    if (disallowed) {
      out.push_back({{Severity::kWarning, "disallowed",
                      fmt::format("{} is in the store Disallowed, so nothing that it signed is trusted", name)},
                     key,
                     OnMachine(seen, {fmt::format("certutil -delstore Disallowed {}", certificate.sha1)})});
    }
    const Commands commands = OnMachine(seen, {"w32tm /query /status"});
    if (certificate.not_after_unix < seen.now) {
      out.push_back(
          {{Severity::kWarning, "cert-expired",
            fmt::format("{} expired at {}, and the clock shows {}", name, certificate.not_after, FormatUtc(seen.now))},
           key,
           commands});
    } else if (certificate.not_before_unix > seen.now && !ClockIsBehind(seen)) {
      out.push_back({{Severity::kWarning, "cert-not-yet-valid",
                      fmt::format("{} is valid from {}, and the clock shows {}", name, certificate.not_before,
                                  FormatUtc(seen.now))},
                     key,
                     commands});
    }
  }
}

void CheckWinHttp(const Observations& seen, Problems& out) {
  AddDrift(seen, reconcile::kWinHttpItem, out);
  AddDrift(seen, reconcile::kWinInetItem, out);
  for (const std::string& key : seen.unreadable_win_http) {
    if (Drifts(seen, key)) continue;
    Commands commands = OnMachine(seen, {"netsh winhttp reset proxy"});
    std::ranges::move(Restore(seen), std::back_inserter(commands));
    out.push_back({{Severity::kError, "winhttp-unreadable",
                    fmt::format("winHttp {}-bit, the value {}, is not of the form that Windows reads",
                                key.substr(reconcile::kWinHttpItem.size()), reconcile::kWinHttpValue)},
                   key,
                   std::move(commands)});
  }
}

// Information is what may still come, such as a service that is not there yet.
void CheckRegistries(const Observations& seen, Problems& out) {
  AddDrift(seen, reconcile::kFileItem, out);
  for (const Finding& finding : seen.registries) {
    if (finding.severity == Severity::kInfo) continue;
    Finding one = finding;
    one.message = fmt::format("{}: {}", finding.where, finding.message);
    out.push_back({std::move(one), {}, OnMachine(seen, {RestartCommand("containerd")})});
  }
}

void CheckHns(const Observations& seen, Problems& out) { AddDrift(seen, reconcile::kHnsItem, out); }

// What holds the settings where they are.
void CheckState(const Observations& seen, Problems& out) {
  const NodeStatus& status = seen.status;
  for (const DamagedFile& file : status.damage)
    out.push_back(
        {{Severity::kError, "state-damaged", fmt::format("{}: {}", file.file, Describe(file, Moment::kFound))},
         {},
         Restore(seen)});
  if (const auto& script = status.engine.damage)
    out.push_back({{Severity::kError, "script-state", SentenceWithPlace(script->message, PlaceOf(*script))}, {}, {}});
  if (status.record_lost) out.push_back({{Severity::kError, "state-lost", DescribeLoss()}, {}, Apply(seen)});
  if (status.engine.trial) {
    const Commands on_image = {"provisioner rollback " + seen.words.target};
    out.push_back({{Severity::kWarning, "trial-open", "a trial waits for its confirmation"},
                   {},
                   seen.runs ? Commands{"provisioner confirm", "provisioner rollback"} : on_image});
  } else if (status.engine.open_transaction || status.image_incomplete) {
    out.push_back({{Severity::kWarning, "open-transaction", "a run was interrupted"},
                   {},
                   status.image_incomplete && !seen.runs ? Install(seen) : Restore(seen)});
  }
  if (status.held) {
    out.push_back({{Severity::kWarning, "held", "a rollback holds, so the source is not followed"}, {}, Apply(seen)});
  }
}

// Whether the source is followed here and was not read for long.
bool IsOld(const Observations& seen) {
  const NodeStatus& status = seen.status;
  if (!seen.runs || !status.source || !status.source->follow || !status.read_at || status.held) return false;
  return status.read_age_seconds > std::max(kReadForLong, kLongInIntervals * status.round_interval);
}

// What keeps the settings there.
void CheckInstallation(const Observations& seen, Problems& out) {
  for (const LostFile& file : seen.status.lost_files) {
    out.push_back({{Severity::kError, "file-lost", fmt::format("{} {}", file.path, file.problem)},
                   reconcile::ItemKey(reconcile::kFileItem, file.path),
                   seen.runs ? Commands{"provisioner service install"} : Install(seen)});
  }
  if (const auto& service = seen.status.boot_service; service && service->Fails()) {
    out.push_back({{Severity::kError, "boot-service",
                    fmt::format("the service {} {}", kServiceName, service->installed ? "does not run" : "is gone")},
                   {},
                   {service->installed ? fmt::format("Start-Service {}", kServiceName) : "provisioner service install",
                    std::string(kLogCommand)}});
  }
  if (seen.lacks_boot_service) {
    out.push_back(
        {{Severity::kError, "boot-service", fmt::format("the service {} is gone", kServiceName)}, {}, Install(seen)});
  }
}

// Nothing is set, and nothing is ours.
void CheckNothing(const Observations& seen, Problems& out) {
  const NodeStatus& status = seen.status;
  if (seen.sets_proxy || status.applied || status.held || !status.engine.ledger.empty()) return;
  const std::string why =
      status.removed_at
          ? fmt::format("the settings of provisioner were removed at {}", FormatUtc(*status.removed_at))
          : "nothing here is from provisioner: it has applied nothing yet, or remove --all took everything away";
  const std::string set = seen.win_http.empty()
                              ? "no proxy is set"
                              : fmt::format("no proxy variable is set, WinHTTP has {}", seen.win_http);
  out.push_back({{Severity::kError, "nothing-set", fmt::format("{}, and {}", set, why)}, {}, Restore(seen)});
}

void CheckRounds(const Observations& seen, Problems& out) {
  const NodeStatus& status = seen.status;
  const auto failed = [&](std::string_view code, std::string message) {
    Commands commands = OnMachine(seen, {"provisioner reconcile --once"});
    commands.push_back(fmt::format("provisioner explain-code {}", code));
    if (seen.runs) commands.emplace_back(kLogCommand);
    out.push_back({{Severity::kError, "round-failed", std::move(message)}, {}, std::move(commands)});
  };
  if (status.failure) failed(status.failure->code, fmt::format("the first boot failed: {}", status.failure->Text()));
  CheckInstallation(seen, out);
  if (status.RoundsFail()) {
    const RoundFailure& last = *status.round_failure;
    failed(last.code, fmt::format("rounds have failed for {}: {}: {}{}", DescribeAge(seen.now - last.since), last.code,
                                  last.message, last.where.empty() ? "" : fmt::format(" ({})", last.where)));
  } else if (IsOld(seen)) {
    out.push_back({{Severity::kError, "source-old",
                    fmt::format("the source was last read {} ago", DescribeAge(status.read_age_seconds))},
                   {},
                   {"provisioner reconcile --once", fmt::format("Restart-Service {}", kServiceName)}});
  }
  CheckNothing(seen, out);
}

void CheckProbes(const Observations& seen, Problems& out) {
  for (const Probed& probe : seen.probes) {
    if (probe.ok()) continue;
    const std::string way = probe.via == "direct" ? probe.via : "through " + probe.via;
    Commands commands;
    if (seen.runs || seen.words.is_explained)
      commands.push_back(fmt::format("provisioner explain {} --url {} --for go",
                                     seen.runs ? "--this-machine" : seen.words.target, seen.words.quote(probe.url)));
    out.push_back({{Severity::kError, "probe-failed", fmt::format("{} {}: {}", probe.url, way, probe.error->message)},
                   {},
                   std::move(commands)});
  }
}

void CheckImages(const Observations& seen, Problems& out) {
  for (const Observations::PulledImage& one : seen.images) {
    if (one.fault.empty()) continue;
    Commands commands;
    if (seen.runs || seen.words.is_explained)
      commands.push_back(fmt::format("provisioner check {} --image {} --verbose",
                                     seen.runs ? "--this-machine" : seen.words.target, seen.words.quote(one.image)));
    out.push_back(
        {{Severity::kError, "image-failed", fmt::format("{}: {}", one.image, one.fault)}, {}, std::move(commands)});
  }
}

struct Check {
  std::string_view name;
  bool needs_running;  // an image can't show it
  void (*run)(const Observations& seen, Problems& out);
};
constexpr std::array<Check, 12> kDoctorChecks = {{{"clock", true, CheckClock},
                                                  {"variables", false, CheckVariables},
                                                  {"services", false, CheckServices},
                                                  {"processes", true, CheckProcesses},
                                                  {"certificates", false, CheckCertificates},
                                                  {"winHttp", false, CheckWinHttp},
                                                  {"registries", false, CheckRegistries},
                                                  {"hns", true, CheckHns},
                                                  {"state", false, CheckState},
                                                  {"rounds", false, CheckRounds},
                                                  {"probes", false, CheckProbes},
                                                  {"images", false, CheckImages}}};

}  // namespace

Result<Observations> Observe(OpenNode& node, const std::vector<std::string>& probes, net::Http& http,
                             images::ImageTree* image) {
  Observations out;
  Observer observer(node, out);
  PROV_TRY(observer.Run(image));
  PROV_TRY(observer.Probe(probes, http));
  return out;
}

Diagnosis Diagnose(const Observations& seen) {
  Diagnosis out;
  for (const Check& check : kDoctorChecks) {
    if (check.needs_running && !seen.runs) continue;
    if (check.run == CheckProbes && seen.probes.empty()) continue;
    if (check.run == CheckImages && seen.images.empty()) continue;
    check.run(seen, out.problems);
    out.checked.push_back(check.name);
  }
  return out;
}

}  // namespace prov::node
