// Item: one certificate in a machine certificate store, as the registry holds it. Layout:
// docs/formats/certificate-blob.md.
#pragma once

#include <string>
#include <string_view>

#include "images/registry/registry_key.h"
#include "provisioner/pki/certificate.h"
#include "provisioner/pki/trust_store.h"

namespace prov::reconcile {

struct CertificateItem {
  pki::Certificate certificate;
  pki::Store store = pki::Store::kRoot;  // kRoot or kCa
};

// 40 upper-case hex digits: the name of the certificate's key and what Windows shows as its thumbprint.
std::string Thumbprint(const pki::Certificate& certificate);

// `Microsoft\SystemCertificates\ROOT\Certificates`, below `SOFTWARE`.
std::string StoreKey(pki::Store store);

// Property 3 (SHA-1) and property 32 (the certificate): the form that all readers accept.
std::string EncodeBlob(const pki::Certificate& certificate);

// The key of one certificate with its `Blob`.
images::RegKey EncodeCertificate(const pki::Certificate& certificate);

}  // namespace prov::reconcile
