// Signed payloads in folders: what a reader with a pinned signer takes.
#include <gmock/gmock.h>

#include "provisioner/payload/payload_folder.h"
#include "provisioner/payload/payload_reader.h"
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
    const auto state = reconcile::MakeDesiredState(SampleConfig(), {});
    ASSERT_TRUE(state);
    const auto payload = MakePayload(SampleConfig(), *state, {.generation = generation, .exe = {}});
    ASSERT_TRUE(payload);
    const auto written = WritePayloadFolder(*payload, folder_.string(), 0);
    ASSERT_TRUE(written) << written.error().message;
  }

  Result<EgressDocument> Read(const TestSigner* signer) {
    const auto loaded =
        PROV_TRY(LoadPayloadFolder(folder_.string(), signer != nullptr ? &signer->certificate : nullptr));
    return ReadPayload(loaded, folder_.string());
  }

  void ExpectRefused(Code code, const std::string& where) {
    const auto read = Read(&ours_);
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().code, code) << read.error().message;
    EXPECT_EQ(read.error().where, folder_.string() + "/" + where) << read.error().message;
  }

  const TestSigner ours_{"Payload Signer"};
  const TestSigner theirs_{"Payload Signer", "rsa2048#other"};
  testing_support::ScratchFolder scratch_;
  fs::path folder_ = scratch_.path() / "payload";
};

TEST_F(SignedPayload, IsTakenByWhoWantsItAndByWhoDoesNotMind) {
  const auto read = Read(&ours_);
  ASSERT_TRUE(read) << read.error().message << " " << read.error().where;
  EXPECT_TRUE(Read(nullptr));
  EXPECT_EQ(LoadPayloadFolder(folder_.string())->files.at(std::string(kSignaturePath)),
            ReadAll(folder_ / kSignaturePath));
}

TEST_F(SignedPayload, AMissingSignatureIsRefused) {
  fs::remove(folder_ / kSignaturePath);
  const auto read = Read(&ours_);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, Code::kSignature);
  EXPECT_THAT(read.error().message, HasSubstr("no signature"));
  EXPECT_EQ(read.error().where, folder_.string());
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
  const auto read = Read(&ours_);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, Code::kManifest);
  EXPECT_THAT(read.error().where, HasSubstr("unattend.xml"));
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
  const auto read = ParseManifest(text, "m");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, Code::kManifest);
}

TEST_F(SignedPayload, ASignatureBeyondAnySizeIsRefused) {
  PutBytes(folder_ / kSignaturePath, std::string(kMostSignatureBytes + 1, '\x30'));
  ExpectRefused(Code::kTooLarge, "manifest.json.p7s");
  PutBytes(folder_ / kSignaturePath, std::string(kMostSignatureBytes, '\x30'));
  ExpectRefused(Code::kSignature, "manifest.json.p7s");
}

}  // namespace
}  // namespace prov::payload
