#include "provisioner/machine/event_log.h"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <string>

#include "provisioner/base/error.h"
#include "tests/support/paths.h"

namespace prov::machine {
namespace {

TEST(EventText, NumbersOfOtherTextsAreBroken) {
  EXPECT_EQ(EventText("http://p/%41%2f %1 %%5 100% %s"), "http://p/% 41% 2f % 1 % % 5 100% %s");
}

TEST(EventText, ControlCharactersAreShown) { EXPECT_EQ(EventText("a\tb\n"), R"(a\x09b\x0a)"); }

TEST(EventText, FitsIntoAnEvent) {
  for (const std::string& text : {std::string(100'000, 'x'), std::string(100'000, '\x01'), std::string(100'000, '%')}) {
    EXPECT_LE(EventText(text).size(), 31'839U);
    EXPECT_GE(EventText(text).size(), 29'000U);
  }
}

TEST(EventText, EndsBehindACharacter) {
  for (std::size_t before = 0; before < 3; ++before) {
    std::string text(before, 'x');
    while (text.size() < 100'000) text += "\xe2\x82\xac";
    EXPECT_EQ(EventText(text), text.substr(0, before + (30'000 - before) / 3 * 3));
  }
}

// The table that the Event Viewer reads has a row for each id that is ever written.
TEST(EventText, MessageTableHasEachId) {
  std::set<int> expected;
  for (int id = 1; id <= static_cast<int>(Event::kServiceStopped); ++id) expected.insert(id);
  expected.insert(static_cast<int>(Event::kFailure));
  for (const CodeInfo& info : AllCodes()) expected.insert(static_cast<int>(Event::kFailure) + info.exit);

  std::set<int> found;
  std::ifstream table(testing_support::TestsFolder() + "/../provisioner/windows/events.mc");
  for (std::string line; std::getline(table, line);) {
    if (line.starts_with("MessageId=")) found.insert(std::stoi(line.substr(line.find('=') + 1)));
  }
  EXPECT_EQ(found, expected);
}

}  // namespace
}  // namespace prov::machine
