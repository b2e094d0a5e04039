// Our reader against OpenSSL's, over the system's bundle. tests/fuzz/certificate_fuzz.cc has damaged certificates.
#include <gtest/gtest.h>
#include <openssl/objects.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <fstream>
#include <iterator>
#include <memory>
#include <string>

#include "provisioner/pki/trust_bundle.h"
#include "tests/fuzz/certificate_checks.h"

namespace prov::pki {
namespace {

constexpr const char* kSystemBundle = "/etc/ssl/certs/ca-certificates.crt";

// What damaged certificates need not agree about: OpenSSL does not look at the signature.
void CompareWhatWasSigned(const Certificate& ours) {
  const auto* at = reinterpret_cast<const unsigned char*>(ours.der.data());
  const std::unique_ptr<X509, fuzz::FreeX509> theirs(d2i_X509(nullptr, &at, static_cast<long>(ours.der.size())));
  ASSERT_TRUE(theirs);
  EXPECT_EQ(ours.is_ca, X509_check_ca(theirs.get()) == 1);
  EXPECT_EQ(ours.self_signed, (X509_get_extension_flags(theirs.get()) & EXFLAG_SS) != 0);
  if (ours.signature_algorithm.find('.') == std::string::npos) {  // not a bare OID
    EXPECT_EQ(ours.signature_algorithm, OBJ_nid2ln(X509_get_signature_nid(theirs.get())));
  }
}

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
    CompareWhatWasSigned(certificate);
    fuzz::CheckRead(certificate.der, certificate);
    EXPECT_TRUE(fuzz::CompareWithOpenSsl(certificate.der, certificate)) << "OpenSSL reads it, too";
    EXPECT_TRUE(!certificate.self_signed || VerifySelfSignature(certificate).has_value());
  }
}

}  // namespace
}  // namespace prov::pki
