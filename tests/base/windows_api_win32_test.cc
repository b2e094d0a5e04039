#include <gtest/gtest.h>

#include "provisioner/base/windows_api.h"

namespace prov::win32 {
namespace {

TEST(WindowsApi, TextGoesBothWays) {
  const std::string text = "Gr\u00fc\u00dfe \u5024 \U0001F600";
  EXPECT_EQ(Narrow(Wide(text)), text);
  EXPECT_EQ(Wide("\U0001F600").size(), 2U);
  EXPECT_EQ(Narrow(L""), "");
  EXPECT_EQ(Wide("a\xff"), L"a\ufffd");
  EXPECT_EQ(Narrow(std::wstring(1, wchar_t{0xD800})), "\ufffd");
}

TEST(WindowsApi, OnlyLongPathsGetThePrefix) {
  EXPECT_EQ(Path("a/b"), L"a/b");
  EXPECT_EQ(Path("NUL"), L"NUL");
  const std::string folder(240, 'x');
  const std::wstring wide(240, L'x');
  EXPECT_EQ(Path("C:/" + folder + "/../" + folder + "/y"), L"\\\\?\\C:\\" + wide + L"\\y");
  EXPECT_EQ(Path("\\\\server\\share\\" + folder), L"\\\\?\\UNC\\server\\share\\" + wide);
  EXPECT_EQ(Path("\\\\?\\C:\\" + folder + "\\y"), L"\\\\?\\C:\\" + wide + L"\\y");
  EXPECT_TRUE(Path(folder).starts_with(L"\\\\?\\")) << "a relative one that is long with the current folder";
}

TEST(WindowsApi, AnErrorHasItsNumber) { EXPECT_TRUE(MessageOf(ERROR_ACCESS_DENIED).ends_with("(5)")); }

}  // namespace
}  // namespace prov::win32
