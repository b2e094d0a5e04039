// Reading a file that only administrators could have written, through Windows' own calls. folder_security_test.cc has
// which rights those are.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "provisioner/base/path_security.h"
#include "provisioner/base/windows_api.h"
#include "tests/support/scratch_folder.h"

namespace prov {
namespace {

TEST(TrustedFile, IsReadUnlessOthersCanChangeIt) {
  const testing_support::ScratchFolder scratch;
  const std::string file = scratch.At("token");
  std::ofstream(std::filesystem::path(file), std::ios::binary) << "ours\r\n";
  const auto read = ReadTrustedFile(file, 100);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, "ours\r\n");
  EXPECT_EQ(ReadTrustedFile(file, 3).error().code, Code::kTooLarge);
  EXPECT_EQ(ReadTrustedFile(scratch.At("none"), 100).error().code, Code::kNotFound);
  auto security = win32::SecurityAttributes::FromSddl("D:P(A;;FA;;;SY)(A;;FA;;;BA)(A;;FA;;;WD)");
  ASSERT_TRUE(security);
  ASSERT_NE(
      SetFileSecurityW(win32::Path(file).c_str(), DACL_SECURITY_INFORMATION, security->get()->lpSecurityDescriptor), 0);
  const auto refused = ReadTrustedFile(file, 100);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kOwner);
  EXPECT_NE(refused.error().message.find("Everyone (S-1-1-0)"), std::string::npos) << refused.error().message;
}

}  // namespace
}  // namespace prov
