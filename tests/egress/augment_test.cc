#include "provisioner/egress/augment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "provisioner/egress/dialect_explain.h"
#include "tests/support/no_proxy_cases.h"

namespace prov::egress {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

AugmentedNoProxy Of(const std::string& text) { return Augment(NoProxy::Parse(text, "here").value()); }

TEST(Augment, AddsWhatSaysTheSameToOthers) {
  EXPECT_EQ(Of("foo.com").text, "foo.com,.foo.com,127.0.0.1,::1,[::1]");
  EXPECT_THAT(Of("FOO.com, .foo.com,127.0.0.1,::1,[::1]").added, IsEmpty());
  EXPECT_THAT(Of("2001:DB8:0::1,127.0.0.1").added, ElementsAre("[2001:db8::1]", "::1", "[::1]"));
  EXPECT_THAT(Of("10.1.2.3/32,2001:db8::2/128").added,
              ElementsAre("10.1.2.3", "2001:db8::2", "[2001:db8::2]", "127.0.0.1", "::1", "[::1]"));
  EXPECT_EQ(Of("10.0.0.0/8,").text, "10.0.0.0/8,127.0.0.1,::1,[::1]");
}

TEST(Augment, LeavesAloneWhatAnAdditionWouldChange) {
  for (const char* text : {"", " ", ",", "*", "a.com,*", "*,"}) {
    EXPECT_EQ(Of(text).text, text);
    EXPECT_THAT(Of(text).added, IsEmpty());
  }
  EXPECT_THAT(Of("foo.com:80,*.foo.com,.foo.com,10.0.0.0/8,foo.com.,127.0.0.1,::1,[::1]").added, IsEmpty());
}

TEST(Augment, StaysWithinAVariable) {
  std::string text = "a.com";
  while (text.size() < 32750) text += ",b.com";
  EXPECT_LE(Of(text).text.size() + sizeof("NO_PROXY="), 32767U);
}

// 0x7f.1, a.127.0.0.1: names to Go, addresses or what is below one to others.
bool EndsInNumber(const Destination& to) {
  const std::string_view name =
      to.name.ends_with('.') ? std::string_view(to.name).substr(0, to.name.size() - 1) : to.name;
  return !name.empty() && name.back() >= '0' && name.back() <= '9';
}

// Every client's difference from Go, before and after: Go never moves, nobody moves away from it.
TEST(Augment, GoNeverChangesAndNobodyMovesAway) {
  testing_support::NoProxyCases cases(differential::Seed("Augment"));
  const Secret proxy("http://proxy.example:3128");
  std::map<Dialect, std::pair<int, int>> differences;
  int extended = 0;
  for (int i = 0; i < 2000; ++i) {
    const std::string text = i % 2 == 0 ? cases.PlainList() : cases.List();
    const AugmentedNoProxy augmented = Of(text);
    ASSERT_TRUE(augmented.text.starts_with(text));
    extended += augmented.added.empty() ? 0 : 1;
    const Explainer before = Explainer::Make({proxy, proxy, text, false}).value();
    const Explainer after = Explainer::Make({proxy, proxy, augmented.text, false}).value();
    for (int j = 0; j < 20; ++j) {
      const std::string url = cases.Url();
      const Destination to = ParseDestination(url).value();
      const Route go = before.Decide(Dialect::kGo, to).route;
      ASSERT_EQ(after.Decide(Dialect::kGo, to).route, go) << text << "  " << url;
      if (EndsInNumber(to) && !to.address) continue;
      for (const Dialect dialect : kDialects) {
        const bool differed = before.Decide(dialect, to).route != go;
        const bool differs = after.Decide(dialect, to).route != go;
        ASSERT_FALSE(differs && !differed) << NameOf(dialect) << ": " << text << "  " << url;
        differences[dialect].first += differed ? 1 : 0;
        differences[dialect].second += differs ? 1 : 0;
      }
    }
  }
  EXPECT_GT(extended, 1000);
  for (const auto& [dialect, counts] : differences)
    std::cout << "  " << NameOf(dialect) << ": " << counts.first << " differences, augmented " << counts.second << '\n';
  EXPECT_LT(differences[Dialect::kDotnet].second, differences[Dialect::kDotnet].first);
  EXPECT_LT(differences[Dialect::kPython].second, differences[Dialect::kPython].first);
}

}  // namespace
}  // namespace prov::egress
