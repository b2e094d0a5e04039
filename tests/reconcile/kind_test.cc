// A kind of item that only this test defines is handled like all others.
#include "provisioner/reconcile/kind.h"

#include <gmock/gmock.h>

#include "provisioner/payload/registry_payload.h"
#include "provisioner/reconcile/session.h"
#include "provisioner/reconcile/value_kind.h"
#include "tests/reconcile/engine_helpers.h"

namespace prov::reconcile {
namespace {

using images::RegValue;
using testing::Contains;
using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;
using testing_support::MemoryMachine;

constexpr char kToyKey[] = R"(SOFTWARE\Toy)";

// The HTTP proxy without its scheme.
class Toy final : public ValueKind {
 public:
  Toy() : ValueKind(ItemKind::kFile, "toy:") {}
  bool IsInScope(const Scope& /*scope*/) const override { return true; }
  void Bake(const DesiredState& desired, bool /*closed*/, BakedRegistry& out) const override {
    if (auto value = Wanted(desired, Places().front(), {})) images::KeyAt(out.software, "Toy").values = {*value};
  }

 protected:
  const std::vector<ValuePlace>& Places() const override {
    static const std::vector<ValuePlace> places = {{"Proxy", "the toy's proxy", "the toy's proxy", kToyKey, "Proxy"}};
    return places;
  }
  std::optional<RegValue> Wanted(const DesiredState& desired, const ValuePlace& /*place*/,
                                 const std::optional<RegValue>& /*now*/) const override {
    if (desired.environment.empty()) return std::nullopt;
    return Sz("Proxy", "toy");
  }
  bool Same(const ValuePlace& /*place*/, const RegValue& a, const RegValue& b) const override { return a == b; }
  std::string Show(const ValuePlace& /*place*/, const RegValue& value) const override {
    return std::to_string(value.data.size()) + " bytes";
  }
};

class KindTest : public testing::Test {
 protected:
  KindTest() {
    Kinds().push_back(&toy_);
    PutWindows(memory_);
    memory_.Put(kToyKey, Sz("Proxy", "before"));
  }
  ~KindTest() override { Kinds().pop_back(); }

  Toy toy_;
  MemoryMachine memory_;
};

TEST_F(KindTest, AToyIsPlannedAppliedWatchedAndTakenBack) {
  const std::string before = memory_.content().Text();
  EXPECT_THAT(ChangesOf(MustApply(memory_, Desired())), Contains("update file the toy's proxy"));
  EXPECT_EQ(TextAt(memory_, kToyKey, "Proxy"), "toy");
  EXPECT_THAT(ChangesOf(MustApply(memory_, Desired())), IsEmpty());
  machine::Machine ports = memory_.Ports();
  EXPECT_THAT(StatusOf(ports)->drift, IsEmpty());
  memory_.Put(kToyKey, Sz("Proxy", "changed"));
  EXPECT_THAT(StatusOf(ports)->drift, ElementsAre(Field(&Drift::name, "the toy's proxy")));
  EXPECT_THAT(ChangesOf(MustApply(memory_, Desired())), ElementsAre("update file the toy's proxy"));
  const Plan back = PlanBackFromLast(ports).value().value();
  ASSERT_EQ(back.changes.size(), 1U);
  EXPECT_EQ(back.changes[0].before, "8 bytes");
  EXPECT_EQ(back.changes[0].after, "16 bytes");
  MustApply(memory_, NothingDesired());
  EXPECT_EQ(memory_.content().Text(), before);
}

TEST_F(KindTest, AToyIsBaked) {
  const images::RegKey software = payload::SoftwareTree(Desired());
  EXPECT_THAT(software.subkeys, Contains(Field(&images::RegKey::name, "Toy")));
}

TEST(Kind, AnItemOfAnUnknownKindIsNamed) {
  const auto kind = KindOf("teleport:X");
  ASSERT_FALSE(kind);
  EXPECT_EQ(kind.error().code, Code::kType);
  EXPECT_EQ(kind.error().where, "teleport:X");
}

}  // namespace
}  // namespace prov::reconcile
