#include "provisioner/egress/trust_bundle.h"

#include <fmt/format.h>

#include <unordered_set>

#include "provisioner/egress/der.h"
#include "provisioner/egress/pem.h"
#include "provisioner/egress/pem_text.h"

namespace prov::egress {
namespace {

constexpr std::int64_t kSoon = std::int64_t{30} * 24 * 60 * 60;
constexpr std::size_t kMostOfAKind = 20;

// Findings of one kind, cut after kMostOfAKind: a hostile file must not become a million messages.
class Limited {
 public:
  Limited(Findings& out, std::string code, Severity severity) : out_(out), code_(std::move(code)), severity_(severity) {}
  Limited(const Limited&) = delete;
  Limited& operator=(const Limited&) = delete;
  ~Limited() {
    if (count_ > kMostOfAKind) {
      out_.push_back({severity_, code_, fmt::format("and {} more of this kind", count_ - kMostOfAKind), where_});
    }
  }
  void Add(std::string message, std::string where) {
    where_ = where;
    if (++count_ <= kMostOfAKind) out_.push_back({severity_, code_, std::move(message), std::move(where)});
  }

 private:
  Findings& out_;
  std::string code_;
  Severity severity_;
  std::string where_;
  std::size_t count_ = 0;
};

std::string Line(std::string_view where, std::size_t line) { return fmt::format("{}, line {}", where, line); }

class BundleReader {
 public:
  BundleReader(std::string_view text, std::string_view where, Findings& findings, const BundleLimits& limits)
      : where_(where), limits_(limits), scanner_(text), lines_(text), findings_(findings),
        keys_(findings, "private-key", Severity::kWarning),
        others_(findings, "pem-other", Severity::kWarning),
        trusted_(findings, "pem-trusted", Severity::kWarning),
        repaired_(findings, "pem-repaired", Severity::kInfo) {}

  Result<std::vector<Certificate>> Read() {
    for (;;) {
      auto block = scanner_.Next();
      if (!block) return FailAt(block.error().offset, block.error().message);
      if (!*block) break;
      PROV_TRY(Take(**block));
    }
    if (scanner_.commented() > 0) {
      AddWarning(findings_, "pem-commented", fmt::format("{} block(s) are commented out with '#' and were left out", scanner_.commented()),
                 std::string(where_));
    }
    return std::move(out_);
  }

  std::size_t blocks() const { return blocks_; }

 private:
  std::unexpected<Error> FailAt(std::size_t offset, const std::string& message) {
    return Fail(Code::kCert, fmt::format("{} (after {} good certificate(s)); nothing of the bundle was taken: repair or replace it", message, out_.size()),
                Line(where_, lines_.LineAt(offset)));
  }

  Result<void> Take(const PemBlock& block) {
    ++blocks_;
    if (block.label.ends_with("PRIVATE KEY")) {
      keys_.Add("a private key stands in the bundle; it was skipped, but whoever can read the bundle has it: replace that key",
                Line(where_, lines_.LineAt(block.offset)));
      return {};
    }
    if (block.label == "PKCS7" || block.label == "CMS") {
      return FailAt(block.offset, "is a PKCS#7 container; convert it with: openssl pkcs7 -print_certs -in FILE");
    }
    const bool trusted = block.label == "TRUSTED CERTIFICATE";
    if (block.label != "CERTIFICATE" && block.label != "X509 CERTIFICATE" && !trusted) {
      others_.Add(fmt::format("a block of type {} was skipped", block.label), Line(where_, lines_.LineAt(block.offset)));
      return {};
    }
    return TakeCertificate(block, trusted);
  }

  Result<void> TakeCertificate(const PemBlock& block, bool trusted) {
    if (out_.size() == limits_.certificates) {
      return Fail(Code::kTooLarge, fmt::format("holds more than {} certificates", limits_.certificates), std::string(where_));
    }
    const std::size_t line = lines_.LineAt(block.offset);
    const auto body = DecodePemBody(block.body);
    const std::string nth = fmt::format("certificate {}", out_.size() + 1);
    if (!body) return FailAt(block.offset, fmt::format("{}: {}", nth, body.error().message));
    if (body->has_headers || body->added_padding) {
      repaired_.Add(fmt::format("{}: {}", nth, body->has_headers ? "headers before the base64 were passed over" : "missing '=' at the end of the base64 was added"),
                    Line(where_, line));
    }
    std::string_view der = body->bytes;
    if (trusted) {
      DerReader reader(der);
      if (const auto element = reader.Next()) der = element->whole;
      trusted_.Add(fmt::format("{}: OpenSSL's trust settings (TRUSTED CERTIFICATE) were dropped; Windows has no such thing", nth), Line(where_, line));
    }
    Result<Certificate> certificate = ParseCertificate(der, Line(where_, line));
    if (!certificate) return FailAt(block.offset, fmt::format("{}: {}", nth, certificate.error().message));
    out_.push_back(*std::move(certificate));
    return {};
  }

  std::string_view where_;
  const BundleLimits& limits_;
  PemScanner scanner_;
  LineCounter lines_;
  Findings& findings_;
  Limited keys_, others_, trusted_, repaired_;
  std::vector<Certificate> out_;
  std::size_t blocks_ = 0;
};

bool LooksLikeDer(std::string_view bytes) {
  // A SEQUENCE with a long length: no text begins like this.
  return bytes.size() > 2 && bytes[0] == '\x30' && (static_cast<unsigned char>(bytes[1]) & 0x80U) != 0;
}

Result<std::vector<Certificate>> ReadDer(std::string_view bytes, std::string_view where) {
  Result<Certificate> certificate = ParseCertificate(bytes, where);
  if (certificate) return std::vector<Certificate>{*std::move(certificate)};
  const std::string hint = DescribeDer(bytes);
  return Fail(Code::kCert, hint.empty() ? certificate.error().message : certificate.error().message + "; " + hint, std::string(where));
}

Result<std::vector<Certificate>> WithoutBlocks(std::string_view text, std::string_view where, Findings& findings) {
  if (IsBlankText(text)) return std::vector<Certificate>{};
  if (IsCommentText(text)) {
    AddInfo(findings, "empty-bundle", "holds comments only: no certificates", std::string(where));
    return std::vector<Certificate>{};
  }
  const std::string like = DescribeText(text);
  return Fail(Code::kCert, fmt::format("holds text but no certificate{}{}; a PEM bundle is wanted, or an empty file for none", like.empty() ? "" : "; ", like),
              std::string(where));
}

}  // namespace

Result<std::vector<Certificate>> ParseTrustBundle(std::string_view bytes, std::string_view where, Findings& findings, const BundleLimits& limits) {
  if (bytes.size() > limits.bytes) {
    return Fail(Code::kTooLarge, fmt::format("has {} bytes, at most {} are read", bytes.size(), limits.bytes), std::string(where));
  }
  if (LooksLikeDer(bytes)) return ReadDer(bytes, where);
  const auto decoded = DecodePemText(bytes);
  if (!decoded) return Fail(Code::kCert, decoded.error(), std::string(where));
  const std::string_view text = *decoded ? std::string_view(**decoded) : bytes;
  BundleReader reader(text, where, findings, limits);
  std::vector<Certificate> certificates = PROV_TRY(reader.Read());
  if (certificates.empty() && reader.blocks() == 0) return WithoutBlocks(text, where, findings);
  if (certificates.empty()) return Fail(Code::kCert, "holds PEM blocks but no certificate; add the certificates, or empty the file", std::string(where));
  return certificates;
}

std::string EncodePem(std::span<const Certificate> certificates) {
  std::string out;
  for (const Certificate& c : certificates) out += ArmourPem("CERTIFICATE", c.der);
  return out;
}

Findings ReviewCertificates(std::span<const Certificate> certificates, std::int64_t now_unix, std::string_view where) {
  Findings out;
  const std::string place(where);
  std::unordered_set<std::string_view> seen;
  for (const Certificate& c : certificates) {
    const auto warn = [&](const char* code, const std::string& what) { AddWarning(out, code, fmt::format("{} {}", c.subject, what), place); };
    if (now_unix > c.not_after_unix) {
      warn("cert-expired", fmt::format("expired at {}; get its successor", c.not_after));
    } else if (now_unix < c.not_before_unix) {
      warn("cert-not-yet-valid", fmt::format("is not valid before {}", c.not_before));
    } else if (c.not_after_unix - now_unix < kSoon) {
      warn("cert-expires-soon", fmt::format("expires at {}, within 30 days", c.not_after));
    }
    const bool weak_rsa = (c.key_algorithm == "rsa" || c.key_algorithm == "rsa-pss") && c.key_bits < 2048;
    if (weak_rsa || c.key_algorithm == "dsa" || (c.key_algorithm == "ec" && c.key_bits != 0 && c.key_bits < 224)) {
      warn("cert-weak-key", fmt::format("has a weak key ({} {} bits)", c.key_algorithm, c.key_bits));
    }
    const std::string& signature = c.signature_algorithm;
    const bool weak = signature.starts_with("sha1") || signature.starts_with("md5") || signature.starts_with("md2") || signature.ends_with("SHA1");
    if (weak && !c.self_signed) warn("cert-weak-signature", fmt::format("is signed with {}, which clients refuse", signature));
    if (!c.is_ca && !c.self_signed) warn("cert-not-ca", "is no CA, so it vouches for no other certificate");
    if (!seen.insert(c.sha256).second) AddInfo(out, "cert-duplicate", fmt::format("{} stands in the bundle more than once", c.subject), place);
  }
  return out;
}

}  // namespace prov::egress
