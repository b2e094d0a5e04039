#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "provisioner/bake/payload_folder.h"
#include "tests/support/sample.h"
#include "tests/support/scratch_folder.h"

namespace prov::bake {
namespace {

namespace fs = std::filesystem;
using testing_support::ReadAll;

class PosixPayloadFolder : public testing::Test {
 protected:
  const Payload payload_ = {1,
                            {{"egress.json", "x", true, "p"},
                             {"manifest.json", "{}", false, "p"},
                             {"trust/ROOT/" + std::string(40, 'A') + ".cer", "der", false, "p"}}};
  testing_support::ScratchFolder scratch_;
  fs::path root_ = scratch_.path();
};

unsigned ModeOf(const fs::path& path) {
  struct stat info{};
  return stat(path.c_str(), &info) == 0 ? static_cast<unsigned>(info.st_mode & 07777U) : 0;
}

TEST_F(PosixPayloadFolder, WritesFilesModesAndTimesWhateverTheUmask) {
  const mode_t before = umask(0077);
  const auto written = WritePayloadFolder(payload_, (root_ / "a/b/out").string(), 1000000000);
  umask(before);
  ASSERT_TRUE(written) << written.error().message;
  const fs::path out = root_ / "a/b/out";
  EXPECT_EQ(ReadAll((out / "egress.json").string()), "x");
  EXPECT_EQ(ModeOf(out / "egress.json"), 0600U);
  EXPECT_EQ(ModeOf(out / "manifest.json"), 0644U);
  EXPECT_EQ(ModeOf(out / "trust/ROOT"), 0755U);
  EXPECT_EQ(ModeOf(out), 0755U);
  for (const char* name : {".", "egress.json", "trust", "trust/ROOT"}) {
    struct stat info{};
    ASSERT_EQ(stat((out / name).c_str(), &info), 0);
    EXPECT_EQ(info.st_mtim.tv_sec, 1000000000) << name;
  }
}

TEST_F(PosixPayloadFolder, RefusesToReplaceALink) {
  const fs::path out = root_ / "out";
  ASSERT_TRUE(WritePayloadFolder(payload_, out.string(), 0));
  fs::create_symlink("/etc/passwd", out / "unattend.xml");
  const auto written = WritePayloadFolder(payload_, out.string(), 0);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, Code::kTarget);
  EXPECT_TRUE(fs::is_symlink(out / "unattend.xml"));
}

}  // namespace
}  // namespace prov::bake
