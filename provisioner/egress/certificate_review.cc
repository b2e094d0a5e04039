#include <fmt/format.h>

#include <array>
#include <string>
#include <string_view>
#include <unordered_map>

#include "provisioner/egress/trust_bundle.h"

namespace prov::egress {
namespace {

constexpr std::int64_t kSoon = std::int64_t{30} * 24 * 60 * 60;

bool HasWeakKey(const Certificate& certificate) {
  if (certificate.key_algorithm == "dsa") return true;
  if (certificate.key_bits == 0) return false;
  if (certificate.key_algorithm == "rsa" || certificate.key_algorithm == "rsa-pss") return certificate.key_bits < 2048;
  return certificate.key_algorithm == "ec" && certificate.key_bits < 224;
}

bool HasWeakSignature(const Certificate& certificate) {
  // A self-signed certificate is trusted for being in the store; its signature proves nothing.
  if (certificate.self_signed) return false;
  constexpr std::array<std::string_view, 5> kWeak = {"sha1WithRSAEncryption", "md5WithRSAEncryption",
                                                     "md2WithRSAEncryption", "ecdsa-with-SHA1", "dsaWithSHA1"};
  for (const std::string_view weak : kWeak) {
    if (certificate.signature_algorithm == weak) return true;
  }
  return false;
}

class Review {
 public:
  Review(std::int64_t now, std::string_view where) : now_(now), where_(where) {}

  void Look(const Certificate& certificate, std::size_t number) {
    const std::string name = fmt::format("certificate {} \"{}\"", number, certificate.subject);
    const auto [first, is_new] = seen_.emplace(certificate.der, number);
    if (!is_new) {
      // All else was said about the first one.
      AddInfo(out_, "cert-duplicate", fmt::format("{} is the same as certificate {}", name, first->second), where_);
      return;
    }
    LookAtTimes(certificate, name);
    if (HasWeakKey(certificate)) {
      AddWarning(out_, "cert-weak-key",
                 fmt::format("{} has a weak key ({}, {} bits)", name, certificate.key_algorithm, certificate.key_bits),
                 where_);
    }
    if (HasWeakSignature(certificate)) {
      AddWarning(
          out_, "cert-weak-signature",
          fmt::format("{} is signed with {}, which current TLS clients refuse", name, certificate.signature_algorithm),
          where_);
    }
    if (!certificate.is_ca) {
      AddWarning(out_, "cert-not-ca",
                 fmt::format("{} is no CA certificate{}; it can't vouch for others in most TLS clients", name,
                             certificate.version < 3
                                 ? fmt::format(" (version {} can't say that it is one)", certificate.version)
                                 : ""),
                 where_);
    }
  }

  Findings Take() { return std::move(out_); }

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
  return review.Take();
}

}  // namespace prov::egress
