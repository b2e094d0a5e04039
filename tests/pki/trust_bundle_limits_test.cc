// The limits of a bundle: bytes, certificates, findings and time.
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "provisioner/pki/trust_bundle.h"
#include "tests/pki/bundle_samples.h"
#include "tests/support/amount.h"
#include "tests/support/make_certificate.h"

namespace prov::pki {
namespace {

TEST(TrustBundleLimits, Bytes) {
  Findings findings;
  const auto big = ParseTrustBundle(std::string(kMostBundleBytes + 1, '\n'), "b", findings);
  ASSERT_FALSE(big);
  EXPECT_EQ(big.error().code, Code::kTooLarge);
  EXPECT_EQ(big.error().where, "b");
}

TEST(TrustBundleLimits, FindingsAreCapped) {
  std::string text = A();
  for (int i = 0; i < 30; ++i) text += "-----BEGIN EC PRIVATE KEY-----\nx\n-----END EC PRIVATE KEY-----\n";
  Findings findings;
  ASSERT_TRUE(ParseTrustBundle(text, "b", findings));
  ASSERT_EQ(findings.size(), 21U);
  EXPECT_EQ(findings.back().code, "private-key");
  EXPECT_EQ(findings.back().severity, Severity::kWarning);
  EXPECT_EQ(findings.back().message, "and 10 more of the same kind");
}

TEST(TrustBundleLimits, HostileTextsTakeLinearTime) {
  const std::size_t size = testing_support::Amount(8U << 20U);
  const auto repeat = [size](const std::string& piece) {
    std::string out;
    out.reserve(size + piece.size());
    while (out.size() < size) out += piece;
    return out;
  };
  const struct {
    const char* why;
    std::string text;
  } cases[] = {
      {"dashes", std::string(size, '-')},
      {"four dashes", repeat("----x")},
      {"BEGIN", repeat("-----BEGIN CERTIFICATE-----")},
      {"BEGIN in a comment", "#" + repeat("-----BEGIN CERTIFICATE-----")},
      {"BEGIN in a comment, blanks", "#" + repeat("-----BEGIN CERTIFICATE-----        ")},
      {"BEGIN in comments, blank lines", repeat("#-----BEGIN CERTIFICATE-----\n\n\n\n#")},
      {"END in a comment", "#-----BEGIN X-----\n#" + repeat("-----END CERTIFICATE-----")},
      {"open BEGIN", repeat("-----BEGIN ")},
      {"prose in dashes", repeat("-----BEGIN of ")},
      {"long labels",
       repeat("-----BEGIN AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA ")},
      {"the word", repeat("certificate ")},
      {"blanks before the word", repeat("                                certificate")},
      {"blanks", std::string(size, ' ') + "x"},
      {"no-break spaces", repeat("\xC2\xA0") + "x"},
      {"lines of blanks", repeat("        \n") + "x"},
      {"empty private keys", repeat("-----BEGIN PRIVATE KEY----------END PRIVATE KEY-----")},
      {"empty other blocks", repeat("-----BEGIN X----------END X-----")},
      {"blocks of headers", "-----BEGIN X-----" + repeat("\na:b") + "-----END X-----"},
      {"backslashes", "-----\\" + repeat("\\")},
      {"base64 without end", "-----BEGIN CERTIFICATE-----" + repeat("A")},
      {"zero byte at the end", std::string(size, 'a') + '\0'},
  };
  for (const auto& c : cases) {
    Findings findings;
    const auto start = std::chrono::steady_clock::now();
    const auto bundle = ParseTrustBundle(c.text, "", findings);
    const auto seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    EXPECT_FALSE(bundle && !bundle->empty()) << c.why;
    EXPECT_LE(findings.size(), 64U) << c.why;
    // Quadratic work on 8 MiB would take hours; the bound leaves room for sanitizers on a busy machine.
    EXPECT_LT(seconds, 20.0) << c.why;
  }
}

}  // namespace
}  // namespace prov::pki
