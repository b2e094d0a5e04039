#include "provisioner/machine/image_registry.h"

#include <gmock/gmock.h>

#include "images/registry/hive_format.h"
#include "tests/support/hive_checker.h"
#include "tests/support/hive_log.h"
#include "tests/support/hive_reader.h"
#include "tests/support/memory_tree.h"
#include "tests/support/result.h"
#include "tests/support/sample_image.h"

namespace prov::machine {
namespace {

using images::RegType;
using images::RegValue;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing_support::kSampleWriteTime;

constexpr std::string_view kSystem = "Windows/System32/config/SYSTEM";
constexpr std::string_view kSoftware = "Windows/System32/config/SOFTWARE";

class ImageRegistryTest : public testing::Test {
 protected:
  void PutHives(const images::RegKey& system) {
    tree_.Put(kSystem, testing_support::SampleHive(system, "SYSTEM"));
    tree_.Put(kSoftware, testing_support::SampleHive(testing_support::SampleSoftware(), "SOFTWARE"));
  }

  testing_support::MemoryTree tree_;
  ImageRegistry registry_{tree_, kSampleWriteTime};
};

RegValue TextValue(const std::string& name, const std::string& text) {
  return {name, RegType::kSz, images::EncodeSz(text)};
}

TEST_F(ImageRegistryTest, TheControlSetIsTheOneThatWindowsStartsWith) {
  images::RegKey system = testing_support::SampleSystem();
  for (images::RegValue& value : images::KeyAt(system, "Select").values) {
    if (value.name == "Default") value.data = images::EncodeDword(2);
  }
  PutHives(system);
  EXPECT_EQ(registry_.ControlSet(), "ControlSet002");
  EXPECT_EQ(registry_.LastControlSet(), "ControlSet001");
  ASSERT_TRUE(registry_.Set(R"(system\currentcontrolset\Control\Session Manager\Environment)", TextValue("A", "1")));
  ASSERT_TRUE(registry_.Flush());
  const auto written = Must(images::ReadHive(*tree_.At(kSystem)));
  images::KeyAt(system, R"(ControlSet002\Control\Session Manager\Environment)").values.push_back(TextValue("A", "1"));
  images::RegKey read = written;
  EXPECT_EQ(images::KeyAt(read, R"(ControlSet002\Control\Session Manager\Environment)").values,
            images::KeyAt(system, R"(ControlSet002\Control\Session Manager\Environment)").values);
  EXPECT_EQ(images::KeyAt(read, R"(ControlSet001\Control\Session Manager\Environment)").values,
            images::KeyAt(system, R"(ControlSet001\Control\Session Manager\Environment)").values);
}

TEST_F(ImageRegistryTest, WithoutADefaultItIsTheCurrentOne) {
  for (const RegValue& standard :
       {RegValue{"Default", RegType::kDword, images::EncodeDword(7)}, RegValue{"Other", RegType::kNone, ""}}) {
    images::RegKey system = testing_support::SampleSystem();
    images::KeyAt(system, "Select").values = {standard, {"Current", RegType::kDword, images::EncodeDword(2)}};
    PutHives(system);
    ImageRegistry registry(tree_, kSampleWriteTime);
    EXPECT_EQ(registry.ControlSet(), "ControlSet002");
    EXPECT_EQ(registry.LastControlSet(), std::nullopt);
  }
}

TEST_F(ImageRegistryTest, WithoutSelectItIsTheOnlyOne) {
  images::RegKey one;
  images::KeyAt(one, "ControlSet001\\Control");
  images::KeyAt(one, "Setup");
  PutHives(one);
  EXPECT_EQ(registry_.ControlSet(), "ControlSet001");
  images::KeyAt(one, "ControlSet002");
  PutHives(one);
  EXPECT_EQ(ImageRegistry(tree_, kSampleWriteTime).ControlSet().error().code, Code::kTarget);
}

TEST_F(ImageRegistryTest, ASelectThatNamesNothingIsRefused) {
  for (const RegValue& current :
       {RegValue{"Current", RegType::kSz, images::EncodeSz("1")}, RegValue{"Current", RegType::kDword, "\1"},
        RegValue{"Current", RegType::kDword, images::EncodeDword(7)},
        RegValue{"Current", RegType::kDword, images::EncodeDword(0x10001)}, RegValue{"Other", RegType::kNone, ""}}) {
    images::RegKey system = testing_support::SampleSystem();
    images::KeyAt(system, "Select").values = {current};
    PutHives(system);
    ImageRegistry registry(tree_, kSampleWriteTime);
    const auto set = registry.ControlSet();
    ASSERT_FALSE(set) << current.name;
    EXPECT_EQ(set.error().code, Code::kTarget);
    EXPECT_EQ(set.error().where, "image in memory, Windows/System32/config/SYSTEM");
  }
}

TEST_F(ImageRegistryTest, WithoutHivesThereIsNoWindows) {
  const Error read = ErrorIn(registry_.Read(R"(SOFTWARE\Microsoft)", "x"));
  EXPECT_EQ(read.code, Code::kTarget);
  EXPECT_THAT(read.where, HasSubstr("SOFTWARE"));
}

TEST_F(ImageRegistryTest, ADirtyHiveIsRefusedAndNamed) {
  PutHives(testing_support::SampleSystem());
  std::string dirty = *tree_.At(kSoftware);
  dirty[4] = static_cast<char>(dirty[4] + 1);
  images::regf::Store32(dirty.data() + 508, images::regf::BaseBlockChecksum(dirty));
  tree_.Put(kSoftware, dirty);
  const Error read = ErrorIn(registry_.Read(R"(SOFTWARE\Microsoft)", "x"));
  EXPECT_EQ(read.code, Code::kDirtyHive);
  EXPECT_THAT(read.where, HasSubstr("image in memory, Windows/System32/config/SOFTWARE"));
  EXPECT_THAT(read.message, HasSubstr("LOG1 is not there, LOG2 is not there"));
  const Findings said = registry_.Replays().value();
  ASSERT_EQ(said.size(), 1U);
  EXPECT_EQ(said[0], (Finding{Severity::kWarning, "dirty-hive", read.message, read.where}));
}

// A SOFTWARE hive whose newest value is in a log only.
class DirtyHiveTest : public ImageRegistryTest {
 protected:
  DirtyHiveTest() {
    PutHives(testing_support::SampleSystem());
    const std::string old = *tree_.At(kSoftware);
    images::HiveEditor editor = images::HiveEditor::Open(old).value();
    EXPECT_TRUE(editor.Set("Microsoft", TextValue("newest", "from the log")));
    newest_ = editor.Finish(kSampleWriteTime).value();
    const std::uint32_t number = images::regf::Load32(old, 4);
    tree_.Put(kSoftware, testing_support::WithNumbers(old, number + 1, number));
    tree_.Put(kLog, testing_support::LogHeader(old, number) + testing_support::FlushOf(number, old, newest_));
  }

  static constexpr std::string_view kLog = "Windows/System32/config/SOFTWARE.LOG2";
  std::string newest_;
};

TEST_F(DirtyHiveTest, IsReadAsItsLogsMakeItAndWrittenAsACleanOne) {
  const auto read = Must(registry_.Read(R"(SOFTWARE\Microsoft)", "newest"));
  EXPECT_EQ(read.value(), TextValue("newest", "from the log"));
  ASSERT_EQ(registry_.Replays()->size(), 1U);
  const Finding said = registry_.Replays()->front();
  EXPECT_EQ(said.severity, Severity::kInfo);
  EXPECT_EQ(said.code, "hive-replayed");
  EXPECT_EQ(said.where, "image in memory, Windows/System32/config/SOFTWARE");
  EXPECT_THAT(said.message, HasSubstr("entries 1 to 1"));

  const std::string log = *tree_.At(kLog);
  ASSERT_TRUE(registry_.Set(R"(SOFTWARE\Microsoft)", TextValue("ours", "1")));
  ASSERT_TRUE(registry_.Flush());
  EXPECT_THAT(tree_.log, ElementsAre(HasSubstr("SOFTWARE"))) << "no log is written";
  EXPECT_EQ(tree_.At(kLog), log);
  Must(images::CheckHive(*tree_.At(kSoftware)));
  EXPECT_GT(images::regf::Load32(*tree_.At(kSoftware), 8), images::regf::Load32(log, 4)) << "the log is too old now";
  images::RegKey wanted = images::ReadHive(newest_).value();
  images::KeyAt(wanted, "Microsoft").values.push_back(TextValue("ours", "1"));
  EXPECT_EQ(images::ReadHive(*tree_.At(kSoftware)).value(), wanted) << "what is not ours is as Windows would read it";

  EXPECT_EQ(registry_.Read(R"(SOFTWARE\Microsoft)", "newest")->value(), TextValue("newest", "from the log"));
  EXPECT_EQ(registry_.Replays()->size(), 1U) << "that of before";
  ImageRegistry next(tree_, kSampleWriteTime);
  EXPECT_TRUE(next.Read(R"(SOFTWARE\Microsoft)", "newest")->has_value());
  EXPECT_THAT(*next.Replays(), IsEmpty()) << "it is clean now, and the log beside it is not looked at";
}

TEST_F(DirtyHiveTest, IsNamedBeforeAnybodyLooksAtIt) {
  const auto said = Must(registry_.Replays());
  ASSERT_EQ(said.size(), 1U);
  EXPECT_EQ(said.front().code, "hive-replayed");
  EXPECT_THAT(said.front().where, HasSubstr("SOFTWARE"));
}

TEST_F(DirtyHiveTest, IsNotWrittenWithoutAChange) {
  ASSERT_TRUE(registry_.Set(R"(SOFTWARE\Microsoft)", TextValue("newest", "from the log")));
  ASSERT_TRUE(registry_.Flush());
  EXPECT_THAT(tree_.log, IsEmpty());
}

TEST_F(DirtyHiveTest, WhatALogMakesOfItIsLookedAt) {
  const std::string hive = *tree_.At(kSoftware);
  const std::uint32_t number = images::regf::Load32(hive, 8);
  const testing_support::HivePage no_bin{0, std::string(4096, 'x')};
  tree_.Put(kLog, testing_support::LogHeader(hive, number) +
                      testing_support::LogEntryOf(number, testing_support::BinsBytes(hive), {no_bin}));
  const Error read = ErrorIn(registry_.Read(R"(SOFTWARE\Microsoft)", "newest"));
  EXPECT_EQ(read.code, Code::kHive);
  EXPECT_THAT(read.message, HasSubstr("with its logs replayed"));
}

TEST_F(ImageRegistryTest, OnlyChangedHivesAreWrittenSoftwareFirst) {
  PutHives(testing_support::SampleSystem());
  ASSERT_TRUE(registry_.KeyExists(R"(SYSTEM\Setup)"));
  ASSERT_TRUE(registry_.Flush());
  EXPECT_THAT(tree_.log, IsEmpty());
  ASSERT_TRUE(registry_.Set(R"(SYSTEM\Setup)", TextValue("x", "1")));
  ASSERT_TRUE(registry_.Flush());
  EXPECT_THAT(tree_.log, ElementsAre(HasSubstr("SYSTEM")));
  ASSERT_TRUE(registry_.Set(R"(SYSTEM\Setup)", TextValue("x", "2")));
  ASSERT_TRUE(registry_.Set(R"(SOFTWARE\x)", TextValue("x", "2")));
  ASSERT_TRUE(registry_.Flush());
  EXPECT_THAT(tree_.log, ElementsAre(HasSubstr("SYSTEM"), HasSubstr("SOFTWARE"), HasSubstr("SYSTEM")));
  ASSERT_TRUE(registry_.Set(R"(SOFTWARE\x)", TextValue("x", "2")));
  ASSERT_TRUE(registry_.Flush());
  EXPECT_EQ(tree_.log.size(), 3U) << "the same value again";
}

}  // namespace
}  // namespace prov::machine
