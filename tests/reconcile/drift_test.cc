#include "provisioner/reconcile/drift.h"

#include <gmock/gmock.h>

#include "tests/reconcile/engine_helpers.h"

namespace prov::reconcile {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing_support::MemoryMachine;

TEST(Drift, NoneRightAfterARun) {
  MemoryMachine machine;
  PutWindows(machine);
  EXPECT_THAT(DriftOf(machine), IsEmpty());
  MustApply(machine, Desired());
  EXPECT_THAT(DriftOf(machine), IsEmpty());
}

TEST(Drift, OfEveryKind) {
  MemoryMachine machine;
  PutWindows(machine);
  MustApply(machine, Desired());
  machine.Put(kEnv, Sz("HTTP_PROXY", "http://other:1"));
  machine.Put(kEnv, Sz("NO_PROXY", "example.com,localhost,10.0.0.0/16,.svc"));  // the same set
  machine.Erase(kEnv, "HTTPS_PROXY");
  machine.Erase(kConnections, "WinHttpSettings");
  machine.Put(kContainerd, ServiceList({"HTTP_PROXY=http://other:1"}));
  machine.content().certificates[pki::Store::kCa].clear();
  EXPECT_THAT(DriftOf(machine),
              ElementsAre("certificate CA 734B5852D40BDC0AD7E1AB2DACBA4FC9BA34854C missing", "env HTTPS_PROXY missing",
                          "env HTTP_PROXY changed", "serviceEnv containerd changed", "winHttp 64-bit missing"));
}

TEST(Drift, AnItemOfANewerVersionIsNamed) {
  MemoryMachine memory;
  machine::Machine machine = memory.Ports();
  const auto drift = FindDrift(machine, {{"teleport:X", {std::nullopt, Sz("a", "b"), {}}}});
  ASSERT_FALSE(drift);
  EXPECT_EQ(drift.error().where, "teleport:X");
}

}  // namespace
}  // namespace prov::reconcile
