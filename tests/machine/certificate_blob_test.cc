#include "provisioner/machine/certificate_blob.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "images/registry/registry_key.h"
#include "provisioner/base/hash.h"
#include "tests/support/paths.h"
#include "tests/support/sample.h"

namespace prov::machine {
namespace {

std::string Property(std::uint32_t id, std::string_view bytes) {
  return images::EncodeDword(id) + images::EncodeDword(1) +
         images::EncodeDword(static_cast<std::uint32_t>(bytes.size())) + std::string(bytes);
}

TEST(CertificateBlob, HoldsItsHashAndWhatItWasMadeOf) {
  const std::string blob = EncodeCertificateBlob("der");
  EXPECT_EQ(blob, Property(3, Sha1("der")) + Property(32, "der"));
  EXPECT_EQ(CertificateInBlob(blob), "der");
}

TEST(CertificateBlob, EqualsTheSharedSample) {
  const std::string shared = testing_support::TestsFolder() + "/../../shared/cases/windows/cert/";
  if (!std::filesystem::exists(shared)) GTEST_SKIP() << "SKIPPED: the shared sample folder is not here: " << shared;
  const std::string der = testing_support::ReadAll(shared + "ca.der");
  EXPECT_EQ(CertificateKeyName(der), "15DD2B0A671D6685B1AD69B18A6B004128ABE7D5");
  EXPECT_EQ(EncodeCertificateBlob(der), testing_support::ReadAll(shared + "ca.blob-sha1.bin"));
}

TEST(CertificateBlob, OtherPropertiesDoNotMatter) {
  EXPECT_EQ(CertificateInBlob(Property(0x5C, "len") + Property(3, "sha1") + Property(32, "der")), "der");
  EXPECT_EQ(CertificateInBlob(Property(32, "der") + Property(3, "sha1")), "der");
  EXPECT_EQ(CertificateInBlob(Property(32, "")), "");
}

TEST(CertificateBlob, WithoutACertificateThereIsNone) {
  EXPECT_EQ(CertificateInBlob(""), std::nullopt);
  EXPECT_EQ(CertificateInBlob(Property(3, "sha1")), std::nullopt);
}

TEST(CertificateBlob, ATruncatedOneHoldsNone) {
  const std::string whole = Property(3, "sha1") + Property(32, "der");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_EQ(CertificateInBlob(std::string_view(whole).substr(0, size)), std::nullopt) << size;
  }
}

TEST(CertificateBlob, TheKeyIsNamedByTheSha1InUpperCase) {
  EXPECT_EQ(CertificateKeyName("abc"), "A9993E364706816ABA3E25717850C26C9CD0D89D");
}

}  // namespace
}  // namespace prov::machine
