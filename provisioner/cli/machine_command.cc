#include "provisioner/cli/machine_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "provisioner/base/clock.h"
#include "provisioner/base/folder.h"
#include "provisioner/cli/desired_options.h"
#include "provisioner/cli/session_output.h"
#include "provisioner/cli/terminal.h"
#include "provisioner/fleet/operator_reboot.h"
#include "provisioner/node/events.h"
#include "provisioner/node/first_boot.h"
#include "provisioner/node/scrub.h"
#include "provisioner/node/search_path.h"
#include "provisioner/node/service_loop.h"
#include "provisioner/source/kube_access.h"
#include "provisioner/source/kube_uri.h"

namespace prov::cli {
namespace {

// 3010: done, a restart is required (Windows Installer). 1001: cloudbase-init reboots and does not run the script
// again.
constexpr int kMsiReboot = 3010;
constexpr int kCloudbaseReboot = 1001;

constexpr std::int64_t kLockPause = 500;  // milliseconds
constexpr std::int64_t kLongestLockWait = 86400;

// Does nothing for an option that was not given.
Result<void> MakeAbsolute(std::optional<std::string>& path) {
  if (path) path = PROV_TRY(AbsolutePath(*path));
  return {};
}

}  // namespace

Result<std::string> AbsolutePath(const std::string& path) {
  std::error_code error;
  const auto utf8 = [](std::string_view text) { return std::u8string(text.begin(), text.end()); };
  const std::u8string out = std::filesystem::absolute(std::filesystem::path(utf8(path)), error).u8string();
  if (error) return Fail(Code::kIo, fmt::format("has no absolute path: {}", error.message()), path);
  return std::string(out.begin(), out.end());
}

Result<std::string> AbsoluteKubeconfig(const std::string& given, const std::string& where) {
  const std::string file = given.empty() ? PROV_TRY(source::DefaultKubeconfig(source::ThisProcess())) : given;
  if (file.empty()) return Fail(Code::kUsage, "a kubeconfig is missing; give --kubeconfig FILE", where);
  return file == source::kInCluster ? file : PROV_TRY(AbsolutePath(file));
}

LockWait::LockWait(Clock& clock, std::int64_t seconds)
    : clock_(clock), seconds_(seconds), left_(seconds * kMillisecondsPerSecond) {}

bool LockWait::Again(Error& error) {
  if (error.code != Code::kLock || seconds_ == 0) return false;
  if (left_ == seconds_ * kMillisecondsPerSecond) {
    Findings told;
    AddInfo(told, "lock-wait", fmt::format("another run holds the lock; waiting up to {} s for it to end", seconds_),
            error.where);
    PrintFindings(stderr, told);
    std::fflush(stderr);
  }
  const std::int64_t pause = std::min(left_, kLockPause);
  if (pause > 0 && clock_.Wait(pause)) {
    left_ -= pause;
    return true;
  }
  error.message += pause > 0 ? "; waiting for it was stopped" : fmt::format("; it did not end within {} s", seconds_);
  return false;
}

OptionSpec WaitLockOption() {
  return {"wait-lock", "SECONDS",
          "how long to wait for another run to end, instead of exit code 15 at once (default: 0; first-boot: 60)",
          Group::kRun};
}

Result<std::int64_t> ParseWaitLock(const Arguments& arguments, std::int64_t fallback) {
  const std::int64_t seconds = PROV_TRY(Number(arguments, "wait-lock", fallback));
  if (seconds <= kLongestLockWait) return seconds;
  return Fail(Code::kUsage, fmt::format("takes 0 to {} seconds", kLongestLockWait), "--wait-lock");
}

OptionSpec IntervalOption() {
  return {"interval", "SECONDS", "time between rounds, each varied by a tenth (default: what is stored, else 60)",
          Group::kRun};
}

Result<std::optional<std::int64_t>> ParseInterval(const Arguments& arguments) {
  if (!arguments.Has("interval")) return std::nullopt;
  const std::int64_t seconds = PROV_TRY(Number(arguments, "interval", 0));
  if (seconds >= 1 && seconds <= node::kLongestInterval) return seconds;
  return Fail(Code::kUsage, fmt::format("takes 1 to {} seconds", node::kLongestInterval), "--interval");
}

Result<Target> OpenTarget(machine::Host& host, machine::Access access, std::int64_t wait_seconds) {
  auto opened = PROV_TRY(WhenFree(host.clock(), wait_seconds, [&] { return host.Open(access); }));
  return Target{host.Name(), std::move(opened)};
}

OptionSpec AllowDowngradeOption() {
  return {"allow-downgrade", "",
          "accept a payload with a lower generation than the one applied last, or a different payload with the same "
          "generation; with first-boot and service install, also accept an older program than the installed one",
          Group::kGuards};
}

OptionSpec AllowShrinkOption() {
  return {"allow-shrink", "",
          "accept a raw certificate file that lacks more than half of the certificates installed before",
          Group::kGuards};
}

OptionSpec ExitStyleOption() {
  return {"exit-style", "plain|msi|cloudbase",
          "exit code for \"done, reboot needed\": plain 0, msi 3010, cloudbase 1001 (default: plain)", Group::kRun};
}

OptionSpec AllowEmptyOption() {
  return {"allow-empty", "", "accept a source that sets nothing on a target where provisioner has set nothing",
          Group::kGuards};
}

bool RefusesEmpty(const Arguments& arguments) {
  return !arguments.Has("allow-empty") && !source::IsRemote(arguments.positional());
}

OptionGroup ApplyOptionSpecs() {
  return JoinOptions({{{"restart-services", "", "restart running services whose environment changed", Group::kRun},
                       AllowDowngradeOption(),
                       AllowEmptyOption(),
                       AllowShrinkOption(),
                       ExitStyleOption()},
                      RebootOptionSpecs(),
                      ClusterNodeOptionSpecs()});
}

Result<Ending> ParseEnding(const Arguments& arguments) {
  Ending out;
  const std::string style = PROV_TRY(OneOf(arguments, "exit-style"));
  if (style == "msi") out.reboot_exit = kMsiReboot;
  if (style == "cloudbase") out.reboot_exit = kCloudbaseReboot;
  out.reporting = PROV_TRY(ParseReboot(arguments));
  return out;
}

Result<node::ApplyOptions> ParseApplyOptions(const Arguments& arguments) {
  node::ApplyOptions out;
  out.allow_downgrade = arguments.Has("allow-downgrade");
  out.allow_shrink = arguments.Has("allow-shrink");
  out.restart_services = arguments.Has("restart-services");
  return out;
}

Result<int> End(node::OpenNode& node, const Ending& ending, reconcile::SessionReport& report) {
  if (!report.reboot_required || report.trial) return 0;
  PROV_TRY(fleet::RequestChosenReboot(node, ending.reporting, report.findings));
  return ending.reboot_exit;
}

Result<node::SettingsSpec> ParseSettingsSpec(const Arguments& arguments) {
  return node::SettingsSpec{PROV_TRY(ParseSourceSpec(arguments)), PROV_TRY(ParseChoices(arguments))};
}

Result<node::SettingsSpec> SpecToRemember(node::SettingsSpec given) {
  std::string& source = given.source.source;
  if (source == "-") {
    return Fail(
        Code::kUsage,
        "standard input can't be read again at the next boot, so it can't be stored; give a file or a payload folder",
        "SOURCE");
  }
  if (!source::IsRemote(source)) source = PROV_TRY(AbsolutePath(source));
  if (!given.source.ca_file.empty()) given.source.ca_file = PROV_TRY(AbsolutePath(given.source.ca_file));
  // A service has no user's environment in which to find it.
  given.source.kubeconfig =
      source::IsKubeUri(source) ? PROV_TRY(AbsoluteKubeconfig(given.source.kubeconfig, source)) : std::string();
  PROV_TRY(MakeAbsolute(given.choices.subtract_file));
  PROV_TRY(MakeAbsolute(given.choices.hns_policy_file));
  return given;
}

Result<TargetReport> RemoveFromMachine(machine::Host& host, bool all, std::int64_t wait_lock) {
  constexpr std::int64_t kRoundSeconds = 30;  // a round of the boot service holds the lock for a moment
  if (all) wait_lock = std::max(wait_lock, kRoundSeconds);
  reconcile::SessionReport report;
  std::string name;
  {
    const Target target = PROV_TRY(OpenTarget(host, machine::Access::kWrite, wait_lock));
    name = target.name;
    node::OpenNode node = target.Node(host);
    report = PROV_TRY(node::RemoveSettings(node));
    PROV_TRY(node::ScrubSecretFiles(node, report.findings));
    node::LogRun(host, report, machine::Event::kRemoved);
    if (all) PROV_TRY(node::UnregisterEventSource(node));
    if (all) PROV_TRY(node::RemoveFromSearchPath(node));
  }
  if (all) PROV_TRY(node::RemoveProgram(host));
  return TargetReport{name, std::move(report)};
}

void PrintFailure(bool json, const Error& error) {
  PrintError(stderr, error);
  std::fflush(stderr);  // the output may be a file that is being watched
  if (!json) return;
  const std::string text = ErrorDocument(error);
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

Outcome SessionOutcome(bool json, std::string_view target, reconcile::SessionReport report, bool done, int exit) {
  if (json) return {exit, SessionJson(target, report), {}};
  std::string text = SessionText(target, report, done);
  return {exit, std::move(text), std::move(report.findings)};
}

Outcome SessionsOutcome(bool json, std::vector<TargetReport> reports, bool done, int exit) {
  if (reports.size() == 1) {
    return SessionOutcome(json, reports.front().target, std::move(reports.front().report), done, exit);
  }
  Outcome out{exit, {}, {}};
  reconcile::SessionReport sum;
  std::string names;
  for (const TargetReport& one : reports) {
    names += (names.empty() ? "" : ", ") + one.target;
    sum.writes += one.report.writes;
    sum.changes.insert(sum.changes.end(), one.report.changes.begin(), one.report.changes.end());
    AddNewFindings(sum.findings, one.report.findings);
    if (!json) out.out += SessionText(one.target, one.report, done);
  }
  if (!json) {
    out.findings = std::move(sum.findings);
    return out;
  }
  JsonWriter document;
  document.BeginObject().Member("schema", 1);
  WriteSession(document, names, sum);
  document.Key("targets").BeginArray();
  for (const TargetReport& one : reports) {
    document.BeginObject();
    WriteSession(document, one.target, one.report);
    document.EndObject();
  }
  out.out = document.EndArray().EndObject().Text();
  return out;
}

}  // namespace prov::cli
