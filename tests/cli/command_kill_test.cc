// Whole commands on a machine, killed at every call of a port and repeated: the result is the same as that of a command
// that nobody kills. tests/node/command_kill_test.cc checks the state in between.
#include <gmock/gmock.h>

#include "provisioner/node/activity.h"
#include "provisioner/reconcile/journal.h"
#include "tests/cli/machine_commands_fixture.h"
#include "tests/support/amount.h"

namespace prov::cli {
namespace {

using machine_commands::MachineCommands;
using testing_support::MemoryHost;
using testing_support::MemoryMachine;
using testing_support::PowerFailure;

class CommandKilled : public MachineCommands {
 protected:
  // Registry, certificates, services, program and state; less what goes with the boot, and what rounds met.
  static std::string Seen(const MemoryHost& host) {
    std::string out = host.memory.content().Text();
    for (const auto& [name, service] : host.services_by_name) out += "service " + name + "\n";
    out += host.program_installed ? "program\n" : "";
    for (const auto& [file, text] : host.memory.files()) {
      if (file != machine::kStateFile && file != machine::kStatePreviousFile && file != node::kActivityFile) {
        out += file + ":\n" + text + "\n";
      }
    }
    for (const auto& [name, text] : host.memory.Sections()) {
      if (name != reconcile::kRebootSection) out += name + ":\n" + text + "\n";
    }
    return out;
  }

  void ExpectRepeatable(Command (*make)(), const std::vector<std::string>& words) {
    const MemoryHost start = host_;
    host_.counts_calls = true;
    host_.memory.calls = 0;
    ASSERT_TRUE(Run(make, words));
    const std::size_t calls = host_.memory.calls;
    const std::string wanted = Seen(host_);
    for (std::size_t call = 0; call < calls; call += testing_support::CallStride()) {
      for (const auto stop : {&MemoryMachine::stop_before, &MemoryMachine::stop_after}) {
        host_ = start;
        host_.counts_calls = true;
        host_.memory.calls = 0;
        host_.memory.*stop = call;
        ASSERT_THROW((void)Run(make, words), PowerFailure) << call;
        host_.memory.Boot(call % 2 == 0 ? MemoryMachine::Unflushed::kLost : MemoryMachine::Unflushed::kKept);
        const auto again = Run(make, words);
        ASSERT_TRUE(again) << call << ": " << again.error().message;
        ASSERT_EQ(Seen(host_), wanted) << "call " << call;
      }
    }
  }
};

TEST_F(CommandKilled, Apply) {
  const std::string payload = Bake("payload", {"--generation=5"});
  ASSERT_TRUE(Run(ApplyCommand, {source_, "--service=containerd", "--credentials=none"}));
  ExpectRepeatable(ApplyCommand, {payload});
}

TEST_F(CommandKilled, FirstBoot) { ExpectRepeatable(FirstBootCommand, {Bake("payload")}); }

TEST_F(CommandKilled, ServiceInstall) {
  ExpectRepeatable(ServiceCommand, {"install", "--source", source_, "--service=containerd"});
}

TEST_F(CommandKilled, Remove) {
  ASSERT_TRUE(Run(FirstBootCommand, {Bake("payload")}));
  ExpectRepeatable(RemoveCommand, {});
}

// The state goes last: until then it says what is still to be undone.
TEST_F(CommandKilled, RemoveAll) {
  const std::string before = host_.memory.content().Text();
  ASSERT_TRUE(Run(FirstBootCommand, {Bake("payload")}));
  const MemoryHost start = host_;
  ExpectRepeatable(RemoveCommand, {"--all"});
  host_ = start;
  host_.counts_calls = true;
  host_.memory.calls = 0;
  ASSERT_TRUE(Run(RemoveCommand, {"--all"}));
  for (std::size_t call = 0, calls = host_.memory.calls; call < calls; call += testing_support::CallStride()) {
    host_ = start;
    host_.counts_calls = true;
    host_.memory.calls = 0;
    host_.memory.stop_before = call;
    ASSERT_THROW((void)Run(RemoveCommand, {"--all"}), PowerFailure) << call;
    const bool undone = host_.memory.content().Text() == before && !host_.program_installed;
    ASSERT_TRUE(undone || host_.memory.Section(reconcile::kLedgerSection)) << call;
  }
}

}  // namespace
}  // namespace prov::cli
