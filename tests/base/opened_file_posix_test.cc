#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "provisioner/base/opened_file.h"
#include "tests/support/scratch_folder.h"

namespace prov {
namespace {

TEST(OpenedFile, IsReadWhateverItsNameLeadsToByNow) {
  const testing_support::ScratchFolder scratch;
  const std::string path = scratch.At("x");
  std::ofstream(path) << "first";
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_GE(fd, 0);
  std::filesystem::rename(path, path + ".old");
  std::ofstream(path) << "second";
  EXPECT_EQ(ReadOpened(fd, path, 100), "first");
  EXPECT_EQ(lseek(fd, 0, SEEK_SET), 0) << "it stays open";
  EXPECT_EQ(ReadOpened(fd, path, 4).error().code, Code::kTooLarge);
  close(fd);
  EXPECT_EQ(ReadOpened(fd, path, 100).error().code, Code::kIo);
}

}  // namespace
}  // namespace prov
