#include "ignition/gzip.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/ignition/helpers.h"

namespace prov::ignition {
namespace {

using namespace std::string_literals;

Code CodeOf(const Result<std::string>& result) { return result ? Code::kInternal : result.error().code; }

TEST(Gunzip, ReadsBackWhatWasCompressed) {
  constexpr unsigned kSeed = 42;
  SCOPED_TRACE(kSeed);
  std::mt19937 random(kSeed);
  for (const std::size_t size : {0U, 1U, 100U, 65535U, 65536U, 65537U, 131072U, 1000000U}) {
    for (const int level : {0, 1, 9}) {
      const std::string bytes = RandomBytes(random, size);
      EXPECT_EQ(Gunzip(Gzip(bytes, level), size, "w"), bytes) << size << " at level " << level;
    }
  }
}

TEST(Gunzip, JoinsMembers) { EXPECT_EQ(Gunzip(Gzip("a") + Gzip("") + Gzip("bc"), 3, "w"), "abc"); }

TEST(Gunzip, RefusesWhatIsNotGzip) {
  for (const std::string& bytes : {""s, "\x1f"s, "plain"s, "\x1e\x8b\x08"s, "PK\x03\x04"s, "\x78\x9c\x03\x00"s}) {
    const auto result = Gunzip(bytes, kPlenty, "$.x");
    EXPECT_EQ(CodeOf(result), Code::kDecompress) << bytes;
    EXPECT_EQ(result.error().where, "$.x");
  }
}

TEST(Gunzip, RefusesEachTruncation) {
  const std::string whole = Gzip("the quick brown fox jumps over the lazy dog") + Gzip("second");
  const std::size_t first = Gzip("the quick brown fox jumps over the lazy dog").size();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    if (size == first) continue;  // the end of a member is a legal end
    EXPECT_EQ(CodeOf(Gunzip(whole.substr(0, size), kPlenty, "w")), Code::kDecompress) << size;
  }
}

TEST(Gunzip, RefusesTrailingBytes) {
  for (const std::string& tail : {"x"s, "\0"s, "\x1f"s, "\n"s, "\x1f\x8b"s, "\x1f\x8bgarbage"s}) {
    EXPECT_EQ(CodeOf(Gunzip(Gzip("a") + tail, kPlenty, "w")), Code::kDecompress) << tail;
  }
}

TEST(Gunzip, RefusesDamage) {
  const std::string good = Gzip("hello hello hello hello");
  for (const std::size_t at :
       {std::size_t{2}, std::size_t{10}, good.size() - 8, good.size() - 1}) {  // method, data, CRC, length
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 0x55);
    EXPECT_EQ(CodeOf(Gunzip(bad, kPlenty, "w")), Code::kDecompress) << at;
  }
}

TEST(Gunzip, KeepsTheLimit) {
  const std::string bytes(200000, 'a');
  EXPECT_EQ(Gunzip(Gzip(bytes), 200000, "w"), bytes);
  EXPECT_EQ(CodeOf(Gunzip(Gzip(bytes), 199999, "w")), Code::kTooLarge);
  EXPECT_EQ(CodeOf(Gunzip(Gzip(bytes), 0, "w")), Code::kTooLarge);
  EXPECT_EQ(CodeOf(Gunzip(Gzip("a") + Gzip("b"), 1, "w")), Code::kTooLarge);
  EXPECT_EQ(Gunzip(Gzip(""), 0, "w"), "");
}

TEST(Gunzip, StopsAtABombBeforeItGrows) {
  // 60 members of 10 MB each: were it expanded, the next member would be found damaged. The limit comes first.
  const std::string member = Gzip(std::string(10 << 20, '\0'), 9);
  std::string bomb;
  for (int i = 0; i < 60; ++i) bomb += member;
  EXPECT_LT(bomb.size(), 1U << 20U);
  EXPECT_EQ(CodeOf(Gunzip(bomb + "damage", 1 << 20, "w")), Code::kTooLarge);
}

// Whatever the sizes of the pieces that go in and come out.
TEST(GunzipStream, GivesTheSameInPieces) {
  const std::string text = std::string(70000, 'a') + "end";
  const std::string packed = Gzip(text.substr(0, 10)) + Gzip("") + Gzip(text.substr(10));
  for (const std::size_t in : {1U, 3U, 1000U, 100000U}) {
    for (const std::size_t out : {1U, 511U, 65536U, 200000U}) {
      std::string_view rest = packed;
      GunzipStream stream(
          [&](char* to, std::size_t size) -> Result<std::size_t> {
            const std::size_t count = std::min({size, in, rest.size()});
            std::copy_n(rest.data(), count, to);
            rest.remove_prefix(count);
            return count;
          },
          "w");
      std::string all;
      std::string piece(out, '\0');
      for (std::size_t count = 1; count > 0;) {
        const auto read = stream.Read(piece.data(), piece.size());
        ASSERT_TRUE(read);
        count = *read;
        all.append(piece, 0, count);
      }
      EXPECT_EQ(all, text);
      EXPECT_EQ(stream.given(), text.size());
      EXPECT_EQ(stream.taken(), packed.size());
    }
  }
}

TEST(LooksLikeGzip, WantsBothMagicBytes) {
  EXPECT_TRUE(LooksLikeGzip(Gzip("x")));
  EXPECT_FALSE(LooksLikeGzip(""));
  EXPECT_FALSE(LooksLikeGzip("\x1f"));
  EXPECT_FALSE(LooksLikeGzip("\x1f\x8a"));
}

}  // namespace
}  // namespace prov::ignition
