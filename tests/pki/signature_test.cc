#include "provisioner/pki/signature.h"

#include <gtest/gtest.h>
#include <openssl/err.h>

#include <string>

#include "tests/support/make_certificate.h"
#include "tests/support/result.h"

namespace prov::pki {
namespace {

using test::CertificateSpec;
using test::MakeCertificate;

Certificate SignedCertificate(const CertificateSpec& spec) { return *ParseCertificate(MakeCertificate(spec).der, ""); }

TEST(Signature, OwnSignaturesVerify) {
  const struct {
    const char* key;
    const EVP_MD* digest;
  } cases[] = {{"rsa2048", EVP_sha256()}, {"rsa1024", EVP_sha1()}, {"rsa1024", EVP_md5()},
               {"p256", EVP_sha256()},    {"p521", EVP_sha512()},  {"ed25519", nullptr}};
  for (const auto& c : cases) {
    CertificateSpec spec;
    spec.key = c.key;
    spec.digest = c.digest;
    spec.not_after = 1767225601;  // expiry is no matter here
    const auto result = VerifySelfSignature(SignedCertificate(spec));
    EXPECT_TRUE(result) << c.key << ": " << result.error().message;
  }
  CertificateSpec v1;
  v1.version = 1;
  EXPECT_TRUE(VerifySelfSignature(SignedCertificate(v1)));
}

TEST(Signature, AForeignKeyIsAnError) {
  for (const char* key : {"rsa2048", "p256"}) {
    CertificateSpec spec;
    spec.key = key;
    spec.signer = std::string(key) + "#other";
    const Certificate certificate = SignedCertificate(spec);
    EXPECT_TRUE(certificate.self_signed) << "its text says so";
    const Error result = ErrorIn(VerifySelfSignature(certificate));
    EXPECT_EQ(result.code, Code::kCert);
    EXPECT_NE(result.message.find("not signed by its own key"), std::string::npos) << result.message;
    EXPECT_NE(result.where.find(certificate.sha256), std::string::npos);
  }
}

TEST(Signature, AChangedByteIsAnError) {
  Certificate certificate = SignedCertificate({});
  const std::size_t at = certificate.der.find("example userca");
  certificate.der[at] = 'E';
  const std::size_t again = certificate.der.find("example userca");
  certificate.der[again] = 'E';
  EXPECT_FALSE(VerifySelfSignature(*ParseCertificate(certificate.der, "")));
}

TEST(Signature, WhatOpenSslCannotReadIsAnError) {
  Certificate certificate = SignedCertificate({});
  certificate.der.resize(certificate.der.size() / 2);
  const Error result = ErrorIn(VerifySelfSignature(certificate));
  EXPECT_NE(result.message.find("OpenSSL can't read this certificate"), std::string::npos);
}

TEST(Signature, UnknownAlgorithmsAreTold) {
  // rsaEncryption (…1.1.1) becomes …1.1.99, and sha256WithRSAEncryption (…1.1.11) …1.1.99.
  const auto changed = [](const std::string& oid) {
    Certificate certificate = SignedCertificate({});
    for (std::size_t at = certificate.der.find(oid); at != std::string::npos; at = certificate.der.find(oid, at + 1)) {
      certificate.der[at + oid.size() - 1] = '\x63';
    }
    return *ParseCertificate(certificate.der, "");
  };
  const Error key = ErrorIn(VerifySelfSignature(changed("\x2A\x86\x48\x86\xF7\x0D\x01\x01\x01")));
  EXPECT_NE(key.message.find("can't read the key"), std::string::npos) << key.message;
  const Error signature = ErrorIn(VerifySelfSignature(changed("\x2A\x86\x48\x86\xF7\x0D\x01\x01\x0B")));
  EXPECT_NE(signature.message.find("can't be checked (1.2.840.113549.1.1.99"), std::string::npos) << signature.message;
}

TEST(Signature, LeavesOpenSslsErrorQueueAlone) {
  ERR_clear_error();
  Certificate certificate = SignedCertificate({});
  certificate.der.resize(10);
  EXPECT_FALSE(VerifySelfSignature(certificate));
  EXPECT_EQ(ERR_peek_error(), 0U);
}

}  // namespace
}  // namespace prov::pki
