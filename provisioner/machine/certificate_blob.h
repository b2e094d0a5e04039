// A certificate in the form of the registry. Layout: docs/formats/certificate-blob.md.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "provisioner/pki/trust_store.h"

namespace prov::machine {

inline constexpr std::string_view kCertificateBlob = "Blob";

// `Microsoft\SystemCertificates\ROOT\Certificates`, below `SOFTWARE`: the machine's own physical store.
std::string CertificateStoreKey(pki::Store store);

// The registry keys of a system store's physical stores: the machine's own, the group policy's, the enterprise's and,
// for ROOT, the one that Windows fills by itself.
std::vector<std::string> PhysicalStores(std::string_view name);

// The key of one certificate in that store, on a machine.
std::string CertificateKeyPath(pki::Store store, std::string_view der);

// 40 upper-case hex digits: the name of the certificate's key and what Windows shows as its thumbprint.
std::string CertificateKeyName(std::string_view der);

// Property 3 (SHA-1) and property 32 (the certificate): the form that all readers accept.
std::string EncodeCertificateBlob(std::string_view der);

// The certificate in a blob, whatever other properties the blob has; nullopt if it has none. A view into `blob`.
std::optional<std::string_view> CertificateInBlob(std::string_view blob);

}  // namespace prov::machine
