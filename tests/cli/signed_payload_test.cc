// Commands with a required signer, on a machine in memory: a refused payload is refused before anything is changed.
#include <gmock/gmock.h>

#include "provisioner/base/hash.h"
#include "provisioner/base/text.h"
#include "provisioner/node/image_record.h"
#include "tests/cli/signed_commands_fixture.h"
#include "tests/support/program_file.h"
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
using testing_support::ReadAll;
using testing_support::SignFolder;

TEST_F(SignedCommands, BakeSignsTheSameEachTimeAndNeverShowsTheKey) {
  const auto first = Run(BakeCommand, {source_, "--out", At("a"), "--sign", At("key.pem"), "--signer", At("signer.pem"),
                                       "--generation", "7"});
  const auto second = Run(BakeCommand, {source_, "--out", At("b"), "--sign", At("key.pem"), "--signer",
                                        At("signer.cer"), "--generation", "7"});
  ASSERT_TRUE(first) << first.error().message;
  ASSERT_TRUE(second) << second.error().message;
  EXPECT_THAT(first->out, HasSubstr("manifest.json.p7s"));
  EXPECT_EQ(ReadAll(root_ / "a" / "manifest.json.p7s"), ReadAll(root_ / "b" / "manifest.json.p7s"));
  EXPECT_EQ(ReadAll(root_ / "a" / "manifest.json.p7s"), ours_.Sign(ReadAll(root_ / "a" / "manifest.json")));
  const auto again = Run(BakeCommand, {At("a"), "--out", At("c")});
  ASSERT_TRUE(again);
  EXPECT_FALSE(fs::exists(root_ / "c" / "manifest.json.p7s")) << "who bakes again signs again";
  EXPECT_THAT(Codes(again), Contains("signature-unchecked"));
}

// What is said to be left out of the outcome's payload.
std::vector<std::string> LeftOut(const Result<Outcome>& outcome) {
  std::vector<std::string> out;
  for (const Finding& finding : Must(outcome).findings) {
    if (finding.code == "option-left-out") out.push_back(finding.where);
  }
  return out;
}

TEST_F(SignedCommands, BakeMissesTheSignatureAndTheNextSignerThatSourceHas) {
  Bake("1", {"--next-signer", At("other.pem")});
  const auto bake = [&](const std::vector<std::string>& more, const std::string& out = "again") {
    std::vector<std::string> words = {Payload(), "--out", At(out)};
    words.insert(words.end(), more.begin(), more.end());
    return LeftOut(Run(BakeCommand, words));
  };
  EXPECT_THAT(bake({}), ElementsAre("--sign"));
  EXPECT_THAT(bake({"--signer", At("signer.pem")}), ElementsAre("--sign"));
  EXPECT_THAT(bake({"--format", "userdata", "--platform", "vsphere"}, "data"), ElementsAre("--format userdata"));
  const std::vector<std::string> sign = {"--sign", At("key.pem"), "--signer", At("signer.pem")};
  EXPECT_THAT(bake(sign, "signed"), ElementsAre("--next-signer"));
  std::vector<std::string> all = sign;
  all.insert(all.end(), {"--next-signer", At("other.pem")});
  EXPECT_THAT(bake(all, "signed"), IsEmpty());
  EXPECT_THAT(bake({"--sign", At("other-key.pem"), "--signer", At("other.pem")}, "theirs"), IsEmpty())
      << "the next signer has followed";
  EXPECT_THAT(bake(sign, "signed"), ElementsAre("--next-signer")) << "SOURCE and the one that is replaced had it";
  EXPECT_THAT(LeftOut(Run(BakeCommand, {At("again"), "--out", At("plain")})), IsEmpty());
}

TEST_F(SignedCommands, BakeSaysThatNodesRefuseALowerGenerationThanTheEarlierOne) {
  const auto bake = [&](const std::string& generation, const std::vector<std::string>& more = {}) {
    std::vector<std::string> words = {source_, "--out", At("again"), "--generation", generation};
    words.insert(words.end(), more.begin(), more.end());
    const Findings findings = Must(Run(BakeCommand, words)).findings;
    const auto found = std::ranges::find(findings, "low-generation", &Finding::code);
    return found == findings.end() ? std::string() : found->message;
  };
  const std::vector<std::string> sign = {"--sign", At("key.pem"), "--signer", At("signer.pem")};
  std::vector<std::string> other = sign;
  other.insert(other.end(), {"--service", "kubelet"});
  EXPECT_EQ(bake("5", sign), "");
  EXPECT_EQ(bake("5", sign), "") << "the same contents";
  EXPECT_THAT(bake("5", other), HasSubstr("has the generation 5 of the earlier one and other contents"));
  EXPECT_THAT(bake("4", sign), HasSubstr("has generation 4 and the earlier one has 5"));
  EXPECT_EQ(bake("5", other), "");
  EXPECT_THAT(bake("5"), HasSubstr("other contents")) << "without a signature, too";
  EXPECT_THAT(bake("1"), HasSubstr("has generation 1 and the earlier one has 5"));
  EXPECT_EQ(bake("1", {"--service", "kubelet"}), "") << "unsigned payloads of the default generation have no order";
}

TEST_F(SignedCommands, BakeSaysThatOtherContentsHaveTheGenerationOfSource) {
  Bake("8");
  const auto bake = [&](const std::vector<std::string>& more, const std::string& out = "again") {
    std::vector<std::string> words = {Payload(),     "--out",    At(out),         "--sign",
                                      At("key.pem"), "--signer", At("signer.pem")};
    words.insert(words.end(), more.begin(), more.end());
    std::vector<std::string> said;
    for (const Finding& finding : Must(Run(BakeCommand, words)).findings) {
      if (finding.code == "low-generation") said.push_back(finding.message);
    }
    return said;
  };
  EXPECT_THAT(bake({}), IsEmpty());
  EXPECT_THAT(bake({"--service", "kubelet", "--generation", "9"}), IsEmpty());
  EXPECT_THAT(bake({"--service", "kubelet"}, "other"), ElementsAre(HasSubstr("the generation 8 of SOURCE and other")));
  EXPECT_THAT(bake({"--generation", "7"}, "lower"), ElementsAre(HasSubstr("has generation 7 and SOURCE has 8")));
  EXPECT_THAT(bake({"--service", "kubelet"}, "payload"), ElementsAre(HasSubstr("SOURCE"))) << "which is replaced";
}

TEST_F(SignedCommands, BakeRefusesKeysAndLeavesNothing) {
  PutBytes(root_ / "ec.pem", test::PrivateKeyPem("p256"));
  const struct {
    std::vector<std::string> words;
    Code code;
  } cases[] = {
      {{"--sign", At("key.pem")}, Code::kUsage},
      {{"--sign", At("key.pem"), "--signer", At("other.pem")}, Code::kSignature},
      {{"--sign", At("ec.pem"), "--signer", At("signer.pem")}, Code::kSignature},
      {{"--sign", At("signer.pem"), "--signer", At("signer.pem")}, Code::kSignature},
      {{"--sign", At("none.pem"), "--signer", At("signer.pem")}, Code::kNotFound},
      {{"--sign", At("key.pem"), "--signer", At("none.pem")}, Code::kNotFound},
      {{"--sign", At("key.pem"), "--signer", At("key.pem")}, Code::kCert},
      {{"--signer", At("signer.pem")}, Code::kSignature},                       // SOURCE is no payload
      {{"--sign", At("key.pem"), "--signer", At("signer.pem")}, Code::kUsage},  // no generation
  };
  for (const auto& c : cases) {
    std::vector<std::string> words = {source_, "--out", At("refused")};
    words.insert(words.end(), c.words.begin(), c.words.end());
    EXPECT_EQ(Refusal(BakeCommand, words), c.code) << testing::PrintToString(c.words);
    EXPECT_FALSE(fs::exists(root_ / "refused"));
  }
}

// One reader of a signer's certificate, in each command and for the pinned one.
TEST_F(SignedCommands, ACertificateForAnotherPurposeSignsNowhere) {
  test::CertificateSpec spec = testing_support::SignerSpec("Payload Signer", "rsa2048");
  spec.extended_key_usages = {"serverAuth"};
  const test::MadeCertificate server = test::MakeCertificate(spec);
  PutBytes(root_ / "server.pem", server.pem);
  EXPECT_EQ(Refusal(BakeCommand, {source_, "--out", At("no"), "--sign", At("key.pem"), "--signer", At("server.pem"),
                                  "--generation", "1"}),
            Code::kSignature);
  EXPECT_EQ(Refusal(CheckCommand, {Payload(), "--signer", At("server.pem")}), Code::kSignature);
  ExpectUntouched(Code::kSignature, {Payload(), "--signer", At("server.pem")});
  pki::Certificate unfit;
  unfit.der = server.der;
  host_.pin = payload::PinJson({.signers = {unfit}});
  ExpectUntouched(Code::kSignature, {Payload()});
}

TEST_F(SignedCommands, CheckTakesOnlyWhatTheSignerSigned) {
  EXPECT_EQ(Run(CheckCommand, Signed())->exit, 0);
  EXPECT_EQ(Refusal(CheckCommand, {Payload(), "--signer", At("other.pem")}), Code::kSignature);
  EXPECT_EQ(Refusal(CheckCommand, {source_, "--signer", At("signer.pem")}), Code::kSignature);
  EXPECT_EQ(Refusal(CheckCommand, {"--this-machine", "--signer", At("signer.pem")}), Code::kUsage);
}

TEST_F(SignedCommands, BakeTakesOnlyASignedPayloadWhereASignerIsNamed) {
  EXPECT_TRUE(Run(BakeCommand, {Payload(), "--out", At("again"), "--signer", At("signer.pem")}));
  EXPECT_EQ(Refusal(BakeCommand, {Payload(), "--out", At("never"), "--signer", At("other.pem")}), Code::kSignature);
}

TEST_F(SignedCommands, BakeWarnsOfACertificateThatIsNotValidNow) {
  test::CertificateSpec spec = testing_support::SignerSpec("Payload Signer", "rsa2048");
  spec.not_before = 1;
  spec.not_after = 2;
  PutBytes(root_ / "old.pem", test::MakeCertificate(spec).pem);
  spec.not_before = 32'503'680'000;
  spec.not_after = 32'503'680'001;
  PutBytes(root_ / "new.pem", test::MakeCertificate(spec).pem);
  for (const auto& [file, code] : {std::pair("old.pem", "signer-expired"), {"new.pem", "signer-not-yet-valid"}}) {
    const auto baked = Run(BakeCommand, {source_, "--out", At(file + std::string(".d")), "--sign", At("key.pem"),
                                         "--signer", At(file), "--generation", "1"});
    ASSERT_TRUE(baked) << baked.error().message;
    EXPECT_THAT(Codes(baked), Contains(code));
    EXPECT_TRUE(Run(ApplyCommand, {At(file + std::string(".d")), "--signer", At(file)})) << "nodes take it";
  }
}

TEST_F(SignedCommands, ASignedPayloadIsTaken) {
  EXPECT_EQ(Run(PlanCommand, Signed())->exit, 4);
  const auto applied = Run(ApplyCommand, {Payload(), "--signer", At("signer.cer")});
  ASSERT_TRUE(applied) << applied.error().message;
  EXPECT_TRUE(host_.memory.At(reconcile::kEnv, "HTTP_PROXY"));
  EXPECT_THAT(Codes(applied), Not(Contains("signature-unchecked")));
  EXPECT_THAT(Pinned(), IsEmpty()) << "apply installs nothing";
}

TEST_F(SignedCommands, WithoutASignerASignatureIsNotCheckedAndThatIsSaid) {
  PutBytes(root_ / "payload" / "manifest.json.p7s", "nonsense");
  const auto applied = Run(ApplyCommand, {Payload()});
  ASSERT_TRUE(applied) << applied.error().message;
  EXPECT_THAT(Codes(applied), Contains("signature-unchecked"));
}

TEST_F(SignedCommands, WhatIsNotSignedByTheSignerIsRefusedUntouched) {
  const std::vector<std::string> words = Signed();
  ExpectUntouched(Code::kSignature, {Payload(), "--signer", At("other.pem")});
  ExpectUntouched(Code::kSignature, {source_, "--signer", At("signer.pem")});
  const std::string text = ReadAll(root_ / "payload" / "egress.json");
  PutBytes(root_ / "payload" / "egress.json", text + " ");
  ExpectUntouched(Code::kManifest, words);
  PutBytes(root_ / "payload" / "egress.json", text);
  EXPECT_TRUE(Run(ApplyCommand, words)) << "it was the damage";
}

TEST_F(SignedCommands, AnOlderGenerationIsRefusedAlthoughItIsSigned) {
  Bake("5");
  ASSERT_TRUE(Run(ApplyCommand, Signed()));
  Bake("4", {"--credentials", "none"});
  ExpectUntouched(Code::kDowngrade, Signed());
  EXPECT_THAT(Pinned(), IsEmpty());
}

TEST_F(SignedCommands, APayloadThatIsSignedAgainKeepsItsGeneration) {
  Must(Run(BakeCommand, {Payload(), "--out", At("c"), "--sign", At("key.pem"), "--signer", At("signer.pem")}));
  EXPECT_EQ(ReadAll(root_ / "c" / "manifest.json"), ReadAll(root_ / "payload" / "manifest.json"));
  const Error none =
      ErrorIn(Run(BakeCommand, {source_, "--out", At("d"), "--sign", At("key.pem"), "--signer", At("signer.pem")}));
  EXPECT_EQ(none.where, "--generation");
}

TEST_F(SignedCommands, AnotherPayloadOfTheSameGenerationIsRefused) {
  const std::vector<std::string> words = Signed();
  ASSERT_TRUE(Run(ApplyCommand, words));
  EXPECT_TRUE(Run(ApplyCommand, words)) << "the same one";
  EXPECT_TRUE(Run(ApplyCommand, Signed({"--service", "kubelet"}))) << "with other choices on the command line";
  Bake("1", {"--credentials", "none"});
  ExpectUntouched(Code::kDowngrade, words);
  EXPECT_TRUE(Run(ApplyCommand, Signed({"--allow-downgrade"})));
  EXPECT_TRUE(Run(ApplyCommand, words)) << "which is then the one that was applied";
}

TEST_F(SignedCommands, WhatIsNotSignedHasNoOrderWithoutAGeneration) {
  const auto bake = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = {source_, "--out", At("plain")};
    words.insert(words.end(), more.begin(), more.end());
    ASSERT_TRUE(Run(BakeCommand, words));
  };
  bake({});
  ASSERT_TRUE(Run(ApplyCommand, {At("plain")}));
  bake({"--credentials", "none"});
  EXPECT_TRUE(Run(ApplyCommand, {At("plain")}));
  bake({"--generation", "5"});
  ASSERT_TRUE(Run(ApplyCommand, {At("plain")}));
  bake({"--generation", "5", "--credentials", "none"});
  EXPECT_EQ(Refusal(ApplyCommand, {At("plain")}), Code::kDowngrade);
}

TEST_F(SignedCommands, RemovingDoesNotLetAnOlderPayloadOfThePinnedSignerIn) {
  Bake("5");
  ASSERT_TRUE(Run(FirstBootCommand, Signed()));
  ASSERT_TRUE(Run(RemoveCommand, {}));
  Bake("4");
  host_.memory.log.clear();
  for (const Maker make : {PlanCommand, ApplyCommand, FirstBootCommand}) {
    EXPECT_EQ(Refusal(make, {Payload()}), Code::kDowngrade);
  }
  EXPECT_EQ(Refusal(ServiceCommand, {"install", "--source=" + Payload()}), Code::kDowngrade);
  EXPECT_THAT(host_.memory.log, IsEmpty());
  Bake("5", {"--credentials", "none"});
  EXPECT_EQ(Refusal(ApplyCommand, {Payload()}), Code::kDowngrade) << "another one of the same generation";
  Bake("5");
  EXPECT_TRUE(Run(ApplyCommand, {Payload()})) << "the same one";
  Bake("4");
  EXPECT_TRUE(Run(ApplyCommand, {Payload(), "--allow-downgrade"}));
  EXPECT_TRUE(Run(ApplyCommand, {Payload()})) << "an administrator decided that";
}

TEST_F(SignedCommands, TheOrderOfASignersPayloadsHoldsWithoutAPinAndAfterOtherSources) {
  const std::vector<std::string> words = Signed();
  Bake("5");
  ASSERT_TRUE(Run(ApplyCommand, words));
  ASSERT_TRUE(Run(ApplyCommand, {source_}));
  Bake("4");
  EXPECT_EQ(Refusal(ApplyCommand, words), Code::kDowngrade);
  ASSERT_TRUE(Run(RemoveCommand, {}));
  EXPECT_EQ(Refusal(ApplyCommand, words), Code::kDowngrade);
  SignFolder(root_ / "payload", theirs_);
  EXPECT_TRUE(Run(ApplyCommand, {Payload(), "--signer", At("other.pem")})) << "of another signer";
}

TEST_F(SignedCommands, TheOrderGoesWithThePin) {
  Bake("5");
  ASSERT_TRUE(Run(FirstBootCommand, Signed()));
  ASSERT_TRUE(Run(RemoveCommand, {"--all"}));
  Bake("4");
  EXPECT_TRUE(Run(FirstBootCommand, Signed()));
}

TEST_F(SignedCommands, ATrialCountsOnceItIsConfirmed) {
  Bake("5");
  host_.waits_left = 100;
  EXPECT_EQ(Run(ApplyCommand, Signed({"--try", "5"}))->exit, 4);
  Bake("4");
  EXPECT_TRUE(Run(PlanCommand, Signed())) << "nobody confirmed the newer one";
  Bake("5");
  host_.during_wait = [&] { (void)Run(ConfirmCommand, {}); };
  EXPECT_EQ(Run(ApplyCommand, Signed({"--try", "60"}))->exit, 0);
  host_.during_wait = {};
  ASSERT_TRUE(Run(RemoveCommand, {}));
  Bake("4");
  EXPECT_EQ(Refusal(ApplyCommand, Signed()), Code::kDowngrade);
}

// A payload that setup delivered loses its files with credentials; what was kept of it is the same payload.
TEST_F(SignedCommands, WhatWasKeptOfAPayloadKeepsItsOrder) {
  DeliverBySetup();
  Bake("5");
  ASSERT_TRUE(Run(FirstBootCommand, Signed()));
  ASSERT_TRUE(Run(ReconcileCommand, {"--once"}));
  Bake("5", {"--credentials", "none"});
  EXPECT_EQ(Refusal(ApplyCommand, {Payload()}), Code::kDowngrade);
}

TEST_F(SignedCommands, FirstBootPinsTheSignerForEveryLaterRun) {
  const auto first = Run(FirstBootCommand, Signed());
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_THAT(Codes(first), Contains("signer-pinned"));
  EXPECT_THAT(Pinned(), ElementsAre(ours_.made.der));
  EXPECT_THAT(Run(StatusCommand, {})->out, HasSubstr("signer   CN=Payload Signer,O=Example Corp (SHA-256 "));
  EXPECT_THAT(Run(StatusCommand, {"--output=json"})->out, HasSubstr(ours_.certificate.sha256));
  EXPECT_TRUE(Run(ReconcileCommand, {"--once"}));
  EXPECT_THAT(Codes(Run(FirstBootCommand, Signed())), Not(Contains("signer-pinned")));

  Bake("2", {"--credentials", "none"});
  SignFolder(root_ / "payload", theirs_);
  host_.memory.log.clear();
  const auto round = Run(ReconcileCommand, {"--once"});
  ASSERT_TRUE(round) << round.error().message;
  EXPECT_EQ(round->exit, 12);
  EXPECT_THAT(Codes(round), Contains("source-unavailable"));
  EXPECT_THAT(host_.memory.log, ElementsAre("Write activity.json")) << "what was taken before stays";
  EXPECT_EQ(Refusal(ApplyCommand, {Payload()}), Code::kSignature);
  EXPECT_EQ(Refusal(PlanCommand, {Payload()}), Code::kSignature);
  EXPECT_EQ(Refusal(FirstBootCommand, {Payload()}), Code::kSignature);
  EXPECT_EQ(Refusal(ServiceCommand, {"install", "--source", Payload()}), Code::kSignature);
  EXPECT_EQ(Refusal(ApplyCommand, {source_}), Code::kSignature) << "only payloads are signed";
  EXPECT_THAT(host_.memory.log, ElementsAre("Write activity.json"));

  SignFolder(root_ / "payload", ours_);
  EXPECT_EQ(Run(ReconcileCommand, {"--once"})->exit, 0);
  EXPECT_THAT(reconcile::TextAt(host_.memory, reconcile::kEnv, "HTTP_PROXY").value_or(""), Not(HasSubstr("@")));
}

// A file in the place of the payload's folder would otherwise be read as a MachineConfig, unsigned.
TEST_F(SignedCommands, AFileInThePlaceOfTheSignedPayloadIsRefused) {
  ASSERT_TRUE(Run(FirstBootCommand, Signed()));
  fs::remove_all(Payload());
  PutBytes(Payload(), ReadAll(source_));
  host_.memory.log.clear();
  EXPECT_EQ(Run(ReconcileCommand, {"--once"})->exit, 12);
  EXPECT_THAT(host_.memory.log, ElementsAre("Write activity.json"));
}

TEST_F(SignedCommands, ThePinIsReplacedByAnotherSignerAndGoesWithTheProgram) {
  ASSERT_TRUE(Run(ServiceCommand, {"install", "--signer", At("signer.pem")}));
  EXPECT_THAT(Pinned(), ElementsAre(ours_.made.der));
  SignFolder(root_ / "payload", theirs_);
  EXPECT_TRUE(Run(ApplyCommand, {Payload(), "--signer", At("other.pem")})) << "for this run";
  EXPECT_THAT(Pinned(), ElementsAre(ours_.made.der)) << "apply pins nothing";
  EXPECT_EQ(Refusal(FirstBootCommand, {Payload()}), Code::kSignature);
  ASSERT_TRUE(Run(FirstBootCommand, {Payload(), "--signer", At("other.pem")}));
  EXPECT_THAT(Pinned(), ElementsAre(theirs_.made.der));
  ASSERT_TRUE(Run(RemoveCommand, {}));
  EXPECT_THAT(Pinned(), ElementsAre(theirs_.made.der));
  ASSERT_TRUE(Run(RemoveCommand, {"--all"}));
  EXPECT_THAT(Pinned(), IsEmpty());
}

TEST_F(SignedCommands, APinThatCantBeReadIsNotTakenForNone) {
  ASSERT_TRUE(Run(FirstBootCommand, Signed()));
  host_.pin = "damaged";
  host_.memory.log.clear();
  EXPECT_EQ(Refusal(ApplyCommand, {Payload()}), Code::kJson);
  EXPECT_THAT(Codes(Run(StatusCommand, {})), Contains("signer"));
  const auto round = Must(Run(ReconcileCommand, {"--once"}));
  EXPECT_EQ(round.exit, 11);
  EXPECT_THAT(host_.memory.log, ElementsAre("Write activity.json"));
  EXPECT_TRUE(Run(FirstBootCommand, Signed())) << "which heals it";
  EXPECT_THAT(Pinned(), ElementsAre(ours_.made.der));
}

TEST_F(SignedCommands, ASignerThatCantBePinnedEndsTheRunBeforeAnythingElse) {
  host_.install_error = Error{Code::kOwner, "can be changed by somebody", "Provisioner"};
  host_.memory.log.clear();
  EXPECT_EQ(Refusal(FirstBootCommand, Signed()), Code::kOwner);
  EXPECT_THAT(host_.memory.log, IsEmpty());
  EXPECT_THAT(host_.memory.files(), IsEmpty());
}

// An image with a pinned signer that was made by `apply --install`.
TEST_F(SignedCommands, SetupsOwnRunTakesTheSettingsThatWereKeptOfASignedPayload) {
  DeliverBySetup();
  ASSERT_TRUE(Run(FirstBootCommand, Signed()));
  const fs::path file = root_ / "payload" / "manifest.json.p7s";
  const std::string signature = ReadAll(file);
  fs::remove(file);
  EXPECT_EQ(Refusal(FirstBootCommand, {Payload()}), Code::kSignature) << "no installation made it";
  const auto record = [&](bool complete, const std::string& manifest) {
    node::ImageRecord made{complete, {{"Windows/Setup/Scripts/Provisioner/manifest.json", {}}}, {}, {}};
    made.files[0].sha256 = ToHex(Sha256(manifest));
    EXPECT_TRUE(node::SaveImageRecord(host_.memory.State(), made));
  };
  const std::string manifest = ReadAll(root_ / "payload" / "manifest.json");
  record(false, manifest);
  EXPECT_EQ(Refusal(FirstBootCommand, {Payload()}), Code::kSignature) << "an installation that was cut short";
  record(true, "another");
  EXPECT_EQ(Refusal(FirstBootCommand, {Payload()}), Code::kSignature) << "another payload";
  record(true, manifest);
  PutBytes(file, signature.substr(1));
  EXPECT_EQ(Refusal(FirstBootCommand, {Payload()}), Code::kSignature) << "a wrong signature is none that is missing";
  fs::remove(file);
  const auto again = Run(FirstBootCommand, {Payload()});
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_THAT(Codes(again), Contains("signature-kept"));
  EXPECT_EQ(Refusal(FirstBootCommand, Signed()), Code::kSignature);
  fs::copy(Payload(), root_ / "second", fs::copy_options::recursive);
  EXPECT_EQ(Refusal(FirstBootCommand, {At("second")}), Code::kSignature) << "nothing was kept of that one";
}

class SignedImage : public SignedCommands {
 protected:
  SignedImage() {
    fs::create_directories(root_ / "image/Windows/System32/config");
    PutBytes(root_ / "image/Windows/System32/config/SYSTEM",
             testing_support::SampleHive(testing_support::SampleSystem(), "SYSTEM"));
    PutBytes(root_ / "image/Windows/System32/config/SOFTWARE",
             testing_support::SampleHive(testing_support::SampleSoftware(), "SOFTWARE"));
    PutBytes(root_ / "provisioner.exe", testing_support::MakeProgram());
  }

  std::map<std::string, std::string> Files() const {
    std::map<std::string, std::string> out;
    for (const auto& entry : fs::recursive_directory_iterator(root_ / "image")) {
      if (entry.is_regular_file()) out[entry.path().generic_string()] = ReadAll(entry.path());
    }
    return out;
  }

  static std::string PinOf(const testing_support::TestSigner& signer) {
    return payload::PinJson({.signers = {signer.certificate}});
  }

  const fs::path pin_ = root_ / "image/Program Files/Provisioner/pin.json";
};

TEST_F(SignedImage, InstallPinsTheSignerInTheImage) {
  const std::vector<std::string> install = {
      Payload(), "--root", At("image"), "--install", "--exe", At("provisioner.exe"), "--signer", At("signer.pem")};
  ASSERT_TRUE(Run(PlanCommand, install));
  EXPECT_FALSE(fs::exists(pin_));
  Must(Run(ApplyCommand, install));
  EXPECT_EQ(ReadAll(pin_), PinOf(ours_));
  const auto before = Files();
  EXPECT_THAT(Run(ApplyCommand, install)->out, HasSubstr("no changes"));
  EXPECT_TRUE(Files() == before);

  // Without --signer, the image's own pin counts, and stays.
  std::vector<std::string> later(install.begin(), install.end() - 2);
  EXPECT_THAT(Run(ApplyCommand, later)->out, HasSubstr("no changes"));
  EXPECT_EQ(ReadAll(pin_), PinOf(ours_));
  SignFolder(root_ / "payload", theirs_);
  EXPECT_EQ(Refusal(ApplyCommand, later), Code::kSignature);
  EXPECT_EQ(Refusal(PlanCommand, later), Code::kSignature);
  EXPECT_EQ(Refusal(ApplyCommand, {source_, "--root", At("image")}), Code::kSignature);
  EXPECT_TRUE(Files() == before);

  // Another signer on the command line replaces it.
  later.insert(later.end(), {"--signer", At("other.pem")});
  ASSERT_TRUE(Run(ApplyCommand, later));
  EXPECT_EQ(ReadAll(pin_), PinOf(theirs_));
  ASSERT_TRUE(Run(RemoveCommand, {"--all", "--root", At("image")}));
  EXPECT_FALSE(fs::exists(pin_.parent_path()));
}

TEST_F(SignedImage, RemovingKeepsTheOrderOfPayloadsAndRemovingAllForgetsIt) {
  const std::vector<std::string> words = {Payload(), "--root", At("image"), "--install", "--signer", At("signer.pem")};
  Bake("5");
  ASSERT_TRUE(Run(ApplyCommand, words));
  ASSERT_TRUE(Run(RemoveCommand, {"--root", At("image")}));
  Bake("4");
  EXPECT_EQ(Refusal(ApplyCommand, words), Code::kDowngrade);
  ASSERT_TRUE(Run(RemoveCommand, {"--all", "--root", At("image")}));
  EXPECT_FALSE(fs::exists(root_ / "image/ProgramData/Provisioner"));
  EXPECT_TRUE(Run(ApplyCommand, words));
}

TEST_F(SignedImage, ApplyWithoutInstallPinsNothingAndTheScriptAloneIsSaidNotToCheck) {
  ASSERT_TRUE(Run(ApplyCommand, {Payload(), "--root", At("image"), "--signer", At("signer.pem")}));
  EXPECT_FALSE(fs::exists(pin_));
  const auto scripted =
      Run(ApplyCommand, {Payload(), "--root", At("image"), "--install", "--signer", At("signer.pem")});
  ASSERT_TRUE(scripted);
  EXPECT_THAT(Codes(scripted), Contains("signer-script"));
}

// One that first-boot pinned after the image had been made: no record of the installation names it.
TEST_F(SignedImage, RemoveAllTakesAPinThatNoRecordNames) {
  fs::create_directories(pin_.parent_path());
  PutBytes(pin_, PinOf(ours_));
  ASSERT_TRUE(Run(ApplyCommand, {Payload(), "--root", At("image")}));
  ASSERT_TRUE(Run(RemoveCommand, {"--all", "--root", At("image")}));
  EXPECT_FALSE(fs::exists(pin_.parent_path()));
}

}  // namespace
}  // namespace prov::cli
