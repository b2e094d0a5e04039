// The signed files of each node, which only Linux bakes.
#include <gmock/gmock.h>

#include "tests/cli/signed_commands_fixture.h"
#include "tests/support/result.h"

namespace prov::cli {
namespace {

using testing::HasSubstr;
using testing_support::PutBytes;

TEST_F(SignedCommands, BakeSignsTheFilesOfEachNodeAndCheckTellsThemApart) {
  PutBytes(root_ / "nodes.csv", "name,address,mac\nwin-1,10.0.0.5/24,00-15-5D-0A-0B-0C\nwin-2,,\n");
  const std::vector<std::string> words = {source_,  "--out",       At("fleet"), "--nodes",        At("nodes.csv"),
                                          "--sign", At("key.pem"), "--signer",  At("signer.pem"), "--generation",
                                          "7"};
  ASSERT_TRUE(Run(BakeCommand, words));
  const auto check = [&](const std::string& folder, const std::string& node) {
    return Run(CheckCommand, {At("fleet/" + folder), "--signer", At("signer.pem"), "--node", node});
  };
  const auto first = Must(check("nodes/win-1", "WIN-1"));
  EXPECT_THAT(first.out, HasSubstr("5 file(s) of the node win-1, generation 7, as CN=Payload Signer"));
  EXPECT_TRUE(check("nodes/win-2", "win-2"));
  EXPECT_EQ(Run(CheckCommand, {At("fleet/common"), "--signer", At("signer.pem")})->exit, 0);
  const Error swapped = ErrorIn(check("nodes/win-1", "win-2"));
  EXPECT_THAT(swapped.message, HasSubstr("of the node win-1, and not those of win-2"));
  EXPECT_EQ(check("common", "win-1").error().code, Code::kManifest);
  EXPECT_EQ(Refusal(ApplyCommand, {At("fleet/nodes/win-1"), "--signer", At("signer.pem")}), Code::kManifest);
  EXPECT_EQ(Refusal(CheckCommand, {At("fleet/nodes/win-1"), "--node", "win-1"}), Code::kUsage);
  std::vector<std::string> plain(words.begin(), words.begin() + 5);
  plain[2] = At("plain");
  ASSERT_TRUE(Run(BakeCommand, plain));
  EXPECT_FALSE(fs::exists(root_ / "plain/nodes/win-1/manifest.json")) << "without --sign nothing is signed";
}

// One key signed both. Before Windows setup reads a drive, only this check tells them apart.
TEST_F(SignedCommands, CheckRefusesFilesOfANodeWithThePayloadOfAnotherRun) {
  PutBytes(root_ / "nodes.csv", "name\nwin-1\n");
  const auto bake = [&](const std::string& out, const std::string& generation) {
    return Run(BakeCommand, {source_, "--out", At(out), "--nodes", At("nodes.csv"), "--sign", At("key.pem"), "--signer",
                             At("signer.pem"), "--generation", generation});
  };
  ASSERT_TRUE(bake("old", "5"));
  ASSERT_TRUE(bake("new", "9"));
  const auto check = [&] {
    return Run(CheckCommand, {At("new/nodes/win-1"), "--signer", At("signer.pem"), "--node", "win-1"});
  };
  ASSERT_TRUE(check());
  fs::remove_all(root_ / "new/common");
  EXPECT_EQ(ErrorIn(check()).code, Code::kManifest);
  fs::copy(root_ / "old/common", root_ / "new/common", fs::copy_options::recursive);
  const Error swapped = ErrorIn(check());
  EXPECT_EQ(swapped.code, Code::kManifest);
  EXPECT_THAT(swapped.message, HasSubstr("(generation 5, not 9)"));
}

TEST_F(SignedCommands, WhatWasBakedForNodesIsBakedAgain) {
  const auto bake = [&](const std::string& nodes, const std::string& generation, const std::string& form) {
    PutBytes(root_ / "nodes.csv", "name,address,mac\n" + nodes);
    return Run(BakeCommand, {source_, "--out", At(form), "--format", form, "--nodes", At("nodes.csv"), "--sign",
                             At("key.pem"), "--signer", At("signer.pem"), "--generation", generation});
  };
  const std::string first = "win-1,10.0.0.5/24,00-15-5D-0A-0B-0C\n";
  for (const std::string form : {"dir", "iso"}) {
    ASSERT_TRUE(bake(first, "7", form));
    const auto again = bake("win-2,,\n", "6", form);
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_THAT(Codes(again), testing::Not(testing::Contains("drive-unsigned")));
    EXPECT_EQ(testing::Value(Codes(again), testing::Contains("low-generation")), form == "dir");
    PutBytes(root_ / form / "mine.txt", "precious");
    EXPECT_EQ(bake(first, "8", form).error().code, Code::kTarget);
    EXPECT_TRUE(fs::exists(root_ / form / "mine.txt"));
  }
  EXPECT_FALSE(fs::exists(root_ / "dir/nodes/win-1"));
  EXPECT_TRUE(fs::exists(root_ / "dir/nodes/win-2"));
  EXPECT_FALSE(fs::exists(root_ / "iso/win-1.iso"));
  EXPECT_TRUE(fs::exists(root_ / "iso/win-2.iso"));
}

TEST_F(SignedCommands, ADriveAndTheFilesOfNodesMissTheSignatureOfSource) {
  PutBytes(root_ / "nodes.csv", "name\nwin-1\n");
  const std::vector<std::vector<std::string>> forms = {
      {"--format", "iso"}, {"--format", "tgz"}, {"--nodes", At("nodes.csv")}};
  for (const auto& form : forms) {
    std::vector<std::string> words = {Payload(), "--out", At("out-" + form.back().substr(form.back().size() - 3))};
    words.insert(words.end(), form.begin(), form.end());
    EXPECT_THAT(Codes(Run(BakeCommand, words)), testing::Contains("option-left-out")) << form.back();
    words.insert(words.end(), {"--sign", At("key.pem"), "--signer", At("signer.pem")});
    words[2] += "-signed";
    const std::vector<std::string> codes = Codes(Run(BakeCommand, words));
    EXPECT_THAT(codes, testing::Not(testing::Contains("option-left-out"))) << form.back();
    EXPECT_EQ(testing::Value(codes, testing::Contains("drive-unsigned")), form.back() == "iso");
  }
}

}  // namespace
}  // namespace prov::cli
