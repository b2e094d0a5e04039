#include "provisioner/base/suggestion.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace prov {
namespace {

constexpr std::array<std::string_view, 6> kKnown = {"--format", "--pool", "--show-secrets",
                                                    "json",     "env",    "specialize"};

TEST(EditDistance, CountsEdits) {
  EXPECT_EQ(EditDistance("", ""), 0U);
  EXPECT_EQ(EditDistance("abc", ""), 3U);
  EXPECT_EQ(EditDistance("", "abc"), 3U);
  EXPECT_EQ(EditDistance("Containerd", "containerd"), 0U);
  EXPECT_EQ(EditDistance("contanerd", "containerd"), 1U);
  EXPECT_EQ(EditDistance("kitten", "sitting"), 3U);
}

TEST(Suggestion, NamesWhatDiffersByASlip) {
  EXPECT_EQ(DidYouMean("--formt", kKnown), "did you mean --format?");
  EXPECT_EQ(DidYouMean("specialise", kKnown), "did you mean specialize?");
  EXPECT_EQ(DidYouMean("JSON", kKnown), "did you mean json?");
  EXPECT_EQ(DidYouMean("-pool", kKnown), "did you mean --pool?");
}

TEST(Suggestion, NamesWhatBeginsLikeThis) {
  EXPECT_EQ(DidYouMean("--show", kKnown), "did you mean --show-secrets?");
  EXPECT_EQ(DidYouMean("--fo", kKnown), "did you mean --format?");
}

TEST(Suggestion, NamesOnlyTheWordThatHasOtherDashes) {
  constexpr std::array<std::string_view, 2> kTwo = {"--output", "--out"};
  EXPECT_EQ(DidYouMean("-out", kTwo), "did you mean --out?");
}

TEST(Suggestion, NamesAllThatAreNear) {
  constexpr std::array<std::string_view, 2> kTwo = {"install", "uninstall"};
  EXPECT_EQ(DidYouMean("ninstall", kTwo), "did you mean install or uninstall?");
}

TEST(Suggestion, IsSilentWhereNothingIsNear) {
  for (const char* word : {"", "-", "--", "x", "--x", "--s", "xyzzy", "yaml"})
    EXPECT_EQ(DidYouMean(word, kKnown), "") << word;
  EXPECT_EQ(DidYouMean(std::string(30'000, 'a'), kKnown), "") << "is not compared with anything";
}

}  // namespace
}  // namespace prov
