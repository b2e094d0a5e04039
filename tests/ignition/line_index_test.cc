#include "ignition/line_index.h"

#include <gtest/gtest.h>

#include <random>

namespace prov::ignition {
namespace {

TEST(Position, CountsFromOne) {
  EXPECT_EQ(Position("", 0), "line 1, column 1");
  EXPECT_EQ(Position("abc", 2), "line 1, column 3");
  EXPECT_EQ(Position("a\nbc", 1), "line 1, column 2");
  EXPECT_EQ(Position("a\nbc", 2), "line 2, column 1");
  EXPECT_EQ(Position("a\n\n", 3), "line 3, column 1");
  EXPECT_EQ(Position("a\nbc", 99), "line 2, column 3");
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
      EXPECT_EQ(index.Position(offset), Position(text, offset)) << offset;
    }
  }
}

}  // namespace
}  // namespace prov::ignition
