#include "provisioner/node/upgrade.h"

#include <fmt/format.h>

#include "provisioner/node/events.h"
#include "provisioner/node/scrub.h"
#include "provisioner/node/search_path.h"

namespace prov::node {
namespace {

// A new program must run as the service for this long before the former one is dropped.
constexpr int kChecks = 6;
constexpr std::int64_t kPauseMilliseconds = 500;

std::string Text(const std::optional<machine::ProgramVersion>& version) {
  return version ? version->Text() : "of an unknown version";
}

// The state before the installation, and what follows from it.
struct PriorState {
  machine::ProgramStatus program;
  std::optional<machine::ServiceDefinition> service;
  bool runs = false;         // the service runs
  bool is_outdated = false;  // the service runs another program or command line than it should
  bool setup = false;        // Windows setup runs

  // Whether there is a former program to go back to.
  bool HasFormer() const { return program.has_former || (program.is_installed && !program.is_same); }
};

Result<PriorState> ReadState(OpenNode& node, const machine::ServiceDefinition& wanted) {
  machine::Host& host = node.host;
  PriorState out;
  out.program = PROV_TRY(host.installation().ReadProgramStatus());
  out.service = PROV_TRY(host.services().Definition(kServiceName));
  out.setup = PROV_TRY(SetupIsRunning(node.machine.registry));
  const auto state = PROV_TRY(host.services().Query(kServiceName));
  out.runs = state && state->running;
  if (!out.runs) return out;
  const bool other_words = out.service && out.service->command_line != wanted.command_line;
  out.is_outdated =
      other_words || !out.program.is_same || !PROV_TRY(host.installation().RunsProgram(state->process_id));
  return out;
}

Error EndedAtOnce(std::string_view how) {
  return {Code::kIo, fmt::format("the service {} {}: see the event log", kServiceName, how), std::string(kServiceName)};
}

// Starts the service and checks that it stays up: the service control manager reports success even if the program ends
// a moment later.
Result<void> StartAndWatch(machine::Host& host) {
  PROV_TRY(host.services().Start(kServiceName));
  const auto first = PROV_TRY(host.services().Query(kServiceName));
  for (int check = 0; check < kChecks; ++check) {
    const auto now = PROV_TRY(host.services().Query(kServiceName));
    if (!first || !now || !now->running) return std::unexpected(EndedAtOnce("started and ended again at once"));
    if (now->process_id != first->process_id) return std::unexpected(EndedAtOnce("had to be started again at once"));
    if (!host.clock().Wait(kPauseMilliseconds)) break;
  }
  return {};
}

// The program that ran until now is the one to go back to, so drop what an interrupted earlier run has kept.
Result<bool> Swap(OpenNode& node, const PriorState& before, const machine::ServiceDefinition& wanted) {
  machine::Host& host = node.host;
  bool wrote = before.is_outdated && PROV_TRY(host.services().Stop(kServiceName));
  if (before.runs && !before.program.is_same) host.installation().DropFormerProgram();
  wrote = PROV_TRY(host.installation().InstallProgram()) || wrote;
  wrote = PROV_TRY(RegisterEventSource(node)) || wrote;
  wrote = PROV_TRY(AddToSearchPath(node)) || wrote;
  wrote = PROV_TRY(host.services().Install(wanted)) || wrote;
  if (before.setup) return wrote;
  PROV_TRY(before.HasFormer() ? StartAndWatch(host) : host.services().Start(kServiceName));
  return wrote;
}

// Restores the former program and its service; without one, only the service that was stopped.
Result<void> PutBack(machine::Host& host, const PriorState& before) {
  PROV_TRY(host.services().Stop(kServiceName));
  PROV_TRY(host.installation().RestoreProgram());
  if (before.service) PROV_TRY(host.services().Install(*before.service));
  return before.setup ? Result<void>() : host.services().Start(kServiceName);
}

Error GoBack(machine::Host& host, const PriorState& before, Error error) {
  if (!before.runs && !before.HasFormer()) return error;
  if (const Result<void> back = PutBack(host, before); !back) {
    error.message +=
        fmt::format("; nor could the former program be put back: {} ({})", back.error().message, back.error().where);
    return error;
  }
  const auto now = host.installation().ReadProgramStatus();
  error.message += fmt::format("; the former program ({}) is back{}", Text(now ? now->installed : std::nullopt),
                               before.setup ? "" : " and its service runs");
  return error;
}

}  // namespace

Result<machine::ServiceDefinition> BootServiceDefinition(machine::Host& host) {
  machine::ServiceDefinition out;
  out.name = kServiceName;
  out.display_name = "Egress settings (provisioner)";
  out.description =
      "Keeps the proxy settings and additional trusted certificates of the cluster in place on this node.";
  out.command_line = fmt::format("\"{}\" reconcile --service", PROV_TRY(host.installation().ProgramPath()));
  return out;
}

Result<void> CheckProgram(machine::Host& host, bool allow_older) {
  if (allow_older) return {};
  const auto program = host.installation().ReadProgramStatus();
  if (!program || !program->own || !program->installed || *program->own >= *program->installed) return {};
  const std::string path = PROV_TRY(host.installation().ProgramPath());
  return Fail(Code::kDowngrade,
              fmt::format("the installed program is {}, newer than this one ({}): run \"{}\", or give "
                          "--allow-downgrade to replace it",
                          program->installed->Text(), program->own->Text(), path),
              path);
}

Result<ProgramReport> InstallProgramAndService(OpenNode& node, bool allow_older) {
  machine::Host& host = node.host;
  PROV_TRY(CheckProgram(host, allow_older));
  const machine::ServiceDefinition wanted = PROV_TRY(BootServiceDefinition(host));
  const PriorState before = PROV_TRY(ReadState(node, wanted));
  const Result<bool> wrote = Swap(node, before, wanted);
  if (!wrote) return std::unexpected(GoBack(host, before, wrote.error()));
  host.installation().DropFormerProgram();
  ProgramReport out;
  out.wrote = *wrote;
  out.path = PROV_TRY(host.installation().ProgramPath());
  out.replaced = before.is_outdated || (before.program.is_installed && !before.program.is_same);
  out.before = before.program.installed;
  out.now = before.program.own;
  return out;
}

void AddUpgrade(const ProgramReport& report, Findings& findings) {
  if (!report.replaced) return;
  AddInfo(findings, "program-replaced",
          report.before == report.now
              ? fmt::format("the program {} took the place of another one", Text(report.now))
              : fmt::format("the program {} replaced {}", Text(report.now), Text(report.before)),
          report.path);
}

}  // namespace prov::node
