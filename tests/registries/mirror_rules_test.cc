#include "provisioner/registries/mirror_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace prov::registries {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

std::vector<std::string> MirrorsOf(const Registry& registry) {
  std::vector<std::string> out;
  for (const Mirror& mirror : registry.mirrors) out.push_back(mirror.location);
  return out;
}

const Registry& Find(const std::vector<Registry>& all, const std::string& prefix) {
  for (const Registry& one : all) {
    if (one.prefix == prefix) return one;
  }
  ADD_FAILURE() << "no registry " << prefix;
  static const Registry none;
  return none;
}

TEST(MirrorRules, EntriesOfASourceAreMergedInAnOrderThatSuitsEach) {
  const std::vector<MirrorRule> rules = {{"s", {"b", "c"}}, {"s", {"a", "b"}}, {"t", {"x"}}};
  const auto all = RegistriesOf(rules, {});
  ASSERT_THAT(all, SizeIs(2));
  EXPECT_THAT(MirrorsOf(Find(all, "s")), ElementsAre("a", "b", "c"));
  EXPECT_EQ(Find(all, "s").mirrors.front().use, MirrorUse::kDigestOnly);
}

TEST(MirrorRules, WhereEntriesContradictEachOtherNamesDecide) {
  const auto all = RegistriesOf(std::vector<MirrorRule>{{"s", {"b", "a"}}, {"s", {"a", "b"}}}, {});
  EXPECT_THAT(MirrorsOf(Find(all, "s")), ElementsAre("a", "b"));
}

TEST(MirrorRules, ASourceAmongItsMirrorsKeepsItsPlace) {
  const auto all = RegistriesOf(std::vector<MirrorRule>{{"s", {"a", "s", "b"}}, {"t", {"a", "t"}}}, {});
  EXPECT_THAT(MirrorsOf(Find(all, "s")), ElementsAre("a", "s", "b"));
  EXPECT_THAT(MirrorsOf(Find(all, "t")), ElementsAre("a"));
}

TEST(MirrorRules, ARuleWithoutAnotherMirrorIsNone) {
  EXPECT_THAT(RegistriesOf(std::vector<MirrorRule>{{"s", {"s"}, true}, {"t", {}, true}}, {}), IsEmpty());
}

TEST(MirrorRules, MirrorsForTagsComeAfterThoseForDigests) {
  const std::vector<MirrorRule> rules = {{"s", {"tags"}, false, true}, {"s", {"digests"}, true}};
  const auto all = RegistriesOf(rules, {});
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_TRUE(all.front().blocked);
  EXPECT_THAT(all.front().mirrors, ElementsAre(Mirror{"digests", false, MirrorUse::kDigestOnly},
                                               Mirror{"tags", false, MirrorUse::kTagOnly}));
}

TEST(MirrorRules, BlockedAndInsecureReachWhatLiesWithin) {
  const std::vector<MirrorRule> rules = {{"quay.io/org/app", {"m.example.com/app"}}};
  const auto all =
      RegistriesOf(rules, {.insecure = {"*.example.com", "quay.io"}, .blocked = {"quay.io/org", "bad.io"}});
  EXPECT_TRUE(Find(all, "quay.io/org/app").blocked);
  EXPECT_TRUE(Find(all, "quay.io/org/app").insecure);
  EXPECT_TRUE(Find(all, "quay.io/org/app").mirrors.front().insecure);
  EXPECT_FALSE(Find(all, "quay.io").blocked);
  EXPECT_TRUE(Find(all, "bad.io").blocked);
  EXPECT_FALSE(Find(all, "bad.io").insecure);
  EXPECT_EQ(Find(all, "*.example.com").location, "");
}

TEST(MirrorRules, ANestedRegistryTakesOverTheMirrorsOfTheWiderOne) {
  const std::vector<MirrorRule> rules = {{"quay.io", {"m.example.com/quay"}}};
  const auto all = RegistriesOf(rules, {.insecure = {}, .blocked = {"quay.io/org", "quay.iorg"}});
  EXPECT_THAT(MirrorsOf(Find(all, "quay.io/org")), ElementsAre("m.example.com/quay/org"));
  EXPECT_THAT(MirrorsOf(Find(all, "quay.iorg")), IsEmpty());
}

}  // namespace
}  // namespace prov::registries
