#include "provisioner/machine/state_record.h"

#include <gmock/gmock.h>

#include "tests/support/memory_machine.h"

namespace prov::machine {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing_support::MemoryMachine;
using testing_support::PowerFailure;

// A section as a document.
std::string SectionText(const std::string& text) { return "\"" + text + "\"\n"; }

std::optional<std::string> Read(MemoryMachine& machine, std::string_view section) {
  const auto found = machine.State().Read(section);
  EXPECT_TRUE(found) << found.error().message;
  return found && *found ? std::optional((*found)->Json()) : std::nullopt;
}

TEST(StateRecord, IsOneFileThatNamesItsDigest) {
  MemoryMachine machine;
  EXPECT_EQ(Read(machine, "hold"), std::nullopt);
  ASSERT_TRUE(machine.State().Commit({{"hold", "{\"digest\": \"x\"}"}, {"gone", std::nullopt}}));
  EXPECT_EQ(machine.files().at("state.json"), R"({
  "schema": 1,
  "sha256": "8781633be2671dcf71bb3e420e0238bd659965773cb5c286f2e1c2c682c23e68",
  "sections": {
    "hold": {
      "digest": "x"
    }
  }
}
)");
  EXPECT_EQ(Read(machine, "hold"), "{\n  \"digest\": \"x\"\n}\n");
}

TEST(StateRecord, IsWrittenWhereItDiffersAndInOneStep) {
  MemoryMachine machine;
  StateRecord& state = machine.State();
  ASSERT_TRUE(state.Commit({{"a", SectionText("a")}, {"b", SectionText("b")}}));
  machine.log.clear();
  ASSERT_TRUE(state.Commit({{"a", SectionText("a")}, {"c", std::nullopt}}));
  EXPECT_THAT(machine.log, IsEmpty());
  ASSERT_TRUE(state.Commit({{"a", std::nullopt}, {"b", SectionText("new")}, {"c", SectionText("c")}}));
  EXPECT_THAT(machine.log, ElementsAre("Write state.previous.json", "Write state.json"));
  EXPECT_THAT(machine.Sections(), ElementsAre(Pair("b", SectionText("new")), Pair("c", SectionText("c"))));
}

TEST(StateRecord, AWriteThatFailsLeavesTheOldOne) {
  MemoryMachine machine;
  StateRecord& state = machine.State();
  ASSERT_TRUE(state.Commit({{"a", SectionText("old")}}));
  machine.fail_at = machine.calls + 1;  // behind the reading
  EXPECT_FALSE(state.Commit({{"a", SectionText("new")}}));
  machine.fail_at = MemoryMachine::kNever;
  EXPECT_EQ(state.Read("a")->value().Json(), SectionText("old"));
}

// The copy comes first, so that it never is older than the record where no command is at work; the record's own file
// is the commit. Either is whole at each instant.
TEST(StateRecord, ItsCopyIsWholeAndNeverOlder) {
  MemoryMachine start;
  ASSERT_TRUE(start.State().Commit({{"a", SectionText("old")}}));
  MemoryMachine done = start;
  done.calls = 0;
  ASSERT_TRUE(done.State().Commit({{"a", SectionText("new")}}));
  EXPECT_EQ(done.files().at("state.previous.json"), done.files().at("state.json"));
  for (std::size_t call = 0; call < done.calls; ++call) {
    MemoryMachine machine = start;
    machine.calls = 0;
    machine.stop_after = call;
    EXPECT_THROW((void)machine.State().Commit({{"a", SectionText("new")}}), PowerFailure) << call;
    machine.Boot(MemoryMachine::Unflushed::kLost);
    const std::string& copy = machine.files().at("state.previous.json");
    EXPECT_TRUE(ParseState(copy, "copy")) << call;
    EXPECT_TRUE(copy == machine.files().at("state.json") || copy == done.files().at("state.json")) << call;
    ASSERT_TRUE(machine.State().Commit({{"a", SectionText("new")}})) << call;
    EXPECT_EQ(machine.files(), done.files()) << call;
  }
}

// The very first record comes before its copy: a copy alone is what is left of a record that somebody deleted.
TEST(StateRecord, TheFirstHasNoCopyWithoutIt) {
  for (std::size_t call = 0;; ++call) {
    MemoryMachine machine;
    machine.stop_after = call;
    try {
      ASSERT_TRUE(machine.State().Commit({{"a", SectionText("a")}}));
      break;
    } catch (const PowerFailure&) {
    }
    machine.Boot(MemoryMachine::Unflushed::kLost);
    EXPECT_TRUE(machine.files().contains("state.json") || machine.files().empty()) << call;
    ASSERT_TRUE(machine.State().Commit({{"a", SectionText("a")}})) << call;
    EXPECT_EQ(machine.files().at("state.previous.json"), machine.files().at("state.json")) << call;
    machine.log.clear();
    ASSERT_TRUE(machine.State().Commit({{"a", SectionText("a")}})) << call;
    EXPECT_THAT(machine.log, IsEmpty()) << call;
  }
}

TEST(StateRecord, WhatAnotherProcessWroteIsSeen) {
  MemoryMachine machine;
  StateRecord& state = machine.State();
  ASSERT_TRUE(state.Commit({{"a", SectionText("old")}}));
  ASSERT_TRUE(StateRecord(machine).Commit({{"a", SectionText("new")}, {"b", SectionText("b")}}));
  EXPECT_EQ(state.Read("a")->value().Json(), SectionText("new"));
  ASSERT_TRUE(state.Commit({{"a", SectionText("newer")}}));
  EXPECT_THAT(machine.Sections(), ElementsAre(Pair("a", SectionText("newer")), Pair("b", SectionText("b"))));
}

TEST(StateRecord, DamageIsAnErrorAndNeverAnEmptyRecord) {
  MemoryMachine machine;
  ASSERT_TRUE(machine.State().Commit({{"hold", "{\"digest\": \"abc\"}"}}));
  const std::string good = machine.files().at("state.json");
  std::string& text = machine.files().at("state.json");
  const auto code = [&] {
    const auto read = machine.State().Read("hold");
    return read ? Code::kInternal : read.error().code;
  };
  for (std::size_t size = 0; size + 1 < good.size(); ++size) {  // the last byte is a line feed
    text = good.substr(0, size);
    ASSERT_EQ(code(), Code::kJson) << size;
  }
  for (std::size_t at = 0; at + 1 < good.size(); ++at) {
    text = good;
    text[at] = static_cast<char>(text[at] ^ 1);
    ASSERT_NE(code(), Code::kInternal) << at;
  }
  text = good;
  text.replace(text.find("abc"), 3, "abd");
  EXPECT_EQ(code(), Code::kHashMismatch);
  machine.log.clear();
  EXPECT_FALSE(machine.State().Commit({{"hold", std::nullopt}}));
  EXPECT_THAT(machine.log, IsEmpty()) << "nothing is written over it";
}

TEST(StateRecord, ANewerProgramsIsRefusedWithWords) {
  MemoryMachine machine;
  machine.files()["state.json"] = R"({"schema": 2})";
  const auto read = machine.State().Read("hold");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, Code::kVersion);
  EXPECT_THAT(read.error().message, HasSubstr("a newer version of provisioner wrote this"));
}

}  // namespace
}  // namespace prov::machine
