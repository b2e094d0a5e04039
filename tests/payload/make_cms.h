// CMS signatures made and read with OpenSSL: the second opinion on ours.
#pragma once

#include <openssl/cms.h>

#include <string>
#include <string_view>
#include <vector>

#include "tests/support/make_certificate.h"

namespace prov::test {

using X509Pointer = std::unique_ptr<X509, decltype(&X509_free)>;
using BioPointer = std::unique_ptr<BIO, decltype(&BIO_free)>;
using CmsPointer = std::unique_ptr<CMS_ContentInfo, decltype(&CMS_ContentInfo_free)>;

inline X509Pointer X509Of(const std::string& der) {
  const auto* at = reinterpret_cast<const unsigned char*>(der.data());
  X509Pointer out(d2i_X509(nullptr, &at, static_cast<long>(der.size())), &X509_free);
  Must(out != nullptr);
  return out;
}

inline BioPointer BioOf(std::string_view bytes) {
  return {BIO_new_mem_buf(bytes.data(), static_cast<int>(bytes.size())), &BIO_free};
}

struct CmsSpec {
  std::string certificate;      // DER
  std::string key = "rsa2048";  // see TestKey
  unsigned flags = CMS_DETACHED | CMS_BINARY | CMS_NOATTR | CMS_NOCERTS;
  const EVP_MD* digest = EVP_sha256();
  std::vector<std::pair<std::string, std::string>> more_signers = {};  // certificate, key
  std::vector<std::string> enclosed = {};                              // certificates
};

inline std::string MakeCms(std::string_view content, const CmsSpec& spec) {
  const BioPointer in = BioOf(content);
  const CmsPointer cms(CMS_sign(nullptr, nullptr, nullptr, nullptr, spec.flags | CMS_PARTIAL), &CMS_ContentInfo_free);
  Must(cms != nullptr);
  Must(CMS_add1_signer(cms.get(), X509Of(spec.certificate).get(), TestKey(spec.key), spec.digest, spec.flags) !=
       nullptr);
  for (const auto& [certificate, key] : spec.more_signers) {
    Must(CMS_add1_signer(cms.get(), X509Of(certificate).get(), TestKey(key), spec.digest, spec.flags) != nullptr);
  }
  for (const std::string& der : spec.enclosed) Must(CMS_add1_cert(cms.get(), X509Of(der).get()) == 1);
  Must(CMS_final(cms.get(), in.get(), nullptr, spec.flags) == 1);
  unsigned char* der = nullptr;
  const int size = i2d_CMS_ContentInfo(cms.get(), &der);
  Must(size > 0);
  std::string out(reinterpret_cast<const char*>(der), static_cast<std::size_t>(size));
  OPENSSL_free(der);
  return out;
}

// Whether OpenSSL takes it as a detached signature of the certificate over `content`.
inline bool OpensslVerifies(std::string_view content, std::string_view signature, const std::string& certificate) {
  const auto* at = reinterpret_cast<const unsigned char*>(signature.data());
  const CmsPointer cms(d2i_CMS_ContentInfo(nullptr, &at, static_cast<long>(signature.size())), &CMS_ContentInfo_free);
  if (!cms) return false;
  const X509Pointer signer = X509Of(certificate);
  STACK_OF(X509)* signers = sk_X509_new_null();
  sk_X509_push(signers, signer.get());
  const BioPointer in = BioOf(content);
  const BioPointer out(BIO_new(BIO_s_null()), &BIO_free);
  const int verdict = CMS_verify(cms.get(), signers, nullptr, in.get(), out.get(),
                                 CMS_BINARY | CMS_NOINTERN | CMS_NO_SIGNER_CERT_VERIFY);
  sk_X509_free(signers);
  ERR_clear_error();
  return verdict == 1;
}

}  // namespace prov::test
