// Payloads on disk with what only POSIX makes without privileges: links, and files with holes.
#include <gtest/gtest.h>

#include <filesystem>

#include "provisioner/payload/payload.h"
#include "provisioner/payload/payload_folder.h"
#include "provisioner/payload/payload_reader.h"
#include "tests/support/sample.h"
#include "tests/support/scratch_folder.h"

namespace prov::payload {
namespace {

namespace fs = std::filesystem;

class PosixPayloadOnDisk : public testing::Test {
 protected:
  PosixPayloadOnDisk() {
    const auto config = testing_support::SampleConfig();
    const auto payload =
        MakePayload(config, reconcile::MakeDesiredState(config, {}).value(), {.generation = 1, .exe = {}});
    EXPECT_TRUE(payload && WritePayloadFolder(*payload, folder_, 0));
    EXPECT_TRUE(LoadPayloadFolder(folder_));
  }

  Code Refusal() {
    const auto read = LoadPayloadFolder(folder_);
    EXPECT_FALSE(read);
    return read ? Code::kInternal : read.error().code;
  }

  testing_support::ScratchFolder scratch_;
  std::string folder_ = scratch_.At("p");
};

TEST_F(PosixPayloadOnDisk, ALinkInPlaceOfAFileIsRefused) {
  fs::rename(folder_ + "/egress.json", folder_ + ".json");
  fs::create_symlink(folder_ + ".json", folder_ + "/egress.json");
  EXPECT_EQ(Refusal(), Code::kManifest);
}

TEST_F(PosixPayloadOnDisk, ALinkInPlaceOfAFolderIsRefused) {
  fs::rename(folder_ + "/trust", folder_ + ".trust");
  fs::create_directory_symlink(folder_ + ".trust", folder_ + "/trust");
  EXPECT_EQ(Refusal(), Code::kManifest);
}

TEST_F(PosixPayloadOnDisk, AGrownFileIsRefusedWithoutReadingIt) {
  fs::resize_file(folder_ + "/egress.json", std::uintmax_t{1} << 40U);
  EXPECT_EQ(Refusal(), Code::kManifest);
}

}  // namespace
}  // namespace prov::payload
