// Each command is killed at every call of a port: the machine is then as it was before, or as the command leaves it,
// never in between, whatever comes next: a repetition, an older payload, a rollback, a round.
#include <array>
#include <optional>

#include "provisioner/node/activity.h"
#include "provisioner/node/first_boot.h"
#include "provisioner/node/reconcile_once.h"
#include "tests/node/node_helpers.h"
#include "tests/registries/sources.h"
#include "tests/support/kills.h"
#include "tests/support/result.h"

namespace prov::node {
namespace {

using testing::AnyOf;
using testing::Contains;
using testing_support::MemoryHost;

using Command = std::function<Result<void>(OpenNode&)>;

constexpr std::int64_t kOldGeneration = 4;
constexpr std::int64_t kBetween = 6;
constexpr std::int64_t kNewGeneration = 7;

Settings Signed(Settings settings, const std::string& payload) {
  settings.payload = payload;
  settings.signer = "signer";
  return settings;
}

Settings Old() { return Signed(SampleSettings(kOldGeneration), "old"); }
Settings New() { return Signed(OtherSettings(kNewGeneration), "new"); }
Settings Between() {
  Settings out = Signed(OtherSettings(kBetween), "between");
  out.config.no_proxy = "between";
  return out;
}

template <class T>
Result<void> Only(const Result<T>& result) {
  return result ? Result<void>() : std::unexpected(result.error());
}

Command Applying(const Settings& settings, const ApplyOptions& options = {}) {
  return [settings, options](OpenNode& node) { return Only(ApplySettings(node, settings, options)); };
}
Command Trying(const Settings& settings) {
  return [settings](OpenNode& node) { return Only(TrySettings(node, settings, {}, 60)); };
}
Result<void> TakingBack(OpenNode& node) { return Only(Rollback(node)); }
Result<void> Confirming(OpenNode& node) { return Only(ConfirmTrial(node)); }
Result<void> Removing(OpenNode& node) { return Only(RemoveSettings(node)); }
Result<void> EndingWhatIsOpen(OpenNode& node) {
  BegunRun run = PROV_TRY(BeginRun(node));
  return PrepareToPlan(node, run);
}
Command Rounding(const Settings& settings) {
  return [settings](OpenNode& node) {
    return Only(RunRound(node.host, [&](const SettingsSpec&) -> Result<Settings> { return settings; }));
  };
}

Result<void> Do(MemoryHost& host, const Command& command) {
  OpenNode node = NodeOn(host);
  return command(node);
}

void MustDo(MemoryHost& host, const Command& command) { Must(Do(host, command)); }

MemoryHost After(MemoryHost host, const Command& command) {
  MustDo(host, command);
  return host;
}

// What a person would find, and what the program remembers; less what goes with the boot, what was only looked at, and
// what is still to be restarted.
std::string Seen(const MemoryHost& host) {
  std::string out = host.memory.content().Text();
  for (const auto& [file, text] : host.memory.files()) {
    if (file != machine::kStateFile && file != machine::kStatePreviousFile && file != kActivityFile) {
      out += file + ":\n" + text + "\n";
    }
  }
  for (const auto& [name, text] : host.memory.Sections()) {
    if (name == reconcile::kRebootSection || name == kBootsSection || name == kRestartSection) continue;
    out += name + ":\n" + text + "\n";
  }
  return out;
}

// The first line of each that the other one lacks; "" where they are the same. A failure prints this and no more.
std::string Difference(const std::string& a, const std::string& b) {
  if (a == b) return {};
  const auto [in_a, in_b] = std::ranges::mismatch(a, b);
  const auto line = [](const std::string& text, std::ptrdiff_t at) {
    const std::size_t begin = text.rfind('\n', static_cast<std::size_t>(at)) + 1;
    return text.substr(begin, text.find('\n', begin) - begin);
  };
  return "\"" + line(a, in_a - a.begin()) + "\" and \"" + line(b, in_b - b.begin()) + "\"";
}

bool IsTrial(MemoryHost host) {
  const auto open = reconcile::LoadJournal(host.memory.State());
  return open && *open && (*open)->trial;
}

bool IsRollback(MemoryHost host) {
  const auto open = reconcile::LoadJournal(host.memory.State());
  return open && *open && (*open)->is_rollback;
}

// What the machine answers to what may come next.
struct Answers {
  bool takes_old = false, takes_between = false, plans_between = false;
  std::string rolled_back;
  bool operator==(const Answers&) const = default;
};

Answers AnswersOf(const MemoryHost& host) {
  Answers out;
  MemoryHost older = host;
  out.takes_old = Do(older, Applying(Signed(OtherSettings(kOldGeneration), "another"))).has_value();
  MemoryHost between = host;
  out.plans_between = Do(between, [](OpenNode& node) { return Only(PlanSettings(node, Between(), {})); }).has_value();
  out.takes_between = Do(between, Applying(Between())).has_value();
  MemoryHost back = host;
  (void)Do(back, TakingBack);  // where there is nothing to take back nothing changes
  out.rolled_back = Seen(back);
  return out;
}

class CommandKill : public NodeTest {
 protected:
  CommandKill() {
    host_.memory.Put(reconcile::kEnv, reconcile::Sz("HTTP_PROXY", "http://before:1"));
    host_.services_by_name["containerd"].process_id = 7;
  }

  // A machine that has the old settings.
  MemoryHost WithOld() { return After(host_, Applying(Old())); }

  // What is left on `start` after each kill of `command`: the process alone, or the machine with it. What the kill
  // before left too is not looked at again: a call that only reads changes nothing.
  static void AtEveryCall(const MemoryHost& start, const Command& command,
                          const std::function<void(const MemoryHost& killed)>& look) {
    std::array<std::optional<MemoryHost>, 2> last_left;  // by the process alone, by the machine
    testing_support::KillAtEveryCall(
        start, [&](MemoryHost& host) { MustDo(host, command); },
        [&](const MemoryHost& killed, std::size_t call) {
          for (const bool boot : {false, true}) {
            SCOPED_TRACE(boot ? "then a boot" : "the process alone");
            MemoryHost host = killed;
            if (boot) testing_support::BootAfterKill(host, call);
            std::optional<MemoryHost>& before = last_left.at(boot ? 1 : 0);
            if (before && host.IsLeftLike(*before)) continue;
            before = host;
            look(host);
            if (HasFatalFailure()) return;
          }
        });
  }

  // Old or new, and repeated it gets there. Where the command opens a trial, what ends that comes before looking.
  static void ExpectOldOrNew(const MemoryHost& start, const Command& command) {
    const MemoryHost done = After(start, command);
    ASSERT_NE(Seen(start), Seen(done));
    ASSERT_FALSE(done.memory.files().contains("journal.json"));
    const Answers before = AnswersOf(start);
    const Answers after = AnswersOf(done);
    std::size_t news = 0;
    AtEveryCall(start, command, [&](const MemoryHost& killed) {
      const MemoryHost ended = After(killed, EndingWhatIsOpen);
      const bool is_new = Seen(ended) == Seen(done);
      ASSERT_EQ(Difference(Seen(ended), Seen(is_new ? done : start)), "");
      news += is_new ? 1 : 0;
      Answers wanted = is_new ? after : before;
      if (IsRollback(killed)) wanted.rolled_back = Seen(done);  // the one that was begun, and no other
      const Answers answers = AnswersOf(killed);
      ASSERT_EQ(answers.takes_old, wanted.takes_old);
      ASSERT_EQ(answers.takes_between, wanted.takes_between);
      ASSERT_EQ(answers.plans_between, wanted.plans_between) << "a plan goes by the journal, too";
      ASSERT_EQ(Difference(answers.rolled_back, wanted.rolled_back), "");
    });
    EXPECT_GT(news, 0U);
  }

  // Killed and called again, what is there is what one call makes.
  static void ExpectRepeatable(const MemoryHost& start, const Command& command) {
    const std::string wanted = Seen(After(start, command));
    AtEveryCall(start, command, [&](const MemoryHost& killed) {
      const MemoryHost again = After(killed, command);
      ASSERT_EQ(Difference(Seen(again), wanted), "");
      ASSERT_FALSE(again.memory.Section(kRestartSection));
    });
  }
};

TEST_F(CommandKill, ApplyIsOldOrNew) {
  ExpectOldOrNew(WithOld(), Applying(New()));
  ExpectRepeatable(WithOld(), Applying(New()));
}

TEST_F(CommandKill, TheFirstApplyIsOldOrNew) {
  ExpectOldOrNew(host_, Applying(New()));
  ExpectRepeatable(host_, Applying(New()));
}

TEST_F(CommandKill, AnApplyThatOnlyChangesWhatIsRememberedIsOldOrNew) {
  const Settings same = Signed(SampleSettings(kNewGeneration), "new");
  MemoryHost start = WithOld();
  MustDo(start, TakingBack);
  start = After(start, Applying(Old()));
  MustDo(start, [](OpenNode& node) { return Remember(node.machine.state, kHoldSection, HoldJson("another")); });
  ExpectOldOrNew(start, Applying(same));
  ExpectRepeatable(start, Applying(same));
}

TEST_F(CommandKill, ApplyOverATrialIsOldOrNew) {
  const MemoryHost start = After(WithOld(), Trying(Between()));
  const MemoryHost expired = After(start, EndingWhatIsOpen);
  const MemoryHost done = After(start, Applying(New()));
  AtEveryCall(start, Applying(New()), [&](const MemoryHost& killed) {
    const MemoryHost ended = After(killed, EndingWhatIsOpen);
    ASSERT_EQ(Difference(Seen(ended), Seen(Seen(ended) == Seen(done) ? done : expired)), "");
  });
  ExpectRepeatable(start, Applying(New()));
}

TEST_F(CommandKill, HostsTomlFilesAreOldOrNew) {
  const auto with_files = [](Settings settings, const std::string& mirror) {
    settings.options.scope.registries = true;
    settings.options.registry_folder = R"(C:\certs.d)";
    settings.config.mirrors = registries::Cluster({registries::Source("quay.io", {registries::ForAll(mirror)})});
    return settings;
  };
  host_.memory.PutFileOf(R"(C:\certs.d\quay.io\hosts.toml)", "server = 'https://theirs.example'\n");
  const MemoryHost start = After(host_, Applying(with_files(Old(), "old.example")));
  for (const Command& command : {Applying(with_files(New(), "new.example")), Command(Removing)}) {
    ExpectOldOrNew(start, command);
    ExpectRepeatable(start, command);
  }
}

TEST_F(CommandKill, RemoveIsOldOrNew) {
  MemoryHost start = WithOld();
  MustDo(start, [](OpenNode& node) { return SaveSource(node.machine.state, {SpecOf("payload")}); });
  ExpectOldOrNew(start, Removing);
  ExpectRepeatable(start, Removing);
}

TEST_F(CommandKill, RollbackIsOldOrNewAndTakesOneRunBack) {
  const MemoryHost start = After(WithOld(), Applying(New()));
  ExpectOldOrNew(start, TakingBack);
}

TEST_F(CommandKill, RollbackOfATrialLeavesTheRunBefore) {
  const MemoryHost start = After(WithOld(), Trying(New()));
  const MemoryHost done = After(start, TakingBack);
  const Answers after = AnswersOf(done);
  AtEveryCall(start, TakingBack, [&](const MemoryHost& killed) {
    MemoryHost again = killed;
    const bool over = !again.memory.files().contains("journal.json");  // killed behind its last write
    (void)Do(again, TakingBack);
    ASSERT_EQ(Difference(Seen(again), over ? after.rolled_back : Seen(done)), "");
    ASSERT_EQ(Difference(Seen(After(killed, EndingWhatIsOpen)), Seen(done)), "");
  });
}

TEST_F(CommandKill, ATrialIsOpenOrNeverWas) {
  const MemoryHost start = WithOld();
  const MemoryHost open = After(start, Trying(New()));
  const MemoryHost back = After(open, TakingBack);
  const MemoryHost confirmed = After(open, Confirming);
  AtEveryCall(start, Trying(New()), [&](const MemoryHost& killed) {
    const bool trial = IsTrial(killed);
    ASSERT_EQ(Difference(Seen(After(killed, EndingWhatIsOpen)), trial ? Seen(back) : Seen(start)), "");
    MemoryHost rolled = killed;
    MustDo(rolled, TakingBack);
    ASSERT_EQ(Difference(Seen(rolled), trial ? Seen(back) : AnswersOf(start).rolled_back), "");
    MemoryHost confirming = killed;
    ASSERT_EQ(Do(confirming, Confirming).has_value(), trial);
    ASSERT_EQ(Difference(Seen(confirming), trial ? Seen(confirmed) : Seen(start)), "");
    ASSERT_EQ(AnswersOf(confirming).takes_between, !trial);
    ASSERT_EQ(Difference(Seen(After(killed, Applying(New()))), Seen(After(start, Applying(New())))), "");
  });
}

TEST_F(CommandKill, ConfirmIsOldOrNew) {
  const MemoryHost start = After(WithOld(), Trying(New()));
  const MemoryHost back = After(start, EndingWhatIsOpen);
  const MemoryHost done = After(start, Confirming);
  AtEveryCall(start, Confirming, [&](const MemoryHost& killed) {
    const bool trial = IsTrial(killed);
    const MemoryHost ended = After(killed, EndingWhatIsOpen);
    ASSERT_EQ(Difference(Seen(ended), trial ? Seen(back) : Seen(done)), "");
    const Answers answers = AnswersOf(killed);
    ASSERT_EQ(answers.takes_between, trial);
    ASSERT_EQ(Difference(answers.rolled_back, trial ? Seen(back) : AnswersOf(done).rolled_back), "");
    MemoryHost again = killed;
    ASSERT_EQ(Do(again, Confirming).has_value(), trial) << "there is none any more";
    ASSERT_EQ(Difference(Seen(again), Seen(done)), "");
  });
}

TEST_F(CommandKill, ATrialThatExpiresInARoundIsOldOrNew) {
  MemoryHost start = host_;
  const Delivery delivery{SpecOf("payload"), true, {}};
  MustDo(start, [&](OpenNode& node) { return Only(FirstBoot(node, Old(), delivery, {})); });
  MustDo(start, Trying(New()));
  start.now += 61;
  ExpectRepeatable(start, Rounding(New()));
  const MemoryHost done = After(start, Rounding(New()));
  AtEveryCall(start, Rounding(New()), [&](const MemoryHost& killed) {
    ASSERT_EQ(Difference(Seen(After(killed, EndingWhatIsOpen)), Seen(done)), "");
  });
}

TEST_F(CommandKill, ARoundIsOldOrNew) {
  MemoryHost start = host_;
  const Delivery delivery{SpecOf("payload"), true, {}};
  MustDo(start, [&](OpenNode& node) { return Only(FirstBoot(node, Old(), delivery, {})); });
  ExpectOldOrNew(start, Rounding(New()));
  ExpectRepeatable(start, Rounding(New()));
}

TEST_F(CommandKill, ARoundThatAdoptsIsOldOrNew) {
  MemoryHost start = host_;
  start.memory.Put(reconcile::kEnv, reconcile::Sz("NO_PROXY", ".svc,10.0.0.0/16,localhost,example.com"));
  MustDo(start, [](OpenNode& node) { return SaveSource(node.machine.state, {SpecOf("payload"), true, true}); });
  ExpectOldOrNew(start, Rounding(Old()));
  ExpectRepeatable(start, Rounding(Old()));
}

// Its source is stored before the program, so that the boot service finishes what is cut short.
TEST_F(CommandKill, AFirstBootIsNotBegunOrTheNextRoundFinishesIt) {
  const Delivery delivery{SpecOf("payload"), true, {R"(C:\x\egress.json)"}};
  const Command first_boot = [&](OpenNode& node) { return Only(FirstBoot(node, New(), delivery, {})); };
  // As the boot service finds it, which is installed between the source and the settings.
  const MemoryHost start = After(host_, [](OpenNode& node) -> Result<void> {
    PROV_TRY(InstallProgramAndService(node));
    return node.machine.registry.Flush();
  });
  const MemoryHost done = After(start, first_boot);
  const Answers after = AnswersOf(done);
  std::size_t begun = 0;
  AtEveryCall(start, first_boot, [&](const MemoryHost& killed) {
    MemoryHost again = killed;
    const auto round = Do(again, Rounding(New()));
    if (!round) {
      ASSERT_EQ(round.error().code, Code::kNotFound);
      ASSERT_EQ(Difference(Seen(again), Seen(start)), "");
      return;
    }
    ++begun;
    ASSERT_EQ(Difference(Seen(again), Seen(done)), "");
    ASSERT_THAT(again.removed_files, Contains(R"(C:\x\egress.json)"));
    ASSERT_TRUE(AnswersOf(again) == after);
  });
  EXPECT_GT(begun, 0U);
  ExpectRepeatable(host_, first_boot);
}

TEST_F(CommandKill, InstallingTheServiceStoresAllOfASourceOrNothing) {
  const MemoryHost start = WithOld();
  const Delivery delivery{SpecOf("other"), true, {R"(C:\y\egress.json)"}};
  const DerivedSettings settings = Derive(New()).value();
  const Command install = [&](OpenNode& node) {
    Findings findings;
    return Only(InstallService(node, &settings, delivery, findings));
  };
  const MemoryHost done = After(start, install);
  AtEveryCall(start, install, [&](const MemoryHost& killed) {
    const auto sections = After(killed, EndingWhatIsOpen).memory.Sections();
    ASSERT_THAT(sections, AnyOf(start.memory.Sections(), done.memory.Sections()));
  });
  ExpectRepeatable(start, install);
}

TEST_F(CommandKill, ASourceThatIsStoredDuringATrialLeavesThatOpen) {
  const MemoryHost start = After(WithOld(), Trying(New()));
  const DerivedSettings settings = Derive(New()).value();
  const Command install = [&](OpenNode& node) {
    Findings findings;
    return Only(InstallService(node, &settings, {SpecOf("other"), true, {R"(C:\y\egress.json)"}}, findings));
  };
  AtEveryCall(start, install, [&](const MemoryHost& killed) {
    ASSERT_TRUE(IsTrial(killed));
    MemoryHost looked = killed;
    const auto source = LoadSource(looked.memory.State()).value();
    ASSERT_EQ(source.has_value(), LastGoodSettings(looked.memory.State()).has_value()) << "both or neither";
    const MemoryHost ended = After(killed, EndingWhatIsOpen);
    ASSERT_EQ(ended.memory.Section(kSourceSection).has_value(), source.has_value());
    ASSERT_EQ(ended.memory.Section("scrub").has_value(), source.has_value());
  });
  ExpectRepeatable(start, install);
}

// A service that was to be restarted is, by the next run of the same boot; a boot starts it anew.
TEST_F(CommandKill, AServiceThatWasToBeRestartedIsByTheNextRun) {
  const MemoryHost start = WithOld();
  const Command restarting = Applying(New(), {.restart_services = true});
  ASSERT_THAT(After(start, restarting).restarted, testing::ElementsAre("containerd"));
  std::size_t late = 0;
  AtEveryCall(start, restarting, [&](const MemoryHost& killed) {
    const bool booted = killed.memory.log.empty();
    const bool before = !killed.restarted.empty();
    MemoryHost again = killed;
    const bool is_new = Seen(After(killed, EndingWhatIsOpen)) != Seen(start);
    MustDo(again, Applying(New()));
    ASSERT_FALSE(again.memory.Section(kRestartSection));
    if (!is_new) return;  // who applies it then says whether to restart
    if (booted) {
      ASSERT_EQ(again.restarted.size(), killed.restarted.size());
    } else {
      ASSERT_THAT(again.restarted, Contains("containerd"));  // twice, if it was killed just behind the first
    }
    late += !before && !booted ? 1 : 0;
  });
  EXPECT_GT(late, 0U) << "the case is among them";
}

}  // namespace
}  // namespace prov::node
