#include "provisioner/reconcile/plan.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "images/registry/descriptor.h"
#include "images/registry/security.h"
#include "provisioner/machine/certificate_blob.h"
#include "provisioner/reconcile/execute.h"
#include "provisioner/reconcile/items.h"
#include "provisioner/reconcile/observe.h"
#include "provisioner/reconcile/windows_proxy.h"
#include "tests/reconcile/engine_helpers.h"
#include "tests/support/finding_codes.h"
#include "tests/support/result.h"

namespace prov::reconcile {
namespace {

using images::RegType;
using images::RegValue;
using pki::Store;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing_support::MemoryMachine;
using testing_support::SampleCertificates;
using testing_support::SampleConfig;

class Engine : public ::testing::Test {
 protected:
  Engine() {
    PutWindows(machine_);
    start_ = machine_.content();
  }

  MemoryMachine machine_;
  MemoryMachine::Content start_;
};

TEST_F(Engine, BringsAFreshWindowsToTheDesiredState) {
  const Plan plan = MustApply(machine_, Desired());
  EXPECT_EQ(TextAt(machine_, kEnv, "HTTP_PROXY"), "http://user:c4nary%40@proxy.example.com:3128");
  EXPECT_EQ(machine_.At(kEnv, "HTTP_PROXY")->type, RegType::kSz);
  EXPECT_EQ(TextAt(machine_, kEnv, "NO_PROXY"), ".svc,10.0.0.0/16,localhost,example.com");
  EXPECT_TRUE(machine_.At(kContainerd, "Environment"));
  EXPECT_TRUE(machine_.At(kConnections, "WinHttpSettings"));
  EXPECT_TRUE(machine_.At(R"(SOFTWARE\WOW6432Node\Microsoft\Windows\CurrentVersion\Internet Settings\Connections)",
                          "WinHttpSettings"));
  EXPECT_EQ(machine_.content().certificates[Store::kRoot].size(), 2U);
  EXPECT_EQ(machine_.content().certificates[Store::kCa].size(), 1U);
  EXPECT_TRUE(plan.reboot);
}

TEST_F(Engine, CertificatesComeBeforeWhatMayGoThroughTheProxy) {
  MustApply(machine_, Desired());
  std::vector<std::string> kinds;
  for (const std::string& call : machine_.log) {
    const std::string kind = call.starts_with("Add")                             ? "certificate"
                             : call.find("Session Manager") != std::string::npos ? "environment"
                             : call.find("WinHttp") != std::string::npos         ? "winhttp"
                             : call.find("Services") != std::string::npos        ? "service"
                                                                                 : "";
    if (!kind.empty() && (kinds.empty() || kinds.back() != kind)) kinds.push_back(kind);
  }
  EXPECT_THAT(kinds, ElementsAre("certificate", "environment", "winhttp", "service"));
}

TEST_F(Engine, TheJournalIsWrittenFirstAndTakenAwayLast) {
  MustApply(machine_, Desired());
  EXPECT_EQ(machine_.log.front(), "Write journal.json");
  EXPECT_EQ(machine_.log.back(), "Remove journal.json");
}

TEST_F(Engine, ASecondRunWritesNothing) {
  MustApply(machine_, Desired());
  machine_.log.clear();
  const Plan plan = MustApply(machine_, Desired());
  EXPECT_THAT(machine_.log, IsEmpty());
  EXPECT_THAT(ChangesOf(plan), IsEmpty());
  EXPECT_EQ(plan.changes.size(), 3U + 2U + 2U + 2U + 3U)
      << "variables, services, their keys, WinHTTP views, certificates";
}

TEST_F(Engine, RemovingRestoresTheMachineKeysIncluded) {
  MustApply(machine_, Desired());
  MustApply(machine_, NothingDesired());
  EXPECT_EQ(machine_.content().Text(), start_.Text());
  EXPECT_EQ(machine_.Section(kLedgerSection), "{}\n");
}

TEST_F(Engine, ScopeLeavesTheRestAlone) {
  DesiredState desired = Desired();
  MustApply(machine_, desired);
  const auto applied = machine_.content();
  DesiredState nothing = NothingDesired();
  nothing.scope = {false, false, false, false};
  MustApply(machine_, nothing);
  EXPECT_EQ(machine_.content().Text(), applied.Text());
}

// The choices leave it out, so what is ours there goes. What the source says nothing about stays.
TEST_F(Engine, WhatTheChoicesLeaveOutIsTakenBack) {
  machine_.Put(kEnv, Sz("HTTP_PROXY", "http://old:1"));
  DesiredOptions options;
  options.services = {"containerd"};
  options.scope.win_inet = true;
  egress::EgressConfig config = SampleConfig();
  const auto before = machine_.content();
  MustApply(machine_, MakeDesiredState(config, options).value());
  const auto applied = machine_.content();

  egress::EgressConfig silent = config;
  silent.proxy_file.present = silent.trust_file.present = false;
  MustApply(machine_, MakeDesiredState(silent, options).value());
  EXPECT_EQ(machine_.content().Text(), applied.Text()) << "no statement";

  options.scope = {false, true, true, true};
  MustApply(machine_, MakeDesiredState(config, options).value());
  EXPECT_EQ(TextAt(machine_, kEnv, "HTTP_PROXY"), "http://old:1");
  EXPECT_EQ(TextAt(machine_, kEnv, "NO_PROXY"), std::nullopt);
  EXPECT_TRUE(machine_.At(kContainerd, "Environment"));

  options.scope = {false, false, false, true};
  MustApply(machine_, MakeDesiredState(silent, options).value());
  EXPECT_TRUE(machine_.At(kContainerd, "Environment")) << "the source says nothing of a proxy";
  MustApply(machine_, MakeDesiredState(config, options).value());
  EXPECT_FALSE(machine_.At(kContainerd, "Environment"));
  EXPECT_EQ(machine_.content().certificates[Store::kRoot].size(), 2U);

  options.scope = {true, false, false, false};
  config.http_proxy = config.https_proxy = std::nullopt;
  config.no_proxy.reset();
  MustApply(machine_, MakeDesiredState(config, options).value());
  EXPECT_EQ(machine_.content().Text(), before.Text());
}

// Taking the daemon's variables away would make it set them again, and reboot the node.
TEST_F(Engine, MachineVariablesThatAreLeftOutStayWithTheOperator) {
  MustApply(machine_, Desired());
  DesiredOptions options;
  options.scope.machine = false;
  const DesiredState desired = MakeDesiredState(SampleConfig(), options).value();
  MemoryMachine alone = machine_;
  MustApply(alone, desired);
  EXPECT_EQ(TextAt(alone, kEnv, "HTTP_PROXY"), std::nullopt);
  const Plan plan = MustApply(machine_, desired, {.adopt = false, .yield_environment = true});
  EXPECT_THAT(ChangesOf(plan), testing::Contains("yield env HTTP_PROXY"));
  EXPECT_TRUE(TextAt(machine_, kEnv, "HTTP_PROXY"));
  EXPECT_FALSE(plan.ledger_after.contains("env:HTTP_PROXY"));
}

TEST_F(Engine, WhatWasThereBeforeComesBack) {
  machine_.Put(kEnv, {"http_proxy", RegType::kExpandSz, images::EncodeSz("http://old:%PORT%")});
  machine_.Put(kConnections, {"WinHttpSettings", RegType::kBinary, "garbage"});
  machine_.Put(kContainerd, ServiceList({"A=1", "HTTP_PROXY=http://old:1", "B=2"}));
  const auto before = machine_.content();
  MustApply(machine_, Desired());
  EXPECT_EQ(machine_.At(kEnv, "HTTP_PROXY")->type, RegType::kSz);
  EXPECT_EQ(machine_.At(kEnv, "HTTP_PROXY")->name, "http_proxy");
  MustApply(machine_, NothingDesired());
  EXPECT_EQ(machine_.content().Text(), before.Text());
}

TEST_F(Engine, NoProxyComparesAsASet) {
  MustApply(machine_, Desired());
  machine_.Put(kEnv, Sz("NO_PROXY", "localhost, example.com,.svc,10.0.0.0/16,.SVC"));
  EXPECT_THAT(ChangesOf(MustApply(machine_, Desired())), IsEmpty());
  // It still is ours, and goes.
  MustApply(machine_, NothingDesired());
  EXPECT_FALSE(machine_.At(kEnv, "NO_PROXY"));
}

TEST_F(Engine, DriftIsRepairedAndNamed) {
  MustApply(machine_, Desired());
  machine_.Put(kEnv, Sz("HTTPS_PROXY", "http://evil:1"));
  machine_.Erase(kEnv, "NO_PROXY");
  const Plan plan = MustApply(machine_, Desired());
  EXPECT_THAT(ChangesOf(plan), ElementsAre("update env HTTPS_PROXY", "create env NO_PROXY"));
  const auto reason = [&](std::string_view name) {
    return std::ranges::find(plan.changes, name, &Change::name)->reason;
  };
  EXPECT_EQ(reason("HTTPS_PROXY"), "was changed since we set it");
  EXPECT_EQ(reason("NO_PROXY"), "was removed since we set it");
}

TEST_F(Engine, RemovingLeavesWhatSomebodyChangedSince) {
  MustApply(machine_, Desired());
  machine_.Put(kEnv, Sz("HTTPS_PROXY", "http://other:1"));
  machine_.Put(kContainerd, ServiceList({"HTTP_PROXY=http://other:1", "NEW=1"}));
  const Plan plan = MustApply(machine_, NothingDesired());
  EXPECT_EQ(TextAt(machine_, kEnv, "HTTPS_PROXY"), "http://other:1");
  EXPECT_EQ(machine_.At(kContainerd, "Environment"), ServiceList({"HTTP_PROXY=http://other:1", "NEW=1"}));
  EXPECT_THAT(ChangesOf(plan), testing::Contains("yield env HTTPS_PROXY"));
}

TEST_F(Engine, ACertificateThatWasThereBeforeIsNeverRemoved) {
  const auto certificates = SampleCertificates();
  machine_.content().certificates[Store::kRoot][certificates[0].der] = true;
  machine_.content().certificates[Store::kRoot][certificates[1].der] = false;  // a group policy's
  machine_.MakeDurable();
  const auto before = machine_.content();
  MustApply(machine_, Desired());
  MustApply(machine_, NothingDesired());
  EXPECT_EQ(machine_.content().Text(), before.Text());
}

TEST_F(Engine, ARemovalNamesTheFoundCertificatesThatAreStillThere) {
  const auto certificates = SampleCertificates();
  machine_.content().certificates[Store::kRoot][certificates[0].der] = true;
  const std::string there = CertificateItemName(Store::kRoot, certificates[0].sha1);
  machine::Machine ports = machine_.Ports();
  const PlanOptions options{
      .reports_staying = true,
      .found = {there, CertificateItemName(Store::kRoot, certificates[1].sha1), std::string(kCertificateItem) + "R"}};
  const auto plan = Must(MakePlan(ports, NothingDesired(), {}, options));
  ASSERT_EQ(plan.changes.size(), 1U);
  EXPECT_THAT(plan.changes[0].name, HasSubstr(AsciiUpper(certificates[0].sha1)));
}

TEST_F(Engine, RotatingOneOfTwoCertificatesKeepsTheOther) {
  MustApply(machine_, Desired());
  egress::EgressConfig config = SampleConfig();
  config.certificates.erase(config.certificates.begin());
  machine_.log.clear();
  const Plan plan = MustApply(machine_, Desired(config));
  EXPECT_EQ(ChangesOf(plan).size(), 1U);
  EXPECT_EQ(machine_.content().certificates[Store::kRoot].size(), 1U);
  EXPECT_FALSE(plan.reboot);
}

// What is missing may stand in the part that is not read.
TEST_F(Engine, NothingIsRemovedBecauseOfASourceThatIsNotReadWhole) {
  MustApply(machine_, Desired());
  egress::EgressConfig config = SampleConfig();
  config.http_proxy.reset();
  config.https_proxy.reset();
  config.certificates.erase(config.certificates.begin());
  config.not_read = {true, true};
  machine_.log.clear();
  EXPECT_THAT(ChangesOf(MustApply(machine_, Desired(config))), IsEmpty());
  EXPECT_EQ(machine_.content().certificates[Store::kRoot].size(), 2U);
  config.not_read = {};
  MustApply(machine_, Desired(config));
  EXPECT_EQ(machine_.content().certificates[Store::kRoot].size(), 1U);
  EXPECT_FALSE(machine_.At(kEnv, "HTTP_PROXY"));
}

TEST_F(Engine, ADisallowedCertificateIsAFinding) {
  machine_.content().disallowed.insert(SampleCertificates()[0].der);
  const Plan plan = MustApply(machine_, Desired());
  ASSERT_EQ(plan.findings.size(), 1U);
  EXPECT_EQ(plan.findings[0].code, "disallowed");
}

TEST_F(Engine, AServiceThatAppearsLaterGetsItsEnvironmentThen) {
  MustApply(machine_, Desired(SampleConfig(), {"later"}));
  EXPECT_FALSE(machine_.content().keys.contains(R"(system\currentcontrolset\services\later)")) << "never made by us";
  machine_.PutKey(R"(SYSTEM\CurrentControlSet\Services\later)");
  EXPECT_THAT(ChangesOf(MustApply(machine_, Desired(SampleConfig(), {"later"}))),
              ElementsAre("update service later", "create serviceEnv later"));
}

TEST_F(Engine, AServiceKeyWithCredentialsIsClosedToUsers) {
  constexpr std::string_view kKey = R"(SYSTEM\CurrentControlSet\Services\containerd)";
  MustApply(machine_, Desired());
  EXPECT_TRUE(images::IsForAdministratorsOnly(*machine_.Security(kKey)));
  // Opened again by somebody: drift, which the next run repairs.
  ASSERT_TRUE(machine_.SetSecurity(kKey, images::SystemAdminsUsersDescriptor()));
  machine::Machine ports = machine_.Ports();
  const auto status = Must(StatusOf(ports));
  ASSERT_EQ(status.drift.size(), 1U);
  EXPECT_EQ(status.drift[0].kind, ItemKind::kService);
  EXPECT_THAT(ChangesOf(MustApply(machine_, Desired())), ElementsAre("update service containerd"));
  // A proxy without credentials: nothing to hide any more.
  egress::EgressConfig open = SampleConfig();
  open.http_proxy = open.https_proxy = Secret("http://proxy.example.com:3128");
  MustApply(machine_, Desired(open));
  EXPECT_FALSE(images::IsForAdministratorsOnly(*machine_.Security(kKey)));
}

TEST_F(Engine, OfTwoEntriesOfAVariableTheLaterOneIsShown) {
  machine_.Put(kContainerd, ServiceList({"HTTP_PROXY=http://a:1", "http_proxy=http://b:1"}));
  const Plan plan = MustApply(machine_, Desired());
  const auto change = std::ranges::find(plan.changes, ItemKind::kServiceEnvironment, &Change::kind);
  ASSERT_NE(change, plan.changes.end());
  EXPECT_EQ(change->before, "http_proxy=http://b:1");
}

TEST_F(Engine, AServiceEnvironmentOfAnotherTypeIsReplacedAndKept) {
  const RegValue odd{"Environment", RegType::kSz, images::EncodeSz("HTTP_PROXY=x")};
  machine_.Put(kContainerd, odd);
  const Plan plan = MustApply(machine_, Desired());
  EXPECT_EQ(plan.findings.at(0).code, "service-environment");
  EXPECT_EQ(machine_.At(kContainerd, "Environment")->type, RegType::kMultiSz);
  MustApply(machine_, NothingDesired());
  EXPECT_EQ(machine_.At(kContainerd, "Environment"), odd);
}

TEST_F(Engine, WhatOthersAddToAListInThePlaceOfAnotherTypeStays) {
  machine_.Put(kContainerd, {"Environment", RegType::kSz, images::EncodeSz("HTTP_PROXY=x")});
  MustApply(machine_, Desired());
  auto list = ServiceEntries(machine_.At(kContainerd, "Environment")).value();
  list.emplace_back("THEIRS=1");
  machine_.Put(kContainerd, ServiceList(list));
  MustApply(machine_, NothingDesired());
  EXPECT_EQ(machine_.At(kContainerd, "Environment"), ServiceList({"THEIRS=1"}));
}

// The value is none of ours any more, so nothing of it stays in the record.
TEST_F(Engine, AServiceEnvironmentThatOthersGaveAnotherTypeIsLetGo) {
  MustApply(machine_, Desired());
  const RegValue theirs{"Environment", RegType::kSz, images::EncodeSz("THEIRS=1")};
  machine_.Put(kContainerd, theirs);
  EXPECT_THAT(ChangesOf(MustApply(machine_, NothingDesired())), testing::Contains("yield serviceEnv containerd"));
  EXPECT_EQ(machine_.At(kContainerd, "Environment"), theirs);
  EXPECT_EQ(machine_.Section(kLedgerSection), "{}\n");
}

TEST_F(Engine, AListThatIsNoTextKeepsItsOtherNames) {
  using namespace std::string_view_literals;
  constexpr std::string_view kOdd = "A\0=\0001\0\0\0\0\0x"sv;                  // half a character at its end
  constexpr std::string_view kSurrogate = "A\0=\0\0\xD8\0\0B\0=\0\0\0\0\0"sv;  // half of a pair
  for (const std::string_view bytes : {kOdd, kSurrogate}) {
    const RegValue theirs{"Environment", RegType::kMultiSz, std::string(bytes)};
    machine_.Put(kContainerd, theirs);
    EXPECT_THAT(MustApply(machine_, Desired()).findings, Not(testing_support::HasCode("service-environment")));
    const std::string now = machine_.At(kContainerd, "Environment")->data;
    const std::string_view names = bytes.substr(0, bytes.find("\0\0\0"sv) + 1);
    EXPECT_TRUE(std::string_view(now).starts_with(names)) << ToHex(now);
    EXPECT_GT(now.size(), bytes.size() + 100) << "ours come behind them";
    MustApply(machine_, NothingDesired());
    EXPECT_EQ(machine_.At(kContainerd, "Environment"), theirs);
  }
}

// Others changed one of two entries of ours, and ours came back: a removal leaves theirs.
TEST_F(Engine, WhatOthersPutInThePlaceOfOneEntryComesBack) {
  MustApply(machine_, Desired());
  auto list = ServiceEntries(machine_.At(kContainerd, "Environment")).value();
  for (std::string& entry : list) {
    if (entry.starts_with("NO_PROXY=")) entry = "NO_PROXY=theirs";
  }
  machine_.Put(kContainerd, ServiceList(list));
  MustApply(machine_, Desired());
  EXPECT_THAT(ServiceEntries(machine_.At(kContainerd, "Environment")).value(),
              Not(testing::Contains("NO_PROXY=theirs")));
  MustApply(machine_, NothingDesired());
  EXPECT_EQ(machine_.At(kContainerd, "Environment"), ServiceList({"NO_PROXY=theirs"}));
}

TEST_F(Engine, ADamagedEntryInThePlaceOfACertificateComesBack) {
  const pki::Certificate wanted = SampleCertificates().front();
  const std::string key = machine::CertificateKeyPath(Store::kRoot, wanted.der);
  const RegValue damaged{"Blob", RegType::kBinary, "damaged"};
  machine_.Put(key, damaged);
  const auto before = machine_.content();
  EXPECT_THAT(MustApply(machine_, Desired()).findings, testing_support::HasCode("cert-damaged"));
  EXPECT_FALSE(machine_.At(key, "Blob"));
  const MemoryMachine applied = machine_;
  MustApply(machine_, NothingDesired());
  EXPECT_EQ(machine_.content().Text(), before.Text());
  machine_ = applied;
  MustRollBack(machine_);
  EXPECT_EQ(machine_.content().Text(), before.Text());
  // A removal that was cut short between its two writes.
  machine_ = applied;
  machine_.content().certificates[Store::kRoot].erase(wanted.der);
  machine::Machine ports = machine_.Ports();
  const Ledger ours = LoadLedger(ports.state).value();
  const CertificateWrite removal{Store::kRoot, wanted.der, false, CertificateItemName(Store::kRoot, wanted.sha1),
                                 ours.at(CertificateItemName(Store::kRoot, wanted.sha1)).before};
  EXPECT_FALSE(Rebase(ports, removal)->is_done);
  ASSERT_TRUE(Execute(ports, removal));
  EXPECT_TRUE(Rebase(ports, removal)->is_done);
  EXPECT_EQ(machine_.At(key, "Blob"), damaged);
}

TEST_F(Engine, AServiceThatIsNoLongerListedIsRestored) {
  MustApply(machine_, Desired());
  MustApply(machine_, Desired(SampleConfig(), {"kubelet"}));
  EXPECT_FALSE(machine_.At(kContainerd, "Environment"));
  EXPECT_TRUE(machine_.At(R"(SYSTEM\CurrentControlSet\Services\kubelet)", "Environment"));
}

TEST_F(Engine, WinHttpKeepsTheMachinesVersionAndCounter) {
  machine_.Put(kConnections,
               {"WinHttpSettings", RegType::kBinary, EncodeWinHttp({WinHttpVersion::k28, 7, 3, {"old:1", "<local>"}})});
  MustApply(machine_, Desired());
  const auto settings = DecodeWinHttp(machine_.At(kConnections, "WinHttpSettings")->data);
  EXPECT_EQ(settings->version, WinHttpVersion::k28);
  EXPECT_EQ(settings->counter, 7U);
}

TEST_F(Engine, AMachineWithoutThe32BitViewIsNotGivenOne) {
  machine_.content().keys.erase(R"(software\wow6432node\microsoft)");
  machine_.content().keys.erase(R"(software\wow6432node)");
  MustApply(machine_, Desired());
  EXPECT_FALSE(machine_.content().keys.contains(R"(software\wow6432node)"));
}

TEST_F(Engine, FirstBootAdoptsWhatWasBaked) {
  MustApply(machine_, Desired());
  machine_.files().clear();
  const Plan plan = MustApply(machine_, Desired(), {.adopt = true});
  EXPECT_THAT(plan.operations, IsEmpty());
  EXPECT_THAT(ChangesOf(plan), testing::Contains("adopt env HTTP_PROXY"));
  // Certificates are the exception: who put one there can't be told.
  DesiredState nothing = NothingDesired();
  MustApply(machine_, nothing);
  EXPECT_EQ(TextAt(machine_, kEnv, "HTTP_PROXY"), std::nullopt);
  EXPECT_EQ(machine_.At(kContainerd, "Environment"), std::nullopt);
  EXPECT_EQ(machine_.content().certificates[Store::kRoot].size(), 2U);
}

TEST_F(Engine, NoPasswordIsInWhatIsShown) {
  machine_.Put(kEnv, Sz("HTTP_PROXY", "http://other:c4naryOld@proxy:1"));
  for (const Change& change : MustApply(machine_, Desired()).changes) {
    EXPECT_THAT(change.before + change.after + change.reason, Not(HasSubstr("c4nary"))) << change.name;
  }
}

}  // namespace
}  // namespace prov::reconcile
