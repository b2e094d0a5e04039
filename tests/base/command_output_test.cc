#include "provisioner/base/command_output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "provisioner/base/text.h"

namespace prov {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(CommandOutput, IsNoDocument) {
  for (const std::string_view text :
       {"Error from server (NotFound): secrets \"x\" not found\n", "error: no such thing\n",
        "ERROR: (ResourceNotFound) The resource was not found.\n", "\nUnable to connect to the server: dial tcp\n",
        "No resources found in default namespace.\n"}) {
    EXPECT_THAT(DescribeCommandOutput(text).value_or(""), HasSubstr("error message")) << text;
  }
  for (const std::string_view url : {"error: dial http://u:c4nary@p:1\n", "error: dial http://u:c4nary\n@p:1\n"}) {
    EXPECT_THAT(DescribeCommandOutput(url).value_or("c4nary"), Not(HasSubstr("c4nary")));
  }
  const std::string long_line = "error: " + std::string(232, 'x') + "\u00fc";
  EXPECT_TRUE(IsUtf8(DescribeCommandOutput(long_line).value_or("\xff"))) << "is cut between characters";
  const std::string table = "NAME                TYPE     DATA   AGE\nwindows-user-data   Opaque   1      3d\n";
  EXPECT_THAT(DescribeCommandOutput(table).value_or(""), HasSubstr("-o yaml"));
  EXPECT_TRUE(DescribeCommandOutput("\xff\xfe" + ToUtf16Le(table)));
  EXPECT_TRUE(DescribeCommandOutput("NAMESPACE   NAME\na   b\n"));
}

TEST(CommandOutput, DocumentsAndScriptsAreNone) {
  for (const std::string_view text :
       {"", "HTTP_PROXY=http://p:1\n", "kind: Proxy\n", "NAME=a  b\n", "a:  b\n---\nc:  d\n", "NAME  and more\n",
        "Write-Error 'error: no'\n", "<powershell>\nerror: x\n"}) {
    EXPECT_FALSE(DescribeCommandOutput(text)) << text;
  }
}

}  // namespace
}  // namespace prov
