// Services that nssm runs: a list of its own comes before the service's Environment.
#include <gmock/gmock.h>

#include "images/registry/descriptor.h"
#include "provisioner/reconcile/items.h"
#include "tests/reconcile/engine_helpers.h"
#include "tests/support/finding_codes.h"

namespace prov::reconcile {
namespace {

using images::RegType;
using images::RegValue;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;
using testing_support::HasCode;
using testing_support::MemoryMachine;

constexpr std::string_view kParameters = R"(SYSTEM\CurrentControlSet\Services\containerd\Parameters)";
constexpr std::string_view kExtra = "AppEnvironmentExtra";

RegValue Named(std::string_view name, const std::vector<std::string>& entries) {
  return {std::string(name), RegType::kMultiSz, images::EncodeMultiSz(entries)};
}

class Nssm : public ::testing::Test {
 protected:
  Nssm() {
    PutWindows(machine_);
    machine_.Put(kParameters, {"Application", RegType::kExpandSz, images::EncodeSz("containerd.exe")});
  }

  std::vector<std::string> Extra() { return ServiceEntries(machine_.At(kParameters, kExtra)).value(); }

  MemoryMachine machine_;
};

TEST_F(Nssm, AProxyOfItsOwnIsReplacedAndComesBack) {
  machine_.Put(kParameters, Named(kExtra, {"A=1", "https_proxy=http://theirs:1"}));
  const auto before = machine_.content();
  const Plan plan = MustApply(machine_, Desired());
  EXPECT_THAT(plan.findings, HasCode("service-nssm"));
  EXPECT_THAT(ChangesOf(plan), Contains(R"(update serviceEnv containerd\Parameters)"));
  EXPECT_THAT(Extra(), ElementsAre("A=1", StartsWith("HTTPS_PROXY=http://user:c4nary"),
                                   StartsWith("HTTP_PROXY=http://user:c4nary"), StartsWith("NO_PROXY=")));
  EXPECT_TRUE(images::IsForAdministratorsOnly(machine_.Security(kParameters).value(), {})) << "it holds a password";
  EXPECT_THAT(DriftOf(machine_), IsEmpty());

  machine_.log.clear();
  const Plan again = MustApply(machine_, Desired());
  EXPECT_THAT(machine_.log, IsEmpty());
  EXPECT_THAT(again.findings, Not(HasCode("service-nssm"))) << "once is enough";

  const MemoryMachine applied = machine_;
  MustRollBack(machine_);
  EXPECT_EQ(machine_.content().Text(), before.Text());
  machine_ = applied;
  MustApply(machine_, Desired(testing_support::SampleConfig(), {"kubelet"}));
  EXPECT_THAT(Extra(), ElementsAre("A=1", "https_proxy=http://theirs:1"));
  machine_ = applied;
  MustApply(machine_, NothingDesired());
  EXPECT_EQ(machine_.content().Text(), before.Text());
}

TEST_F(Nssm, WhatOthersAddThereStays) {
  machine_.Put(kParameters, Named(kExtra, {"HTTP_PROXY=http://theirs:1"}));
  MustApply(machine_, Desired());
  std::vector<std::string> list = Extra();
  list.emplace_back("LATE=1");
  machine_.Put(kParameters, Named(kExtra, list));
  const MemoryMachine changed = machine_;
  MustRollBack(machine_);
  EXPECT_THAT(Extra(), testing::UnorderedElementsAre("HTTP_PROXY=http://theirs:1", "LATE=1"));
  EXPECT_EQ(machine_.At(kParameters, kExtra)->name, kExtra);
  machine_ = changed;
  std::erase_if(list, [](const std::string& one) { return one.starts_with("NO_PROXY="); });
  machine_.Put(kParameters, Named(kExtra, list));
  EXPECT_THAT(DriftOf(machine_), ElementsAre(R"(serviceEnv containerd\parameters changed)"));
  MustApply(machine_, NothingDesired());
  EXPECT_THAT(Extra(), testing::UnorderedElementsAre("HTTP_PROXY=http://theirs:1", "LATE=1"));
}

// It replaces the whole environment, so Environment alone would have no effect.
TEST_F(Nssm, AnEnvironmentOfItsOwnIsAddedTo) {
  machine_.Put(kParameters, Named("AppEnvironment", {"A=1"}));
  const auto before = machine_.content();
  MustApply(machine_, Desired());
  EXPECT_EQ(Extra().size(), 3U);
  EXPECT_EQ(machine_.At(kParameters, "AppEnvironment"), Named("AppEnvironment", {"A=1"}));
  MustApply(machine_, NothingDesired());
  EXPECT_EQ(machine_.content().Text(), before.Text());
}

TEST_F(Nssm, WithoutAProxyThereEnvironmentIsEnough) {
  machine_.Put(kParameters, Named(kExtra, {"A=1", "NOT_HTTP_PROXY=1"}));
  machine_.Put(R"(SYSTEM\CurrentControlSet\Services\other\Parameters)", Named(kExtra, {"HTTP_PROXY=http://theirs:1"}));
  const Plan plan = MustApply(machine_, Desired());
  EXPECT_THAT(plan.findings, Not(HasCode("service-nssm")));
  EXPECT_THAT(Extra(), ElementsAre("A=1", "NOT_HTTP_PROXY=1"));
  EXPECT_TRUE(machine_.At(kContainerd, "Environment"));
}

}  // namespace
}  // namespace prov::reconcile
