#include "provisioner/pki/trust_store.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "provisioner/base/text.h"
#include "provisioner/pki/certificate_key.h"

namespace prov::pki {

std::string_view NameOf(Store store) {
  switch (store) {
    case Store::kRoot:
      return "ROOT";
    case Store::kCa:
      return "CA";
    case Store::kNone:
      return "none";
  }
  return "none";
}

namespace {

// The store by the kind of the certificate alone.
Store UsualStore(const Certificate& certificate, const TrustedDigests& trusted) {
  if (certificate.self_signed) return Store::kRoot;
  return certificate.is_ca || trusted.contains(certificate.sha256) ? Store::kCa : Store::kNone;
}

std::string NameInBundle(const Certificate& certificate, std::size_t number) {
  return fmt::format("certificate {} \"{}\"", number, certificate.subject);
}

}  // namespace

std::optional<std::string> ParseCertificateDigest(std::string_view text) {
  std::string hex = AsciiLower(text);
  std::erase(hex, ':');
  constexpr std::size_t kDigits = 64;
  if (hex.size() != kDigits || !FromHex(hex)) return std::nullopt;
  return hex;
}

std::string WhyUntrusted(const Certificate& certificate, const TrustedDigests& trusted) {
  const Store store = UsualStore(certificate, trusted);
  if (store == Store::kNone || trusted.contains(certificate.sha256)) return {};
  if (certificate.rejected) return "its OpenSSL trust settings reject it";
  if (IsWeakKey(certificate.key_algorithm, certificate.key_bits)) {
    return fmt::format("its key is weak ({}, {} bits; {} are the least)", certificate.key_algorithm,
                       certificate.key_bits, LeastKeyBits(certificate.key_algorithm));
  }
  if (certificate.weak_signature && !certificate.self_signed) {
    return fmt::format("its signature is weak ({})", certificate.signature_algorithm);
  }
  if (store == Store::kRoot && !certificate.is_ca) {
    return certificate.version < 3 ? fmt::format(
                                         "it has version {}, which can't say that it is a CA, and Windows would trust "
                                         "everything that it signs",
                                         certificate.version)
                                   : std::string("it is not a CA, and only CAs belong into ROOT");
  }
  return {};
}

Store StoreFor(const Certificate& certificate, const TrustedDigests& trusted) {
  return WhyUntrusted(certificate, trusted).empty() ? UsualStore(certificate, trusted) : Store::kNone;
}

Findings ReviewStores(std::span<const Certificate> certificates, const TrustedDigests& trusted,
                      std::string_view where) {
  Findings out;
  std::size_t number = 0;
  for (const Certificate& certificate : certificates) {
    const std::string name = NameInBundle(certificate, ++number);
    if (!WhyUntrusted(certificate, trusted).empty()) continue;  // reported by ReviewTrust()
    const Store store = UsualStore(certificate, trusted);
    if (store == Store::kNone) {
      AddWarning(out, "leaf-skipped",
                 fmt::format("{} is neither a CA nor self-signed and is not imported; --trust {} imports it", name,
                             certificate.sha256),
                 std::string(where));
    } else if (certificate.self_signed && !certificate.is_ca) {
      AddWarning(
          out, "self-signed-leaf",
          fmt::format(
              "{} is self-signed but not a CA; it is imported into ROOT as requested and is trusted only for itself",
              name),
          std::string(where));
    } else if (!certificate.is_ca) {
      AddInfo(out, "leaf-imported",
              fmt::format("{} is neither a CA nor self-signed; it is imported into CA as requested", name),
              std::string(where));
    }
  }
  return out;
}

Findings ReviewTrust(std::span<const Certificate> certificates, const TrustedDigests& trusted, std::string_view where) {
  Findings out;
  std::set<std::string_view> seen;
  std::string first;
  bool imports = false;
  {
    CappedFindings capped(out, where);
    std::size_t number = 0;
    for (const Certificate& certificate : certificates) {
      ++number;
      if (!seen.insert(certificate.sha256).second) continue;
      const std::string why = WhyUntrusted(certificate, trusted);
      imports = imports || (why.empty() && UsualStore(certificate, trusted) != Store::kNone);
      if (why.empty()) continue;
      std::string message = fmt::format("{} is left out: {}; if it is to be trusted, give --trust {}",
                                        NameInBundle(certificate, number), why, certificate.sha256);
      if (first.empty()) first = message;
      capped.Warn("untrusted", std::move(message), std::string(where));
    }
  }
  for (const std::string& digest : trusted) {
    if (!seen.contains(digest))
      AddInfo(out, "trust-unused", fmt::format("no certificate of the source has the SHA-256 {}", digest), "--trust");
  }
  if (!first.empty() && !imports) {
    AddError(out, "untrusted", "no certificate of the trust bundle would be left, although it is not empty: " + first,
             std::string(where));
  }
  return out;
}

}  // namespace prov::pki
