// The states that programs left in an image, as a later program finds them: with a file for each section
// (tests/golden/state-v1/image, commit d1eab01), and with the state record (state-v2). They are not made again: a later
// form of the state gets a folder of its own, by
//
//   STATE_FIXTURE=tests/golden/state-v3 cli_tests --gtest_also_run_disabled_tests
//   --gtest_filter=ImageStateFixtureDump.DISABLED_Dump
#include <cstdlib>
#include <filesystem>

#include "provisioner/base/file.h"
#include "provisioner/base/text.h"
#include "tests/cli/image_command_fixture.h"

namespace prov::cli {
namespace {

namespace fs = std::filesystem;
using image_commands::ImageCommands;
using image_commands::Look;
using image_commands::Seen;

constexpr std::string_view kStateInMemory = "programdata/provisioner/";

class ImageStateFixtureDump : public ImageCommands {
 protected:
  // Certificates, variables, WinHTTP, a service that is there and one that is yet to come; the payload and the program.
  void Leave() {
    const auto applied = Apply(tree_, Settings({"--service=kubelet"}), Install(), {.preseed = true});
    ASSERT_TRUE(applied) << applied.error().message;
  }
  std::map<std::string, std::string> StateFiles() const {
    std::map<std::string, std::string> out;
    for (const auto& [path, file] : tree_.content().files) {
      if (path.starts_with(kStateInMemory)) out[path.substr(kStateInMemory.size())] = file.bytes;
    }
    return out;
  }
  static std::vector<std::string> Items(const node::NodeStatus& status) {
    std::vector<std::string> out;
    for (const auto& [item, entry] : status.engine.ledger) out.push_back(item);
    return out;
  }
};

class ImageStateFixture : public ImageStateFixtureDump, public testing::WithParamInterface<const char*> {};

TEST_P(ImageStateFixture, IsReadAsThisProgramsOwn) {
  const fs::path place = fs::path(testing_support::TestsFolder()) / "golden" / GetParam() / "image";
  ASSERT_TRUE(fs::is_directory(place)) << place;
  const Seen before = Look(tree_);
  ASSERT_NO_FATAL_FAILURE(Leave());
  const node::NodeStatus today = Status(tree_);
  for (const auto& [name, bytes] : StateFiles()) tree_.Erase(std::string(kStateInMemory) + name);
  std::size_t files = 0;
  for (const auto& entry : fs::directory_iterator(place)) {
    ++files;
    ASSERT_TRUE(tree_.Write(std::string(kStateInMemory) + entry.path().filename().string(),
                            testing_support::ReadAll(entry.path().string()), images::FileUse::kSecret));
  }
  ASSERT_GT(files, 0U);
  const node::NodeStatus status = Status(tree_);
  EXPECT_EQ(Items(status), Items(today));
  EXPECT_FALSE(status.Differs());
  ASSERT_TRUE(status.source);
  EXPECT_EQ(status.source->words, today.source->words);
  EXPECT_FALSE(status.source->follow);
  ASSERT_TRUE(status.applied);
  EXPECT_EQ(status.applied->source, today.applied->source);
  const auto removed = Remove(tree_, true);
  ASSERT_TRUE(removed) << removed.error().message;
  EXPECT_TRUE(Look(tree_).system == before.system);
  EXPECT_TRUE(Look(tree_).software == before.software);
  EXPECT_TRUE(StateFiles().empty());
}

INSTANTIATE_TEST_SUITE_P(OfVersion, ImageStateFixture, testing::Values("state-v1", "state-v2"),
                         [](const auto& info) { return std::string(info.param).ends_with("1") ? "Files" : "Record"; });

TEST_F(ImageStateFixtureDump, DISABLED_Dump) {
  const char* const place = std::getenv("STATE_FIXTURE");
  ASSERT_TRUE(place != nullptr) << "name the folder in STATE_FIXTURE";
  ASSERT_NO_FATAL_FAILURE(Leave());
  fs::create_directories(fs::path(place) / "image");
  for (const auto& [name, bytes] : StateFiles()) {
    ASSERT_TRUE(WriteFileAtomically((fs::path(place) / "image" / name).string(), bytes, 0644));
  }
}

}  // namespace
}  // namespace prov::cli
