#include "provisioner/node/search_path.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/node/node_helpers.h"

namespace prov::node {
namespace {

using images::EncodeSz;
using images::RegType;

constexpr char kFolder[] = R"(C:\Program Files\Provisioner)";
constexpr char kWindows[] = R"(%SystemRoot%\system32;%SystemRoot%)";

TEST(SearchPath, GetsTheFolderBehindAllOthersAndGivesBackWhatWasThere) {
  for (const std::string_view path : {"", "a", "a;", "a;b", R"(C:\Program Files\Provisioner2;b;)"}) {
    const auto with = WithFolder(path, kFolder);
    ASSERT_TRUE(with) << path;
    EXPECT_TRUE(with->starts_with(path)) << path;
    EXPECT_FALSE(WithFolder(*with, kFolder)) << path;
    EXPECT_EQ(WithoutFolder(*with, kFolder), path);
  }
  EXPECT_EQ(WithFolder("a", kFolder), R"(a;C:\Program Files\Provisioner)");
}

TEST(SearchPath, KnowsEachWayToNameTheFolder) {
  for (const std::string_view entry :
       {R"(c:\program files\provisioner)", R"(C:\Program Files\Provisioner\)", R"("C:\Program Files\Provisioner")"}) {
    EXPECT_FALSE(WithFolder(fmt::format("a;{};b", entry), kFolder)) << entry;
  }
}

TEST(SearchPath, KeepsWhatOthersAddedMeanwhile) {
  EXPECT_EQ(WithoutFolder(*WithFolder("a", kFolder) + ";later", kFolder), "a;later");
  EXPECT_EQ(WithoutFolder("a;b", kFolder), "a;b");
}

class MachineSearchPath : public NodeTest {
 protected:
  void Put(RegType type, std::string_view text) { host_.memory.Put(reconcile::kEnv, {"Path", type, EncodeSz(text)}); }
  std::optional<images::RegValue> Path() { return host_.memory.At(reconcile::kEnv, "Path"); }
  void Expect(RegType type, std::string_view text) {
    ASSERT_TRUE(Path());
    EXPECT_EQ(Path()->type, type);
    EXPECT_EQ(Path()->data, EncodeSz(text));
  }
  bool Add() {
    OpenNode n = node();
    const auto added = AddToSearchPath(n);
    EXPECT_TRUE(added) << added.error().message;
    return added && *added;
  }
  void Remove() {
    OpenNode n = node();
    EXPECT_TRUE(RemoveFromSearchPath(n));
  }
};

TEST_F(MachineSearchPath, IsChangedOnceKeepsItsTypeAndComesBack) {
  Put(RegType::kExpandSz, kWindows);
  EXPECT_TRUE(Add());
  Expect(RegType::kExpandSz, std::string(kWindows) + ";" + kFolder);
  EXPECT_THAT(host_.memory.log, testing::Contains("Announce"));
  host_.memory.log.clear();
  EXPECT_FALSE(Add());
  EXPECT_THAT(host_.memory.log, testing::IsEmpty());
  Remove();
  Expect(RegType::kExpandSz, kWindows);
}

TEST_F(MachineSearchPath, LosesEachEntryOfTheFolderWithTheProgram) {
  Put(RegType::kSz, R"(c:\program files\provisioner\;)" + std::string(kWindows) + ";" + kFolder);
  EXPECT_FALSE(Add());
  Remove();
  Expect(RegType::kSz, kWindows);
}

TEST_F(MachineSearchPath, LeavesAloneWhatIsNoText) {
  host_.memory.Erase(reconcile::kEnv, "Path");
  EXPECT_FALSE(Add());
  EXPECT_FALSE(Path());
  host_.memory.Put(reconcile::kEnv, {"Path", RegType::kBinary, "xy"});
  EXPECT_FALSE(Add());
  EXPECT_EQ(Path()->data, "xy");
  Put(RegType::kExpandSz, std::string(32'750, 'x'));
  EXPECT_FALSE(Add()) << "no variable holds that much";
}

}  // namespace
}  // namespace prov::node
