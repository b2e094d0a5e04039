#include "provisioner/egress/signature.h"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/x509.h>

#include <memory>

namespace prov::egress {
namespace {

struct FreeX509 {
  void operator()(X509* certificate) const { X509_free(certificate); }
};

}  // namespace

Result<void> VerifySelfSignature(const Certificate& certificate) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(certificate.der.data());
  const std::unique_ptr<X509, FreeX509> x509(d2i_X509(nullptr, &bytes, static_cast<long>(certificate.der.size())));
  const auto fail = [&](std::string_view what) {
    ERR_clear_error();
    return Fail(Code::kCert, fmt::format("{}; get the certificate again from whoever issued it", what), certificate.subject);
  };
  if (!x509) return fail("OpenSSL can't read this certificate, so its own signature can't be verified");
  EVP_PKEY* key = X509_get0_pubkey(x509.get());
  if (key == nullptr) return fail("OpenSSL does not know the certificate's key, so its own signature can't be verified");
  const int verified = X509_verify(x509.get(), key);
  if (verified == 0) return fail("says that it signed itself, but its signature does not verify with its own key: it is damaged or forged");
  if (verified < 0) return fail("OpenSSL does not know the signature's algorithm, so it can't be verified");
  return {};
}

}  // namespace prov::egress
