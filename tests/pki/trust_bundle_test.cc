#include "provisioner/pki/trust_bundle.h"

#include <gtest/gtest.h>

#include <chrono>
#include <random>
#include <string>
#include <vector>

#include "provisioner/base/base64.h"
#include "provisioner/base/text.h"
#include "provisioner/pki/pem.h"
#include "tests/pki/bundle_samples.h"
#include "tests/support/amount.h"
#include "tests/support/make_certificate.h"
#include "tests/support/replaced.h"
#include "tests/support/result.h"

namespace prov::pki {
namespace {

using namespace std::string_literals;
using testing_support::Replaced;

std::string WithoutFinalLineEnd(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  return text;
}
std::string Relabelled(const std::string& pem, const std::string& label) {
  return Replaced(pem, " CERTIFICATE-----", " " + label + "-----");
}
// OpenSSL's TRUSTED CERTIFICATE with these bytes as its settings.
std::string Trusted(std::size_t n, const std::string& settings) {
  return ArmourPem("TRUSTED CERTIFICATE", Nth(n).der + settings);
}

std::string Names(const std::vector<Certificate>& certificates) {
  std::string out;
  for (const Certificate& certificate : certificates) out += certificate.subject.substr(3, 1);
  return out;
}
struct Accepted {
  const char* why;
  std::string bytes;
  std::string names;
  std::string codes = "";
};

void ExpectAccepted(const std::vector<Accepted>& cases) {
  for (const Accepted& c : cases) {
    Findings findings;
    const auto bundle = ParseTrustBundle(c.bytes, "bundle.pem", findings);
    if (!bundle) {
      ADD_FAILURE() << c.why << ": " << bundle.error().message << " at " << bundle.error().where;
      continue;
    }
    EXPECT_EQ(Names(*bundle), c.names) << c.why;
    EXPECT_EQ(Codes(findings), c.codes) << c.why;
    for (const Certificate& certificate : *bundle) {
      const std::size_t n = static_cast<std::size_t>(certificate.subject[3] - 'A');
      EXPECT_EQ(certificate.der, Nth(n).der) << c.why << ": the bytes must be those of the certificate";
    }
  }
}

TEST(TrustBundle, Shapes) {
  const std::string all = A() + B() + C();
  ExpectAccepted({
      {"three", all, "ABC"},
      {"duplicates are kept, in order", B() + A() + B(), "BAB"},
      {"no final line end", WithoutFinalLineEnd(all), "ABC"},
      {"CR LF", Replaced(all, "\n", "\r\n"), "ABC"},
      {"CR", Replaced(all, "\n", "\r"), "ABC"},
      {"comments between", "# A\n" + A() + "# Subject: B\n\n" + B() + "#\n" + C(), "ABC"},
      {"prose between", "Bag Attributes\n    friendlyName: x\nsubject=CN = A\n" + A() + "1 s:CN = B\n" + B(), "AB"},
      {"text behind", A() + "trailing text", "A"},
      {"glued END and BEGIN", WithoutFinalLineEnd(A()) + WithoutFinalLineEnd(B()) + C(), "ABC"},
      {"glued to a comment", "# registry..5000" + A() + "# end" + B(), "AB"},
      {"all on one line", Replaced(all, "\n", " "), "ABC"},
      {"indented", "  " + Replaced(all, "\n", "\n  "), "ABC"},
      {"trailing blanks", Replaced(all, "\n", "  \t\n"), "ABC"},
      {"empty lines everywhere", Replaced(all, "\n", "\n\n"), "ABC"},
      {"UTF-8 byte order mark", "\xEF\xBB\xBF" + all, "ABC"},
      {"byte order marks from concatenation", "\xEF\xBB\xBF" + A() + "\xEF\xBB\xBF" + B(), "AB"},
      {"UTF-16LE", "\xFF\xFE" + ToUtf16Le(all), "ABC"},
      {"UTF-16BE", "\xFE\xFF" + Utf16Be(all), "ABC"},
      {"JSON string", "\"" + Replaced(all, "\n", "\\n") + "\"", "ABC"},
      {"comment and certificate in a JSON string",
       "\"# corporate\\n" + Replaced(A(), "\n", "\\n") + "# B\\n" + Replaced(B(), "\n", "\\n") + "\"", "AB"},
      {"X509 CERTIFICATE", A() + Relabelled(B(), "X509 CERTIFICATE") + C(), "ABC"},
      {"TRUSTED CERTIFICATE without settings", A() + Trusted(1, "") + C(), "ABC", "pem-trusted"},
      {"TRUSTED CERTIFICATE with settings",
       Trusted(1, "\x30\x0E\x30\x0C\x06\x0A\x2B\x06\x01\x05\x05\x07\x03\x01\x01\x01"s), "B", "pem-trusted"},
      {"raw DER", Nth(0).der, "A"},
      {"PEM headers", Replaced(A(), "CERTIFICATE-----\nM", "CERTIFICATE-----\nComment: x\n\nM"), "A"},
      {"commented out", A() + "# " + Replaced(WithoutFinalLineEnd(B()), "\n", "\n# ") + "\n" + C(), "AC",
       "pem-commented"},
      {"64 KiB of comment in one line", A() + B() + "# " + std::string(70000, 'x') + "\n" + C(), "ABC"},
      {"64 KiB of comment in lines",
       A() + B() + Replaced(std::string(700, 'x'), "x", "# " + std::string(98, 'y') + "\n") + C(), "ABC"},
  });
}

TEST(TrustBundle, MissingPaddingIsRepaired) {
  // One of three certificates of consecutive lengths has padding.
  for (const char* name : {"A", "AA", "AAA"}) {
    const auto made = test::MakeRoot(name, "rsa2048");
    Findings findings;
    const auto bundle = Must(ParseTrustBundle(Replaced(made.pem, "=", ""), "", findings));
    EXPECT_EQ(bundle.at(0).der, made.der);
  }
}

TEST(TrustBundle, LeavesAndWhatExpiredAreRead) {
  test::CertificateSpec leaf;
  leaf.subject = {{"CN", "Leaf"}};
  leaf.key = "p256";
  leaf.ca = false;
  leaf.not_after = leaf.not_before + 60;
  Findings findings;
  const auto bundle = Must(ParseTrustBundle(A() + test::MakeCertificate(leaf).pem + A(), "", findings));
  EXPECT_EQ(Names(bundle), "ALA");
}

TEST(TrustBundle, OtherBlocks) {
  const std::string key = test::PrivateKeyPem("p256");
  Findings findings;
  const auto bundle = Must(ParseTrustBundle(A() + key + C(), "bundle.pem", findings));
  EXPECT_EQ(Names(bundle), "AC");
  ASSERT_EQ(Codes(findings), "private-key");
  EXPECT_EQ(findings[0].severity, Severity::kWarning);
  const auto lines = static_cast<std::size_t>(std::count(A().begin(), A().end(), '\n'));
  EXPECT_EQ(findings[0].where, "bundle.pem, line " + std::to_string(lines + 1));
  // No part of the key is told, nor comes out.
  const std::string secret = key.substr(key.find('\n') + 1, 30);
  EXPECT_EQ(findings[0].message.find(secret), std::string::npos);
  EXPECT_EQ(EncodePem(bundle), A() + C());

  const std::string junk = ArmourPem("X", std::string(100, 'j'));
  const auto other = [&](const std::string& label) { return Replaced(junk, "X-----", label + "-----"); };
  const std::string encrypted =
      "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\nAAAA\n-----END RSA PRIVATE "
      "KEY-----\n";
  ExpectAccepted({
      {"encrypted key", encrypted + A(), "A", "private-key"},
      {"key that is no base64", "-----BEGIN EC PRIVATE KEY-----\n???\n-----END EC PRIVATE KEY-----\n" + A(), "A",
       "private-key"},
      {"EC parameters", other("EC PARAMETERS") + A(), "A", "pem-other"},
      {"CRL", other("X509 CRL") + A(), "A", "pem-other"},
      {"request", other("CERTIFICATE REQUEST") + A(), "A", "pem-other"},
      {"public key", A() + other("PUBLIC KEY") + other("DH PARAMETERS"), "A", "pem-other pem-other"},
      {"other kind that is damaged", A() + "-----BEGIN PUBLIC KEY-----\n!\n-----END PUBLIC KEY-----\n", "A",
       "pem-other"},
  });
}

TEST(TrustBundle, RejectedUsesAreAWarning) {
  // reject [0] { serverAuth }
  const std::string settings = "\x30\x0C\xA0\x0A\x06\x08\x2B\x06\x01\x05\x05\x07\x03\x01"s;
  Findings findings;
  ASSERT_TRUE(ParseTrustBundle(Trusted(0, settings), "", findings));
  ASSERT_EQ(Codes(findings), "pem-trusted");
  EXPECT_EQ(findings[0].severity, Severity::kWarning);
  EXPECT_NE(findings[0].message.find("reject"), std::string::npos);
  EXPECT_EQ(findings[0].where, "line 1");
}

TEST(TrustBundle, WhatItsOwnSettingsRejectIsRejectedInEachOfItsCopies) {
  const auto uses = [](unsigned tag, const std::string& oid) {
    const std::string list = std::string("\x06") + static_cast<char>(oid.size()) + oid;
    return std::string(1, static_cast<char>(tag)) + static_cast<char>(list.size()) + list;
  };
  const auto settings = [](const std::string& content) {
    return "\x30" + std::string(1, static_cast<char>(content.size())) + content;
  };
  const std::string server = "\x2B\x06\x01\x05\x05\x07\x03\x01"s;
  const std::string email = "\x2B\x06\x01\x05\x05\x07\x03\x04"s;
  const std::string any = "\x55\x1D\x25\x00"s;
  const struct {
    const char* why;
    std::string settings;
    bool rejected;
  } cases[] = {
      {"none", "", false},
      {"an alias", settings("\x0C\x01x"), false},
      {"trusted for servers", settings(uses(0x30, server)), false},
      {"trusted for servers, too", settings("\x30\x14" + uses(0x30, email).substr(2) + uses(0x30, server).substr(2)),
       false},
      {"trusted for everything", settings(uses(0x30, any)), false},
      {"an empty list of rejected uses", settings("\xA0\x00"s), false},
      {"rejected for servers", settings(uses(0xA0, server)), true},
      {"rejected for mail", settings(uses(0xA0, email)), true},
      {"trusted for servers, rejected for mail", settings(uses(0x30, server) + uses(0xA0, email)), true},
      {"trusted for mail alone", settings(uses(0x30, email)), true},
  };
  for (const auto& c : cases) {
    Findings findings;
    const auto bundle = ParseTrustBundle(B() + Trusted(1, c.settings) + A(), "", findings);
    ASSERT_TRUE(bundle) << c.why << ": " << bundle.error().message;
    EXPECT_EQ(bundle->at(0).rejected, c.rejected) << c.why;
    EXPECT_EQ(bundle->at(1).rejected, c.rejected) << c.why;
    EXPECT_FALSE(bundle->at(2).rejected) << c.why;
    ASSERT_EQ(Codes(findings), "pem-trusted") << c.why;
    EXPECT_EQ(findings[0].severity, c.rejected ? Severity::kWarning : Severity::kInfo) << c.why;
  }
}

TEST(TrustBundle, ExplicitlyEmpty) {
  ExpectAccepted({
      {"nothing", "", ""},
      {"blanks", "\n \t\r\n", ""},
      {"byte order mark", "\xEF\xBB\xBF\n", ""},
      {"UTF-16 byte order mark", "\xFF\xFE", ""},
      {"comments", "# no CAs\n\n  # at all\n", "", "empty-bundle"},
  });
}

struct Refused {
  const char* why;
  std::string bytes;
  const char* message;
  const char* where;
};

TEST(TrustBundle, DamageIsAnErrorWithItsPlace) {
  const std::string ab = A() + B();
  const auto lines = static_cast<std::size_t>(std::count(A().begin(), A().end(), '\n'));
  const std::string at_b = "bundle.pem, line " + std::to_string(lines + 1);
  const std::string at_b_body = "bundle.pem, line " + std::to_string(lines + 2);
  const std::string at_b_end = "bundle.pem, line " + std::to_string(2 * lines);
  const std::string pkcs7_der = "\x30\x82\x00\x80\x06\x09\x2A\x86\x48\x86\xF7\x0D\x01\x07\x02"s + std::string(119, 'x');
  const std::string pkcs12_der = "\x30\x82\x01\x80\x02\x01\x03\x30"s + std::string(380, 'x');
  std::string shorter = Nth(1).der;
  shorter.pop_back();
  const Refused cases[] = {
      {"cut inside the second", ab.substr(0, A().size() + 100), "BEGIN CERTIFICATE has no END", at_b.c_str()},
      {"cut inside the second's END", ab.substr(0, ab.size() - 10), "five dashes", at_b_end.c_str()},
      {"a line is missing", A() + Replaced(B(), B().substr(92, 65), ""), "certificate 2 of the bundle", at_b.c_str()},
      {"garbage in the base64", A() + Replaced(B(), "CERTIFICATE-----\nM", "CERTIFICATE-----\n*M"),
       "certificate 2 of the bundle is damaged", at_b_body.c_str()},
      {"garbage block", A() + "-----BEGIN CERTIFICATE-----\nZ2FyYmFnZQ==\n-----END CERTIFICATE-----\n" + C(),
       "certificate 2 of the bundle", at_b.c_str()},
      {"empty block", A() + "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n", "empty", at_b.c_str()},
      {"one byte short", A() + ArmourPem("CERTIFICATE", shorter), "end before the length", at_b.c_str()},
      {"one byte more", A() + ArmourPem("CERTIFICATE", Nth(1).der + "x"), "1 bytes stand behind", at_b.c_str()},
      {"two in one block", A() + ArmourPem("CERTIFICATE", Nth(1).der + Nth(2).der), "stand behind", at_b.c_str()},
      {"damaged dashes", A() + Replaced(B(), "-----BEGIN", "----BEGIN"), "damaged", at_b.c_str()},
      {"mail quotes", "> " + Replaced(A(), "\n", "\n> "), "not base64", "bundle.pem, line 2"},
      {"wrong label", A() + Relabelled(B(), "PUBLIC KEY"), "labelled PUBLIC KEY but holds a certificate", at_b.c_str()},
      {"misspelt label", A() + Relabelled(B(), "CERTIFCATE"), "labelled CERTIFCATE but holds a certificate",
       at_b.c_str()},
      {"PKCS#7", A() + ArmourPem("PKCS7", pkcs7_der), "openssl pkcs7 -print_certs", at_b.c_str()},
      {"PKCS#7 as certutil labels it", A() + ArmourPem("CERTIFICATE", pkcs7_der), "PKCS#7", at_b.c_str()},
      {"PKCS#12 as certutil labels it", ArmourPem("CERTIFICATE", pkcs12_der), "PKCS#12", "bundle.pem, line 1"},
      {"binary PKCS#7", pkcs7_der, "openssl pkcs7 -print_certs", "bundle.pem"},
      {"binary PKCS#12", pkcs12_der, "openssl pkcs12", "bundle.pem"},
      {"binary, cut", Nth(0).der.substr(0, 100), "end before the length", "bundle.pem"},
      {"binary, two", Nth(0).der + Nth(1).der, "stand behind", "bundle.pem"},
      {"TRUSTED, settings cut", A() + Trusted(1, "\x30\x05\x30"s), "trust settings", at_b.c_str()},
      {"TRUSTED, a list of uses cut", A() + Trusted(1, "\x30\x02\x30\x05"s), "trust settings", at_b.c_str()},
      {"TRUSTED, no DER", A() + ArmourPem("TRUSTED CERTIFICATE", "x"), "certificate 2 of the bundle is damaged",
       at_b.c_str()},
      {"TRUSTED, no certificate", A() + ArmourPem("TRUSTED CERTIFICATE", "\x30\x00"s), "tbsCertificate", at_b.c_str()},
      {"UTF-16 appended to UTF-8", A() + ToUtf16Le(B()), "NUL", "bundle.pem"},
      {"HTML", "<html><body>502</body></html>", "HTML", "bundle.pem"},
      {"HTML with inline data", "<html><img src=\"" + EncodeBase64(Nth(0).der) + "\"></html>", "HTML",
       "bundle.pem, line 1"},
      {"text", "Access denied\n", "no certificate is in the trust bundle although it is not empty", "bundle.pem"},
      {"base64 that is no PEM", "Congrats! You have found a hidden message", "no certificate", "bundle.pem"},
      {"base64 of PEM", EncodeBase64(A()), "decode it once", "bundle.pem, line 1"},
      {"base64 without markers", EncodeBase64(Nth(0).der), "BEGIN and END", "bundle.pem, line 1"},
      {"short base64 without markers", "MIIB\n", "BEGIN and END", "bundle.pem"},
      {"only a private key", test::PrivateKeyPem("p256"), "nothing but a private key", "bundle.pem"},
      {"only other blocks", ArmourPem("X509 CRL", "x"), "other kinds", "bundle.pem"},
      {"only commented blocks", "# " + Replaced(WithoutFinalLineEnd(B()), "\n", "\n# ") + "\n", "no certificate",
       "bundle.pem"},
  };
  for (const Refused& c : cases) {
    Findings findings;
    const auto bundle = ParseTrustBundle(c.bytes, "bundle.pem", findings);
    if (bundle) {
      ADD_FAILURE() << c.why << " gave " << bundle->size() << " certificates";
      continue;
    }
    EXPECT_EQ(bundle.error().code, Code::kCert) << c.why;
    EXPECT_NE(bundle.error().message.find(c.message), std::string::npos) << c.why << ": " << bundle.error().message;
    EXPECT_EQ(bundle.error().where, c.where) << c.why;
  }
}

TEST(TrustBundle, EncodePemIsNormalised) {
  Findings findings;
  const auto bundle = Must(ParseTrustBundle("junk\n  " + Replaced(A() + B(), "\n", " "), "", findings));
  EXPECT_EQ(EncodePem(bundle), A() + B()) << "OpenSSL's form is the normal one";
  EXPECT_EQ(EncodePem({}), "");
  const auto again = ParseTrustBundle(EncodePem(bundle), "", findings);
  EXPECT_EQ(Names(*again), "AB");
}

// A bundle cut at any place has all of its certificates up to there or is an error; never is a part of one passed over.
TEST(TrustBundle, EveryCutIsSeen) {
  const std::string text = A() + "# c\n" + B();
  for (std::size_t size = 1; size < text.size(); ++size) {
    Findings findings;
    const auto bundle = ParseTrustBundle(std::string_view(text).substr(0, size), "", findings);
    const bool after_first = size >= A().size() - 1 && size <= A().size() + 4;
    const bool complete = size >= text.size() - 1;
    ASSERT_EQ(bundle.has_value(), after_first || complete) << size;
    if (bundle) {
      EXPECT_EQ(bundle->size(), complete ? 2U : 1U) << size;
    }
  }
}

// One changed character either leaves the certificates as they were or is told.
TEST(TrustBundle, NoMutationLosesACertificateSilently) {
  constexpr std::uint32_t kSeed = 7;
  SCOPED_TRACE(kSeed);
  std::mt19937 random(kSeed);
  const std::string text = A() + B() + C();
  const std::string palette = "- \n\tABEGINabz09+/=#\"\\\xE2\x80\x93\xC2\xA0:";
  for (int round = 0; round < 20000; ++round) {
    std::string mutant = text;
    const std::size_t at = random() % mutant.size();
    const char c = palette[random() % palette.size()];
    switch (random() % 3) {
      case 0:
        mutant[at] = c;
        break;
      case 1:
        mutant.insert(at, 1, c);
        break;
      default:
        mutant.erase(at, 1);
    }
    Findings findings;
    const auto bundle = ParseTrustBundle(mutant, "", findings);
    if (bundle) {
      // "pem-commented" tells of what was left out by a '#'.
      const bool told = Codes(findings).find("pem-commented") != std::string::npos;
      EXPECT_TRUE(bundle->size() == 3 || told) << "seed " << kSeed << ", round " << round << ", offset " << at;
    }
  }
}

TEST(TrustBundleLimits, Bytes) {
  Findings findings;
  const Error big = ErrorIn(ParseTrustBundle(std::string(kMostBundleBytes + 1, '\n'), "b", findings));
  EXPECT_EQ(big.code, Code::kTooLarge);
  EXPECT_EQ(big.where, "b");
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
