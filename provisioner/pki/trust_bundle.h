// Trust bundles: files with certificates, made by people or by a cluster.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "provisioner/base/finding.h"
#include "provisioner/base/result.h"
#include "provisioner/pki/certificate.h"

namespace prov::pki {

inline constexpr std::size_t kMostBundleBytes = std::size_t{64} * 1024 * 1024;

// Whether the bytes are DER and not text, which can't begin like this.
bool IsDer(std::string_view bytes);

// Parses all certificates in order of appearance, duplicates kept: from PEM text in any form that users paste (pem.h,
// pem_text.h), or one raw DER certificate. Never drops one silently: a damaged block is cert with the line in `where`,
// and so is a text that is not blank and holds no certificate. Only blanks, or only '#' comments (finding
// `empty-bundle`), are an explicitly empty bundle. Larger bundles, and more than 100,000 certificates: too-large.
// Findings: `private-key` (warning; skipped, never quoted), `pem-other` (other blocks), `pem-trusted` (OpenSSL's
// TRUSTED CERTIFICATE: its settings are dropped; a warning if they reject it for any use, or trust it for others than
// servers alone: then it and its copies are `rejected`), `pem-commented`. Of each at most 20, then one that counts the
// rest.
Result<std::vector<Certificate>> ParseTrustBundle(std::string_view bytes, std::string_view where, Findings& findings);

// The certificates as PEM: 64 columns, LF, no text between the blocks.
std::string EncodePem(std::span<const Certificate> certificates);

}  // namespace prov::pki
