// What holds for every certificate that is read, for tests/pki/certificate_openssl_test.cc, too: it is consistent, and
// OpenSSL, where it accepts the same bytes, agrees about what they say.
#pragma once

#include <openssl/asn1.h>
#include <openssl/bn.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <ctime>
#include <memory>

#include "provisioner/base/hash.h"
#include "provisioner/base/text.h"
#include "provisioner/pki/certificate.h"
#include "provisioner/pki/certificate_key.h"
#include "provisioner/pki/signature.h"
#include "provisioner/pki/trust_bundle.h"
#include "provisioner/pki/trust_store.h"
#include "tests/fuzz/check.h"

namespace prov::fuzz {

using pki::Certificate;

inline constexpr std::string_view kCertificateWhere = "bundle.crt, line 1";

struct FreeX509 {
  void operator()(X509* x509) const { X509_free(x509); }
};
struct FreeBignum {
  void operator()(BIGNUM* number) const { BN_free(number); }
};

inline std::string RawName(const X509_NAME* name) {
  unsigned char* bytes = nullptr;
  const int size = i2d_X509_NAME(name, &bytes);
  FUZZ_CHECK(size >= 0);
  std::string out(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
  OPENSSL_free(bytes);
  return out;
}

inline std::string SerialHex(const X509* x509) {
  const std::unique_ptr<BIGNUM, FreeBignum> number(ASN1_INTEGER_to_BN(X509_get0_serialNumber(x509), nullptr));
  FUZZ_CHECK(number != nullptr);
  std::string bytes(static_cast<std::size_t>(BN_num_bytes(number.get())), '\0');
  BN_bn2bin(number.get(), reinterpret_cast<unsigned char*>(bytes.data()));
  return (BN_is_negative(number.get()) != 0 ? "-" : "") + (bytes.empty() ? std::string("00") : ToHex(bytes));
}

inline void CheckTime(const ASN1_TIME* theirs, std::int64_t ours) {
  constexpr int kNoTime = -2;
  const int order = ASN1_TIME_cmp_time_t(theirs, static_cast<std::time_t>(ours));
  FUZZ_CHECK(order == 0 || order == kNoTime);
}

// Whether an extension occurs exactly once and OpenSSL can decode it.
inline bool Decodes(X509* x509, int nid) {
  int critical = 0;
  void* decoded = X509_get_ext_d2i(x509, nid, &critical, nullptr);
  if (decoded == nullptr) return false;
  if (nid == NID_basic_constraints) BASIC_CONSTRAINTS_free(static_cast<BASIC_CONSTRAINTS*>(decoded));
  return true;
}

// Whether OpenSSL accepts the bytes.
inline bool CompareWithOpenSsl(std::string_view der, const Certificate& ours) {
  const auto* at = reinterpret_cast<const unsigned char*>(der.data());
  const auto* const end = at + der.size();
  const std::unique_ptr<X509, FreeX509> x509(d2i_X509(nullptr, &at, static_cast<long>(der.size())));
  ERR_clear_error();
  if (!x509 || at != end) return false;
  FUZZ_CHECK(RawName(X509_get_subject_name(x509.get())) == ours.subject_der);
  FUZZ_CHECK(RawName(X509_get_issuer_name(x509.get())) == ours.issuer_der);
  FUZZ_CHECK(SerialHex(x509.get()) == ours.serial);
  FUZZ_CHECK(X509_get_version(x509.get()) + 1 == ours.version);
  CheckTime(X509_get0_notBefore(x509.get()), ours.not_before_unix);
  CheckTime(X509_get0_notAfter(x509.get()), ours.not_after_unix);
  if (Decodes(x509.get(), NID_basic_constraints)) {
    const bool their_ca = (X509_get_extension_flags(x509.get()) & EXFLAG_CA) != 0;
    FUZZ_CHECK(their_ca == ours.is_ca);
  }
  const EVP_PKEY* key = X509_get0_pubkey(x509.get());
  if (key != nullptr && ours.key_bits != 0) {
    FUZZ_CHECK(static_cast<unsigned>(EVP_PKEY_get_bits(key)) == ours.key_bits);
    if (ours.key_algorithm == "rsa") FUZZ_CHECK(EVP_PKEY_get_base_id(key) == EVP_PKEY_RSA);
    if (ours.key_algorithm == "ec") FUZZ_CHECK(EVP_PKEY_get_base_id(key) == EVP_PKEY_EC);
  }
  ERR_clear_error();
  return true;
}

inline void CheckRead(std::string_view der, const Certificate& c) {
  FUZZ_CHECK(c.der == der);
  FUZZ_CHECK(c.sha1 == ToHex(Sha1(der)) && c.sha256 == ToHex(Sha256(der)));
  FUZZ_CHECK(c.version >= 1 && c.version <= 3);
  FUZZ_CHECK(IsUtf8(c.subject) && IsUtf8(c.issuer));
  for (const char control : {'\0', '\n', '\r', '\t', '\x1b', '\x7f'}) {
    FUZZ_CHECK(c.subject.find(control) == std::string::npos && c.issuer.find(control) == std::string::npos);
  }
  FUZZ_CHECK(!c.serial.empty() && !c.key_algorithm.empty() && !c.signature_algorithm.empty());
  FUZZ_CHECK(c.self_issued == (c.subject_der == c.issuer_der));
  FUZZ_CHECK(!c.self_signed || c.self_issued);
  FUZZ_CHECK(c.not_before.size() == 20 && c.not_after.size() == 20);
  FUZZ_CHECK((c.not_before_unix <= c.not_after_unix) == (c.not_before <= c.not_after));
  // ROOT holds nothing but what signed itself.
  FUZZ_CHECK((pki::StoreFor(c, {c.sha256}) == pki::Store::kRoot) == c.self_signed);
  if (pki::StoreFor(c, {}) == pki::Store::kRoot) {
    FUZZ_CHECK(c.self_signed && c.is_ca && !pki::IsWeakKey(c.key_algorithm, c.key_bits));
  }
  if (const auto proof = pki::VerifySelfSignature(c); !proof) {
    CheckError(proof.error());
    FUZZ_CHECK(proof.error().code == Code::kCert);
  }
  // DER has one form: a byte more or less is no certificate.
  FUZZ_CHECK(!pki::ParseCertificate(der.substr(0, der.size() - 1), kCertificateWhere));
  FUZZ_CHECK(!pki::ParseCertificate(std::string(der) + '\0', kCertificateWhere));
}

}  // namespace prov::fuzz
