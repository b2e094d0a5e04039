// A hive flush by flush, for tests of the replay.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "images/registry/hive_editor.h"
#include "images/registry/hive_writer.h"
#include "tests/images/hive_test_util.h"
#include "tests/support/hive_log.h"

namespace prov::images::testing {

inline constexpr std::uint64_t kHistoryTime = 0x01DB000000000000;

// States of one hive, each an edit after the one before, its sequence number one higher. The first one is what is in
// the file: entry i of the logs leads from state i to state i + 1 and has the number of state i.
class History {
 public:
  explicit History(std::size_t flushes, std::uint32_t first = 100) : first_(first) {
    RegKey root = Key("", {}, {Key("Classes", {Value("v", RegType::kBinary, std::string(9000, 'v'))}), Key("Ours")});
    for (int i = 0; i < 300; ++i) root.subkeys[0].subkeys.push_back(Key(fmt::format("Class{}", i)));
    HiveOptions options;
    options.filetime = kHistoryTime;
    states_.push_back(testing_support::WithNumbers(WriteHive(root, options).value(), first, first));
    for (std::size_t i = 0; i < flushes; ++i) {
      HiveEditor editor = HiveEditor::Open(states_.back()).value();
      EXPECT_TRUE(editor.Set(fmt::format("Ours\\Flush{}", i), Value("a", RegType::kBinary, std::string(700 * i, 'a'))));
      EXPECT_TRUE(editor.Set("Ours", Value("newest", RegType::kDword, EncodeDword(static_cast<std::uint32_t>(i)))));
      states_.push_back(editor.Finish(kHistoryTime).value());
    }
  }

  const std::string& State(std::size_t i) const { return states_.at(i); }
  const std::string& Last() const { return states_.back(); }
  std::size_t Flushes() const { return states_.size() - 1; }
  std::uint32_t NumberOf(std::size_t entry) const { return first_ + static_cast<std::uint32_t>(entry); }

  // The file as it is left at once after its first flush.
  std::string Dirty() const { return testing_support::WithNumbers(states_.front(), first_ + 1, first_); }

  std::string Entry(std::size_t i) const {
    return testing_support::FlushOf(NumberOf(i), states_.at(i), states_.at(i + 1));
  }
  // Entries from `begin` to before `end`, with a header.
  std::string Log(std::size_t begin, std::size_t end) const {
    std::string log = testing_support::LogHeader(states_.front(), NumberOf(begin));
    for (std::size_t i = begin; i < end; ++i) log += Entry(i);
    return log;
  }
  std::string Log() const { return Log(0, Flushes()); }

 private:
  std::uint32_t first_;
  std::vector<std::string> states_;
};

}  // namespace prov::images::testing
