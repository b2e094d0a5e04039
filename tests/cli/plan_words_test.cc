// The words of an apply to an image, which images/recipes/customize-disk gives to `plan`, too.
#include <gmock/gmock.h>

#include <algorithm>

#include "tests/cli/machine_commands_fixture.h"

namespace prov::cli {
namespace {

using machine_commands::MachineCommands;
using testing::AnyOf;
using testing::HasSubstr;

TEST_F(MachineCommands, PlanTakesTheOptionsThatApplyTakesForAnImage) {
  const OptionGroup planned = PlanCommand().spec.options;
  for (const OptionSpec& option : ApplyCommand().spec.options) {
    if (std::ranges::find(planned, option.name, &OptionSpec::name) != planned.end()) continue;
    const std::string word = "--" + std::string(option.name);
    const auto refused =
        Run(ApplyCommand, {source_, "--root", root_.string(), option.value.empty() ? word : word + "=1"});
    ASSERT_FALSE(refused) << word;
    EXPECT_EQ(refused.error().code, Code::kUsage) << word;
    EXPECT_THAT(refused.error().message, AnyOf(HasSubstr("needs a running machine"), HasSubstr("needs --"))) << word;
  }
}

TEST_F(MachineCommands, PlanTakesWhatOnlyAnApplyNeeds) {
  EXPECT_EQ(Run(PlanCommand, {source_, "--allow-empty", "--wait-lock", "5"})->exit, 4);
  WriteSource(R"({"ignition":{"version":"3.2.0"}})");
  EXPECT_EQ(Run(ApplyCommand, {source_}).error().code, Code::kEmpty);
  EXPECT_EQ(Run(PlanCommand, {source_})->exit, 0);
  EXPECT_EQ(Run(PlanCommand, {source_, "--wait-lock", "soon"}).error().code, Code::kUsage);
}

}  // namespace
}  // namespace prov::cli
