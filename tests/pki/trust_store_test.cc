#include "provisioner/pki/trust_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/support/finding_codes.h"

namespace prov::pki {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing_support::CodesOf;

Certificate Make(bool self_signed, bool is_ca) {
  Certificate out;
  out.subject = "CN=x";
  out.sha256 = std::string(64, 'a');
  out.self_issued = out.self_signed = self_signed;
  out.is_ca = is_ca;
  out.version = 3;
  out.key_algorithm = "rsa";
  out.key_bits = 2048;
  return out;
}

TEST(TrustStore, EachKindNamedAndNot) {
  const TrustedDigests none;
  const TrustedDigests named = {std::string(64, 'a')};
  const struct {
    const char* why;
    bool self_signed, is_ca;
    TrustedDigests trusted;
    Store store;
    std::vector<std::string> findings;
  } cases[] = {
      {"root", true, true, none, Store::kRoot, {}},
      {"root", true, true, named, Store::kRoot, {}},
      {"intermediate", false, true, none, Store::kCa, {}},
      {"self-signed leaf", true, false, none, Store::kNone, {}},
      {"self-signed leaf", true, false, named, Store::kRoot, {"self-signed-leaf"}},
      {"leaf", false, false, none, Store::kNone, {"leaf-skipped"}},
      {"leaf", false, false, named, Store::kCa, {"leaf-imported"}},
  };
  for (const auto& c : cases) {
    const std::vector<Certificate> certificates = {Make(c.self_signed, c.is_ca)};
    EXPECT_EQ(StoreFor(certificates[0], c.trusted), c.store) << c.why;
    const Findings findings = ReviewStores(certificates, c.trusted, "bundle.pem");
    for (const Finding& finding : findings) {
      EXPECT_NE(finding.message.find("certificate 1 \"CN=x\""), std::string::npos);
      EXPECT_EQ(finding.where, "bundle.pem");
    }
    EXPECT_EQ(CodesOf(findings), c.findings) << c.why;
  }
}

TEST(TrustStore, WhatNobodyMayTrustGetsIntoNoStoreUnlessItIsNamed) {
  const struct {
    const char* reason;  // "": it is imported
    void (*change)(Certificate&);
  } cases[] = {
      {"trust settings", [](Certificate& c) { c.rejected = true; }},
      {"(rsa, 512 bits; 2048 are the least)", [](Certificate& c) { c.key_bits = 512; }},
      {"(rsa, 2047 bits", [](Certificate& c) { c.key_bits = 2047; }},
      {"(rsa-pss, 1024 bits", [](Certificate& c) { c.key_algorithm = "rsa-pss", c.key_bits = 1024; }},
      {"(dsa, 1024 bits", [](Certificate& c) { c.key_algorithm = "dsa", c.key_bits = 1024; }},
      {"(dsa, 0 bits", [](Certificate& c) { c.key_algorithm = "dsa", c.key_bits = 0; }},
      {"(ec, 192 bits; 224 are the least)", [](Certificate& c) { c.key_algorithm = "ec", c.key_bits = 192; }},
      {"", [](Certificate& c) { c.key_algorithm = "ec", c.key_bits = 224; }},
      {"", [](Certificate& c) { c.key_algorithm = "ec", c.key_bits = 0; }},
      {"", [](Certificate& c) { c.key_algorithm = "dsa", c.key_bits = 2048; }},
      {"", [](Certificate& c) { c.key_algorithm = "ed25519", c.key_bits = 256; }},
      {"", [](Certificate& c) { c.weak_signature = true; }},  // of a root, which nobody checks
      {"its signature is weak (sha1WithRSAEncryption)",
       [](Certificate& c) {
         c.weak_signature = true;
         c.self_signed = false;
         c.signature_algorithm = "sha1WithRSAEncryption";
       }},
      {"it is not a CA", [](Certificate& c) { c.is_ca = false; }},
      {"it has version 1",
       [](Certificate& c) {
         c.is_ca = false;
         c.version = 1;
       }},
  };
  const TrustedDigests named = {std::string(64, 'a')};
  for (const auto& c : cases) {
    Certificate certificate = Make(true, true);
    c.change(certificate);
    const std::string why = WhyUntrusted(certificate, {});
    EXPECT_THAT(why, HasSubstr(c.reason));
    EXPECT_EQ(why.empty(), *c.reason == '\0') << why;
    EXPECT_EQ(StoreFor(certificate, {}) == Store::kNone, *c.reason != '\0') << c.reason;
    EXPECT_EQ(WhyUntrusted(certificate, named), "") << c.reason;
    EXPECT_EQ(StoreFor(certificate, named), certificate.self_signed ? Store::kRoot : Store::kCa) << c.reason;
  }
}

TEST(ReviewTrust, NamesWhatIsLeftOutAndItsDigestOnce) {
  Certificate weak = Make(true, true);
  weak.subject = "CN=weak";
  weak.sha256 = std::string(64, 'b');
  weak.key_bits = 512;
  const std::vector certificates = {Make(true, true), weak, weak};
  const Findings findings = ReviewTrust(certificates, {}, "bundle.pem");
  ASSERT_THAT(CodesOf(findings), ElementsAre("untrusted"));
  EXPECT_EQ(findings[0].severity, Severity::kWarning);
  EXPECT_EQ(findings[0].where, "bundle.pem");
  EXPECT_EQ(
      findings[0].message,
      "certificate 2 \"CN=weak\" is left out: its key is weak (rsa, 512 bits; 2048 are the least); if it is to be "
      "trusted, give --trust " +
          weak.sha256);
  const TrustedDigests trusted = {weak.sha256, std::string(64, 'c')};
  const Findings named = ReviewTrust(certificates, trusted, "bundle.pem");
  ASSERT_THAT(CodesOf(named), ElementsAre("trust-unused"));
  EXPECT_EQ(named[0].severity, Severity::kInfo);
  EXPECT_THAT(named[0].message, HasSubstr(std::string(64, 'c')));
}

TEST(ReviewTrust, NothingLeftIsAnErrorAndNothingThereIsNone) {
  Certificate weak = Make(true, true);
  weak.key_bits = 512;
  const Findings findings = ReviewTrust(std::vector{weak, Make(false, false)}, {}, "bundle.pem");
  ASSERT_THAT(CodesOf(findings), ElementsAre("untrusted", "untrusted"));
  EXPECT_EQ(findings[1].severity, Severity::kError);
  EXPECT_THAT(findings[1].message, HasSubstr("certificate 1 \"CN=x\" is left out: its key is weak"));
  EXPECT_TRUE(ReviewTrust({}, {}, "").empty());
  EXPECT_TRUE(ReviewTrust(std::vector{Make(false, false)}, {}, "").empty()) << "a leaf is another finding's business";
}

TEST(ReviewTrust, FindingsAreCapped) {
  std::vector<Certificate> many(30, Make(true, true));
  for (std::size_t i = 0; i < many.size(); ++i) {
    many[i].key_bits = 512;
    many[i].sha256 = std::to_string(i);
  }
  const Findings findings = ReviewTrust(many, {}, "");
  ASSERT_EQ(findings.size(), 22U);
  EXPECT_EQ(findings[20].message, "and 10 more of the same kind");
  EXPECT_EQ(findings[21].severity, Severity::kError);
}

TEST(TrustStore, DigestsAreReadAsPeopleWriteThem) {
  const std::string hex = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
  EXPECT_EQ(ParseCertificateDigest(hex), hex);
  std::string upper = hex;
  std::ranges::transform(upper, upper.begin(), [](char c) { return c >= 'a' ? static_cast<char>(c - 32) : c; });
  std::string colons;
  for (std::size_t i = 0; i < upper.size(); i += 2) colons += (i == 0 ? "" : ":") + upper.substr(i, 2);
  EXPECT_EQ(ParseCertificateDigest(colons), hex);
  for (const std::string& bad : {std::string(), hex.substr(1), hex + "0", "g" + hex.substr(1), "sha256=" + hex}) {
    EXPECT_EQ(ParseCertificateDigest(bad), std::nullopt) << bad;
  }
}

}  // namespace
}  // namespace prov::pki
