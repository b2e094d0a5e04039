#include "provisioner/payload/payload_signature.h"

#include <gmock/gmock.h>
#include <openssl/err.h>

#include "provisioner/base/text.h"
#include "provisioner/pki/cms_signature.h"
#include "tests/payload/make_cms.h"
#include "tests/support/result.h"
#include "tests/support/sample.h"
#include "tests/support/sign_payload.h"

namespace prov::payload {
namespace {

using test::CertificateSpec;
using test::CmsSpec;
using test::MakeCertificate;
using test::MakeCms;
using test::PrivateKeyPem;
using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kManifestText = "{\"schema\": 1, \"generation\": 3, \"files\": []}\n";

CertificateSpec SignerSpec(const std::string& key = "rsa2048") {
  CertificateSpec spec = testing_support::SignerSpec("Payload Signer", key);
  spec.serial = 0x80'0102;  // a first byte that DER pads
  return spec;
}

pki::Certificate Signer(const CertificateSpec& spec = SignerSpec()) {
  return Must(ReadSigner(MakeCertificate(spec).der, "signer"));
}

std::string Signed(const pki::Certificate& signer = Signer(), const std::string& key = "rsa2048",
                   std::string_view manifest = kManifestText) {
  const auto signing = SigningKey::Read(Secret(PrivateKeyPem(key)), signer, "key");
  EXPECT_TRUE(signing) << signing.error().message;
  return signing ? signing->Sign(manifest).value_or("") : "";
}

// Why it is refused; "" if it is not.
std::string SignatureRefusal(std::string_view signature, std::string_view manifest = kManifestText,
                             const pki::Certificate& signer = Signer()) {
  const auto verified = VerifySignature(manifest, signature, signer, "p7s");
  if (verified) return "";
  EXPECT_EQ(verified.error().code, Code::kSignature);
  EXPECT_EQ(verified.error().where, "p7s");
  EXPECT_EQ(ERR_peek_error(), 0U) << "OpenSSL's errors stay behind";
  return verified.error().message;
}

TEST(PayloadSignature, IsTheSameEachTimeAndTheSameAsOpenssls) {
  const std::string ours = Signed();
  EXPECT_EQ(SignatureRefusal(ours), "");
  EXPECT_EQ(ours, Signed());
  EXPECT_TRUE(test::OpensslVerifies(kManifestText, ours, Signer().der));
  EXPECT_FALSE(test::OpensslVerifies("other", ours, Signer().der)) << "this test can fail";
  EXPECT_EQ(ours, MakeCms(kManifestText, {.certificate = Signer().der}));
}

TEST(PayloadSignature, AnyRsaKeyAndSerialWillDo) {
  for (const char* key : {"rsa2048", "rsa3072"}) {
    for (const std::int64_t serial : {std::int64_t{0}, std::int64_t{1}, std::int64_t{127}, std::int64_t{128},
                                      std::int64_t{-2}, std::int64_t{0x7FFF'FFFF'FFFF'FFFF}}) {
      CertificateSpec spec = SignerSpec(key);
      spec.serial = serial;
      const pki::Certificate signer = Signer(spec);
      const std::string signature = Signed(signer, key);
      EXPECT_EQ(SignatureRefusal(signature, kManifestText, signer), "") << key << " " << serial;
      EXPECT_EQ(signature, MakeCms(kManifestText, {.certificate = signer.der, .key = key})) << serial;
    }
  }
}

TEST(PayloadSignature, NoBitOfItCanBeChanged) {
  const pki::Certificate signer = Signer();
  std::string signature = Signed();
  for (std::size_t i = 0; i < signature.size() * 8; ++i) {
    char& byte = signature[i / 8];
    byte = static_cast<char>(byte ^ (1 << (i % 8)));
    EXPECT_NE(SignatureRefusal(signature, kManifestText, signer), "") << "bit " << i % 8 << " of byte " << i / 8;
    byte = static_cast<char>(byte ^ (1 << (i % 8)));
  }
  EXPECT_EQ(SignatureRefusal(signature, kManifestText, signer), "");
}

TEST(PayloadSignature, NoByteOfTheManifestCanBeChanged) {
  const pki::Certificate signer = Signer();
  const std::string signature = Signed();
  std::string manifest(kManifestText);
  for (char& byte : manifest) {
    byte = static_cast<char>(byte ^ 0x20);
    EXPECT_THAT(SignatureRefusal(signature, manifest, signer), HasSubstr("does not fit manifest.json"));
    byte = static_cast<char>(byte ^ 0x20);
  }
  EXPECT_NE(SignatureRefusal(signature, manifest + "\n", signer), "");
  EXPECT_NE(SignatureRefusal(signature, manifest.substr(1), signer), "");
  EXPECT_NE(SignatureRefusal(signature, "", signer), "");
}

TEST(PayloadSignature, WhatIsCutShortOrGoesOnIsRefused) {
  const pki::Certificate signer = Signer();
  const std::string signature = Signed();
  for (std::size_t size = 0; size < signature.size(); ++size) {
    EXPECT_NE(SignatureRefusal(signature.substr(0, size), kManifestText, signer), "") << size;
  }
  EXPECT_NE(SignatureRefusal(signature + '\0', kManifestText, signer), "");
  EXPECT_NE(SignatureRefusal(signature + signature, kManifestText, signer), "");
}

// The same name and serial number, so that the signature names the pinned certificate; another key.
TEST(PayloadSignature, AForeignKeyUnderTheSameNameIsRefused) {
  const pki::Certificate forged = Signer(SignerSpec("rsa2048#other"));
  EXPECT_EQ(forged.subject, Signer().subject);
  EXPECT_EQ(forged.serial, Signer().serial);
  EXPECT_THAT(SignatureRefusal(Signed(forged, "rsa2048#other")), HasSubstr("another key"));
  // With the forged certificate enclosed, as a careless reader would take it from there.
  const std::string enclosing =
      MakeCms(kManifestText,
              {.certificate = forged.der, .key = "rsa2048#other", .flags = CMS_DETACHED | CMS_BINARY | CMS_NOATTR});
  EXPECT_GT(enclosing.size(), forged.der.size());
  EXPECT_THAT(SignatureRefusal(enclosing), HasSubstr("another key"));
}

TEST(PayloadSignature, AnotherCertificateIsAnotherSigner) {
  CertificateSpec renewed = SignerSpec();
  renewed.serial = 5;
  EXPECT_THAT(SignatureRefusal(Signed(Signer(renewed))),
              HasSubstr("another signer than the wanted one, CN=Payload Signer"));
  CertificateSpec renamed = SignerSpec();
  renamed.subject = {{"O", "Example Corp"}, {"CN", "Payload Signer 2"}};
  EXPECT_THAT(SignatureRefusal(Signed(Signer(renamed))), HasSubstr("another signer"));
}

TEST(PayloadSignature, WhenTheCertificateIsValidDoesNotCount) {
  CertificateSpec spec = SignerSpec();
  spec.not_before = 1;
  spec.not_after = 2;
  EXPECT_EQ(SignatureRefusal(Signed(Signer(spec)), kManifestText, Signer(spec)), "");
  spec.not_before = 4'000'000'000;
  spec.not_after = 4'000'000'001;
  EXPECT_EQ(SignatureRefusal(Signed(Signer(spec)), kManifestText, Signer(spec)), "");
}

// Certificates that are enclosed mean nothing, whoever put them there.
TEST(PayloadSignature, EnclosedCertificatesArePassedOver) {
  const std::string der = Signer().der;
  EXPECT_EQ(
      SignatureRefusal(MakeCms(kManifestText, {.certificate = der, .flags = CMS_DETACHED | CMS_BINARY | CMS_NOATTR})),
      "");
  EXPECT_EQ(
      SignatureRefusal(MakeCms(kManifestText, {.certificate = der, .enclosed = {test::MakeRoot("somebody").der}})), "");
}

TEST(PayloadSignature, OtherFormsAreRefusedAndSaySo) {
  const std::string der = Signer().der;
  constexpr unsigned kUsual = CMS_DETACHED | CMS_BINARY | CMS_NOATTR | CMS_NOCERTS;
  CertificateSpec ec = SignerSpec("p256");
  const struct {
    const char* what;
    CmsSpec spec;
    const char* why;
  } cases[] = {
      {"attributes", {.certificate = der, .flags = CMS_DETACHED | CMS_BINARY | CMS_NOCERTS}, "signed attributes"},
      {"enclosed content", {.certificate = der, .flags = kUsual & ~unsigned{CMS_DETACHED}}, "is not detached"},
      {"a key identifier", {.certificate = der, .flags = kUsual | CMS_USE_KEYID}, "version"},
      {"SHA-1", {.certificate = der, .digest = EVP_sha1()}, "SHA-256"},
      {"SHA-512", {.certificate = der, .digest = EVP_sha512()}, "SHA-256"},
      {"an EC key", {.certificate = MakeCertificate(ec).der, .key = "p256"}, "RSA"},
      {"two signers",
       {.certificate = der, .more_signers = {{test::MakeRoot("second", "rsa2048#other").der, "rsa2048#other"}}},
       "more than one signer"},
      {"the signer twice", {.certificate = der, .more_signers = {{der, "rsa2048"}}}, "more than one signer"},
  };
  for (const auto& c : cases) EXPECT_THAT(SignatureRefusal(MakeCms(kManifestText, c.spec)), HasSubstr(c.why)) << c.what;
}

TEST(PayloadSignature, WhatIsNoSignatureIsRefused) {
  const std::string deep(std::size_t{1} << 20U, '\x30');
  const std::string zeros(std::size_t{1} << 20U, '\0');
  std::string long_sequence = "\x30\x83\x10\x00\x00";
  long_sequence.resize(5 + 0x100000, '\x30');
  for (const std::string& bytes : {std::string(), std::string("-----BEGIN CMS-----\n"), deep, zeros, long_sequence,
                                   Signer().der, PrivateKeyPem("rsa2048"), std::string(kManifestText)}) {
    EXPECT_NE(SignatureRefusal(bytes), "") << bytes.size();
  }
}

TEST(PayloadSignature, ThePartsAreWhatWasPutThere) {
  const std::string signer = pki::IssuerAndSerial(Signer());
  const std::string bytes = pki::EncodeCms({signer, "value"});
  const auto parts = pki::ParseCms(bytes);
  ASSERT_TRUE(parts) << parts.error();
  EXPECT_EQ(parts->signer, signer);
  EXPECT_EQ(parts->value, "value");
}

std::string Pem(const std::string& key, bool traditional, bool encrypted) {
  const test::BioPointer bio(BIO_new(BIO_s_mem()), &BIO_free);
  const EVP_CIPHER* cipher = encrypted ? EVP_aes_128_cbc() : nullptr;
  const unsigned char passphrase[] = "pass";
  EVP_PKEY* pkey = test::TestKey(key);
  test::Must((traditional ? PEM_write_bio_PrivateKey_traditional(bio.get(), pkey, cipher, passphrase, encrypted ? 4 : 0,
                                                                 nullptr, nullptr)
                          : PEM_write_bio_PKCS8PrivateKey(bio.get(), pkey, cipher, encrypted ? "pass" : nullptr,
                                                          encrypted ? 4 : 0, nullptr, nullptr)) == 1);
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &data);
  return {data, static_cast<std::size_t>(size)};
}

TEST(SigningKey, IsReadFromEitherFormOfPem) {
  const std::string expected = Signed();
  for (const std::string& pem :
       {Pem("rsa2048", false, false), Pem("rsa2048", true, false), "# mine\n" + Pem("rsa2048", true, false),
        MakeCertificate(SignerSpec()).pem + Pem("rsa2048", false, false)}) {
    const auto key = Must(SigningKey::Read(Secret(pem), Signer(), "key"));
    EXPECT_EQ(key.Sign(kManifestText), expected);
  }
}

TEST(SigningKey, WhatCantSignIsRefusedAndNeverQuoted) {
  const std::string good = Pem("rsa2048", false, false);
  std::string damaged = good;
  damaged[60] = damaged[60] == 'A' ? 'B' : 'A';
  damaged[100] = '*';
  const struct {
    const char* what;
    std::string pem;
    const char* why;
  } cases[] = {
      {"encrypted PKCS#8", Pem("rsa2048", false, true), "openssl pkey -in"},
      {"encrypted PKCS#1", Pem("rsa2048", true, true), "openssl pkey -in"},
      {"an EC key", Pem("p256", false, false), "of the kind ec"},
      {"an EC key of its own form", Pem("p256", true, false), "of the kind ec"},
      {"an Ed25519 key", Pem("ed25519", false, false), "RSA keys"},
      {"a short key", Pem("rsa1024", false, false), "1024 bits"},
      {"another key", Pem("rsa2048#other", false, false), "is not the key of the certificate CN=Payload Signer"},
      {"two keys", good + good, "more than one"},
      {"no key", MakeCertificate().pem, "no private key"},
      {"nothing", "", "no private key"},
      {"cut short", good.substr(0, good.size() / 2), "damaged"},
      {"damaged", damaged, "damaged"},
      {"another form", "-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----\n", "OPENSSH"},
  };
  for (const auto& c : cases) {
    const auto key = SigningKey::Read(Secret(c.pem), Signer(), "key.pem");
    ASSERT_FALSE(key) << c.what;
    EXPECT_EQ(key.error().code, Code::kSignature) << c.what;
    EXPECT_EQ(key.error().where, "key.pem");
    EXPECT_THAT(key.error().message, HasSubstr(c.why)) << c.what;
    for (const std::string_view line : Split(c.pem, '\n')) {
      if (line.size() < 12 || line.starts_with('-')) continue;
      EXPECT_THAT(key.error().message, Not(HasSubstr(std::string(line.substr(0, 12))))) << c.what;
    }
    EXPECT_EQ(ERR_peek_error(), 0U);
  }
}

TEST(SignerCertificate, IsOneWithAnRsaKey) {
  const test::MadeCertificate good = MakeCertificate(SignerSpec());
  EXPECT_EQ(ReadSigner(good.pem, "c")->der, good.der);
  EXPECT_EQ(ReadSigner(good.pem + PrivateKeyPem("rsa2048"), "c")->der, good.der) << "the key does not matter";
  const struct {
    const char* what;
    std::string bytes;
    Code code;
  } cases[] = {
      {"two", good.pem + test::MakeRoot("second").pem, Code::kCert},
      {"none", "", Code::kCert},
      {"a key alone", PrivateKeyPem("rsa2048"), Code::kCert},
      {"cut short", good.der.substr(0, 300), Code::kCert},
      {"EC", MakeCertificate(SignerSpec("p256")).der, Code::kSignature},
      {"short", MakeCertificate(SignerSpec("rsa1024")).der, Code::kSignature},
  };
  for (const auto& c : cases) {
    const auto read = ReadSigner(c.bytes, "c");
    ASSERT_FALSE(read) << c.what;
    EXPECT_EQ(read.error().code, c.code) << c.what << ": " << read.error().message;
  }
}

TEST(SignerCertificate, HasThePurposeOfSigning) {
  const struct {
    std::vector<std::string> extended, usages;
    const char* why;  // "": it is accepted
  } cases[] = {
      {{}, {}, ""},
      {{"codeSigning"}, {}, ""},
      {{"critical,codeSigning,serverAuth"}, {}, ""},
      {{}, {"critical,digitalSignature"}, ""},
      {{"codeSigning"}, {"digitalSignature,keyCertSign"}, ""},
      {{"serverAuth,clientAuth"}, {}, "was issued for serverAuth, clientAuth (extendedKeyUsage)"},
      {{"1.3.6.1.4.1.311.10.3.5"}, {}, "was issued for 1.3.6.1.4.1.311.10.3.5"},
      {{"anyExtendedKeyUsage"}, {}, "was issued for anyExtendedKeyUsage"},
      {{"codeSigning,anyExtendedKeyUsage"}, {}, "codeSigning, anyExtendedKeyUsage"},
      {{"codeSigning", "serverAuth"}, {}, "extendedKeyUsage that can't be read, or two of them"},
      {{}, {"critical,keyCertSign,cRLSign"}, "holds a key for keyCertSign, cRLSign (keyUsage)"},
      {{"codeSigning"}, {"keyEncipherment"}, "holds a key for keyEncipherment"},
      {{"DER:3000"}, {}, "was issued for nothing"},
      {{}, {"DER:030100"}, "holds a key for nothing"},
      {{}, {"DER:0400"}, "keyUsage that can't be read"},
  };
  for (const bool ca : {true, false}) {
    for (const auto& c : cases) {
      CertificateSpec spec = SignerSpec();
      spec.ca = ca;
      spec.extended_key_usages = c.extended;
      spec.key_usages = c.usages;
      const auto read = ReadSigner(MakeCertificate(spec).der, "signer.cer");
      EXPECT_EQ(ERR_peek_error(), 0U);
      if (std::string_view(c.why).empty()) {
        EXPECT_TRUE(read) << read.error().message;
        continue;
      }
      ASSERT_FALSE(read) << c.why;
      EXPECT_EQ(read.error().code, Code::kSignature);
      EXPECT_EQ(read.error().where, "signer.cer");
      EXPECT_THAT(read.error().message, HasSubstr(c.why));
    }
  }
}

TEST(PayloadSignature, IsAFileOfThePayloadThatTheManifestDoesNotList) {
  const auto state = Must(reconcile::MakeDesiredState(testing_support::SampleConfig(), {}));
  Payload payload = MakePayload(testing_support::SampleConfig(), state, {}).value();
  const std::size_t files = payload.files.size();
  const auto key = Must(SigningKey::Read(Secret(PrivateKeyPem("rsa2048")), Signer(), "key"));
  ASSERT_TRUE(SignPayload(payload, key));
  ASSERT_TRUE(SignPayload(payload, key)) << "again";
  EXPECT_EQ(payload.files.size(), files + 1);
  EXPECT_TRUE(std::ranges::is_sorted(payload.files, {}, &PayloadFile::path));
  const auto manifest = std::ranges::find(payload.files, "manifest.json", &PayloadFile::path);
  const auto signature = std::ranges::find(payload.files, kSignaturePath, &PayloadFile::path);
  ASSERT_NE(signature, payload.files.end());
  EXPECT_EQ(SignatureRefusal(signature->bytes, manifest->bytes), "");
  EXPECT_THAT(manifest->bytes, Not(HasSubstr("p7s")));
  EXPECT_TRUE(IsPayloadPath(signature->path));
  EXPECT_FALSE(signature->secret);
}

}  // namespace
}  // namespace prov::payload
