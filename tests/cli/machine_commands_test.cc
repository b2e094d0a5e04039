// The commands that act on a machine, in this process, on a machine in memory.
#include <gmock/gmock.h>

#include "provisioner/node/records.h"
#include "provisioner/reconcile/desired_state.h"
#include "provisioner/reconcile/items.h"
#include "provisioner/reconcile/ledger.h"
#include "provisioner/userdata/user_data_container.h"
#include "tests/cli/machine_commands_fixture.h"
#include "tests/support/finding_codes.h"
#include "tests/support/paths.h"
#include "tests/support/result.h"
#include "tests/support/sample.h"

namespace prov::cli {
namespace {

namespace fs = std::filesystem;
using machine_commands::MachineCommands;
using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::UnorderedElementsAre;

TEST_F(MachineCommands, PlanShowsAndExits4AndWritesNothing) {
  const auto report = Json(PlanCommand, {source_, "--service", "containerd"}, 4);
  EXPECT_STREQ(report["target"].GetString(), "this machine");
  EXPECT_TRUE(report["rebootRequired"].GetBool());
  EXPECT_GT(report["writes"].GetInt(), 0);
  std::set<std::string> kinds;
  for (const auto& change : report["changes"].GetArray()) {
    kinds.insert(change["kind"].GetString());
    const bool key = change["kind"] == "service";  // which is there, and is closed to users
    EXPECT_STREQ(change["action"].GetString(), key ? "update" : "create") << change["name"].GetString();
  }
  EXPECT_THAT(kinds, UnorderedElementsAre("env", "serviceEnv", "service", "winHttp", "certificate"));
  EXPECT_THAT(host_.memory.log, IsEmpty());
  EXPECT_THAT(host_.memory.files(), IsEmpty());
}

TEST_F(MachineCommands, ApplyTwice) {
  const auto first = Must(Run(ApplyCommand, {source_}));
  EXPECT_EQ(first.exit, 0);
  EXPECT_THAT(first.out, HasSubstr("+ created  env          HTTP_PROXY  http://"));
  EXPECT_THAT(first.out, HasSubstr("reboot required"));
  host_.memory.log.clear();
  const auto second = Must(Run(ApplyCommand, {source_}));
  EXPECT_THAT(second.out, HasSubstr("no changes"));
  EXPECT_THAT(host_.memory.log, IsEmpty());
  EXPECT_EQ(Json(PlanCommand, {source_})["writes"].GetInt(), 0);
}

// Its certificates are at a URL.
TEST_F(MachineCommands, UserDataWithoutItsCertificatesIsShownAndNotPassedOn) {
  const egress::EgressConfig config = testing_support::SampleConfig();
  source_ = (root_ / "u.egress").string();
  WriteSource(userdata::MakeContainer(config, *reconcile::MakeDesiredState(config, {}),
                                      {.bundle = userdata::Download{"http://h/x", std::string(64, 'a')}}));
  const std::string out = (root_ / "out").string();
  EXPECT_TRUE(Run(ExtractCommand, {source_}));
  EXPECT_TRUE(Run(PlanCommand, {source_}));
  EXPECT_TRUE(Run(BakeCommand, {source_, "--out", out, "--scope", "machine"}));
  for (const auto& refused : {Run(ApplyCommand, {source_}), Run(BakeCommand, {source_, "--out", out}),
                              Run(FleetCommand, {"status", "kube://", "--source", source_})}) {
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Code::kRemoteSource);
    EXPECT_THAT(refused.error().message, HasSubstr("give the SOURCE that it was baked from"));
  }
}

TEST_F(MachineCommands, TheWayInWhichARebootIsTold) {
  EXPECT_EQ(Run(ApplyCommand, {source_, "--exit-style", "msi"})->exit, 3010);
  EXPECT_EQ(Run(ApplyCommand, {source_, "--exit-style", "cloudbase"})->exit, 1001);
  EXPECT_EQ(host_.reboot_reason, std::nullopt);
  EXPECT_EQ(Run(ApplyCommand, {source_, "--reboot", "now"})->exit, 0);
  EXPECT_NE(host_.reboot_reason, std::nullopt);
  host_.memory.Boot(testing_support::MemoryMachine::Unflushed::kKept);
  EXPECT_EQ(Run(ApplyCommand, {source_, "--exit-style", "msi"})->exit, 0) << "the boot has taken place";
  EXPECT_EQ(Run(ApplyCommand, {source_, "--reboot", "annotate"}).error().code, Code::kUsage);
}

TEST_F(MachineCommands, AFirstBootWithoutNetworkLeavesTheRestToTheService) {
  const std::string url = "https://h.example.com/worker.json";
  const std::string ca = testing_support::TestsFolder() + "/sample/corporate-root.pem";
  EXPECT_EQ(Run(FirstBootCommand, {url}).error().code, Code::kUsage) << "no CA";
  EXPECT_FALSE(host_.program_installed);
  const Error boot = ErrorIn(Run(FirstBootCommand, {url, "--ca", ca, "--source-timeout", "1"}));
  EXPECT_EQ(boot.code, Code::kNetwork);
  EXPECT_THAT(boot.message, HasSubstr("tries again"));
  EXPECT_TRUE(host_.program_installed);
  EXPECT_EQ(Run(FirstBootCommand, {url, "--ca", ca, "--source-timeout", "1", "--phase", "specialize"})->exit, 0);
}

TEST_F(MachineCommands, StatusTellsDrift) {
  EXPECT_EQ(Json(StatusCommand, {})["ledger"].MemberCount(), 0U);
  ASSERT_TRUE(Run(FirstBootCommand, {source_, "--service", "containerd"}));
  auto& service = host_.services_by_name["containerd"];
  service.process_id = 42;
  service.environment = {"Path=x", "HTTP_PROXY=http://user:S3cret@old:1"};
  host_.memory.Erase(reconcile::kEnv, "NO_PROXY");
  const auto status = Json(StatusCommand, {}, 4);
  ASSERT_EQ(status["drift"].Size(), 1U);
  EXPECT_STREQ(status["drift"][0]["name"].GetString(), "NO_PROXY");
  EXPECT_FALSE(status["openTransaction"].GetBool());
  ASSERT_EQ(status["services"].Size(), 1U);
  EXPECT_TRUE(status["services"][0]["stale"].GetBool());
  EXPECT_STREQ(status["services"][0]["environment"]["HTTP_PROXY"].GetString(), "http://user:***@old:1");
  EXPECT_STREQ(status["source"]["location"].GetString(), source_.c_str());
  const auto text = Run(StatusCommand, {});
  EXPECT_THAT(text->out, HasSubstr("drift    env NO_PROXY is gone"));
  EXPECT_THAT(text->out, HasSubstr("runs with an earlier environment (HTTP_PROXY, HTTPS_PROXY, NO_PROXY); drain "
                                   "the node, then Restart-Service -Force 'containerd'\n"));
  EXPECT_STREQ(status["reasons"][1].GetString(), "stale");
  service.process_id = 0;
  EXPECT_EQ(Json(StatusCommand, {}, 4)["services"].Size(), 0U) << "does not run";
}

// What a person reads of a change: the part that differs.
TEST_F(MachineCommands, AChangeShowsThePartThatDiffers) {
  source_ = (root_ / "proxy.env").string();
  const auto plan_after = [&](const std::string& first, const std::string& second) {
    WriteSource(first);
    EXPECT_TRUE(Run(ApplyCommand, {source_, "--service", "containerd"}));
    WriteSource(second);
    return Run(PlanCommand, {source_, "--service", "containerd"})->out;
  };
  const std::string password =
      plan_after("HTTP_PROXY=http://user:S3cret1@proxy:3128\n", "HTTP_PROXY=http://user:S3cret2@proxy:3128\n");
  EXPECT_THAT(password, HasSubstr("env          HTTP_PROXY  http://user:***@proxy:3128 (password)\n"));
  EXPECT_THAT(password, HasSubstr("containerd  HTTP_PROXY http://user:***@proxy:3128 (password)"));
  const std::string proxy = plan_after("HTTP_PROXY=http://proxy:3128\nNO_PROXY=.svc,10.0.0.5,localhost\n",
                                       "HTTP_PROXY=http://other:3128\nNO_PROXY=.svc,localhost,a.example.com\n");
  EXPECT_THAT(proxy, HasSubstr("NO_PROXY  +a.example.com -10.0.0.5\n"));
  EXPECT_THAT(proxy, HasSubstr("winHttp      64-bit  proxy http=proxy:3128 -> http=other:3128, bypass +"));
  const auto json = Json(PlanCommand, {source_, "--service", "containerd"}, 4);
  const auto& change = json["changes"][0];
  EXPECT_STREQ(change["key"].GetString(), "env:HTTP_PROXY");
  EXPECT_STREQ(change["valuesAfter"]["HTTP_PROXY"].GetString(), "http://other:3128");
  EXPECT_STREQ(change["differences"][0]["name"].GetString(), "HTTP_PROXY");
  host_.memory.Put(reconcile::kEnv, reconcile::Sz("NO_PROXY", "a:1"));
  const auto status = Json(StatusCommand, {}, 4);
  EXPECT_STREQ(status["drift"][0]["before"].GetString(), ".svc,10.0.0.5,localhost");
  EXPECT_STREQ(status["drift"][0]["after"].GetString(), "a:1");
  EXPECT_THAT(Run(StatusCommand, {})->out,
              HasSubstr("drift    env NO_PROXY was changed: +a:1 -.svc -10.0.0.5 -localhost\n"));
}

TEST_F(MachineCommands, AnOptionThatIsLeftOutIsNamed) {
  const auto left_out = [&](Command (*make)()) {
    const auto done = Run(make, {source_});
    return done ? std::ranges::count(done->findings, "option-left-out", &Finding::code) : -1;
  };
  ASSERT_TRUE(Run(ApplyCommand, {source_, "--service", "containerd"}));
  EXPECT_EQ(left_out(PlanCommand), 1);
  EXPECT_EQ(left_out(ApplyCommand), 1);
  EXPECT_EQ(left_out(PlanCommand), 0) << "the last run had none";
}

TEST_F(MachineCommands, AMisspelledServiceIsSaidUntilThereIsOne) {
  const auto unknown = [&](Command (*make)(), std::vector<std::string> words) {
    const auto done = Run(make, words);
    return done ? std::ranges::count(done->findings, "service-unknown", &Finding::code) : -1;
  };
  const std::vector<std::string> words = {source_, "--service", "containred"};
  EXPECT_EQ(unknown(PlanCommand, words), 1);
  EXPECT_EQ(unknown(ApplyCommand, words), 1);
  EXPECT_EQ(unknown(PlanCommand, {source_, "--service", "kubelet", "--service", "my own"}), 0);
  host_.memory.PutKey(machine::ServiceKeyPath("containred"));
  EXPECT_EQ(unknown(PlanCommand, words), 0);
}

TEST_F(MachineCommands, StatusTellsWhatIsLeftToWmco) {
  ASSERT_TRUE(Run(ApplyCommand, {source_}));
  host_.memory.PutKey(reconcile::kDaemonKey);
  host_.memory.Erase(reconcile::kEnv, "NO_PROXY");
  const auto status = Json(StatusCommand, {});
  EXPECT_EQ(status["drift"].Size(), 0U);
  ASSERT_EQ(status["yielded"].Size(), 1U);
  EXPECT_STREQ(status["yielded"][0]["name"].GetString(), "NO_PROXY");
  EXPECT_THAT(Run(StatusCommand, {})->out, HasSubstr("yielded  env NO_PROXY"));
}

TEST_F(MachineCommands, StatusTellsWhoseTheVariablesAreAndWhatFollowsThem) {
  ASSERT_TRUE(Run(FirstBootCommand, {source_, "--service", "containerd"}));
  const auto before = Json(StatusCommand, {});
  ASSERT_EQ(before["machineVariables"].Size(), 3U);
  EXPECT_STREQ(before["machineVariables"][0]["owner"].GetString(), "provisioner");
  EXPECT_STREQ(before["machineVariables"][0]["services"][0].GetString(), "containerd");
  EXPECT_THAT(Run(StatusCommand, {})->out, Not(HasSubstr("operator")));
  host_.memory.PutKey(reconcile::kDaemonKey);
  host_.memory.Put(reconcile::kEnv, reconcile::Sz("HTTP_PROXY", "http://user:S3cret@cluster:1"));
  EXPECT_EQ(Json(StatusCommand, {})["machineVariables"][0]["services"].Size(), 0U) << "not yet";
  ASSERT_TRUE(Run(ReconcileCommand, {}));
  const auto after = Json(StatusCommand, {});
  EXPECT_STREQ(after["machineVariables"][0]["name"].GetString(), "HTTP_PROXY");
  EXPECT_STREQ(after["machineVariables"][0]["owner"].GetString(), "operator");
  EXPECT_STREQ(after["machineVariables"][0]["value"].GetString(), "http://user:***@cluster:1");
  EXPECT_STREQ(after["machineVariables"][0]["services"][0].GetString(), "containerd");
  EXPECT_STREQ(after["machineVariables"][1]["owner"].GetString(), "provisioner");
  EXPECT_THAT(Run(StatusCommand, {})->out,
              HasSubstr("operator HTTP_PROXY=http://user:***@cluster:1: set by the Windows Machine Config Operator's "
                        "daemon; containerd follows it"));
}

TEST_F(MachineCommands, ATrialNeedsAConfirmation) {
  host_.waits_left = 100;
  const auto expired = Json(ApplyCommand, {source_, "--try", "5"}, 4);
  EXPECT_EQ(expired["writes"].GetInt(), 0);
  EXPECT_EQ(host_.memory.At(reconcile::kEnv, "HTTP_PROXY"), std::nullopt);
  EXPECT_TRUE(Json(StatusCommand, {}, 4)["held"].GetBool());
  host_.during_wait = [&] { (void)Run(ConfirmCommand, {}); };
  const auto confirmed = Json(ApplyCommand, {source_, "--try", "60"});
  EXPECT_GT(confirmed["writes"].GetInt(), 0);
  EXPECT_TRUE(host_.memory.At(reconcile::kEnv, "HTTP_PROXY"));
  EXPECT_EQ(Run(ConfirmCommand, {}).error().code, Code::kTarget);
}

// Whoever sees the first answer of the proxy may confirm before the probe is through.
TEST_F(MachineCommands, ATrialMayBeConfirmedWhileItsProbeRuns) {
  host_.waits_left = 10;
  host_.first_answers = {Fail(Code::kNetwork, "the proxy refused", "https://example.org/")};
  int confirmed = 0;
  host_.during_wait = [&] {
    if (confirmed == 0 && Run(ConfirmCommand, {})) ++confirmed;
  };
  testing::internal::CaptureStderr();
  const auto result = Run(ApplyCommand, {source_, "--try", "60", "--probe", "https://example.org/"});
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("3 known limits (winhttp-credentials, winhttp-cidr)"));
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(confirmed, 1);
  EXPECT_EQ(result->exit, 0);
  EXPECT_TRUE(host_.memory.At(reconcile::kEnv, "HTTP_PROXY"));
}

TEST_F(MachineCommands, AFailedProbeTakesTheTrialBack) {
  host_.answer = Fail(Code::kNetwork, "the proxy refused", "https://example.org/");
  EXPECT_EQ(ErrorIn(Run(ApplyCommand, {source_, "--try", "60", "--probe", "https://example.org/"})).code,
            Code::kNetwork);
  EXPECT_EQ(host_.memory.At(reconcile::kEnv, "HTTP_PROXY"), std::nullopt);
  EXPECT_EQ(Run(ApplyCommand, {source_, "--probe", "https://example.org/"}).error().code, Code::kUsage);
  EXPECT_EQ(Run(ApplyCommand, {source_, "--try", "0"}).error().code, Code::kUsage);
}

TEST_F(MachineCommands, CheckSaysAtItsEndThatAProbeFailed) {
  const std::vector<std::string> words = {source_, "--probe", "https://example.org/"};
  host_.answer = Fail(Code::kTls, "the certificate does not hold", "https://example.org/");
  host_.notes.is_temporary = false;
  const auto text = Must(Run(CheckCommand, words));
  EXPECT_EQ(text.exit, 14);
  EXPECT_THAT(text.out, HasSubstr(": 1 of 1 probe(s) failed; the settings are valid: "));
  const auto document = Json(CheckCommand, words, 14);
  EXPECT_TRUE(document["probeFailed"].GetBool());
  EXPECT_TRUE(document["valid"].GetBool()) << "of the settings";
  EXPECT_FALSE(Json(CheckCommand, {source_})["probeFailed"].GetBool());
}

TEST_F(MachineCommands, AProbesUrlIsReadBeforeTheMachineChanges) {
  const std::string before = host_.memory.content().Text();
  for (const char* url : {"no url", "https://user:hunter2@example.org/"}) {
    const auto result = Run(ApplyCommand, {source_, "--try", "60", "--probe", url});
    ASSERT_FALSE(result) << url;
    EXPECT_EQ(result.error().code, Code::kUsage);
    EXPECT_THAT(result.error().where, Not(HasSubstr("hunter2")));
    EXPECT_EQ(host_.memory.content().Text(), before);
  }
  EXPECT_THAT(host_.requests, IsEmpty());
}

TEST_F(MachineCommands, ATrialOfNothingNewIsProbedToo) {
  ASSERT_TRUE(Run(ApplyCommand, {source_}));
  const std::string before = host_.memory.content().Text();
  const std::vector<std::string> words = {source_, "--try", "60", "--probe", "https://example.org/"};
  EXPECT_EQ(Json(ApplyCommand, words)["writes"].GetInt(), 0);
  EXPECT_EQ(host_.requests.size(), 1U);
  host_.answer = Fail(Code::kTls, "the certificate does not hold", "https://example.org/");
  host_.notes.is_temporary = false;
  EXPECT_EQ(Run(ApplyCommand, words).error().code, Code::kTls);
  EXPECT_EQ(host_.memory.content().Text(), before) << "there is nothing to take back";
}

TEST_F(MachineCommands, ATrialThatCantBeWatchedIsTakenBack) {
  host_.waits_left = 100;
  std::size_t fails_at = 0;  // what tells that the trial is open can't be read, once
  host_.during_wait = [&] {
    if (fails_at == 0) host_.memory.fail_at = fails_at = host_.memory.calls;
  };
  EXPECT_EQ(ErrorIn(Run(ApplyCommand, {source_, "--try", "60"})).code, Code::kIo);
  EXPECT_EQ(host_.memory.At(reconcile::kEnv, "HTTP_PROXY"), std::nullopt);
}

TEST_F(MachineCommands, RollbackAndRemove) {
  const std::string before = host_.memory.content().Text();
  ASSERT_TRUE(Run(ApplyCommand, {source_}));
  EXPECT_GT(Json(RollbackCommand, {})["writes"].GetInt(), 0);
  EXPECT_EQ(host_.memory.content().Text(), before);
  EXPECT_EQ(Run(RollbackCommand, {}).error().code, Code::kTarget);
  ASSERT_TRUE(Run(FirstBootCommand, {source_}));
  const auto removed = Json(RemoveCommand, {"--all"});
  EXPECT_GT(removed["changes"].Size(), 0U);
  EXPECT_EQ(host_.memory.content().Text(), before) << "the event source included";
  EXPECT_THAT(host_.services_by_name, Not(Contains(testing::Key("provisioner"))));
  EXPECT_FALSE(host_.program_installed);
  EXPECT_TRUE(host_.state_removed);
}

// Without the record nobody could take away the file later.
TEST_F(MachineCommands, ARemovalThatLeavesAFileLeavesTheRecordAndTheProgram) {
  ASSERT_TRUE(Run(FirstBootCommand, {source_}));
  const std::string path = R"(C:\certs.d\quay.io\ca.crt)";
  const std::string item = reconcile::ItemKey(reconcile::kFileItem, AsciiLower(path));
  machine::Machine machine = host_.memory.Ports();
  reconcile::Ledger ledger = reconcile::LoadLedger(machine.state).value();
  ledger[item] = {{}, images::RegValue{path, images::RegType::kBinary, "ours"}, {}};
  ASSERT_TRUE(machine.state.Commit({{std::string(reconcile::kLedgerSection), reconcile::LedgerJson(ledger)}}));
  host_.memory.PutFileOf(path, "ours");
  host_.memory.unsafe_files.insert(AsciiLower(path));
  const auto kept = Must(Run(RemoveCommand, {"--all"}));
  EXPECT_THAT(testing_support::CodesOf(kept.findings), Contains("removal-incomplete"));
  EXPECT_TRUE(host_.program_installed);
  EXPECT_FALSE(host_.state_removed);
  EXPECT_THAT(host_.services_by_name, Contains(testing::Key("provisioner")));
  EXPECT_EQ(host_.memory.At(reconcile::kEnv, "HTTP_PROXY"), std::nullopt);
  host_.memory.unsafe_files.clear();
  ASSERT_TRUE(Run(RemoveCommand, {"--all"}));
  EXPECT_FALSE(host_.memory.FileAt(path));
  EXPECT_TRUE(host_.state_removed);
}

TEST_F(MachineCommands, ARemovalListsWhatGoesAndWhatStays) {
  source_ = (root_ / "proxy.env").string();
  WriteSource("HTTP_PROXY=http://user:S3cret@proxy:3128\nNO_PROXY=.svc\n");
  host_.memory.Put(reconcile::kEnv, reconcile::Sz("HTTP_PROXY", "http://user:S3cret@proxy:3128"));
  host_.memory.Put(reconcile::kContainerd,
                   reconcile::EncodeServiceEnvironment({"HTTP_PROXY=http://user:S3cret@proxy:3128", "NO_PROXY=.svc"}));
  ASSERT_TRUE(Run(ApplyCommand, {source_, "--service", "containerd"}));
  ASSERT_TRUE(Run(ServiceCommand, {"install"}));
  const std::string before = host_.memory.content().Text();
  const auto planned = Run(RemoveCommand, {"--all", "--dry-run"});
  EXPECT_EQ(planned->exit, kExitDifferences);
  EXPECT_EQ(host_.memory.content().Text(), before);
  const auto done = Run(RemoveCommand, {"--all"});
  EXPECT_THAT(planned->out, HasSubstr("- delete   env          NO_PROXY  .svc"));
  for (const std::string line :
       {"kept     env          HTTP_PROXY  http://user:***@proxy:3128  (was there before us; stays)",
        "kept     serviceEnv   containerd", "- deleted  service      Provisioner",
        "EventLog\\Application\\Provisioner  (the event source)", "without the folder of the program",
        "- deleted  file         C:\\Program Files\\Provisioner\\provisioner.exe"}) {
    EXPECT_THAT(done->out, HasSubstr(line));
  }
  EXPECT_EQ(std::ranges::count(done->findings, "password-stays", &Finding::code), 2);
  EXPECT_THAT(Run(RemoveCommand, {})->out, HasSubstr("no changes: nothing that provisioner set is left here"));
}

TEST_F(MachineCommands, ARemovalSaysThatTheSourceWithThePasswordStays) {
  ASSERT_TRUE(Run(FirstBootCommand, {source_}));
  const auto planned = Run(RemoveCommand, {"--all", "--dry-run"});
  const auto done = Run(RemoveCommand, {"--all"});
  for (const auto& outcome : {planned, done}) {
    EXPECT_THAT(outcome->findings, Contains(testing::AllOf(testing::Field(&Finding::code, "password-stays"),
                                                           testing::Field(&Finding::where, source_))));
  }
}

TEST_F(MachineCommands, RemoveWithoutAllLeavesTheService) {
  ASSERT_TRUE(Run(FirstBootCommand, {source_}));
  ASSERT_TRUE(Run(RemoveCommand, {}));
  EXPECT_THAT(host_.services_by_name, Contains(testing::Key("provisioner")));
  EXPECT_EQ(Run(ReconcileCommand, {}).error().code, Code::kNotFound) << "the source is forgotten";
}

TEST_F(MachineCommands, FirstBootFollowsAPayloadThatSomebodyMayReplace) {
  const std::string payload = Bake("payload");
  ASSERT_TRUE(Run(FirstBootCommand, {payload}));
  EXPECT_TRUE(host_.memory.At(reconcile::kContainerd, "Environment")) << "the choices it was baked with";
  EXPECT_THAT(host_.removed_files, IsEmpty());
  Bake("payload", {"--credentials", "none", "--generation", "2"});
  host_.memory.Boot(testing_support::MemoryMachine::Unflushed::kKept);
  EXPECT_GT(Json(ReconcileCommand, {"--once"})["writes"].GetInt(), 0);
  EXPECT_THAT(reconcile::TextAt(host_.memory, reconcile::kEnv, "HTTP_PROXY").value_or(""), Not(HasSubstr("@")));
  Bake("payload", {"--generation", "1"});
  const auto older = Run(ReconcileCommand, {"--once"});
  ASSERT_TRUE(older) << "what is kept is in place";
  EXPECT_EQ(older->exit, InfoOf(Code::kDowngrade).exit);
  EXPECT_THAT(reconcile::TextAt(host_.memory, reconcile::kEnv, "HTTP_PROXY").value_or(""), Not(HasSubstr("@")));
}

TEST_F(MachineCommands, FirstBootUsesUpAPayloadThatSetupDelivered) {
  DeliverBySetup();
  const std::string payload = Bake("Provisioner");
  ASSERT_TRUE(Run(FirstBootCommand, {payload}));
  EXPECT_THAT(host_.removed_files, Contains(HasSubstr("egress.json")));
  for (const std::string& file : host_.removed_files)
    EXPECT_TRUE(fs::exists(file)) << file << " is a file of the payload";
  fs::remove(payload + "/egress.json");
  EXPECT_TRUE(Run(FirstBootCommand, {payload})) << "setup may run it twice";
  EXPECT_EQ(Run(FirstBootCommand, {payload, "--pool", "other"}).error().code, Code::kManifest);
  fs::remove_all(payload);
  host_.memory.Erase(reconcile::kEnv, "HTTP_PROXY");
  EXPECT_EQ(Json(ReconcileCommand, {"--once"})["writes"].GetInt(), 1);
}

TEST_F(MachineCommands, WindowsSetupGoesOnWhereTheStateIsDamaged) {
  for (const char* phase : {"specialize", "setup-onrequest"}) {
    for (const char* file : {"state.json", "journal.json"}) {
      host_ = testing_support::MemoryHost();
      reconcile::PutWindows(host_.memory);
      host_.memory.files()[file] = "{\"schema\": 1, \"sha";
      const auto done = Must(Run(FirstBootCommand, {source_, "--phase", phase, "--output", "json"}));
      EXPECT_THAT(done.out, AllOf(HasSubstr("\"state-damaged\""), HasSubstr(file), Not(HasSubstr("\"error\": {"))));
      EXPECT_THAT(host_.EventIds(), AllOf(Contains(9), Not(Contains(111))));
      EXPECT_TRUE(host_.memory.At(reconcile::kEnv, "HTTP_PROXY"));
      EXPECT_THAT(host_.memory.files(), Contains(testing::Key(HasSubstr(".damaged-")))) << "what was there is kept";
    }
  }
}

TEST_F(MachineCommands, StatusTellsOfDamageAndOfItsRepair) {
  ASSERT_TRUE(Run(FirstBootCommand, {source_}));
  host_.memory.files().at("state.json").resize(40);
  const auto found = Json(StatusCommand, {}, 4);
  ASSERT_EQ(found["damage"].Size(), 1U);
  EXPECT_THAT(found["damage"][0]["file"].GetString(), HasSubstr(R"(Provisioner\state.json)"));
  EXPECT_STREQ(found["damage"][0]["from"].GetString(), "state.previous.json");
  EXPECT_FALSE(found["recordLost"].GetBool());
  EXPECT_STREQ(found["findings"][0]["code"].GetString(), "state-damaged");
  EXPECT_STREQ(found["findings"][0]["severity"].GetString(), "error");
  EXPECT_THAT(Run(StatusCommand, {})->out, HasSubstr(R"(damaged  C:\ProgramData\Provisioner\state.json is cut short)"));
  ASSERT_TRUE(Run(ReconcileCommand, {}));
  const auto repaired = Json(StatusCommand, {});
  EXPECT_EQ(repaired["damage"].Size(), 0U);
  ASSERT_EQ(repaired["repairs"].Size(), 1U);
  EXPECT_THAT(repaired["repairs"][0]["kept"].GetString(), HasSubstr("state.damaged-"));
  EXPECT_THAT(Run(StatusCommand, {})->out, HasSubstr("repaired 20"));
  host_.memory.files().clear();
  EXPECT_TRUE(Json(StatusCommand, {}, 4)["recordLost"].GetBool());
}

// What a full disk stops has taken nothing away that the next try needs.
TEST_F(MachineCommands, ARemovalThatFailsLosesNothing) {
  const std::string before = host_.memory.content().Text();
  ASSERT_TRUE(Run(FirstBootCommand, {source_}));
  const testing_support::MemoryHost start = host_;
  host_.memory.calls = 0;
  ASSERT_TRUE(Run(RemoveCommand, {"--all"}));
  const std::size_t calls = host_.memory.calls;
  std::size_t failures = 0;
  for (std::size_t call = 0; call < calls; ++call) {
    host_ = start;
    host_.memory.calls = 0;
    host_.memory.fail_at = call;
    const auto removed = Run(RemoveCommand, {"--all"});
    host_.memory.fail_at = testing_support::MemoryMachine::kNever;
    if (!removed) {
      ++failures;
      EXPECT_THAT(host_.services_by_name, Contains(testing::Key("provisioner"))) << call;
      EXPECT_TRUE(host_.program_installed) << call;
      EXPECT_TRUE(host_.memory.Section(reconcile::kLedgerSection)) << call;
      const auto again = Run(RemoveCommand, {"--all"});
      ASSERT_TRUE(again) << call << ": " << again.error().message;
    }
    EXPECT_EQ(host_.memory.content().Text(), before) << call;
    EXPECT_THAT(host_.services_by_name, Not(Contains(testing::Key("provisioner")))) << call;
  }
  EXPECT_GT(failures, 5U);
}

TEST_F(MachineCommands, PhasesOfWindowsSetup) {
  WriteSource("not json");
  const auto failed = Run(FirstBootCommand, {source_, "--phase", "specialize", "--output", "json"});
  ASSERT_TRUE(failed) << "setup would end otherwise";
  EXPECT_EQ(failed->exit, 0);
  EXPECT_THAT(failed->out, HasSubstr("\"error\""));
  EXPECT_THAT(host_.EventIds(), Contains(111));
  EXPECT_THAT(Json(StatusCommand, {}, 4)["failure"].GetString(), HasSubstr("kind"));
  EXPECT_EQ(Run(FirstBootCommand, {source_, "--phase", "logon"}).error().code, Code::kKind);
  WriteSource(testing_support::ReadAll(testing_support::SampleFolder() + "rendered-worker.json"));
  EXPECT_EQ(Run(FirstBootCommand, {source_, "--phase", "setup-onrequest"})->exit, 1);
  EXPECT_TRUE(Json(StatusCommand, {})["failure"].IsNull());
  EXPECT_EQ(Run(FirstBootCommand, {source_, "--phase", "specialize", "--reboot", "now"}).error().code, Code::kUsage);
  const auto misnamed = Run(FirstBootCommand, {source_, "--phase", "specialize", "--metrics", "x.txt"});
  ASSERT_TRUE(misnamed) << "what is only reported does not end setup";
  EXPECT_EQ(misnamed->exit, 0);
}

// The file of a cluster without a proxy, or another file that says nothing.
TEST_F(MachineCommands, ASourceThatSetsNothingNeedsALeave) {
  constexpr const char* kNone = R"({"kind":"ControllerConfig","spec":{"proxy":null,"additionalTrustBundle":null}})";
  WriteSource(kNone);
  EXPECT_EQ(Run(ApplyCommand, {source_}).error().code, Code::kEmpty);
  EXPECT_EQ(Run(FirstBootCommand, {source_}).error().code, Code::kEmpty);
  EXPECT_EQ(Run(PlanCommand, {source_})->exit, 0) << "nothing would change";
  const std::string payload = Bake("none", {"--allow-empty"});
  EXPECT_TRUE(Run(ApplyCommand, {payload})) << "it was asked when it was baked";
  EXPECT_TRUE(Run(FirstBootCommand, {source_, "--allow-empty"}));
  EXPECT_EQ(Run(ReconcileCommand, {})->exit, 0) << "what is followed needs no leave";
}

TEST_F(MachineCommands, ABakeThatIsStoppedLeavesNothing) {
  host_.stopped = true;
  EXPECT_EQ(ErrorIn(Run(BakeCommand, {source_, "--out", (root_ / "made/for/payload").string()})).code,
            Code::kInterrupted);
  EXPECT_FALSE(fs::exists(root_ / "made"));
}

TEST_F(MachineCommands, ABusyMachineDoesNotEndSetup) {
  host_.locked = true;
  EXPECT_EQ(Run(ApplyCommand, {source_}).error().code, Code::kLock);
  EXPECT_EQ(Run(FirstBootCommand, {source_, "--phase", "specialize"})->exit, 0);
}

TEST_F(MachineCommands, ReconcileExitsWithTheErrorOfItsSource) {
  ASSERT_TRUE(Run(FirstBootCommand, {source_}));
  fs::remove(source_);
  const auto round = Must(Run(ReconcileCommand, {}));
  EXPECT_EQ(round.exit, 11);
  EXPECT_THAT(round.findings, Contains(testing::Field(&Finding::code, "source-unavailable")));
}

TEST_F(MachineCommands, ReconcileAsAServiceGoesOnUntilStopped) {
  ASSERT_TRUE(Run(FirstBootCommand, {source_}));
  host_.waits_left = 2;
  host_.during_wait = [&] { host_.memory.Erase(reconcile::kEnv, "HTTP_PROXY"); };
  EXPECT_EQ(Run(ReconcileCommand, {"--service"})->exit, 0);
  host_.during_wait = {};
  EXPECT_TRUE(host_.memory.At(reconcile::kEnv, "HTTP_PROXY") == std::nullopt) << "erased after the last round";
  EXPECT_EQ(Run(ReconcileCommand, {"--service", "--once"}).error().code, Code::kUsage);
  EXPECT_EQ(Run(ReconcileCommand, {"--watch", "--interval", "0"}).error().code, Code::kUsage);
}

TEST_F(MachineCommands, TheServiceComesAndGoes) {
  const auto bare = Json(ServiceCommand, {"install"});
  EXPECT_TRUE(bare["changed"].GetBool());
  EXPECT_STREQ(bare["findings"][0]["code"].GetString(), "no-source");
  EXPECT_TRUE(Run(ServiceCommand, {"install", "--source", source_, "--service", "containerd", "--scope", "services"}));
  EXPECT_FALSE(Json(ServiceCommand, {"install"})["changed"].GetBool());
  ASSERT_TRUE(Run(ReconcileCommand, {}));
  EXPECT_TRUE(host_.memory.At(reconcile::kContainerd, "Environment"));
  EXPECT_FALSE(host_.memory.At(reconcile::kEnv, "HTTP_PROXY")) << "the stored choices count";
  EXPECT_TRUE(Json(ServiceCommand, {"uninstall"})["changed"].GetBool());
  EXPECT_FALSE(Json(ServiceCommand, {"uninstall"})["changed"].GetBool());
  EXPECT_EQ(Run(ServiceCommand, {"start"}).error().code, Code::kUsage);
  EXPECT_EQ(Run(ServiceCommand, {"install", "--source", "-"}).error().code, Code::kUsage);
}

TEST_F(MachineCommands, TheIntervalOfTheServiceIsStored) {
  const auto stored = [&] { return host_.memory.Section(node::kServiceSection).value_or(""); };
  ASSERT_TRUE(Run(FirstBootCommand, {source_, "--interval", "600"}));
  EXPECT_THAT(stored(), HasSubstr("600"));
  ASSERT_TRUE(Run(ServiceCommand, {"install", "--source", source_}));
  EXPECT_THAT(stored(), HasSubstr("600")) << "it stays unless another one is given";
  ASSERT_TRUE(Run(ServiceCommand, {"install", "--interval", "1200"}));
  EXPECT_THAT(stored(), HasSubstr("1200"));
  EXPECT_EQ(Run(ServiceCommand, {"install", "--interval", "0"}).error().code, Code::kUsage);
  ASSERT_TRUE(Run(ServiceCommand, {"uninstall"}));
  EXPECT_EQ(stored(), "") << "nobody misses the service any more";
  ASSERT_TRUE(Run(ServiceCommand, {"install"}));
  host_.memory.files().at("state.json").resize(40);
  const auto removed = Json(ServiceCommand, {"uninstall"});
  ASSERT_EQ(removed["findings"].Size(), 1U);
  EXPECT_STREQ(removed["findings"][0]["code"].GetString(), "state-damaged");
  EXPECT_EQ(stored(), "") << "nor after a repair";
}

TEST_F(MachineCommands, AnUpgradeNamesBothVersionsAndAnOlderProgramIsRefused) {
  const auto first = Json(ServiceCommand, {"install", "--source", source_});
  EXPECT_STREQ(first["program"]["version"].GetString(), "0.1.0");
  EXPECT_TRUE(first["program"]["before"].IsNull());
  EXPECT_FALSE(first["program"]["replaced"].GetBool());
  host_.own_version = "0.2.0";
  const auto second = Json(ServiceCommand, {"install"});
  EXPECT_STREQ(second["program"]["version"].GetString(), "0.2.0");
  EXPECT_STREQ(second["program"]["before"].GetString(), "0.1.0");
  EXPECT_TRUE(second["program"]["replaced"].GetBool());
  EXPECT_STREQ(second["findings"][0]["code"].GetString(), "program-replaced");
  const auto text = Run(ServiceCommand, {"install"});
  EXPECT_THAT(text->out, HasSubstr(R"(the program is C:\Program Files\Provisioner\provisioner.exe, version 0.2.0)"));

  host_.own_version = "0.1.0";
  EXPECT_EQ(Run(ServiceCommand, {"install"}).error().code, Code::kDowngrade);
  EXPECT_EQ(Run(FirstBootCommand, {source_}).error().code, Code::kDowngrade);
  EXPECT_TRUE(Run(ApplyCommand, {source_})) << "it does not stay";
  EXPECT_TRUE(Run(FirstBootCommand, {source_, "--allow-downgrade"}));
  host_.own_version = "0.0.9";
  EXPECT_TRUE(Run(ServiceCommand, {"install", "--allow-downgrade"}));
}

TEST_F(MachineCommands, AShellFindsTheProgramFromItsInstallationToItsRemoval) {
  const auto path = [&] { return reconcile::TextAt(host_.memory, reconcile::kEnv, "Path"); };
  ASSERT_TRUE(Run(FirstBootCommand, {source_}));
  EXPECT_EQ(path(), R"(%SystemRoot%;C:\Program Files\Provisioner)");
  ASSERT_TRUE(Run(ServiceCommand, {"uninstall"}));
  ASSERT_TRUE(Run(RemoveCommand, {}));
  EXPECT_EQ(path(), R"(%SystemRoot%;C:\Program Files\Provisioner)") << "the program is still there";
  ASSERT_TRUE(Run(RemoveCommand, {"--all"}));
  EXPECT_EQ(path(), "%SystemRoot%");
}

}  // namespace
}  // namespace prov::cli
