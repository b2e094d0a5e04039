// A node that a payload's script set up, before and after each command of this program.
#include "provisioner/base/hash.h"
#include "provisioner/node/reconcile_once.h"
#include "provisioner/node/status.h"
#include "tests/node/node_helpers.h"
#include "tests/reconcile/script_run.h"
#include "tests/support/result.h"

namespace prov::node {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing_support::MemoryMachine;

class ScriptNode : public NodeTest {
 protected:
  ScriptNode() {
    host_.memory.Put(reconcile::kEnv, reconcile::Sz("HTTP_PROXY", "http://before:1"));
    before_ = host_.memory.content().Text();
    reconcile::ScriptRun(host_.memory.Ports()).Apply(Wanted(SampleSettings()));
    host_.memory.log.clear();
    host_.memory.calls = 0;
  }

  static reconcile::DesiredState Wanted(const Settings& settings) {
    return reconcile::MakeDesiredState(settings.config, settings.options).value();
  }

  std::string before_;
};

TEST_F(ScriptNode, RollbackTellsWhatOthersChangedAndLeavesIt) {
  host_.memory.Put(reconcile::kEnv, reconcile::Sz("HTTP_PROXY", "http://mine:1"));
  OpenNode n = node();
  const auto report = Must(Rollback(n));
  EXPECT_THAT(report.findings, Contains(testing::AllOf(testing::Field(&Finding::code, "changed-since"),
                                                       testing::Field(&Finding::where, "env HTTP_PROXY"))));
  EXPECT_EQ(Variable("HTTP_PROXY"), "http://mine:1");
  EXPECT_EQ(Variable("NO_PROXY"), std::nullopt);
}

TEST_F(ScriptNode, RollbackAfterAnApplyThatChangedNothingTakesTheScriptsRunBack) {
  Settings settings = SampleSettings();
  settings.config.http_proxy = settings.config.https_proxy = Secret("http://open.example.com:3128");
  host_.memory = MemoryMachine();
  reconcile::PutWindows(host_.memory);
  before_ = host_.memory.content().Text();
  reconcile::ScriptRun(host_.memory.Ports()).Apply(Wanted(settings));
  OpenNode n = node();
  EXPECT_EQ(Must(ApplySettings(n, settings, {})).writes, 0U);
  Must(Rollback(n));
  EXPECT_EQ(host_.memory.content().Text(), before_);
}

TEST_F(ScriptNode, ATrialKeepsWhatWasThereBeforeTheScript) {
  const auto script = host_.memory.content().Text();
  OpenNode n = node();
  EXPECT_TRUE(Must(TrySettings(n, OtherSettings(), {}, 60)).trial);
  Must(Rollback(n));
  EXPECT_EQ(host_.memory.content().Text(), script);
  Must(TrySettings(n, OtherSettings(), {}, 60));
  Must(ConfirmTrial(n));
  Must(RemoveSettings(n));
  EXPECT_EQ(host_.memory.content().Text(), before_);
}

TEST_F(ScriptNode, ARoundThatHasNoSourceLeavesTheRecordToTheScript) {
  const auto round = RunRound(host_, [](const SettingsSpec&) -> Result<Settings> { return SampleSettings(); });
  ASSERT_FALSE(round);
  EXPECT_EQ(round.error().code, Code::kNotFound);
  EXPECT_TRUE(HasFile("script-state.json"));
}

TEST_F(ScriptNode, ItsCertificatesCountForTheShrinkGuard) {
  Settings many = SampleSettings();
  const pki::Certificate sample = testing_support::SampleCertificates().at(2);
  for (char i = 1; i < 9; ++i) {
    pki::Certificate certificate = sample;
    certificate.der += i;
    certificate.sha1 = ToHex(Sha1(certificate.der));
    certificate.sha256 = ToHex(Sha256(certificate.der));
    many.config.certificates.push_back(std::move(certificate));
  }
  reconcile::ScriptRun(host_.memory.Ports()).Apply(Wanted(many));
  Settings few = SampleSettings();
  few.config.source = {"PemBundle", "", ""};
  few.config.certificates.resize(1);
  OpenNode n = node();
  EXPECT_EQ(PlanSettings(n, few, {}).error().code, Code::kShrink);
}

TEST_F(ScriptNode, WithADamagedRecordNothingIsWritten) {
  host_.memory.files()["script-state.json"] = "{\"sche";
  ASSERT_TRUE(SaveSource(host_.memory.State(), {SpecOf("payload")}));
  const auto files = host_.memory.files();
  const auto content = host_.memory.content().Text();
  OpenNode n = node();
  const auto refused = [&](const Result<reconcile::RunReport>& result) {
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, Code::kJson);
    EXPECT_THAT(result.error().message, HasSubstr("restore it from a backup"));
    EXPECT_EQ(host_.memory.files(), files);
    EXPECT_EQ(host_.memory.content().Text(), content);
  };
  refused(RemoveSettings(n));
  refused(Rollback(n));
  refused(PlanSettings(n, SampleSettings(), {}));
  refused(ApplySettings(n, SampleSettings(), {}));
  refused(TrySettings(n, SampleSettings(), {}, 60));
  const auto status = Must(StatusOf(n));
  EXPECT_TRUE(status.engine.damage);
  EXPECT_TRUE(status.Differs());
}

}  // namespace
}  // namespace prov::node
