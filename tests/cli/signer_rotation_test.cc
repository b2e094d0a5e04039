// Signers that follow each other, and payloads for one cluster: from bake over first-boot to the rounds, on a machine
// in memory.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <random>

#include "provisioner/base/hash.h"
#include "provisioner/base/text.h"
#include "tests/cli/signed_commands_fixture.h"
#include "tests/support/amount.h"
#include "tests/support/result.h"
#include "tests/support/sample_image.h"

namespace prov::cli {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing_support::PutBytes;
using testing_support::TestSigner;

class Rotation : public SignedCommands {
 protected:
  Rotation() {
    for (const TestSigner& one : all_) {
      PutBytes(root_ / (one.certificate.subject + ".pem"), one.made.pem);
      PutBytes(root_ / (one.certificate.subject + ".key"), one.key_pem);
    }
  }

  std::string File(std::size_t signer, const std::string& ending = ".pem") const {
    return At(all_.at(signer).certificate.subject + ending);
  }
  std::string Der(std::size_t signer) const { return all_.at(signer).made.der; }

  // Replaces the payload that the machine follows.
  void BakeBy(std::size_t signer, const std::vector<std::string>& more = {}) {
    std::vector<std::string> words = {source_,
                                      "--out",
                                      Payload(),
                                      "--sign",
                                      File(signer, ".key"),
                                      "--signer",
                                      File(signer),
                                      "--generation",
                                      std::to_string(++generation_)};
    words.insert(words.end(), more.begin(), more.end());
    Must(Run(BakeCommand, words));
  }
  int Round() { return Run(ReconcileCommand, {"--once"})->exit; }

  const std::vector<TestSigner> all_ = {TestSigner("A", "rsa2048"), TestSigner("B", "rsa2048#other"),
                                        TestSigner("C", "rsa2048#third"), TestSigner("D", "rsa2048#fourth")};
  int generation_ = 100;
};

TEST_F(Rotation, ASignerIntroducesTheNextOneWhichThenReplacesIt) {
  BakeBy(0, {"--next-signer", File(1)});
  const auto first = Run(FirstBootCommand, {Payload(), "--signer", File(0)});
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_THAT(Codes(first), testing::AllOf(Contains("signer-pinned"), Contains("signer-introduced")));
  EXPECT_THAT(Pinned(), ElementsAre(Der(0), Der(1)));
  EXPECT_THAT(Run(StatusCommand, {})->out,
              testing::AllOf(HasSubstr("): takes its payloads\n"), HasSubstr("): introduced; replaces")));
  EXPECT_THAT(Run(StatusCommand, {"--output=json"})->out, HasSubstr(all_[1].certificate.sha256));
  BakeBy(0);
  EXPECT_EQ(Round(), 0) << "the present one is accepted until the next one's payload is applied";
  EXPECT_THAT(Pinned(), ElementsAre(Der(0), Der(1))) << "an introduction stays";
  BakeBy(1, {"--next-signer", File(2)});
  const auto second = Run(ReconcileCommand, {"--once"});
  EXPECT_THAT(Codes(second), testing::AllOf(Contains("signer-replaced"), Contains("signer-introduced")));
  EXPECT_THAT(Pinned(), ElementsAre(Der(1), Der(2)));
  BakeBy(0);
  EXPECT_EQ(Round(), 12);
  EXPECT_EQ(Refusal(ApplyCommand, {Payload()}), Code::kSignature);
  BakeBy(2);
  EXPECT_EQ(Round(), 0);
  EXPECT_THAT(Pinned(), ElementsAre(Der(2)));
  host_.memory.log.clear();
  EXPECT_EQ(Round(), 0);
  EXPECT_THAT(host_.memory.log, testing::IsEmpty()) << "a second run writes nothing";
}

TEST_F(Rotation, ANodeThatMissedTheIntroductionSaysWhatToDo) {
  BakeBy(0);
  ASSERT_TRUE(Run(FirstBootCommand, {Payload(), "--signer", File(0)}));
  BakeBy(1);
  const Error refused = ErrorIn(Run(ApplyCommand, {Payload()}));
  EXPECT_EQ(refused.code, Code::kSignature);
  EXPECT_THAT(refused.message, testing::AllOf(HasSubstr("bake --next-signer"), HasSubstr("service install")));
  ASSERT_TRUE(Run(ServiceCommand, {"install", "--signer", File(1)}));
  EXPECT_EQ(Round(), 0);
}

TEST_F(Rotation, OnlyASignerThatMaySignIsIntroduced) {
  test::CertificateSpec spec = testing_support::SignerSpec("server", "rsa2048");
  spec.extended_key_usages = {"serverAuth"};
  const test::MadeCertificate server = test::MakeCertificate(spec);
  PutBytes(root_ / "server.pem", server.pem);
  const std::vector<std::string> words = {source_,    "--out", At("no"),       "--sign", File(0, ".key"),
                                          "--signer", File(0), "--generation", "1",      "--next-signer"};
  const auto with = [&](const std::string& file) {
    std::vector<std::string> all = words;
    all.push_back(file);
    return Refusal(BakeCommand, all);
  };
  EXPECT_EQ(with(At("server.pem")), Code::kSignature);
  EXPECT_EQ(with(File(0)), Code::kUsage) << "the signer itself";
  EXPECT_EQ(Refusal(BakeCommand, {source_, "--out", At("no"), "--next-signer", File(1)}), Code::kUsage);
  // One that another tool made, with a right signature.
  BakeBy(0, {"--next-signer", File(1)});
  const fs::path folder = Payload();
  const std::string before = ToHex(Sha256(Der(1)));
  std::string manifest = testing_support::ReadAll(folder / "manifest.json");
  manifest.replace(manifest.find(before), before.size(), ToHex(Sha256(server.der)));
  const std::string size = fmt::format("\"bytes\": {}", Der(1).size());
  const std::size_t at = manifest.find(size, manifest.find("next-signer.cer"));
  ASSERT_NE(at, std::string::npos) << manifest;
  manifest.replace(at, size.size(), fmt::format("\"bytes\": {}", server.der.size()));
  PutBytes(folder / "manifest.json", manifest);
  PutBytes(folder / "next-signer.cer", server.der);
  testing_support::SignFolder(folder, all_[0]);
  ExpectUntouched(Code::kSignature, {Payload(), "--signer", File(0)});
  EXPECT_TRUE(Run(ApplyCommand, {Payload()})) << "without a signer nobody is introduced";
}

TEST_F(Rotation, TheOrderOfPayloadsGoesOnWithTheNextSigner) {
  BakeBy(0, {"--next-signer", File(1)});
  ASSERT_TRUE(Run(FirstBootCommand, {Payload(), "--signer", File(0)}));
  ASSERT_TRUE(Run(RemoveCommand, {}));
  generation_ = 0;
  BakeBy(1);
  EXPECT_EQ(Refusal(ApplyCommand, {Payload()}), Code::kDowngrade);
}

TEST_F(Rotation, AnImageKeepsTheSignersThatAPayloadIntroduced) {
  fs::create_directories(root_ / "image/Windows/System32/config");
  PutBytes(root_ / "image/Windows/System32/config/SYSTEM",
           testing_support::SampleHive(testing_support::SampleSystem(), "SYSTEM"));
  PutBytes(root_ / "image/Windows/System32/config/SOFTWARE",
           testing_support::SampleHive(testing_support::SampleSoftware(), "SOFTWARE"));
  const auto apply = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = {Payload(), "--root", At("image")};
    words.insert(words.end(), more.begin(), more.end());
    const auto applied = Run(ApplyCommand, words);
    EXPECT_TRUE(applied) << applied.error().message;
    return Codes(applied);
  };
  const auto pinned = [&] { return testing_support::ReadAll(root_ / "image/Program Files/Provisioner/pin.json"); };
  const auto json = [&](std::initializer_list<std::size_t> signers) {
    payload::Pin pin{.cluster = "prod"};
    for (const std::size_t one : signers) pin.signers.push_back(all_.at(one).certificate);
    return payload::PinJson(pin);
  };
  BakeBy(0, {"--next-signer", File(1), "--for", "prod"});
  apply({"--install", "--signer", File(0), "--for", "prod"});
  EXPECT_EQ(pinned(), json({0, 1}));
  BakeBy(1, {"--next-signer", File(2), "--for", "prod"});
  EXPECT_THAT(apply({}), Contains("signer-not-introduced"));
  EXPECT_EQ(pinned(), json({0, 1}));
  EXPECT_THAT(apply({"--install"}), Not(Contains("signer-not-introduced")));
  EXPECT_EQ(pinned(), json({1, 2}));
}

TEST_F(Rotation, APayloadForAnotherClusterIsRefusedOnceOneIsPinned) {
  BakeBy(0, {"--for", "prod"});
  Must(Run(ApplyCommand, {Payload()}));
  EXPECT_THAT(Run(StatusCommand, {})->out, HasSubstr("baked for the cluster prod"));
  ASSERT_TRUE(Run(FirstBootCommand, {Payload(), "--signer", File(0), "--for", "prod"}));
  EXPECT_THAT(Run(StatusCommand, {})->out, HasSubstr("cluster  prod: takes no payloads for others"));
  EXPECT_THAT(Run(StatusCommand, {"--output=json"})->out, HasSubstr("\"for\": \"prod\""));
  EXPECT_EQ(Round(), 0);
  BakeBy(0, {"--for", "test"});
  EXPECT_EQ(Round(), 12);
  ExpectUntouched(Code::kCluster, {Payload()});
  BakeBy(0);
  ExpectUntouched(Code::kCluster, {Payload()});
  EXPECT_EQ(Refusal(CheckCommand, {Payload(), "--for", "prod"}), Code::kCluster);
  BakeBy(0, {"--for", "test"});
  ASSERT_TRUE(Run(FirstBootCommand, {Payload(), "--for", "test"})) << "the signer stays";
  EXPECT_THAT(Pinned(), ElementsAre(Der(0)));
  EXPECT_EQ(node::LoadPin(host_)->cluster, "test");
}

TEST_F(Rotation, TheClusterCountsWithoutASignerAndStaysWhenAPayloadIsBakedAgain) {
  ASSERT_TRUE(Run(BakeCommand, {source_, "--out", At("plain"), "--for", "prod"}));
  ASSERT_TRUE(Run(BakeCommand, {At("plain"), "--out", At("again")}));
  ASSERT_TRUE(Run(FirstBootCommand, {At("again"), "--for", "prod"}));
  EXPECT_EQ(Refusal(ApplyCommand, {At("plain"), "--for", "test"}), Code::kCluster);
  EXPECT_EQ(Refusal(ApplyCommand, {source_}), Code::kCluster);
  EXPECT_EQ(Refusal(BakeCommand, {source_, "--out", At("no"), "--for", ""}), Code::kUsage);
  EXPECT_EQ(
      Refusal(BakeCommand, {source_, "--out", At("no"), "--format", "userdata", "--platform", "aws", "--for", "a"}),
      Code::kUsage);
  EXPECT_THAT(Codes(Run(BakeCommand, {source_, "--out", At("plain")})), Contains("option-left-out"));
}

// Whoever no chain from the pinned signer introduced is never applied. The model knows a present signer and perhaps one
// that it introduced; the program keeps a list.
TEST_F(Rotation, OnlyAChainFromThePinnedSignerIsFollowedWhateverComes) {
  for (unsigned seed = 1; seed <= 1 + testing_support::Amount(3); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    const auto pick = [&](std::size_t most) { return static_cast<std::size_t>(random() % most); };
    BakeBy(0);
    ASSERT_TRUE(Run(FirstBootCommand, {Payload(), "--signer", File(0)}));
    std::size_t present = 0;
    const std::size_t none = all_.size();
    std::size_t next = none;
    for (int step = 0; step < 12; ++step) {
      const std::size_t signer = pick(all_.size());
      const std::size_t introduced = pick(2) == 0 ? (signer + 1 + pick(all_.size() - 1)) % all_.size() : none;
      std::vector<std::string> words;
      if (introduced != none) words = {"--next-signer", File(introduced)};
      BakeBy(signer, words);
      const std::string before = host_.memory.content().Text();
      const bool expected = signer == present || signer == next;
      const bool taken = pick(2) == 0 ? Round() == 0 : Run(ApplyCommand, {Payload()}).has_value();
      ASSERT_EQ(taken, expected) << "step " << step;
      if (!taken) {
        ASSERT_EQ(host_.memory.content().Text(), before);
        continue;
      }
      if (signer == next) {
        present = next;
        next = none;
      }
      if (introduced != none) next = introduced;
      std::vector<std::string> wanted = {Der(present)};
      if (next != none) wanted.push_back(Der(next));
      ASSERT_EQ(Pinned(), wanted) << "step " << step;
    }
    ASSERT_TRUE(Run(RemoveCommand, {"--all"}));
  }
}

}  // namespace
}  // namespace prov::cli
