// ReviewCertificates: the findings about the certificates of a bundle.
#include <fmt/format.h>

#include <string>
#include <string_view>
#include <unordered_map>

#include "provisioner/pki/certificate_key.h"
#include "provisioner/pki/trust_bundle.h"

namespace prov::pki {
namespace {

constexpr std::int64_t kSoon = std::int64_t{30} * 24 * 60 * 60;

// DSA is weak at any size: TLS clients have dropped it.
bool HasWeakKey(const Certificate& certificate) {
  return certificate.key_algorithm == "dsa" || IsWeakKey(certificate.key_algorithm, certificate.key_bits);
}

class Review {
 public:
  Review(std::int64_t now, std::string_view where) : now_(now), where_(where) {}

  void Look(const Certificate& certificate, std::size_t number) {
    const std::string name = fmt::format("certificate {} \"{}\"", number, certificate.subject);
    const auto [first, is_new] = seen_.emplace(certificate.der, number);
    if (!is_new) {
      // Everything else was reported for the first one.
      AddInfo(out_, "cert-duplicate", fmt::format("{} is the same as certificate {}", name, first->second), where_);
      return;
    }
    LookAtTimes(certificate, name);
    if (HasWeakKey(certificate)) {
      AddWarning(out_, "cert-weak-key",
                 fmt::format("{} has a weak key ({}, {} bits)", name, certificate.key_algorithm, certificate.key_bits),
                 where_);
    }
    if (certificate.weak_signature) {
      // Clients do not check a root's signature: a root is trusted because it is in the store.
      AddWarning(out_, "cert-weak-signature",
                 fmt::format("{} is signed with {}, {}", name, certificate.signature_algorithm,
                             certificate.self_signed ? "by itself: no client checks that, but it is an old one"
                                                     : "which current TLS clients refuse"),
                 where_);
    }
    if (!certificate.is_ca) {
      AddWarning(out_, "cert-not-ca",
                 fmt::format("{} is not a CA certificate{}; most TLS clients do not accept it as an issuer", name,
                             certificate.version < 3
                                 ? fmt::format(" (version {} can't say that it is one)", certificate.version)
                                 : ""),
                 where_);
    }
  }

  Findings Release() { return std::move(out_); }

 private:
  void LookAtTimes(const Certificate& certificate, const std::string& name) {
    if (now_ > certificate.not_after_unix) {
      AddWarning(out_, "cert-expired",
                 fmt::format("{} expired at {}; clients refuse what it signed", name, certificate.not_after), where_);
    } else if (now_ < certificate.not_before_unix) {
      AddWarning(out_, "cert-not-yet-valid",
                 fmt::format("{} is valid only from {} on; check the clock", name, certificate.not_before), where_);
    } else if (certificate.not_after_unix - now_ <= kSoon) {
      AddWarning(out_, "cert-expires-soon",
                 fmt::format("{} expires at {}, within 30 days", name, certificate.not_after), where_);
    }
  }

  std::int64_t now_;
  std::string where_;
  Findings out_;
  std::unordered_map<std::string_view, std::size_t> seen_;  // DER to number; the certificates outlive the review
};

}  // namespace

Findings ReviewCertificates(std::span<const Certificate> certificates, std::int64_t now_unix, std::string_view where) {
  Review review(now_unix, where);
  std::size_t number = 0;
  for (const Certificate& certificate : certificates) review.Look(certificate, ++number);
  return review.Release();
}

}  // namespace prov::pki
