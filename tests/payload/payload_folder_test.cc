#include "provisioner/payload/payload_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/support/result.h"
#include "tests/support/sample.h"
#include "tests/support/scratch_folder.h"

namespace prov::payload {
namespace {

namespace fs = std::filesystem;
using testing_support::ReadAll;

Payload Small(const std::string& content = "x") {
  return {1,
          {{"egress.json", content, true, "p"},
           {"manifest.json", "{}", false, "p"},
           {"trust/ROOT/" + std::string(40, 'A') + ".cer", "der", false, "p"}}};
}

class PayloadFolder : public testing::Test {
 protected:
  std::size_t Entries() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(root_), fs::directory_iterator()));
  }

  testing_support::ScratchFolder scratch_;
  fs::path root_ = scratch_.path();
};

TEST_F(PayloadFolder, ReplacesAnEarlierPayloadAndAnEmptyFolder) {
  const std::string out = (root_ / "out").string();
  fs::create_directories(out);
  ASSERT_TRUE(WritePayloadFolder(Small("first"), out, 0));
  ASSERT_TRUE(WritePayloadFolder(Small("second"), out + "/", 0));
  EXPECT_EQ(ReadAll(out + "/egress.json"), "second");
  EXPECT_EQ(Entries(), 1U) << "nothing temporary may stay";
}

TEST_F(PayloadFolder, RefusesToReplaceWhatIsNotAPayload) {
  const fs::path out = root_ / "out";
  const auto refused = [&](const char* what) {
    const auto written = WritePayloadFolder(Small(), out.string(), 0);
    ASSERT_FALSE(written) << what;
    EXPECT_EQ(written.error().code, Code::kTarget) << what;
    EXPECT_EQ(Entries(), 1U) << what;
  };
  std::ofstream(out) << "a file";
  refused("a file");
  fs::remove(out);
  fs::create_directories(out);
  std::ofstream(out / "thesis.doc") << "precious";
  refused("a foreign file");
  EXPECT_TRUE(fs::exists(out / "thesis.doc"));
  fs::remove(out / "thesis.doc");
  std::ofstream(out / "egress.json") << "{}";
  refused("no manifest");
  std::ofstream(out / "manifest.json") << "{}";
  fs::create_directories(out / "trust");
  std::ofstream(out / "trust/mine.cer") << "precious";
  refused("a foreign file further down");
  fs::remove(out / "trust/mine.cer");
  EXPECT_TRUE(WritePayloadFolder(Small(), out.string(), 0));
}

TEST_F(PayloadFolder, OfNodesIsReplaceableUnlessItHoldsSomethingElse) {
  const fs::path out = root_ / "out";
  EXPECT_FALSE(CheckReplaceableNodes(out.string())) << "there is none";
  fs::create_directories(out / "nodes/win-1");
  fs::create_directories(out / "common/trust/ROOT");
  for (const char* name :
       {"unattend.xml", "meta-data", "meta_data.json", "network-config", "network_data.json", "manifest.json.p7s"}) {
    std::ofstream(out / "nodes/win-1" / name) << "x";
  }
  std::ofstream(out / "common/egress.json") << "{}";
  EXPECT_EQ(ErrorIn(CheckReplaceableNodes(out.string())).code, Code::kTarget) << "no manifest";
  std::ofstream(out / "common/manifest.json") << "{}";
  EXPECT_TRUE(CheckReplaceableNodes(out.string()));
  for (const char* name :
       {"mine", "manifest.json", "common/mine", "common/trust/mine.cer", "nodes/mine", "nodes/win-1/mine"}) {
    std::ofstream(out / name) << "precious";
    const Error refused = ErrorIn(CheckReplaceableNodes(out.string()));
    EXPECT_EQ(refused.code, Code::kTarget) << name;
    EXPECT_NE(refused.message.find(name), std::string::npos) << refused.message;
    fs::remove(out / name);
  }
  fs::create_directories(out / "nodes/win-1/meta-data.d");
  EXPECT_EQ(ErrorIn(CheckReplaceableNodes(out.string())).code, Code::kTarget);
}

TEST_F(PayloadFolder, AFailureLeavesNothingBehind) {
  Payload clash = Small();
  clash.files.push_back({"egress.json/below", "y", false, "p"});
  EXPECT_EQ(ErrorIn(WritePayloadFolder(clash, (root_ / "out").string(), 0)).code, Code::kIo);
  EXPECT_EQ(Entries(), 0U);
  EXPECT_FALSE(WritePayloadFolder(clash, (root_ / "made/for/it/out").string(), 0));
  EXPECT_EQ(Entries(), 0U) << "nor the parents that were made for it";
}

TEST_F(PayloadFolder, OneThatIsStoppedLeavesWhatWasThere) {
  const std::string out = (root_ / "out").string();
  ASSERT_TRUE(WritePayloadFolder(Small("first"), out, 0));
  const std::size_t files = Small().files.size();
  for (std::size_t most = 0; most < files; ++most) {
    std::size_t asked = 0;
    const StopCheck stop_check = [&]() -> Result<void> {
      if (asked++ < most) return {};
      return Fail(Code::kInterrupted, "stopped", out);
    };
    EXPECT_EQ(WritePayloadFolder(Small("second"), out, 0, stop_check).error().code, Code::kInterrupted) << most;
    EXPECT_EQ(WritePayloadFolder(Small(), (root_ / "new/parent/out").string(), 0, stop_check).error().code,
              Code::kInterrupted);
    EXPECT_EQ(ReadAll(out + "/egress.json"), "first") << most;
    EXPECT_EQ(Entries(), 1U) << most;
  }
}

TEST_F(PayloadFolder, AParentThatIsAFileIsATargetError) {
  std::ofstream(root_ / "file") << "x";
  EXPECT_EQ(ErrorIn(WritePayloadFolder(Small(), (root_ / "file/out").string(), 0)).code, Code::kTarget);
  for (const char* name : {".", "..", "/"}) EXPECT_FALSE(WritePayloadFolder(Small(), name, 0)) << name;
}

TEST(PayloadPath, KnowsItsOwn) {
  EXPECT_TRUE(IsPayloadPath("registry/SYSTEM.hiv"));
  EXPECT_TRUE(IsPayloadPath("trust/CA/0123456789ABCDEF0123456789ABCDEF01234567.cer"));
  for (const char* other :
       {"", "x", "trust/CA/0123.cer", "trust/CA/zz23456789ABCDEF0123456789ABCDEF01234567.cer", "trust/MY/a.cer",
        "../manifest.json", "trust/ROOT/0123456789ABCDEF0123456789ABCDEF01234567.pem"}) {
    EXPECT_FALSE(IsPayloadPath(other)) << other;
  }
  EXPECT_TRUE(IsPayloadFolder("trust/ROOT"));
  EXPECT_FALSE(IsPayloadFolder("scripts/x"));
}

}  // namespace
}  // namespace prov::payload
