#include "provisioner/egress/script_assignment.h"

#include <gtest/gtest.h>

namespace prov::egress {
namespace {

TEST(ScriptAssignment, OfEachLanguageIsKnown) {
  const struct {
    const char* line;
    const char* command;
    bool has_value = true;
  } rows[] = {
      {"export A_1=b", "export"},
      {"  export A_1=\"\"", "export", false},
      {"set A_1=b", "set"},
      {"@SET \"A_1=b c\"\r", "set"},
      {"set A_1=", "set", false},
      {"setx A_1 b", "setx"},
      {"setx.exe /M \"A_1\" \"b\"", "setx"},
      {"setx A_1 \"\" /m", "setx", false},
      {"$env:A_1=\"b\"", "$env:"},
      {"$Env:A_1 = $null", "$env:", false},
      {"[Environment]::SetEnvironmentVariable('A_1', 'b', 'Machine')", "SetEnvironmentVariable"},
      {"[System.Environment]::SetEnvironmentVariable(\"A_1\", \"\", \"Machine\")", "SetEnvironmentVariable", false},
  };
  for (const auto& row : rows) {
    const auto read = ReadScriptAssignment(row.line);
    ASSERT_TRUE(read) << row.line;
    EXPECT_EQ(read->command, row.command) << row.line;
    EXPECT_EQ(read->name, "A_1") << row.line;
    EXPECT_EQ(read->has_value, row.has_value) << row.line;
  }
}

TEST(ScriptAssignment, OtherLinesAreNone) {
  for (const char* line :
       {"", "A=b", "set", "set A", "set -x A b=c", "export A", "export a b=c", "setx A", "setx /M A", "# set A=b",
        "settings A=b", "$env:", "$env:A", "[Environment]::GetEnvironmentVariable('A')", "[Service]", "exports A=b"}) {
    EXPECT_FALSE(ReadScriptAssignment(line)) << line;
  }
}

TEST(ScriptAssignment, ItsDescriptionHoldsNoValue) {
  EXPECT_EQ(DescribeScriptAssignment(*ReadScriptAssignment("setx HTTP_PROXY http://u:c4nary@p:1")),
            "`setx` is of cmd.exe, so systemd drops this variable; write HTTP_PROXY=… alone");
}

}  // namespace
}  // namespace prov::egress
