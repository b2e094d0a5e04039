// Our reader against OpenSSL's, over the system's bundle. tests/fuzz/certificate_fuzz.cc has damaged certificates.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "provisioner/pki/trust_bundle.h"
#include "tests/fuzz/certificate_checks.h"

namespace prov::pki {
namespace {

constexpr const char* kSystemBundle = "/etc/ssl/certs/ca-certificates.crt";

TEST(CertificateAgainstOpenSsl, SystemBundle) {
  std::ifstream in(kSystemBundle, std::ios::binary);
  if (!in) GTEST_SKIP() << kSystemBundle << " is missing: install ca-certificates to run this comparison";
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  Findings findings;
  const auto certificates = ParseTrustBundle(bytes, kSystemBundle, findings);
  ASSERT_TRUE(certificates) << certificates.error().message << " " << certificates.error().where;
  EXPECT_TRUE(findings.empty());
  std::size_t markers = 0;
  for (std::size_t at = bytes.find("-----BEGIN CERT"); at != std::string::npos;
       at = bytes.find("-----BEGIN CERT", at + 1))
    ++markers;
  EXPECT_EQ(certificates->size(), markers);
  ASSERT_GT(certificates->size(), 50U);
  for (const Certificate& certificate : *certificates) {
    SCOPED_TRACE(certificate.subject);
    fuzz::CheckRead(certificate.der, certificate);
    EXPECT_TRUE(fuzz::CompareWithOpenSsl(certificate.der, certificate)) << "OpenSSL reads it, too";
    EXPECT_TRUE(!certificate.self_signed || VerifySelfSignature(certificate).has_value());
  }
}

}  // namespace
}  // namespace prov::pki
