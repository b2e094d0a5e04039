#include "provisioner/base/line_index.h"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <string_view>

#include "provisioner/base/text_place.h"

namespace prov {
namespace {

TEST(Position, CountsFromOne) {
  EXPECT_EQ(DescribePlace("", 0), "line 1, column 1");
  EXPECT_EQ(DescribePlace("abc", 2), "line 1, column 3");
  EXPECT_EQ(DescribePlace("a\nbc", 1), "line 1, column 2");
  EXPECT_EQ(DescribePlace("a\nbc", 2), "line 2, column 1");
  EXPECT_EQ(DescribePlace("a\n\n", 3), "line 3, column 1");
  EXPECT_EQ(DescribePlace("a\nbc", 99), "line 2, column 3");
}

TEST(Position, CountsCharacters) {
  const std::string_view text = "ä€😀b\né\n";
  EXPECT_EQ(DescribePlace(text, 2), "line 1, column 2");
  EXPECT_EQ(DescribePlace(text, 5), "line 1, column 3");
  EXPECT_EQ(DescribePlace(text, 9), "line 1, column 4");
  EXPECT_EQ(DescribePlace(text, 10), "line 1, column 5");
  EXPECT_EQ(DescribePlace(text, 13), "line 2, column 2");
  EXPECT_EQ(DescribePlace(text, 14), "line 3, column 1");
}

TEST(LineIndex, CountsCharacters) {
  constexpr std::array<std::string_view, 5> kPieces = {"\n", "x", "ä", "€", "😀"};
  constexpr unsigned kSeed = 4;
  SCOPED_TRACE(kSeed);
  std::mt19937 random(kSeed);
  for (int round = 0; round < 50; ++round) {
    std::string text(random() % 200, 'a');  // so that distances have one digit or two
    const auto pieces = random() % 60;
    for (std::size_t i = 0; i < pieces; ++i) text += kPieces[random() % kPieces.size()];
    const LineIndex index(text);
    for (std::size_t offset = 0; offset <= text.size(); ++offset) {
      EXPECT_EQ(index.Position(offset), DescribePlace(text, offset)) << offset;
    }
  }
}

TEST(LineIndex, AgreesWithTheText) {
  constexpr unsigned kSeed = 3;
  SCOPED_TRACE(kSeed);
  std::mt19937 random(kSeed);
  for (int round = 0; round < 50; ++round) {
    std::string text;
    const int lines = static_cast<int>(random() % 6);
    for (int i = 0; i < lines; ++i) text += std::string(random() % (round % 2 == 0 ? 5U : 40000U), 'x') + "\n";
    text += std::string(random() % 3, 'y');
    const LineIndex index(text);
    for (int probe = 0; probe < 40; ++probe) {
      const std::size_t offset = random() % (text.size() + 1);
      EXPECT_EQ(index.Position(offset), DescribePlace(text, offset)) << offset;
    }
  }
}

}  // namespace
}  // namespace prov
