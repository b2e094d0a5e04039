#include "provisioner/source/tar_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "provisioner/base/error.h"
#include "tests/source/tar_helpers.h"
#include "tests/support/result.h"

namespace prov::source {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// "path kind contents" of each entry, or the error behind those before it.
std::vector<std::string> ListedEntries(const std::string& archive, std::size_t piece = 4096) {
  std::vector<std::string> out;
  std::string_view rest = archive;
  TarReader reader(
      [&](char* to, std::size_t size) -> Result<std::size_t> {
        const std::size_t count = std::min({size, piece, rest.size()});
        std::copy_n(rest.data(), count, to);
        rest.remove_prefix(count);
        return count;
      },
      "a.tar");
  for (;;) {
    auto entry = reader.Next();
    if (!entry) {
      out.push_back(fmt::format("{}: {}", InfoOf(entry.error().code).name, entry.error().message));
      return out;
    }
    if (!*entry) return out;
    std::string contents;
    if ((*entry)->kind == TarKind::kFile) contents = reader.Contents(1 << 20).value_or("too large");
    out.push_back(fmt::format("{} {} {}", (*entry)->path, static_cast<int>((*entry)->kind), contents));
  }
}

TEST(TarReader, ListsWhatAnArchiveHolds) {
  const std::string archive = TarHeader("d/", 0, '5') + TarFile("d/a", "one") + TarFile("b", "") +
                              TarFile("c", std::string(512, 'x')) + TarHeader("l", 0, '2') + TarHeader("h", 0, '1') +
                              TarHeader("dev", 0, '3') + TarHeader("pipe", 0, '6') + TarEnd();
  for (const std::size_t piece : {1U, 7U, 512U, 100000U}) {
    EXPECT_THAT(ListedEntries(archive, piece), ElementsAre("d/ 1 ", "d/a 0 one", "b 0 ", "c 0 " + std::string(512, 'x'),
                                                           "l 2 ", "h 2 ", "dev 3 ", "pipe 3 "));
  }
  EXPECT_TRUE(LooksLikeTar(archive));
  EXPECT_FALSE(LooksLikeTar(archive.substr(0, 511)));
}

TEST(TarReader, TakesLongNamesAndSizesFromTheHeadersBefore) {
  const std::string name(200, 'n');
  const std::string gnu = TarHeader("././@LongLink", name.size() + 1, 'L', true) + Padded(name + '\0') +
                          TarHeader("short", 1, '0', true) + Padded("g");
  const std::string pax = Pax(PaxRecord("path", name + "2") + PaxRecord("size", "2") + PaxRecord("mtime", "1.5")) +
                          TarHeader("short", 0) + Padded("xy");
  std::string split = TarHeader("file", 1);
  split.replace(345, 3, "dir");
  EXPECT_THAT(ListedEntries(gnu + pax + WithSum(split) + Padded("z") + TarEnd()),
              ElementsAre(name + " 0 g", name + "2 0 xy", "dir/file 0 z"));
  EXPECT_THAT(ListedEntries(Pax(PaxRecord("GNU.sparse.major", "1")) + TarFile("s", "x") + TarEnd()),
              ElementsAre("s 3 "));
  EXPECT_THAT(ListedEntries(TarHeader("g", 4, 'g') + Padded("abcd") + TarFile("a", "1") + TarEnd()),
              ElementsAre("a 0 1"));
}

TEST(TarReader, PassesWhatNobodyReads) {
  const std::string archive = TarFile("a", std::string(5000, 'a')) + TarFile("b", "bb") + TarEnd();
  TarReader reader(ReadBytesOf(archive), "a.tar");
  ASSERT_TRUE((*reader.Next()).has_value());
  const auto second = Must(*reader.Next());
  EXPECT_EQ(second.size, 2U);
  EXPECT_EQ(ErrorIn(reader.Contents(1)).code, Code::kTooLarge);
}

TEST(TarReader, RefusesWhatIsDamagedOrCutShort) {
  const std::string good = TarFile("a", "one");
  std::string sum = good;
  sum[0] = 'b';
  const std::pair<std::string, std::string> rows[] = {
      {"", "it is cut short"},
      {good, "it is cut short"},
      {good.substr(0, 600), "it is cut short"},
      {good + TarEnd() + "x", "bytes follow its end"},
      {sum + TarEnd(), "a header is damaged"},
      {Pax("9 path=\n") + good + TarEnd(), "a header of pax is malformed"},
      {Pax("junk") + good + TarEnd(), "a header of pax is malformed"},
      {Pax("99999999999 a=b\n") + good + TarEnd(), "a header of pax is malformed"},
      {Pax(PaxRecord("size", "-1")) + good + TarEnd(), "malformed size"},
      {Pax(PaxRecord("size", "99999999999999999999")) + good + TarEnd(), "malformed size"},
      {Pax(PaxRecord("path", std::string("a\0b", 3))) + good + TarEnd(), "a name holds a NUL"},
      {Pax(PaxRecord("a", "b")) + TarEnd(), "an entry is missing"},
      {TarHeader("x", 2U << 20U, 'x'), "a name or header has 2097152 bytes"},
  };
  for (const auto& [archive, words] : rows) EXPECT_THAT(ListedEntries(archive).back(), HasSubstr(words));
  std::string many;
  for (int i = 0; i < 20; ++i) many += Pax(PaxRecord("a", "b"));
  EXPECT_THAT(ListedEntries(many + good + TarEnd()).back(), HasSubstr("too many headers"));
}

// Whatever bytes change, no memory is taken that the archive doesn't hold, and the reader comes to an end.
TEST(TarReader, EndsWithAnyChangedByte) {
  const std::string good = Pax(PaxRecord("path", "long")) + TarFile("a", "one") + TarFile("b", "two") + TarEnd();
  const unsigned seed = std::random_device()();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  for (int i = 0; i < 3000; ++i) {
    std::string bad = good;
    bad[random() % bad.size()] = static_cast<char>(random() & 0xFFU);
    if (random() % 4 == 0) bad.resize(random() % bad.size());
    EXPECT_LE(ListedEntries(bad).size(), 4U);
  }
}

}  // namespace
}  // namespace prov::source
