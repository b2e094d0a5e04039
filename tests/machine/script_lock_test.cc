#include "provisioner/machine/script_lock.h"

#include <gtest/gtest.h>

namespace prov::machine {
namespace {

TEST(ScriptLock, NamesItsProcess) {
  EXPECT_EQ(HolderOfScriptLock(ScriptLockText(4711)), 4711U);
  EXPECT_EQ(HolderOfScriptLock("4294967295"), 4294967295U);
  EXPECT_EQ(HolderOfScriptLock("12\r\n"), 12U) << "as Set-Content ends a file";
  for (const char* torn : {"", "x", "-1", "12 13", "4294967296", " 1", "\n"}) {
    EXPECT_EQ(HolderOfScriptLock(torn), std::nullopt) << torn;
  }
}

TEST(ScriptLock, IsThatOfAShell) {
  for (const char* program : {R"(C:\Windows\System32\WindowsPowerShell\v1.0\powershell.exe)", R"(C:\x\PWSH.EXE)",
                              "/usr/bin/pwsh", "powershell_ise.exe"}) {
    EXPECT_TRUE(RunsScripts(program)) << program;
  }
  for (const char* program : {R"(C:\Windows\System32\svchost.exe)", R"(C:\pwsh\other.exe)",
                              R"(C:\Program Files\Provisioner\provisioner.exe)", ""}) {
    EXPECT_FALSE(RunsScripts(program)) << program;
  }
}

}  // namespace
}  // namespace prov::machine
