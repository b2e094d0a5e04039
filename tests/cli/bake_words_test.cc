// What `bake` refuses before it reads SOURCE.
#include <gmock/gmock.h>

#include "tests/cli/machine_commands_fixture.h"
#include "tests/support/result.h"

namespace prov::cli {
namespace {

namespace fs = std::filesystem;

using machine_commands::MachineCommands;
using testing::HasSubstr;

TEST_F(MachineCommands, BakeWritesNothingThatIsNamedLikeStandardOutput) {
  const std::vector<std::vector<std::string>> forms = {{source_},
                                                       {source_, "--format", "tgz"},
                                                       {source_, "--format", "userdata", "--platform", "aws"},
                                                       {"--format", "oci", "--exe", "provisioner.exe"}};
  for (std::vector<std::string> words : forms) {
    words.insert(words.end(), {"--out", "-"});
    const Error refused = ErrorIn(Run(BakeCommand, words));
    EXPECT_EQ(refused.code, Code::kUsage);
    EXPECT_EQ(refused.where, "--out");
    EXPECT_THAT(refused.message, HasSubstr("the name of a file or a folder"));
    EXPECT_FALSE(fs::exists("-"));
  }
}

}  // namespace
}  // namespace prov::cli
