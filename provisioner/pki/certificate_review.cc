#include "provisioner/pki/certificate_review.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <unordered_map>

#include "provisioner/pki/certificate_key.h"

namespace prov::pki {
namespace {

constexpr std::int64_t kSoon = std::int64_t{30} * 24 * 60 * 60;

// DSA is weak at any size: TLS clients have dropped it.
bool HasWeakKey(const Certificate& certificate) {
  return certificate.key_algorithm == "dsa" || IsWeakKey(certificate.key_algorithm, certificate.key_bits);
}

// What is known of Windows' verifier and of such a key or signature, as a clause; "" if nothing speaks against it.
// Facts: docs/formats/certificate-blob.md#keys-and-signatures.
std::string DoubtOfWindows(const Certificate& certificate) {
  const std::string& key = certificate.key_algorithm;
  const std::string& signature = certificate.signature_algorithm;
  if (key == "ed25519" || key == "ed448" || signature == "ED25519" || signature == "ED448")
    return "has a key or a signature of Ed25519 or Ed448, which no version of Windows is known to verify";
  if (key == "rsa-pss")
    return "has a key that is bound to RSASSA-PSS, which .NET does not read and Windows is not known to verify";
  if (key == "ec") {
    constexpr std::array<std::string_view, 3> kSafe = {"prime256v1", "secp384r1", "secp521r1"};
    if (std::ranges::find(kSafe, certificate.key_curve) != kSafe.end()) return {};
    return fmt::format(
        "has a key on the curve {}; Windows knows more curves than P-256, P-384 and P-521 from Windows 10 and Server "
        "2016 on, and its TLS takes these only where they are enabled",
        certificate.key_curve.empty() ? "of its own parameters" : certificate.key_curve);
  }
  if (key == "rsa" || key == "dsa") return {};
  return fmt::format("has a key of the kind {}, which is not known here, and may not be to Windows", key);
}

void ReviewForWindows(const Certificate& certificate, const std::string& name, const std::string& where,
                      Findings& findings) {
  if (const std::string doubt = DoubtOfWindows(certificate); !doubt.empty()) {
    AddWarning(findings, "cert-algorithm",
               fmt::format("{} {}: programs that use Windows' verifier may refuse what it signed", name, doubt), where);
  } else if (certificate.signature_algorithm == "rsassaPss") {
    AddInfo(findings, "cert-algorithm",
            fmt::format("{} is signed with RSASSA-PSS, which Windows verifies from Vista and Server 2008 on, and not "
                        "every other client does",
                        name),
            where);
  }
}

void ReviewTimes(const Certificate& certificate, const std::string& name, std::int64_t now, const std::string& where,
                 Findings& findings) {
  if (now > certificate.not_after_unix) {
    AddWarning(findings, "cert-expired",
               fmt::format("{} expired at {}; clients refuse what it signed", name, certificate.not_after), where);
  } else if (now < certificate.not_before_unix) {
    AddWarning(findings, "cert-not-yet-valid",
               fmt::format("{} is valid only from {} on; check the clock", name, certificate.not_before), where);
  } else if (certificate.not_after_unix - now <= kSoon) {
    AddWarning(findings, "cert-expires-soon",
               fmt::format("{} expires at {}, within 30 days", name, certificate.not_after), where);
  }
}

void ReviewKind(const Certificate& certificate, const std::string& name, const std::string& where, Findings& findings) {
  if (HasWeakKey(certificate)) {
    AddWarning(findings, "cert-weak-key",
               fmt::format("{} has a weak key ({}, {} bits)", name, certificate.key_algorithm, certificate.key_bits),
               where);
  }
  if (certificate.weak_signature) {
    // Clients do not check a root's signature: a root is trusted because it is in the store.
    AddWarning(findings, "cert-weak-signature",
               fmt::format("{} is signed with {}, {}", name, certificate.signature_algorithm,
                           certificate.self_signed ? "by itself: no client checks that, but it is an old one"
                                                   : "which current TLS clients refuse"),
               where);
  }
  if (!certificate.is_ca) {
    AddWarning(
        findings, "cert-not-ca",
        fmt::format(
            "{} is not a CA certificate{}; most TLS clients do not accept it as an issuer", name,
            certificate.version < 3 ? fmt::format(" (version {} can't say that it is one)", certificate.version) : ""),
        where);
  }
}

}  // namespace

Findings ReviewCertificates(std::span<const Certificate> certificates, std::int64_t now_unix, std::string_view where) {
  Findings out;
  const std::string place(where);
  std::unordered_map<std::string_view, std::size_t> seen;  // DER to number
  std::size_t number = 0;
  for (const Certificate& certificate : certificates) {
    const std::string name = fmt::format("certificate {} \"{}\"", ++number, certificate.subject);
    const auto [first, is_new] = seen.emplace(certificate.der, number);
    if (!is_new) {
      // Everything else was reported for the first one.
      AddInfo(out, "cert-duplicate", fmt::format("{} is the same as certificate {}", name, first->second), place);
      continue;
    }
    ReviewTimes(certificate, name, now_unix, place, out);
    ReviewKind(certificate, name, place, out);
    ReviewForWindows(certificate, name, place, out);
  }
  return out;
}

}  // namespace prov::pki
