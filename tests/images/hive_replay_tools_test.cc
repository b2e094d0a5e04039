// Replayed hives as other programs read them, where these are installed.
#include <gmock/gmock.h>

#include "images/registry/hive_replay.h"
#include "tests/images/hive_history.h"
#include "tests/images/hive_tools_util.h"
#include "tests/support/scratch_folder.h"

namespace prov::images {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::History;
using ::testing::Not;
using testing::Shell;

std::string ReadBy(const std::string& command, const std::string& hive) {
  const testing_support::ScratchFolder folder;
  const std::string file = folder.At("replayed.hiv");
  EXPECT_TRUE(WriteFileAtomically(file, hive, 0600));
  const testing::Output output = Shell(command + " " + file + (command == "reglookup" ? "" : " '\\'"));
  EXPECT_EQ(output.exit, 0) << command;
  return output.text;
}

TEST(HiveReplayTools, ReadersSeeTheNewestState) {
  for (const char* tool : {"hivexregedit", "reglookup"}) REQUIRE_TOOL(tool);
  const History history(5);
  auto replayed = ReplayLogs(history.Dirty(), {history.Log(3, 5), history.Log(0, 3)});
  ASSERT_TRUE(replayed) << replayed.error().message;
  for (const std::string reader : {"PERL_UNICODE=S hivexregedit --export", "reglookup"}) {
    SCOPED_TRACE(reader);
    EXPECT_THAT(ReadBy(reader, history.Dirty()), AllOf(HasSubstr("Class299"), Not(HasSubstr("Flush0"))));
    EXPECT_THAT(ReadBy(reader, replayed->bytes),
                AllOf(HasSubstr("Class299"), HasSubstr("Flush0"), HasSubstr("Flush4")));
  }
}

}  // namespace
}  // namespace prov::images
