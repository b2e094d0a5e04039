// Our reader against OpenSSL's, over the system's bundle. tests/fuzz/certificate_fuzz.cc has damaged certificates.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <openssl/bn.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>

#include "provisioner/base/text.h"
#include "provisioner/pki/certificate.h"
#include "provisioner/pki/signature.h"
#include "provisioner/pki/trust_bundle.h"

namespace prov::pki {
namespace {

constexpr const char* kSystemBundle = "/etc/ssl/certs/ca-certificates.crt";

using X509Pointer = std::unique_ptr<X509, decltype(&X509_free)>;

X509Pointer OpenSslParse(const std::string& der) {
  const auto* at = reinterpret_cast<const unsigned char*>(der.data());
  const auto* end = at + der.size();
  X509Pointer out(d2i_X509(nullptr, &at, static_cast<long>(der.size())), &X509_free);
  if (at != end) out.reset();
  ERR_clear_error();
  return out;
}

std::optional<std::string> NameText(const X509_NAME* name) {
  BIO* bio = BIO_new(BIO_s_mem());
  const int result =
      X509_NAME_print_ex(bio, name, 0, XN_FLAG_RFC2253 & ~static_cast<unsigned long>(ASN1_STRFLGS_ESC_MSB));
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  std::string out(data, static_cast<std::size_t>(size));
  BIO_free(bio);
  if (result < 0) return std::nullopt;
  return out;
}

std::string SerialText(X509* x509) {
  BIGNUM* number = ASN1_INTEGER_to_BN(X509_get0_serialNumber(x509), nullptr);
  char* hex = BN_bn2hex(number);
  std::string out = AsciiLower(hex);
  OPENSSL_free(hex);
  BN_free(number);
  return out == "0" ? "00" : out;
}

std::optional<std::string> TimeText(const ASN1_TIME* time) {
  std::tm parts{};
  if (ASN1_TIME_to_tm(time, &parts) != 1) return std::nullopt;
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday,
                     parts.tm_hour, parts.tm_min, parts.tm_sec);
}

bool IsCa(X509* x509) {
  int critical = 0;
  auto* constraints =
      static_cast<BASIC_CONSTRAINTS*>(X509_get_ext_d2i(x509, NID_basic_constraints, &critical, nullptr));
  const bool out = constraints != nullptr && constraints->ca != 0;
  BASIC_CONSTRAINTS_free(constraints);
  return out;
}

// OpenSSL has names for types that we print as dotted OID, and prints nothing for text it can't convert.
bool NamesComparable(const std::string& ours) { return ours.find("=#") == std::string::npos; }

void ExpectSame(const Certificate& ours, X509* theirs) {
  const auto subject = NameText(X509_get_subject_name(theirs));
  const auto issuer = NameText(X509_get_issuer_name(theirs));
  if (NamesComparable(ours.subject)) {
    EXPECT_EQ(ours.subject, subject.value_or("(OpenSSL: none)"));
  }
  if (NamesComparable(ours.issuer)) {
    EXPECT_EQ(ours.issuer, issuer.value_or("(OpenSSL: none)"));
  }
  EXPECT_EQ(ours.serial, SerialText(theirs));
  EXPECT_EQ(ours.not_before, TimeText(X509_get0_notBefore(theirs)));
  EXPECT_EQ(ours.not_after, TimeText(X509_get0_notAfter(theirs)));
  EXPECT_EQ(ours.version, X509_get_version(theirs) + 1);
  EXPECT_EQ(ours.is_ca, IsCa(theirs));
  EVP_PKEY* key = X509_get0_pubkey(theirs);
  if (key != nullptr && (ours.key_algorithm == "rsa" || (ours.key_algorithm == "ec" && ours.key_bits != 0))) {
    EXPECT_EQ(ours.key_bits, static_cast<unsigned>(EVP_PKEY_get_bits(key)));
  }
  const char* algorithm = OBJ_nid2ln(X509_get_signature_nid(theirs));
  if (ours.signature_algorithm.find('.') == std::string::npos) {
    EXPECT_EQ(ours.signature_algorithm, algorithm);
  }
  ERR_clear_error();
}

std::vector<Certificate> SystemCertificates() {
  std::ifstream in(kSystemBundle, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  Findings findings;
  auto certificates = ParseTrustBundle(bytes, kSystemBundle, findings);
  if (!certificates) {
    ADD_FAILURE() << certificates.error().message << " " << certificates.error().where;
    return {};
  }
  EXPECT_TRUE(findings.empty());
  std::size_t markers = 0;
  for (std::size_t at = bytes.find("-----BEGIN CERT"); at != std::string::npos;
       at = bytes.find("-----BEGIN CERT", at + 1))
    ++markers;
  EXPECT_EQ(certificates->size(), markers);
  return *std::move(certificates);
}

TEST(CertificateAgainstOpenSsl, SystemBundle) {
  if (!std::ifstream(kSystemBundle))
    GTEST_SKIP() << kSystemBundle << " is missing: install ca-certificates to run this comparison";
  const auto certificates = SystemCertificates();
  ASSERT_GT(certificates.size(), 50U);
  for (const Certificate& certificate : certificates) {
    SCOPED_TRACE(certificate.subject);
    const auto theirs = OpenSslParse(certificate.der);
    ASSERT_TRUE(theirs);
    ExpectSame(certificate, theirs.get());
    EXPECT_EQ(certificate.self_signed, (X509_get_extension_flags(theirs.get()) & EXFLAG_SS) != 0);
    if (certificate.self_signed) {
      EXPECT_TRUE(VerifySelfSignature(certificate).has_value());
    }
  }
}

}  // namespace
}  // namespace prov::pki
