// Signed payloads in folders: what a reader with a pinned signer takes.
#include <gmock/gmock.h>

#include "provisioner/payload/payload_folder.h"
#include "provisioner/payload/payload_reader.h"
#include "tests/support/result.h"
#include "tests/support/sample.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/sign_payload.h"

namespace prov::payload {
namespace {

namespace fs = std::filesystem;

using testing::HasSubstr;
using testing_support::PutBytes;
using testing_support::ReadAll;
using testing_support::SampleConfig;
using testing_support::SignFolder;
using testing_support::TestSigner;

class SignedPayload : public testing::Test {
 protected:
  SignedPayload() {
    Write(1);
    SignFolder(folder_, ours_);
  }

  void Write(std::int64_t generation) {
    const auto state = Must(reconcile::MakeDesiredState(SampleConfig(), {}));
    const auto payload = Must(MakePayload(SampleConfig(), state, {.generation = generation, .exe = {}}));
    Must(WritePayloadFolder(payload, folder_.string(), 0));
  }

  Result<EgressDocument> Read(const TestSigner* signer) {
    const auto loaded = PROV_TRY(
        LoadPayloadFolder(folder_.string(), signer != nullptr ? Pin{.signers = {signer->certificate}} : Pin{}));
    return ReadPayload(loaded, folder_.string());
  }

  void ExpectRefused(Code code, const std::string& where) {
    const Error read = ErrorIn(Read(&ours_));
    EXPECT_EQ(read.code, code) << read.message;
    EXPECT_EQ(read.where, folder_.string() + "/" + where) << read.message;
  }

  const TestSigner ours_{"Payload Signer"};
  const TestSigner theirs_{"Payload Signer", "rsa2048#other"};
  testing_support::ScratchFolder scratch_;
  fs::path folder_ = scratch_.path() / "payload";
};

TEST_F(SignedPayload, IsTakenByWhoWantsItAndByWhoDoesNotMind) {
  Must(Read(&ours_));
  EXPECT_TRUE(Read(nullptr));
  EXPECT_EQ(LoadPayloadFolder(folder_.string())->files.at(std::string(kSignaturePath)),
            ReadAll(folder_ / kSignaturePath));
}

TEST_F(SignedPayload, AMissingSignatureIsRefused) {
  fs::remove(folder_ / kSignaturePath);
  const Error read = ErrorIn(Read(&ours_));
  EXPECT_EQ(read.code, Code::kSignature);
  EXPECT_THAT(read.message, HasSubstr("no signature"));
  EXPECT_EQ(read.where, folder_.string());
  PutBytes(folder_ / kSignaturePath, "");
  EXPECT_EQ(Read(&ours_).error().code, Code::kSignature);
  EXPECT_TRUE(Read(nullptr));
}

TEST_F(SignedPayload, AForeignOrWrongSignatureIsRefused) {
  SignFolder(folder_, theirs_);
  ExpectRefused(Code::kSignature, "manifest.json.p7s");
  PutBytes(folder_ / kSignaturePath, "no signature");
  ExpectRefused(Code::kSignature, "manifest.json.p7s");
}

TEST_F(SignedPayload, ASignatureOfAnotherPayloadIsRefused) {
  const std::string signature = ReadAll(folder_ / kSignaturePath);
  Write(2);
  EXPECT_FALSE(fs::exists(folder_ / kSignaturePath)) << "a new payload replaces all of the old one";
  PutBytes(folder_ / kSignaturePath, signature);
  ExpectRefused(Code::kSignature, "manifest.json.p7s");
}

// Whoever can't sign can't get the manifest read, either.
TEST_F(SignedPayload, TheManifestIsParsedOnlyWhenItsSignatureIsRight) {
  PutBytes(folder_ / "manifest.json", "{");
  ExpectRefused(Code::kSignature, "manifest.json.p7s");
  SignFolder(folder_, ours_);
  ExpectRefused(Code::kJson, "manifest.json: line 1, column 2");
}

TEST_F(SignedPayload, ARightSignatureDoesNotExcuseTheFiles) {
  const std::string good = ReadAll(folder_ / "unattend.xml");
  std::string bad = good;
  bad[20] ^= 1;
  PutBytes(folder_ / "unattend.xml", bad);
  const Error read = ErrorIn(Read(&ours_));
  EXPECT_EQ(read.code, Code::kManifest);
  EXPECT_THAT(read.where, HasSubstr("unattend.xml"));
  PutBytes(folder_ / "unattend.xml", good);
  ASSERT_TRUE(Read(&ours_));
  PutBytes(folder_ / "scripts" / "version.dll", "MZ");
  ExpectRefused(Code::kManifest, "scripts/version.dll");
  fs::remove(folder_ / "scripts" / "version.dll");
  PutBytes(folder_ / "manifest.json.p7", "");
  ExpectRefused(Code::kManifest, "manifest.json.p7");
}

TEST_F(SignedPayload, AManifestDoesNotListItsOwnSignature) {
  std::string text = ReadAll(folder_ / "manifest.json");
  const std::size_t at = text.find("README.txt");
  ASSERT_NE(at, std::string::npos);
  text.replace(at, 10, "Manifest.json.P7S");
  EXPECT_EQ(ErrorIn(ParseManifest(text, "m")).code, Code::kManifest);
}

TEST_F(SignedPayload, IsForTheClusterThatItsManifestNamesAndIntroducesASignerOnceItIsVerified) {
  const auto state = Must(reconcile::MakeDesiredState(SampleConfig(), {}));
  const auto payload =
      MakePayload(SampleConfig(), state, {.exe = {}, .cluster = "prod", .next_signer = theirs_.made.der});
  ASSERT_TRUE(WritePayloadFolder(*payload, folder_.string(), 0));
  SignFolder(folder_, ours_);
  Pin pin{.signers = {theirs_.certificate, ours_.certificate}, .cluster = "prod"};
  const auto loaded = Must(LoadPayloadFolder(folder_.string(), pin));
  EXPECT_EQ(loaded.manifest.cluster, "prod");
  EXPECT_EQ(loaded.signer->der, ours_.made.der);
  ASSERT_TRUE(ReadPayload(loaded, "p"));
  EXPECT_EQ(NextSignerOf(loaded, "p").value()->der, theirs_.made.der);
  const auto unverified = Must(LoadPayloadFolder(folder_.string()));
  EXPECT_FALSE(NextSignerOf(unverified, "p").value());
  pin.cluster = "Prod";
  EXPECT_EQ(LoadPayloadFolder(folder_.string(), pin).error().code, Code::kCluster);
  Write(1);
  EXPECT_EQ(LoadPayloadFolder(folder_.string(), {.cluster = "prod"}).error().code, Code::kCluster) << "it names none";
}

TEST_F(SignedPayload, ASignatureBeyondAnySizeIsRefused) {
  PutBytes(folder_ / kSignaturePath, std::string(kMostSignatureBytes + 1, '\x30'));
  ExpectRefused(Code::kTooLarge, "manifest.json.p7s");
  PutBytes(folder_ / kSignaturePath, std::string(kMostSignatureBytes, '\x30'));
  ExpectRefused(Code::kSignature, "manifest.json.p7s");
}

}  // namespace
}  // namespace prov::payload
