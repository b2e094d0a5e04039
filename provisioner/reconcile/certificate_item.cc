#include "provisioner/reconcile/certificate_item.h"

#include "provisioner/base/text.h"
#include "provisioner/machine/certificate_blob.h"

namespace prov::reconcile {

std::string Thumbprint(const pki::Certificate& certificate) { return AsciiUpper(certificate.sha1); }

std::string StoreKey(pki::Store store) { return machine::CertificateStoreKey(store); }

std::string EncodeBlob(const pki::Certificate& certificate) { return machine::EncodeCertificateBlob(certificate.der); }

images::RegKey EncodeCertificate(const pki::Certificate& certificate) {
  images::RegKey key;
  key.name = Thumbprint(certificate);
  key.values.push_back({std::string(machine::kCertificateBlob), images::RegType::kBinary, EncodeBlob(certificate)});
  return key;
}

}  // namespace prov::reconcile
