// What the program does when the system fails: full disks, limits, an abort.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "provisioner/cli/command.h"
#include "provisioner/cli/settings_spec.h"
#include "provisioner/machine/host.h"
#include "tests/cli/program_run.h"
#include "tests/support/paths.h"
#include "tests/support/process.h"
#include "tests/support/result.h"
#include "tests/support/scratch_folder.h"

namespace prov {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing_support::kSample;
using testing_support::ProcessResult;

TEST(Cli, AShellReadsAPrintedWordAsItIs) {
  for (const std::string text : {"it's", "''", "$HOME `x` \\", "a b", ""})
    EXPECT_EQ(testing_support::Run({"sh", "-c", "printf %s " + cli::ShellWord(text)}).out, text);
}

TEST(Cli, AFullDiskIsNoSuccess) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "SKIPPED: no /dev/full on this system";
  const ProcessResult result = testing_support::Run(
      {"sh", "-c", "exec '" + testing_support::ProvisionerBinary() + "' extract '" + kSample + "' >/dev/full"});
  EXPECT_EQ(result.exit, 13);
  EXPECT_THAT(result.err, HasSubstr("[io]"));
}

// Reading may take a password and a minute: say first that nothing could be done with what is read.
TEST(Cli, ASourceIsNotReadForAMachineThatIsNotWindows) {
  for (cli::Command (*make)() : {cli::PlanCommand, cli::ApplyCommand}) {
    const cli::Command command = make();
    const auto arguments = Must(cli::ParseArguments(command.spec, std::vector<std::string>{"no-such-source"}));
    const Error run = ErrorIn(command.run(arguments, machine::LiveHost()));
    EXPECT_EQ(run.code, Code::kTarget) << run.message;
    EXPECT_THAT(run.message, HasSubstr("not Windows"));
  }
}

TEST(PosixBake, AWriteBeyondTheFileSizeLimitIsAnErrorThatLeavesNothing) {
  const testing_support::ScratchFolder folder;
  const fs::path& root = folder.path();
  const ProcessResult result =
      testing_support::Run({"sh", "-c",
                            "ulimit -f 8; exec '" + testing_support::ProvisionerBinary() + "' bake '" + kSample +
                                "' --out '" + (root / "a/b/p").string() + "'"});
  EXPECT_EQ(result.exit, 13) << result.err;
  EXPECT_TRUE(fs::is_empty(root));
}

TEST(Cli, AnAbortIsADefectWithExit20) {
  // A raised SIGABRT stands for every assertion of a library; the shell's own code for it would be 134. The program
  // waits for its input, which never comes, and gets the signal when it catches that: bit 5 of the mask.
  const testing_support::ScratchFolder folder;
  const std::string pipe = folder.At("pipe");
  const std::string wait =
      "mkfifo '" + pipe + "' && exec 3<>'" + pipe + "' && { '" + testing_support::ProvisionerBinary() +
      "' extract - <&3 & pid=$!; left=6000; "
      "until grep -q '^SigCgt:.*[2367abef].$' /proc/$pid/status; do "
      "left=$((left - 1)); [ $left -gt 0 ] || break; sleep 0.01; done; kill -ABRT $pid; wait $pid; }";
  const ProcessResult result = testing_support::Run({"sh", "-c", wait});
  EXPECT_EQ(result.exit, 20) << result.err;
}

}  // namespace
}  // namespace prov
