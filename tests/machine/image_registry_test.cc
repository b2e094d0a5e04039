#include "provisioner/machine/image_registry.h"

#include <gmock/gmock.h>

#include "images/hive/format.h"
#include "images/hive/reader.h"
#include "tests/support/memory_tree.h"
#include "tests/support/sample_image.h"

namespace prov::machine {
namespace {

using images::RegType;
using images::RegValue;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::string_view kSystem = "Windows/System32/config/SYSTEM";
constexpr std::string_view kSoftware = "Windows/System32/config/SOFTWARE";
constexpr std::uint64_t kTime = 133'000'000'000'000'000;

class ImageRegistryTest : public testing::Test {
 protected:
  void PutHives(const images::RegKey& system) {
    tree_.Put(kSystem, testing_support::SampleHive(system, "SYSTEM"));
    tree_.Put(kSoftware, testing_support::SampleHive(testing_support::SampleSoftware(), "SOFTWARE"));
  }

  testing_support::MemoryTree tree_;
  ImageRegistry registry_{tree_, kTime};
};

RegValue Text(const std::string& name, const std::string& text) { return {name, RegType::kSz, images::EncodeSz(text)}; }

TEST_F(ImageRegistryTest, TheControlSetIsTheOneThatWindowsStartsWith) {
  images::RegKey system = testing_support::SampleSystem();
  for (images::RegValue& value : images::KeyAt(system, "Select").values) {
    if (value.name == "Default") value.data = images::EncodeDword(2);
  }
  PutHives(system);
  EXPECT_EQ(registry_.ControlSet(), "ControlSet002");
  EXPECT_EQ(registry_.LastControlSet(), "ControlSet001");
  EXPECT_THAT(*registry_.OtherControlSets(), ElementsAre("ControlSet001"));
  ASSERT_TRUE(registry_.Set(R"(system\currentcontrolset\Control\Session Manager\Environment)", Text("A", "1")));
  ASSERT_TRUE(registry_.Flush());
  const auto written = images::ReadHive(*tree_.At(kSystem));
  ASSERT_TRUE(written) << written.error().message;
  images::KeyAt(system, R"(ControlSet002\Control\Session Manager\Environment)").values.push_back(Text("A", "1"));
  images::RegKey read = *written;
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
    ImageRegistry registry(tree_, kTime);
    EXPECT_EQ(registry.ControlSet(), "ControlSet002");
    EXPECT_EQ(registry.LastControlSet(), std::nullopt);
  }
}

TEST_F(ImageRegistryTest, ASelectThatNamesNothingIsRefused) {
  for (const RegValue& current :
       {RegValue{"Current", RegType::kSz, images::EncodeSz("1")}, RegValue{"Current", RegType::kDword, "\1"},
        RegValue{"Current", RegType::kDword, images::EncodeDword(7)},
        RegValue{"Current", RegType::kDword, images::EncodeDword(0x10001)}, RegValue{"Other", RegType::kNone, ""}}) {
    images::RegKey system = testing_support::SampleSystem();
    images::KeyAt(system, "Select").values = {current};
    PutHives(system);
    ImageRegistry registry(tree_, kTime);
    const auto set = registry.ControlSet();
    ASSERT_FALSE(set) << current.name;
    EXPECT_EQ(set.error().code, Code::kTarget);
    EXPECT_EQ(set.error().where, "image in memory, Windows/System32/config/SYSTEM");
  }
}

TEST_F(ImageRegistryTest, WithoutHivesThereIsNoWindows) {
  const auto read = registry_.Read(R"(SOFTWARE\Microsoft)", "x");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, Code::kTarget);
  EXPECT_THAT(read.error().where, HasSubstr("SOFTWARE"));
}

TEST_F(ImageRegistryTest, ADirtyHiveIsRefusedAndNamed) {
  PutHives(testing_support::SampleSystem());
  std::string dirty = *tree_.At(kSoftware);
  dirty[4] = static_cast<char>(dirty[4] + 1);
  images::regf::Store32(dirty.data() + 508, images::regf::BaseBlockChecksum(dirty));
  tree_.Put(kSoftware, dirty);
  const auto read = registry_.Read(R"(SOFTWARE\Microsoft)", "x");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, Code::kDirtyHive);
  EXPECT_THAT(read.error().where, HasSubstr("image in memory, Windows/System32/config/SOFTWARE"));
}

TEST_F(ImageRegistryTest, OnlyChangedHivesAreWrittenSoftwareFirst) {
  PutHives(testing_support::SampleSystem());
  ASSERT_TRUE(registry_.KeyExists(R"(SYSTEM\Setup)"));
  ASSERT_TRUE(registry_.Flush());
  EXPECT_THAT(tree_.log, IsEmpty());
  ASSERT_TRUE(registry_.Set(R"(SYSTEM\Setup)", Text("x", "1")));
  ASSERT_TRUE(registry_.Flush());
  EXPECT_THAT(tree_.log, ElementsAre(HasSubstr("SYSTEM")));
  ASSERT_TRUE(registry_.Set(R"(SYSTEM\Setup)", Text("x", "2")));
  ASSERT_TRUE(registry_.Set(R"(SOFTWARE\x)", Text("x", "2")));
  ASSERT_TRUE(registry_.Flush());
  EXPECT_THAT(tree_.log, ElementsAre(HasSubstr("SYSTEM"), HasSubstr("SOFTWARE"), HasSubstr("SYSTEM")));
  ASSERT_TRUE(registry_.Set(R"(SOFTWARE\x)", Text("x", "2")));
  ASSERT_TRUE(registry_.Flush());
  EXPECT_EQ(tree_.log.size(), 3U) << "the same value again";
}

}  // namespace
}  // namespace prov::machine
