#include "provisioner/pki/certificate_review.h"

#include <gtest/gtest.h>

#include <span>
#include <string>
#include <vector>

#include "tests/pki/bundle_samples.h"

namespace prov::pki {
namespace {

constexpr std::int64_t kNow = 1800000000;
constexpr std::int64_t kDay = 86400;

Certificate Good(const std::string& der = "der") {
  Certificate out;
  out.der = der;
  out.subject = "CN=x";
  out.not_before_unix = kNow - kDay;
  out.not_after_unix = kNow + 400 * kDay;
  out.not_before = "FROM";
  out.not_after = "TO";
  out.version = 3;
  out.is_ca = out.self_issued = out.self_signed = true;
  out.key_algorithm = "rsa";
  out.key_bits = 2048;
  out.signature_algorithm = "sha256WithRSAEncryption";
  return out;
}

std::string ReviewCodes(const Certificate& certificate) {
  return Codes(ReviewCertificates(std::span(&certificate, 1), kNow, "b"));
}

TEST(ReviewCertificates, Times) {
  const struct {
    std::int64_t from, to;
    const char* codes;
  } cases[] = {
      {kNow, kNow + 31 * kDay, ""},
      {kNow + 1, kNow + 31 * kDay, "cert-not-yet-valid"},
      {kNow - kDay, kNow + 30 * kDay + 1, ""},
      {kNow - kDay, kNow + 30 * kDay, "cert-expires-soon"},
      {kNow - kDay, kNow, "cert-expires-soon"},
      {kNow - kDay, kNow - 1, "cert-expired"},
      {kNow + kDay, kNow - kDay, "cert-expired"},
  };
  for (const auto& c : cases) {
    Certificate certificate = Good();
    certificate.not_before_unix = c.from;
    certificate.not_after_unix = c.to;
    EXPECT_EQ(ReviewCodes(certificate), c.codes) << c.from << " " << c.to;
  }
}

TEST(ReviewCertificates, KeysAndSignatures) {
  const struct {
    const char* key;
    unsigned bits;
    bool weak_signature;
    bool self_signed;
    const char* codes;
  } cases[] = {
      {"rsa", 2048, true, true, "cert-weak-signature"},
      {"rsa", 2048, true, false, "cert-weak-signature"},
      {"rsa", 2048, false, false, ""},
      {"rsa", 2047, false, true, "cert-weak-key"},
      {"ec", 256, false, true, ""},
      {"ec", 192, false, true, "cert-weak-key"},
      {"ec", 0, false, true, ""},
      {"dsa", 3072, false, true, "cert-weak-key"},
      {"dsa", 0, false, true, "cert-weak-key"},
  };
  for (const auto& c : cases) {
    Certificate certificate = Good();
    certificate.key_algorithm = c.key;
    certificate.key_bits = c.bits;
    certificate.key_curve = "prime256v1";
    certificate.weak_signature = c.weak_signature;
    certificate.self_signed = c.self_signed;
    EXPECT_EQ(ReviewCodes(certificate), c.codes) << c.key << c.bits << c.weak_signature;
  }
}

TEST(ReviewCertificates, WhatWindowsMayNotVerify) {
  const struct {
    const char* key;
    const char* curve;
    const char* signature;
    const char* says;  // "": no finding
    Severity severity = Severity::kWarning;
  } cases[] = {
      {"rsa", "", "sha256WithRSAEncryption", ""},
      {"ec", "prime256v1", "ecdsa-with-SHA256", ""},
      {"ec", "secp384r1", "ecdsa-with-SHA384", ""},
      {"ec", "secp521r1", "ecdsa-with-SHA512", ""},
      {"ed25519", "", "ED25519", "Ed25519 or Ed448, which no version of Windows"},
      {"ed448", "", "ED448", "Ed25519 or Ed448, which no version of Windows"},
      {"rsa", "", "ED25519", "Ed25519 or Ed448, which no version of Windows"},
      {"rsa-pss", "", "rsassaPss", "bound to RSASSA-PSS"},
      {"ec", "secp256k1", "ecdsa-with-SHA256", "on the curve secp256k1; Windows knows"},
      {"ec", "brainpoolP256r1", "ecdsa-with-SHA256", "on the curve brainpoolP256r1"},
      {"ec", "1.2.3", "ecdsa-with-SHA256", "on the curve 1.2.3"},
      {"ec", "", "ecdsa-with-SHA256", "on the curve of its own parameters"},
      {"2.16.840.1.101.3.4.3.18", "", "2.16.840.1.101.3.4.3.18", "of the kind 2.16.840.1.101.3.4.3.18"},
      {"rsa", "", "rsassaPss", "Windows verifies from Vista and Server 2008 on", Severity::kInfo},
  };
  for (const auto& c : cases) {
    Certificate certificate = Good();
    certificate.key_algorithm = c.key;
    certificate.key_bits = 4096;
    certificate.key_curve = c.curve;
    certificate.signature_algorithm = c.signature;
    const auto findings = ReviewCertificates(std::span(&certificate, 1), kNow, "b");
    ASSERT_EQ(findings.size(), *c.says == '\0' ? 0U : 1U) << c.key << c.curve << c.signature;
    if (findings.empty()) continue;
    EXPECT_EQ(findings[0].code, "cert-algorithm");
    EXPECT_EQ(findings[0].severity, c.severity) << c.key << c.signature;
    EXPECT_NE(findings[0].message.find(c.says), std::string::npos) << findings[0].message;
  }
}

TEST(ReviewCertificates, CaAndDuplicates) {
  Certificate leaf = Good("leaf");
  leaf.is_ca = false;
  Certificate old = Good("old");
  old.is_ca = false;
  old.version = 1;
  const auto findings = ReviewCertificates(std::vector{Good(), leaf, Good(), old, leaf}, kNow, "bundle.pem");
  ASSERT_EQ(findings.size(), 4U);
  EXPECT_EQ(findings[0].code, "cert-not-ca");
  EXPECT_EQ(findings[0].message.find("certificate 2 \"CN=x\""), 0U) << findings[0].message;
  EXPECT_EQ(findings[0].where, "bundle.pem");
  EXPECT_EQ(findings[1].code, "cert-duplicate");
  EXPECT_EQ(findings[1].severity, Severity::kInfo);
  EXPECT_EQ(findings[1].message, "certificate 3 \"CN=x\" is the same as certificate 1");
  EXPECT_EQ(findings[2].code, "cert-not-ca");
  EXPECT_NE(findings[2].message.find("version 1"), std::string::npos);
  EXPECT_EQ(findings[3].message, "certificate 5 \"CN=x\" is the same as certificate 2");
  EXPECT_TRUE(ReviewCertificates({}, kNow, "").empty());
}

}  // namespace
}  // namespace prov::pki
