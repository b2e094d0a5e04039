// What the Windows Machine Config Operator's daemon gets wrong with variables and certificates, row by row, as this
// engine does it. Rows that no node can show: B5 (uncordons a node that an administrator had cordoned) and B6 (a proxy
// that does not work goes to all nodes) are the operator's part; `check --probe` tries a proxy. B19 (memory that is
// never freed) is what the runs under AddressSanitizer look for. The rows about reading PEM: pki/trust_bundle_test.cc.
// Rows that other tests show: B1, B3, B7, B9 (plan_test.cc), B4, B22 (desired_state_test.cc), B10
// (pki/trust_bundle_test.cc), B13 (machine/state_record_test.cc), B18 (pki/trust_store_test.cc).
#include <gmock/gmock.h>

#include <functional>
#include <vector>

#include "provisioner/pki/certificate_review.h"
#include "provisioner/reconcile/items.h"
#include "provisioner/reconcile/observe.h"
#include "provisioner/reconcile/reboot.h"
#include "provisioner/reconcile/wmco.h"
#include "tests/reconcile/engine_helpers.h"
#include "tests/support/make_certificate.h"
#include "tests/support/result.h"

namespace prov::reconcile {
namespace {

using pki::Store;
using testing::Contains;
using testing::Each;
using testing::Field;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;
using testing_support::MemoryMachine;
using testing_support::PowerFailure;
using testing_support::SampleConfig;

class WmcoBugs : public ::testing::Test {
 protected:
  WmcoBugs() { PutWindows(memory_); }

  Result<RunReport> Apply(const DesiredState& desired = Desired()) { return ApplyOn(machine_, desired, {}, false); }
  RunReport MustApplyOn(const DesiredState& desired = Desired()) { return Must(Apply(desired)); }
  bool Has(Store store, const std::string& der) { return memory_.content().certificates[store].contains(der); }
  std::size_t CallsOfAnApply() const {
    MemoryMachine copy = memory_;
    machine::Machine machine = copy.Ports();
    EXPECT_TRUE(ApplyOn(machine, Desired(), {}, false));
    return copy.calls;
  }

  // Calls `check` after each run whose call number `call` failed; further calls succeed. Gives the errors.
  std::vector<Error> FailAtEachCall(const std::function<void(std::size_t call)>& check) {
    const std::size_t calls = CallsOfAnApply();
    const MemoryMachine start = memory_;
    std::vector<Error> out;
    for (std::size_t call = 0; call < calls; ++call) {
      memory_ = start;
      memory_.fail_at = call;
      const auto report = Apply();
      EXPECT_FALSE(report) << call;
      if (!report) out.push_back(report.error());
      memory_.fail_at = MemoryMachine::kNever;
      check(call);
    }
    return out;
  }

  MemoryMachine memory_;
  machine::Machine machine_ = memory_.Ports();
};

egress::EgressConfig With(const std::vector<test::MadeCertificate>& made) {
  egress::EgressConfig config = SampleConfig();
  config.certificates.clear();
  for (const test::MadeCertificate& one : made) {
    config.certificates.push_back(pki::ParseCertificate(one.der, "made").value());
  }
  return config;
}

TEST_F(WmcoBugs, B2_AKilledRunNeverLosesTheNeedOfAReboot) {
  const MemoryMachine start = memory_;
  const std::size_t calls = CallsOfAnApply();
  ASSERT_GT(calls, 30U);
  for (std::size_t call = 0; call < calls; ++call) {
    memory_ = start;
    memory_.stop_after = call;
    EXPECT_THROW((void)Apply(), PowerFailure) << call;
    memory_.stop_after = MemoryMachine::kNever;  // killed: the same boot goes on
    EXPECT_TRUE(MustApplyOn().reboot_required) << "killed behind call " << call;
    EXPECT_TRUE(MustApplyOn().reboot_required) << "and it stays so";
    memory_.Boot(MemoryMachine::Unflushed::kKept);
    EXPECT_FALSE(MustApplyOn().reboot_required);
  }
}

TEST_F(WmcoBugs, B8_ACertificateThatIsThereIsNotReplaced) {
  for (const CertificateItem& item : Desired().certificates) {
    memory_.content().certificates[item.store][item.certificate.der] = true;
  }
  memory_.MakeDurable();
  MustApplyOn();
  EXPECT_THAT(memory_.log, Not(Contains(StartsWith("Add")))) << "its name and its limits of use would be lost";
}

TEST_F(WmcoBugs, B11_WhatIsRecordedIsWhatWasImported) {
  FailAtEachCall([&](std::size_t /*call*/) {
    const Ledger ledger = LoadLedger(machine_.state).value();
    for (const auto& [item, entry] : ledger) {
      if (!item.starts_with(kCertificateItem)) continue;
      EXPECT_TRUE(Has(StoreOfItem(item), entry.ours->data)) << item;
    }
  });
}

TEST_F(WmcoBugs, B12_WhatAFailedRunImportedIsNotTrustedForever) {
  egress::EgressConfig none = SampleConfig();
  none.certificates.clear();
  bool one_was_in = false;
  FailAtEachCall([&](std::size_t call) {
    one_was_in = one_was_in || memory_.content().certificates[Store::kRoot].size() == 1;
    MustApplyOn(Desired(none));
    EXPECT_THAT(memory_.content().certificates[Store::kRoot], IsEmpty()) << "failed at call " << call;
    EXPECT_THAT(memory_.content().certificates[Store::kCa], IsEmpty()) << "failed at call " << call;
  });
  EXPECT_TRUE(one_was_in) << "the case is among them";
}

TEST_F(WmcoBugs, B14_AStoreThatCannotBeReadIsReported) {
  const std::vector<Error> errors = FailAtEachCall([](std::size_t /*call*/) {});
  EXPECT_THAT(errors, Each(Field(&Error::code, Code::kIo)));
  EXPECT_THAT(errors, Contains(Field(&Error::where, "Contains")));
  EXPECT_THAT(errors, Contains(Field(&Error::where, "Add ROOT")));
}

TEST_F(WmcoBugs, B15_AnUnreadableCertificateInTheStoreBlocksNothing) {
  memory_.content().certificates[Store::kRoot]["no certificate"] = true;
  memory_.MakeDurable();
  MustApplyOn();
  MustApplyOn(NothingDesired());
  EXPECT_EQ(memory_.content().certificates[Store::kRoot].size(), 1U);
  EXPECT_TRUE(Has(Store::kRoot, "no certificate"));
}

TEST_F(WmcoBugs, B16_ANegativeSerialNumberBlocksNothing) {
  test::CertificateSpec negative;
  negative.key = "p256";
  negative.serial = -5;
  const auto made = test::MakeCertificate(negative);
  MustApplyOn(Desired(With({made, test::MakeRoot("B", "p256#b")})));
  EXPECT_TRUE(Has(Store::kRoot, made.der));
  EXPECT_EQ(memory_.content().certificates[Store::kRoot].size(), 2U);
}

TEST_F(WmcoBugs, B17_WhatIsNoCaIsImportedOnlyWhereItIsNamedAndAllOddsAreReported) {
  test::CertificateSpec self;  // as the operator's own test imports one
  self.key = "p256";
  self.ca = false;
  self.not_after = 1767312000;  // a day after it began
  test::CertificateSpec leaf = self;
  leaf.subject = {{"CN", "leaf"}};
  leaf.issuer = self.subject;
  leaf.key = "p256#leaf";
  leaf.signer = "p256";
  const auto self_made = test::MakeCertificate(self);
  const auto leaf_made = test::MakeCertificate(leaf);
  const egress::EgressConfig config = With({self_made, leaf_made});
  const Error refused = ErrorIn(MakeDesiredState(config, {}));
  EXPECT_EQ(refused.code, Code::kCert) << "what is there is not taken for nothing";
  DesiredOptions options;
  options.trusted = {config.certificates[0].sha256};
  MustApplyOn(*MakeDesiredState(config, options));
  EXPECT_TRUE(Has(Store::kRoot, self_made.der));
  EXPECT_FALSE(Has(Store::kRoot, leaf_made.der));
  EXPECT_FALSE(Has(Store::kCa, leaf_made.der));
  const Findings findings = pki::ReviewCertificates(config.certificates, 1800000000, "bundle");
  for (const char* code : {"cert-expired", "cert-not-ca"}) {
    EXPECT_THAT(findings, Contains(Field(&Finding::code, code)));
  }
}

TEST_F(WmcoBugs, B20_AFailureBehindTheVariablesDoesNotHideTheReboot) {
  FailAtEachCall([&](std::size_t call) {
    EXPECT_TRUE(MustApplyOn().reboot_required) << "failed at call " << call;
    memory_.log.clear();
    EXPECT_TRUE(MustApplyOn().reboot_required);
    EXPECT_THAT(memory_.log, IsEmpty()) << "waiting for the reboot writes nothing";
  });
}

// Our state is not below C:\k, which the operator wipes; should it be lost all the same, nothing is guessed.
TEST_F(WmcoBugs, B21_WithoutItsRecordNothingIsTakenAwayAndADesiredStateStillHolds) {
  MustApplyOn();
  memory_.files().clear();
  EXPECT_EQ(MustApplyOn().writes, 0U);
  EXPECT_EQ(MustApplyOn(NothingDesired()).writes, 0U);
  EXPECT_EQ(memory_.content().certificates[Store::kRoot].size(), 2U);
}

// `wicd cleanup` runs when a node is set up first: it removes baked variables before the daemon is installed.
TEST_F(WmcoBugs, B23_VariablesRemovedBeforeTheDaemonCameAreSetAgainAsTheyWere) {
  MustApplyOn();
  const auto baked = memory_.content();
  for (const char* name : {"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"}) memory_.Erase(kEnv, name);
  ASSERT_EQ(YieldsEnvironment(machine_, false), false);
  MustApplyOn();
  EXPECT_EQ(memory_.content().Text(), baked.Text()) << "equal strings: the daemon finds nothing to change";
  // Later the daemon removes them: the cluster has no proxy.
  memory_.PutKey(kDaemonKey);
  for (const char* name : {"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"}) memory_.Erase(kEnv, name);
  const bool yields = YieldsEnvironment(machine_, false).value();
  const auto report = Must(ApplyOn(machine_, Desired(), {.adopt = false, .yield_environment = yields}, false));
  EXPECT_EQ(report.writes, 0U);
  EXPECT_FALSE(memory_.At(kEnv, "HTTP_PROXY"));
}

}  // namespace
}  // namespace prov::reconcile
