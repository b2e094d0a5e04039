#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "provisioner/payload/payload_folder.h"
#include "tests/support/result.h"
#include "tests/support/sample.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/stop_at_call.h"

namespace prov::payload {
namespace {

namespace fs = std::filesystem;
using testing_support::ReadAll;
using testing_support::RunAndStopAt;
using testing_support::Stopped;

class PosixPayloadFolder : public testing::Test {
 protected:
  const Payload payload_ = {1,
                            {{"egress.json", "x", true, "p"},
                             {"manifest.json", "{}", false, "p"},
                             {"trust/ROOT/" + std::string(40, 'A') + ".cer", "der", false, "p"}}};
  testing_support::ScratchFolder scratch_;
  fs::path root_ = scratch_.path();
};

TEST_F(PosixPayloadFolder, RefusesToReplaceALink) {
  const fs::path out = root_ / "out";
  ASSERT_TRUE(WritePayloadFolder(payload_, out.string(), 0));
  fs::create_symlink("/etc/passwd", out / "unattend.xml");
  EXPECT_EQ(ErrorIn(WritePayloadFolder(payload_, out.string(), 0)).code, Code::kTarget);
  EXPECT_TRUE(fs::is_symlink(out / "unattend.xml"));
}

// The earlier payload or the new one, whenever the run ends; and nothing but that after the next.
TEST_F(PosixPayloadFolder, WhatAKilledRunLeftGoesWithTheNext) {
  const auto names = [&] {
    std::set<std::string> out;
    for (const auto& entry : fs::directory_iterator(root_)) out.insert(entry.path().filename().string());
    return out;
  };
  const std::string out = (root_ / "out").string();
  std::size_t unfinished = 0, aside = 0;
  for (std::size_t call = 0;; ++call) {
    ASSERT_LT(call, 1000U);
    const Stopped stopped = RunAndStopAt(call, [&] { return WritePayloadFolder(payload_, out, 0).has_value(); });
    for (const std::string& name : names()) {
      unfinished += name.starts_with(".out.provisioner-") && !name.ends_with(".old") ? 1 : 0;
      aside += name.ends_with(".old") ? 1 : 0;
    }
    ASSERT_TRUE(WritePayloadFolder(payload_, out, 0)) << "after call " << call;
    EXPECT_EQ(names(), std::set<std::string>{"out"}) << "after call " << call;
    EXPECT_EQ(ReadAll(out + "/egress.json"), "x");
    if (stopped == Stopped::kFinished) break;
  }
  EXPECT_GT(unfinished, 10U);
  EXPECT_GT(aside, 2U);
}

TEST_F(PosixPayloadFolder, AnEarlierPayloadThatWasMovedAsideStaysUntilThereIsANewOne) {
  const std::string out = (root_ / "out").string(), aside = (root_ / ".out.provisioner-ABCDEF.old").string();
  ASSERT_TRUE(WritePayloadFolder(payload_, out, 0));
  fs::rename(out, aside);
  Payload impossible = payload_;
  impossible.files.push_back({"trust/ROOT", "a file where a folder is", false, "p"});
  ASSERT_FALSE(WritePayloadFolder(impossible, out, 0));
  EXPECT_EQ(ReadAll(aside + "/egress.json"), "x");
  ASSERT_TRUE(WritePayloadFolder(payload_, out, 0));
  EXPECT_FALSE(fs::exists(aside));
}

}  // namespace
}  // namespace prov::payload
