// What the commands that act on a machine share: opening it, reading its settings, ending a run.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "provisioner/cli/command.h"
#include "provisioner/cli/desired_options.h"
#include "provisioner/cli/reboot_choice.h"
#include "provisioner/machine/host.h"
#include "provisioner/node/apply.h"

namespace prov::cli {

// An open target with its name for reports.
struct Target {
  std::string name;
  std::unique_ptr<machine::OpenMachine> machine;

  node::OpenNode Node(machine::Host& host) const { return {host, machine->Ports()}; }
};

// Waits for a lock that another run holds. Pauses are counted, as the clock may be set meanwhile: at the first boot of
// a machine it often is.
class LockWait {
 public:
  LockWait(Clock& clock, std::int64_t seconds);
  // Whether to try once more: the error is `lock`, and there was time left for a pause. The first pause is told on
  // standard error. When the time has passed, `error` says so.
  bool Again(Error& error);

 private:
  Clock& clock_;
  std::int64_t seconds_, left_;  // in milliseconds
};

// What `open` returns, as soon as no other run holds its lock or the time has passed.
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
Result<std::optional<std::int64_t>> ParseInterval(const Arguments& arguments);

Result<Target> OpenTarget(machine::Host& host, machine::Access access, std::int64_t wait_seconds = 0);

// --allow-downgrade of `plan`, `service` and of what has ApplyOptionSpecs().
OptionSpec AllowDowngradeOption();

// --allow-empty of `bake`, `apply` and `first-boot`.
OptionSpec AllowEmptyOption();
// Whether a source that sets nothing on a machine is refused: not one on a network, which is the cluster's own word.
bool RefusesEmpty(const Arguments& arguments);

// --reboot, what goes with it, and --exit-style of `apply`, `first-boot` and `reconcile --once`.
std::vector<OptionSpec> ApplyOptionSpecs();
struct Ending {
  RebootChoice reboot;
  int reboot_exit = 0;  // exit code that tells "done, reboot needed"
};
Result<Ending> ParseEnding(const Arguments& arguments);
Result<node::ApplyOptions> ParseApplyOptions(const Arguments& arguments);

// Asks for a reboot if one is needed and chosen. The exit code.
Result<int> End(node::OpenNode& node, const Ending& ending, reconcile::SessionReport& report);

// SOURCE, how it is read, and what is wanted of it.
struct SettingsOptions {
  SourceOptions source;
  WantedOptions wanted;
};
// Errors: usage, proxy-url.
Result<SettingsOptions> ParseSettingsOptions(const Arguments& arguments);

// The settings that a command line names. `host` and `signer` as in ReadSource.
Result<node::Settings> ReadSettings(machine::Host& host, const SettingsOptions& options,
                                    const std::optional<pki::Certificate>& signer,
                                    source::SourceCache* cache = nullptr);

// For a process that has another folder. Errors: io.
Result<std::string> AbsolutePath(const std::string& path);
// What a service, which has no person's environment, is to use as `given`, or where that is "" as this process'
// default: an absolute path, or "in-cluster". Errors: usage, io.
Result<std::string> AbsoluteKubeconfig(const std::string& given, const std::string& where);

// The words that ReadStoredSettings understands, with absolute paths: what a node stores of a command line with this
// source. The signer is none of them: it is pinned where nobody but administrators can write.
Result<node::SourceWords> StoredWords(const Arguments& arguments, const std::string& source);
Result<node::Settings> ReadStoredSettings(machine::Host& host, const node::SourceWords& words,
                                          const std::optional<pki::Certificate>& signer,
                                          source::SourceCache* cache = nullptr);
// What they say of the source alone.
Result<source::SourceRequest> StoredRequest(machine::Host& host, const node::SourceWords& words);

// A failure that does not end the command, told at once: on standard error, and as a document where the output is JSON.
void TellFailure(bool json, const Error& error);

// The report as the outcome of a command.
Outcome SessionOutcome(bool json, std::string_view target, reconcile::SessionReport report, bool done, int exit);

struct TargetReport {
  std::string target;
  reconcile::SessionReport report;
};
// Of several images: the sum, and each of them as an element of `targets`.
Outcome SessionsOutcome(bool json, std::vector<TargetReport> reports, bool done, int exit);

}  // namespace prov::cli
