// What the commands that act on a machine share: opening it, reading its settings, and ending a run.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "provisioner/cli/command.h"
#include "provisioner/cli/desired_options.h"
#include "provisioner/cli/reporting_options.h"
#include "provisioner/machine/host.h"
#include "provisioner/node/apply.h"
#include "provisioner/node/source_reader.h"

namespace prov::cli {

// An open target and its name for reports.
struct Target {
  std::string name;
  std::unique_ptr<machine::OpenMachine> machine;

  node::OpenNode Node(machine::Host& host) const { return {host, machine->Ports()}; }
};

// What a run did on a target, or would do.
struct TargetReport {
  std::string target;
  reconcile::SessionReport report;
};

// Waits for a lock that another run holds. Counts its pauses instead of reading the clock, because the clock may be set
// meanwhile: at a machine's first boot it often is.
class LockWait {
 public:
  LockWait(Clock& clock, std::int64_t seconds);
  // Returns whether to try again: the error is `lock`, and there was time left for a pause. Announces the first pause
  // on standard error. When the time is over, adds that to `error`.
  bool Again(Error& error);

 private:
  Clock& clock_;
  std::int64_t seconds_, left_;  // in milliseconds
};

// Calls `open` until no other run holds the lock or the time is over. Returns its last result.
template <class Open>
auto WhenFree(Clock& clock, std::int64_t seconds, Open open) -> decltype(open()) {
  LockWait wait(clock, seconds);
  for (;;) {
    auto opened = open();
    if (opened || !wait.Again(opened.error())) return opened;
  }
}

// --wait-lock SECONDS. Errors: usage.
OptionSpec WaitLockOption();
Result<std::int64_t> ParseWaitLock(const Arguments& arguments, std::int64_t fallback = 0);

// --interval SECONDS; nullopt: it was not given. Errors: usage.
OptionSpec IntervalOption();
Result<std::optional<std::int64_t>> ParseInterval(const Arguments& arguments);

Result<Target> OpenTarget(machine::Host& host, machine::Access access, std::int64_t wait_seconds = 0);

// --allow-downgrade of `plan`, `service` and the commands with ApplyOptionSpecs().
OptionSpec AllowDowngradeOption();

// --allow-shrink of `plan` and the commands with ApplyOptionSpecs().
OptionSpec AllowShrinkOption();

// --exit-style of `reconcile` and the commands with ApplyOptionSpecs().
OptionSpec ExitStyleOption();

// --allow-empty of `bake`, `apply` and `first-boot`.
OptionSpec AllowEmptyOption();
// Whether to refuse a source that sets nothing on a machine. A source on a network is not refused: it is the cluster's
// own statement.
bool RefusesEmpty(const Arguments& arguments);

// --reboot, its related options, and --exit-style of `apply`, `first-boot` and `reconcile --once`.
OptionGroup ApplyOptionSpecs();
struct Ending {
  node::NodeReporting reporting;  // the part that applies to this run
  int reboot_exit = 0;            // exit code for "done, reboot needed"
};
Result<Ending> ParseEnding(const Arguments& arguments);
Result<node::ApplyOptions> ParseApplyOptions(const Arguments& arguments);

// Requests a reboot if one is needed and chosen. Returns the exit code.
Result<int> End(node::OpenNode& node, const Ending& ending, reconcile::SessionReport& report);

// SOURCE, how it is read, and which settings are taken from it, as given. Errors: usage, proxy-url.
Result<node::SettingsSpec> ParseSettingsSpec(const Arguments& arguments);

// The absolute form of a path, for a process with another working folder. Errors: io.
Result<std::string> AbsolutePath(const std::string& path);
// The kubeconfig for a service, which has no user's environment: an absolute path, or "in-cluster". `given` is the path
// on the command line; "": the default of this process. Errors: usage, io.
Result<std::string> AbsoluteKubeconfig(const std::string& given, const std::string& where);

// The spec as a node remembers it, with absolute paths. Excludes the signer: it is pinned in a file that only
// administrators can write. Errors: usage (standard input; no kubeconfig), io.
Result<node::SettingsSpec> SpecToRemember(node::SettingsSpec given);

// Removes everything of ours from this machine, for `remove` and `pod --remove`. The settings go first: if that fails,
// because of a lost record or a full disk, the service and the program stay. After it no source is stored, so the
// service does nothing until it is removed. `all`: also removes the service, the program and the state. Errors: those
// of node::RemoveSettings and of the ports.
Result<TargetReport> RemoveFromMachine(machine::Host& host, bool all, std::int64_t wait_lock);

// Prints a failure that does not end the command: on standard error, and as a document if the output is JSON.
void PrintFailure(bool json, const Error& error);

// The report as the result of a command.
Outcome SessionOutcome(bool json, std::string_view target, reconcile::SessionReport report, bool done, int exit);

// For several images: the sum, and each image as an element of `targets`.
Outcome SessionsOutcome(bool json, std::vector<TargetReport> reports, bool done, int exit);

}  // namespace prov::cli
