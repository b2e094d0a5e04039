// Runs on an image that are stopped at any call, or in which any call fails: the next run ends correctly.
#include <gmock/gmock.h>

#include "tests/cli/image_command_fixture.h"
#include "tests/support/amount.h"

namespace prov::cli {
namespace {

using image_commands::ImageCommands;
using image_commands::LastImage;
using image_commands::Look;
using image_commands::Seen;
using testing_support::MemoryTree;

// Files each by itself, as in a folder: after a cut the next run ends right, whatever it does.
class ImageCommandsCut : public ImageCommands, public testing::WithParamInterface<bool> {};

TEST_P(ImageCommandsCut, AtEveryCallAndTheNextApplyEndsAsIfNothingHappened) {
  const bool together = GetParam();
  const auto start = [&] {
    MemoryTree tree(together ? MemoryTree::Durable::kTogether : MemoryTree::Durable::kEach);
    for (const auto& [path, file] : tree_.content().files) tree.Put(file.spelling, file.bytes);
    return tree;
  };
  const node::Settings settings = Settings();
  MemoryTree whole = start();
  ASSERT_TRUE(Apply(whole, settings, Install()));
  const Seen wanted = Look(whole);
  const std::size_t calls = whole.calls;
  ASSERT_GT(calls, 50U);
  std::size_t open = 0;
  LastImage last_image;
  for (std::size_t at = 0; at < calls; at += testing_support::CallStride()) {
    for (const bool after : {false, true}) {
      MemoryTree tree = start();
      (after ? tree.stop_after : tree.stop_before) = at;
      EXPECT_THROW((void)Apply(tree, settings, Install()), testing_support::PowerFailure) << at;
      tree.Reopen();
      if (!last_image.IsOther(tree)) continue;
      const node::NodeStatus status = Status(tree);
      if (status.Differs()) ++open;
      const auto again = Apply(tree, settings, Install());
      ASSERT_TRUE(again) << at << ": " << again.error().message;
      EXPECT_TRUE(Look(tree) == wanted) << "call " << at << (after ? ", after it" : ", before it");
      EXPECT_FALSE(Status(tree).Differs()) << at;
    }
  }
  EXPECT_EQ(open == 0, together) << "a cut run is seen, unless nothing of it is there";
}

TEST_P(ImageCommandsCut, AtEveryCallAndRemoveAllEndsAsIfNothingHadBeenThere) {
  const bool together = GetParam();
  const Seen wanted = Look(tree_);
  const node::Settings settings = Settings();
  MemoryTree probe = tree_;
  ASSERT_TRUE(Apply(probe, settings, Install()));
  LastImage last_image;
  for (std::size_t at = 0; at < probe.calls; at += testing_support::CallStride()) {
    MemoryTree tree(together ? MemoryTree::Durable::kTogether : MemoryTree::Durable::kEach);
    for (const auto& [path, file] : tree_.content().files) tree.Put(file.spelling, file.bytes);
    tree.stop_after = at;
    EXPECT_THROW((void)Apply(tree, settings, Install()), testing_support::PowerFailure) << at;
    tree.Reopen();
    if (!last_image.IsOther(tree)) continue;
    const auto removed = Remove(tree, true);
    ASSERT_TRUE(removed) << at << ": " << removed.error().message;
    const Seen seen = Look(tree);
    EXPECT_TRUE(seen.system == wanted.system && seen.software == wanted.software) << at;
    EXPECT_EQ(seen.files, wanted.files) << at;
  }
}

TEST_P(ImageCommandsCut, EachCallFailingOnce) {
  const bool together = GetParam();
  const node::Settings settings = Settings();
  MemoryTree whole = tree_;
  ASSERT_TRUE(Apply(whole, settings, Install()));
  const Seen wanted = Look(whole);
  LastImage last_image;
  for (std::size_t at = 0; at < whole.calls; at += testing_support::CallStride()) {
    MemoryTree tree(together ? MemoryTree::Durable::kTogether : MemoryTree::Durable::kEach);
    for (const auto& [path, file] : tree_.content().files) tree.Put(file.spelling, file.bytes);
    tree.fail_at = at;
    const auto failed = Apply(tree, settings, Install());
    EXPECT_FALSE(failed) << at;
    tree.Reopen();
    if (!last_image.IsOther(tree)) continue;
    const auto again = Apply(tree, settings, Install());
    ASSERT_TRUE(again) << at << ": " << again.error().message;
    EXPECT_TRUE(Look(tree) == wanted) << at;
  }
}

INSTANTIATE_TEST_SUITE_P(Durable, ImageCommandsCut, testing::Bool(),
                         [](const auto& info) { return info.param ? "Together" : "EachByItself"; });

}  // namespace
}  // namespace prov::cli
