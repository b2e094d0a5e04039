// Each command on an image is killed at every call of the image's files: the image is then as it was before, or as the
// command leaves it, whatever command comes next: a repetition, an older payload, a rollback.
#include <gmock/gmock.h>

#include <algorithm>

#include "provisioner/node/rollback.h"
#include "provisioner/reconcile/journal.h"
#include "tests/cli/image_command_fixture.h"
#include "tests/support/amount.h"

namespace prov::cli {
namespace {

using image_commands::ImageCommands;
using image_commands::Look;
using image_commands::Seen;
using testing_support::MemoryTree;

constexpr std::string_view kJournal = "ProgramData/Provisioner/journal.json";

constexpr std::int64_t kOldGeneration = 4;
constexpr std::int64_t kBetween = 6;
constexpr std::int64_t kNewGeneration = 7;

class ImageCommandKill : public ImageCommands, public testing::WithParamInterface<MemoryTree::Durable> {
 protected:
  using Command = std::function<Result<void>(MemoryTree&)>;

  ImageCommandKill() {
    old_ = Payload(Settings(), kOldGeneration);
    new_ = Payload(Settings({"--service=kubelet"}), kNewGeneration);
    new_.config.http_proxy = Secret("http://other.example.com:8080");
    between_ = Payload(new_, kBetween);
    between_.config.no_proxy = "between";
  }

  static node::Settings Payload(node::Settings settings, std::int64_t generation) {
    settings.generation = generation;
    settings.payload = std::to_string(generation);
    settings.signer = "signer";
    return settings;
  }

  Command Applying(const node::Settings& settings, const node::ImageOptions& options = {}) {
    return [this, settings, options](MemoryTree& tree) -> Result<void> {
      PROV_TRY(Apply(tree, settings, options));
      return {};
    };
  }
  Command Removing(bool all) {
    return [this, all](MemoryTree& tree) -> Result<void> {
      PROV_TRY(Remove(tree, all));
      return {};
    };
  }
  Result<void> OnNode(MemoryTree& tree, const std::function<Result<void>(node::OpenNode&)>& step) {
    const auto host = Open(tree);
    {
      const Target target = PROV_TRY(OpenTarget(*host, machine::Access::kWrite));
      node::OpenNode node = target.Node(*host);
      PROV_TRY(step(node));
    }
    PROV_TRY(host->Commit());
    return tree.WritesTogether() ? tree.Commit() : Result<void>();
  }
  Result<void> TakeBack(MemoryTree& tree) {
    return OnNode(tree, [](node::OpenNode& node) -> Result<void> {
      PROV_TRY(node::Rollback(node, PROV_TRY(node::BeginRun(node))));
      return {};
    });
  }
  Result<void> EndOpenRun(MemoryTree& tree) {
    return OnNode(tree, [](node::OpenNode& node) -> Result<void> {
      node::BegunRun run = PROV_TRY(node::BeginRun(node));
      return node::PrepareToPlan(node, run);
    });
  }

  MemoryTree Start() const { return ImageIn(GetParam()); }
  static MemoryTree After(MemoryTree tree, const Command& command) {
    const auto done = command(tree);
    EXPECT_TRUE(done) << done.error().message << " (" << done.error().where << ")";
    return tree;
  }

  // What an image answers to what may come next.
  struct Answers {
    bool takes_old = false, takes_between = false;
    Seen rolled_back;
    bool operator==(const Answers&) const = default;
  };
  Answers AnswersOf(const MemoryTree& tree) {
    Answers out;
    node::Settings another = between_;
    another.generation = kOldGeneration;
    MemoryTree older = tree;
    out.takes_old = Applying(another)(older).has_value();
    MemoryTree between = tree;
    out.takes_between = Applying(between_)(between).has_value();
    MemoryTree back = tree;
    (void)TakeBack(back);  // where there is nothing to take back nothing changes
    out.rolled_back = Look(back);
    return out;
  }

  static void AtEveryCall(const MemoryTree& start, const Command& command,
                          const std::function<void(const MemoryTree& killed)>& look) {
    MemoryTree whole = start;
    whole.calls = 0;
    ASSERT_TRUE(command(whole));
    const std::size_t calls = whole.calls;
    ASSERT_GT(calls, 10U);
    // The last one always: there the command has become true.
    const std::size_t last = calls - 1;
    image_commands::LastImage last_image;
    for (std::size_t call = 0; call < calls;
         call = call == last ? calls : std::min(call + testing_support::CallStride(), last)) {
      for (const auto stop : {&MemoryTree::stop_before, &MemoryTree::stop_after}) {
        SCOPED_TRACE("call " + std::to_string(call) + (stop == &MemoryTree::stop_after ? ", after" : ", before"));
        MemoryTree tree = start;
        tree.calls = 0;
        tree.*stop = call;
        ASSERT_THROW((void)command(tree), testing_support::PowerFailure);
        tree.Reopen();
        if (!last_image.IsOther(tree)) continue;
        look(tree);
        if (HasFatalFailure()) return;
      }
    }
  }

  static bool IsRollback(const MemoryTree& tree) {
    const auto journal = tree.At(kJournal);
    return journal && reconcile::ParseTransaction(*journal, "journal.json")->is_rollback;
  }

  void ExpectOldOrNew(const MemoryTree& start, const Command& command) {
    const MemoryTree done = After(start, command);
    const Seen old_seen = Look(start);
    const Seen new_seen = Look(done);
    const Answers before = AnswersOf(start);
    const Answers after = AnswersOf(done);
    std::size_t news = 0;
    AtEveryCall(start, command, [&](const MemoryTree& killed) {
      const Seen ended = Look(After(killed, [this](MemoryTree& tree) { return EndOpenRun(tree); }));
      ASSERT_TRUE(ended == old_seen || ended == new_seen);
      const bool is_new = ended == new_seen;
      news += is_new ? 1 : 0;
      Answers wanted = is_new ? after : before;
      if (IsRollback(killed)) wanted.rolled_back = new_seen;
      const Answers answers = AnswersOf(killed);
      ASSERT_EQ(answers.takes_old, wanted.takes_old);
      ASSERT_EQ(answers.takes_between, wanted.takes_between);
      ASSERT_TRUE(answers.rolled_back == wanted.rolled_back);
    });
    EXPECT_GT(news, 0U);
  }

  void ExpectRepeatable(const MemoryTree& start, const Command& command) {
    const Seen wanted = Look(After(start, command));
    AtEveryCall(start, command, [&](const MemoryTree& killed) { ASSERT_TRUE(Look(After(killed, command)) == wanted); });
  }

  node::Settings old_, new_, between_;
};

TEST_P(ImageCommandKill, ApplyIsOldOrNew) {
  const MemoryTree start = After(Start(), Applying(old_));
  ExpectOldOrNew(start, Applying(new_));
  ExpectRepeatable(start, Applying(new_));
}

TEST_P(ImageCommandKill, TheFirstApplyIsOldOrNew) {
  ExpectOldOrNew(Start(), Applying(new_));
  ExpectRepeatable(Start(), Applying(new_));
}

TEST_P(ImageCommandKill, RemoveIsOldOrNew) {
  const MemoryTree start = After(Start(), Applying(old_));
  ExpectOldOrNew(start, Removing(false));
  ExpectRepeatable(start, Removing(false));
}

TEST_P(ImageCommandKill, RollbackIsOldOrNewAndTakesOneRunBack) {
  const MemoryTree first = After(Start(), Applying(old_));
  const MemoryTree start = After(first, Applying(new_));
  const Command back = [this](MemoryTree& tree) { return TakeBack(tree); };
  const Seen taken_back = Look(After(start, back)), wanted = Look(first);
  EXPECT_TRUE(taken_back.system == wanted.system && taken_back.software == wanted.software);
  ExpectOldOrNew(start, back);
}

// The files of the payload come one by one, and the record says so. What was applied, what is kept of it and what a
// rollback takes back are of one payload all the same.
TEST_P(ImageCommandKill, AnInstallationIsOldOrNewInWhatItRemembers) {
  const MemoryTree start = After(Start(), Applying(old_, Install()));
  const MemoryTree done = After(start, Applying(new_, Install()));
  const auto kept = [](const MemoryTree& tree) { return Section(tree, node::kSettingsSection).value(); };
  const auto rolled_back = [this](MemoryTree tree) {
    EXPECT_TRUE(TakeBack(tree));
    const Seen seen = Look(tree);
    return std::pair(Section(tree, node::kHoldSection).value(), seen.software);
  };
  ASSERT_NE(kept(start), kept(done));
  AtEveryCall(start, Applying(new_, Install()), [&](const MemoryTree& killed) {
    const MemoryTree ended = After(killed, [this](MemoryTree& tree) { return EndOpenRun(tree); });
    const bool is_new = kept(ended) == kept(done);
    ASSERT_TRUE(is_new || kept(ended) == kept(start));
    MemoryTree between = killed;
    ASSERT_EQ(Applying(between_, Install())(between).has_value(), !is_new);
    ASSERT_TRUE(rolled_back(killed) == rolled_back(is_new ? done : start));
  });
}

TEST_P(ImageCommandKill, RemoveAllIsFinishedByARepetition) {
  const MemoryTree start = After(Start(), Applying(old_, Install()));
  ExpectRepeatable(start, Removing(true));
}

// A cut run is seen, unless nothing of it is there; the next apply and the next removal end as if nothing had happened.
TEST_P(ImageCommandKill, TheFirstInstallationIsFinishedOrTakenBackByTheNextRun) {
  const Seen nothing = Look(tree_);
  const Command apply = Applying(Settings(), Install());
  const Seen wanted = Look(After(Start(), apply));
  std::size_t open = 0;
  AtEveryCall(Start(), apply, [&](MemoryTree killed) {
    open += Status(killed).Differs() ? 1 : 0;
    MemoryTree applied = After(killed, apply);
    ASSERT_TRUE(Look(applied) == wanted);
    ASSERT_FALSE(Status(applied).Differs());
    const Seen removed = Look(After(killed, Removing(true)));
    ASSERT_TRUE(removed.system == nothing.system && removed.software == nothing.software);
    ASSERT_EQ(removed.files, nothing.files);
  });
  EXPECT_EQ(open == 0, GetParam() == MemoryTree::Durable::kTogether);
}

TEST_P(ImageCommandKill, WhereAnyCallFailsTheNextApplyFinishes) {
  const Command apply = Applying(Settings(), Install());
  const MemoryTree whole = After(Start(), apply);
  image_commands::LastImage last_image;
  for (std::size_t at = 0; at < whole.calls; at += testing_support::CallStride()) {
    MemoryTree tree = Start();
    tree.fail_at = at;
    EXPECT_FALSE(apply(tree)) << at;
    tree.Reopen();
    if (last_image.IsOther(tree)) {
      EXPECT_TRUE(Look(After(tree, apply)) == Look(whole)) << at;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Durable, ImageCommandKill,
                         testing::Values(MemoryTree::Durable::kEach, MemoryTree::Durable::kTogether));

}  // namespace
}  // namespace prov::cli
