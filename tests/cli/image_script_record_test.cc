// The commands on an image of a node that a payload's script set up.
#include <gmock/gmock.h>

#include "tests/cli/image_command_fixture.h"
#include "tests/reconcile/script_run.h"
#include "tests/support/amount.h"
#include "tests/support/result.h"

namespace prov::cli {
namespace {

using image_commands::ImageCommands;
using image_commands::Look;
using image_commands::Seen;
using testing::Contains;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing_support::MemoryTree;

constexpr char kRecord[] = "ProgramData/Provisioner/script-state.json";

class ImageScriptRecord : public ImageCommands {
 protected:
  ImageScriptRecord() : before_(Look(tree_)) {
    const auto host = Open(tree_);
    const auto target = Must(OpenTarget(*host, machine::Access::kWrite));
    const node::Settings settings = Settings();
    reconcile::ScriptRun(target.Node(*host).machine)
        .Apply(reconcile::MakeDesiredState(settings.config, settings.options).value());
    EXPECT_TRUE(host->Commit());
    script_ = Look(tree_);
    EXPECT_FALSE(script_ == before_);
    tree_.log.clear();
    tree_.calls = 0;
  }

  // Less the folder that the script made and nobody has a record of.
  static bool IsAsBefore(const MemoryTree& tree, const Seen& before) {
    const Seen seen = Look(tree);
    return seen.files == before.files && seen.system == before.system && seen.software == before.software;
  }

  const Seen before_;
  Seen script_;
};

TEST_F(ImageScriptRecord, RemoveUndoesWhatTheScriptDid) {
  for (const bool all : {false, true}) {
    MemoryTree tree = tree_;
    const auto removed = Must(Remove(tree, all));
    EXPECT_GT(removed.writes, 0U);
    EXPECT_FALSE(tree.At(kRecord));
    const Seen seen = Look(tree);
    EXPECT_TRUE(seen.system == before_.system && seen.software == before_.software);
    if (all) {
      EXPECT_EQ(seen.files, before_.files);
    }
  }
}

TEST_F(ImageScriptRecord, StatusAndPlanReadItAndWriteNothing) {
  const node::NodeStatus status = Status(tree_);
  EXPECT_GT(status.engine.ledger.size(), 5U);
  EXPECT_THAT(status.engine.drift, IsEmpty());
  EXPECT_TRUE(status.engine.script);
  EXPECT_FALSE(status.engine.reboot_required) << "nothing runs";
  const auto host = Open(tree_);
  const auto planned = Must(PlanImage(*host, Settings(), {}, {}));
  EXPECT_THAT(planned.findings, Contains(Field(&Finding::code, "script-state")));
  for (const reconcile::Change& change : planned.changes) {
    EXPECT_EQ(change.reason.find("before us"), std::string::npos) << change.name;
  }
  EXPECT_THAT(tree_.log, IsEmpty());
}

TEST_F(ImageScriptRecord, ApplyTakesItOver) {
  ASSERT_TRUE(Apply(tree_, Settings(), Install()));
  EXPECT_FALSE(tree_.At(kRecord));
  EXPECT_FALSE(Status(tree_).Differs());
  ASSERT_TRUE(Remove(tree_, true));
  EXPECT_TRUE(IsAsBefore(tree_, before_));
}

TEST_F(ImageScriptRecord, ADamagedOneIsNeverRemoved) {
  ASSERT_TRUE(tree_.Write(kRecord, "{\"sche", images::FileUse::kSecret));
  const Seen damaged = Look(tree_);
  const auto refused = [&](const Result<reconcile::RunReport>& result) {
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, Code::kJson);
    EXPECT_THAT(result.error().message, HasSubstr("restore it from a backup"));
    EXPECT_TRUE(Look(tree_) == damaged);
  };
  refused(Remove(tree_, true));
  refused(Remove(tree_, false));
  refused(Apply(tree_, Settings(), {}));
  refused(Apply(tree_, Settings(), Install()));
  EXPECT_TRUE(Status(tree_).engine.damage);
}

TEST_F(ImageScriptRecord, CutAtAnyCallTheNextRemoveAllFinishes) {
  for (const auto durable : {MemoryTree::Durable::kEach, MemoryTree::Durable::kTogether}) {
    MemoryTree whole = ImageIn(durable);
    ASSERT_TRUE(Remove(whole, true));
    const std::size_t calls = whole.calls;
    ASSERT_GT(calls, 20U);
    image_commands::LastImage last_image;
    for (std::size_t at = 0; at < calls; at += testing_support::CallStride()) {
      for (const bool after : {false, true}) {
        MemoryTree tree = ImageIn(durable);
        (after ? tree.stop_after : tree.stop_before) = at;
        EXPECT_THROW((void)Remove(tree, true), testing_support::PowerFailure) << at;
        tree.Reopen();
        if (!last_image.IsOther(tree)) continue;
        const auto removed = Remove(tree, true);
        ASSERT_TRUE(removed) << at << ": " << removed.error().message;
        ASSERT_TRUE(IsAsBefore(tree, before_)) << "call " << at << (after ? ", after it" : ", before it");
      }
    }
  }
}

}  // namespace
}  // namespace prov::cli
