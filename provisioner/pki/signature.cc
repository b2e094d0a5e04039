#include "provisioner/pki/signature.h"

#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/x509.h>

#include <memory>
#include <string>

#include "provisioner/pki/openssl_errors.h"

namespace prov::pki {
namespace {

using X509Pointer = std::unique_ptr<X509, decltype(&X509_free)>;

}  // namespace

Result<void> VerifySelfSignature(const Certificate& certificate) {
  const OpensslErrors errors;
  const std::string where = fmt::format("certificate \"{}\" (SHA-256 {})", certificate.subject, certificate.sha256);
  const auto* bytes = reinterpret_cast<const unsigned char*>(certificate.der.data());
  const X509Pointer x509(d2i_X509(nullptr, &bytes, static_cast<long>(certificate.der.size())), &X509_free);
  if (!x509)
    return Fail(Code::kCert, fmt::format("OpenSSL can't read this certificate ({})", OpensslErrors::Reason()), where);
  EVP_PKEY* key = X509_get0_pubkey(x509.get());
  if (key == nullptr)
    return Fail(Code::kCert,
                fmt::format("OpenSSL can't read the key of this certificate ({})", OpensslErrors::Reason()), where);
  const int verdict = X509_verify(x509.get(), key);
  if (verdict == 1) return {};
  if (verdict == 0) {
    return Fail(Code::kCert,
                "this certificate names itself as its issuer but was not signed by its own key: it is damaged or "
                "forged; get it again from its "
                "source",
                where);
  }
  return Fail(Code::kCert,
              fmt::format("the signature of this certificate can't be checked ({}, {})",
                          certificate.signature_algorithm, OpensslErrors::Reason()),
              where);
}

}  // namespace prov::pki
