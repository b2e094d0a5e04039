// What `controller` refuses before it looks at a cluster.
#include <gmock/gmock.h>

#include "tests/cli/machine_commands_fixture.h"
#include "tests/support/result.h"

namespace prov::cli {
namespace {

using machine_commands::MachineCommands;
using testing::HasSubstr;

TEST_F(MachineCommands, TheControllerAppendsNoSecretToItself) {
  const Error refused = ErrorIn(Run(ControllerCommand, {"--source", "kube:///worker", "--platform", "aws", "--secret",
                                                        "machines/ours", "--append-to-secret", "machines/ours"}));
  EXPECT_EQ(refused.code, Code::kUsage);
  EXPECT_EQ(refused.where, "--append-to-secret");
  EXPECT_THAT(refused.message, HasSubstr("names the Secret of --secret"));
}

}  // namespace
}  // namespace prov::cli
