// Bundles that the reader of the Windows Machine Config Operator's daemon gets wrong: it loses certificates without an
// error, and its daemon then deletes them from the machine. For each bundle that was measured there, our reader returns
// all certificates or an error.
#include <gtest/gtest.h>

#include "provisioner/base/text.h"
#include "provisioner/pki/pem.h"
#include "provisioner/pki/trust_bundle.h"
#include "tests/pki/bundle_samples.h"
#include "tests/support/make_certificate.h"
#include "tests/support/replaced.h"

namespace prov::pki {
namespace {

using testing_support::Replaced;

std::string Pem(std::size_t n) { return Nth(n).pem; }
std::string All() { return Pem(0) + Pem(1) + Pem(2); }

// "ABC" for three certificates, else the error's code.
std::string Read(const std::string& bytes, std::string* codes = nullptr) {
  Findings findings;
  const auto parsed = ParseTrustBundle(bytes, "ca-bundle.crt", findings);
  for (const Finding& finding : findings) {
    if (codes != nullptr) *codes += finding.code;
  }
  if (!parsed) return "error " + std::string(InfoOf(parsed.error().code).name);
  std::string out;
  for (const Certificate& certificate : *parsed) out += certificate.subject.substr(3, 1);
  return out;
}

TEST(WmcoPem, OrdinaryShapes) {
  EXPECT_EQ(Read(All()), "ABC");
  EXPECT_EQ(Read(All().substr(0, All().size() - 1)), "ABC") << "no final line end";
  EXPECT_EQ(Read(Replaced(All(), "\n", "\r\n")), "ABC");
  EXPECT_EQ(Read("# first\n" + Pem(0) + "# second\n" + Pem(1) + "\n# third\n\n" + Pem(2)), "ABC");
  EXPECT_EQ(Read(All() + "trailing text\n"), "ABC");
}

TEST(WmcoPem, EndAndBeginGluedOnOneLine) {
  EXPECT_EQ(Read(Replaced(All(), "-----END CERTIFICATE-----\n-----BEGIN", "-----END CERTIFICATE----------BEGIN")),
            "ABC");
}

TEST(WmcoPem, CutShortInsideTheThirdOrSecond) {
  EXPECT_EQ(Read(All().substr(0, All().size() - 100)), "error cert");
  EXPECT_EQ(Read((Pem(0) + Pem(1)).substr(0, Pem(0).size() + 100)), "error cert");
}

TEST(WmcoPem, NothingAtAllIsTheExplicitEmpty) {
  std::string codes;
  EXPECT_EQ(Read("", &codes), "");
  EXPECT_EQ(Read("# none wanted\n", &codes), "");
  EXPECT_NE(codes.find("empty-bundle"), std::string::npos);
}

TEST(WmcoPem, Utf16) { EXPECT_EQ(Read("\xff\xfe" + ToUtf16Le(All())), "ABC"); }

TEST(WmcoPem, Utf8WithAByteOrderMark) { EXPECT_EQ(Read("\xef\xbb\xbf" + All()), "ABC"); }

TEST(WmcoPem, LeadingBlanksOnEachLine) { EXPECT_EQ(Read("    " + Replaced(All(), "\n", "\n    ")), "ABC"); }

TEST(WmcoPem, AnErrorPageOfAServer) {
  EXPECT_EQ(Read("<!DOCTYPE html><html><body>502 Bad Gateway</body></html>\n"), "error cert");
}

TEST(WmcoPem, ALongCommentBeforeTheThird) {
  EXPECT_EQ(Read(Pem(0) + Pem(1) + "# " + std::string(70'000, 'x') + "\n" + Pem(2)), "ABC");
  std::string lines;
  while (lines.size() < 70'000) lines += "# and another line\n";
  EXPECT_EQ(Read(Pem(0) + Pem(1) + lines + Pem(2)), "ABC");
}

TEST(WmcoPem, OtherLabelsOfACertificate) {
  EXPECT_EQ(Read(Pem(0) + ArmourPem("TRUSTED CERTIFICATE", Nth(1).der) + Pem(2)), "ABC");
  EXPECT_EQ(Read(Pem(0) + ArmourPem("X509 CERTIFICATE", Nth(1).der) + Pem(2)), "ABC");
}

TEST(WmcoPem, APrivateKeyBetween) {
  std::string codes;
  EXPECT_EQ(Read(Pem(0) + test::PrivateKeyPem("p256") + Pem(2), &codes), "AC");
  EXPECT_EQ(codes, "private-key");
}

TEST(WmcoPem, ADamagedOneBetween) {
  EXPECT_EQ(Read(Pem(0) + ArmourPem("CERTIFICATE", "no certificate") + Pem(2)), "error cert");
}

TEST(WmcoPem, LeavesExpiredAndDuplicatesAreRead) {
  test::CertificateSpec leaf;
  leaf.subject = {{"CN", "Leaf"}};
  leaf.key = "p256";
  leaf.ca = false;
  leaf.not_after = leaf.not_before + 60;
  EXPECT_EQ(Read(Pem(0) + test::MakeCertificate(leaf).pem + Pem(0)), "ALA");
}

}  // namespace
}  // namespace prov::pki
