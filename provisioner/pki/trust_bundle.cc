#include "provisioner/pki/trust_bundle.h"

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <set>
#include <utility>

#include "provisioner/pki/der.h"
#include "provisioner/pki/pem.h"
#include "provisioner/pki/pem_text.h"

namespace prov::pki {
namespace {

using namespace std::string_view_literals;

// The settings that follow the certificate in OpenSSL's TRUSTED CERTIFICATE.
struct TrustSettings {
  std::size_t certificate_bytes = 0;  // size of the certificate before them
  // They reject it for some use, or trust it for others than servers alone. Windows' stores can't express that: a CA in
  // ROOT is trusted for everything.
  bool reject = false;
};

constexpr std::string_view kServerAuth = "\x2B\x06\x01\x05\x05\x07\x03\x01"sv;
constexpr std::string_view kAnyUse = "\x55\x1D\x25\x00"sv;

// Whether a list of uses includes servers.
bool TrustsServers(std::string_view uses) {
  DerReader reader(uses);
  while (const auto use = reader.Next()) {
    if (use->tag == der::kOid && (use->content == kServerAuth || use->content == kAnyUse)) return true;
  }
  return false;
}

// Parses the certificate and the settings, if any, in `bytes`. nullopt if they are truncated or not DER.
// X509_CERT_AUX: SEQUENCE { trust SEQUENCE OF OID, reject [0] SEQUENCE OF OID, alias, keyid, other [1] }, all optional.
std::optional<TrustSettings> ParseTrustSettings(std::string_view bytes) {
  DerReader reader(bytes);
  const auto certificate = reader.Next();
  if (!certificate) return std::nullopt;
  TrustSettings out{certificate->whole.size(), false};
  if (reader.AtEnd()) return out;
  const auto settings = OnlyElement(reader.Rest(), der::kSequence);
  if (!settings) return std::nullopt;
  DerReader fields(*settings);
  while (const auto field = fields.Next()) {
    const bool trust = field->tag == der::kSequence;
    const bool reject = field->tag == der::ContextConstructed(0);
    // An empty list has no effect. With any other list, OpenSSL trusts only the listed uses.
    if ((trust && !field->content.empty() && !TrustsServers(field->content)) || (reject && !field->content.empty())) {
      out.reject = true;
    }
  }
  if (!fields.AtEnd()) return std::nullopt;
  return out;
}

constexpr std::size_t kUsualPemBytes = 1024;  // of one certificate; an estimate to reserve memory
constexpr std::size_t kMostCertificates = 100'000;

class BundleReader {
 public:
  BundleReader(std::string_view text, std::string_view where, Findings& findings)
      : text_(text), where_(where), lines_(text), findings_(findings, where) {}

  Result<std::vector<Certificate>> Run();

 private:
  Result<void> ReadBlock(const PemBlock& block);
  Result<void> ReadCertificate(const PemBlock& block, std::string der);
  Result<std::string> Decode(const PemBlock& block);
  Result<TrustSettings> ReadTrustSettings(const PemBlock& block, std::string_view bytes);
  void RejectCopies();
  Result<void> PassOver(const PemBlock& block);
  Error NoCertificates() const;

  std::string Where(std::size_t offset) {
    const std::size_t line = lines_.LineAt(offset);
    return where_.empty() ? fmt::format("line {}", line) : fmt::format("{}, line {}", where_, line);
  }
  std::string Which() const { return fmt::format("certificate {} of the bundle", out_.size() + 1); }

  std::string_view text_;
  std::string_view where_;
  LineCounter lines_;
  CappedFindings findings_;
  std::vector<Certificate> out_;
  std::size_t private_keys_ = 0;
  std::size_t other_blocks_ = 0;
};

bool IsCertificateLabel(std::string_view label) {
  return label == "CERTIFICATE" || label == "X509 CERTIFICATE" || label == "TRUSTED CERTIFICATE";
}
bool IsPrivateLabel(std::string_view label) { return label.find("PRIVATE KEY") != std::string_view::npos; }
bool IsPkcs7Label(std::string_view label) {
  return label == "PKCS7" || label == "PKCS #7 SIGNED DATA" || label == "CMS";
}

Result<std::vector<Certificate>> BundleReader::Run() {
  PemScanner scanner(text_);
  out_.reserve(text_.size() / kUsualPemBytes);
  for (;;) {
    auto block = scanner.Next();
    if (!block) {
      // A damaged block may be in a page or an object; report both.
      std::string hint = out_.empty() ? DescribeText(text_) : std::string();
      if (!hint.empty()) hint.insert(0, "; as for the whole, ");
      return Fail(
          Code::kCert,
          fmt::format("the trust bundle is damaged: {}{}; copy it again from its source", block.error().message, hint),
          Where(block.error().offset));
    }
    if (!*block) break;
    PROV_TRY(ReadBlock(**block));
  }
  RejectCopies();
  if (scanner.commented() > 0) {
    findings_.Add(Severity::kInfo, "pem-commented",
                  fmt::format("{} blocks are commented out with '#' and were left out", scanner.commented()),
                  std::string(where_));
  }
  if (!out_.empty() || IsBlankText(text_)) return std::move(out_);
  if (scanner.commented() == 0 && private_keys_ + other_blocks_ == 0 && IsCommentText(text_)) {
    findings_.Add(Severity::kInfo, "empty-bundle",
                  "the trust bundle holds comments and no certificate: it is taken as empty", std::string(where_));
    return std::move(out_);
  }
  return std::unexpected(NoCertificates());
}

Error BundleReader::NoCertificates() const {
  std::string seen = DescribeText(text_);
  if (private_keys_ > 0) seen = "it holds nothing but a private key, which does not belong into a trust bundle";
  if (private_keys_ == 0 && other_blocks_ > 0) seen = "it holds only PEM blocks of other kinds";
  if (!seen.empty()) seen = "; " + seen;
  return Error{Code::kCert, fmt::format("no certificate is in the trust bundle although it is not empty{}", seen),
               std::string(where_)};
}

Result<void> BundleReader::ReadBlock(const PemBlock& block) {
  if (IsPrivateLabel(block.label)) {
    ++private_keys_;
    findings_.Add(Severity::kWarning, "private-key",
                  "a private key is in the trust bundle; it was left out, but whoever reads the bundle has it: remove "
                  "it there and replace the key",
                  Where(block.offset));
    return {};
  }
  if (IsPkcs7Label(block.label)) {
    return Fail(
        Code::kCert,
        "the trust bundle holds PKCS#7, which may have certificates inside: convert it with openssl pkcs7 -print_certs",
        Where(block.offset));
  }
  if (!IsCertificateLabel(block.label)) return PassOver(block);
  return ReadCertificate(block, PROV_TRY(Decode(block)));
}

Result<std::string> BundleReader::Decode(const PemBlock& block) {
  auto body = DecodePemBody(block.body);
  if (!body) {
    const auto at = static_cast<std::size_t>(block.body.data() - text_.data()) + body.error().offset;
    return Fail(Code::kCert, fmt::format("{} is damaged: {}", Which(), body.error().message), Where(at));
  }
  if (body->empty())
    return Fail(Code::kCert, fmt::format("{} is damaged: the block is empty", Which()), Where(block.offset));
  return *std::move(body);
}

Result<void> BundleReader::ReadCertificate(const PemBlock& block, std::string der) {
  if (out_.size() == kMostCertificates) {
    return Fail(Code::kTooLarge, fmt::format("the trust bundle holds more than {} certificates", kMostCertificates),
                Where(block.offset));
  }
  bool rejected = false;
  if (block.label == "TRUSTED CERTIFICATE") {
    const TrustSettings settings = PROV_TRY(ReadTrustSettings(block, der));
    der.resize(settings.certificate_bytes);
    rejected = settings.reject;
  }
  auto certificate = ParseCertificate(der, {});
  if (!certificate) {
    const std::string hint = DescribeDer(der);
    return Fail(Code::kCert,
                fmt::format("{}: {}{}{}", Which(), certificate.error().message, hint.empty() ? "" : "; ", hint),
                Where(block.offset));
  }
  out_.push_back(*std::move(certificate));
  out_.back().rejected = rejected;
  return {};
}

Result<TrustSettings> BundleReader::ReadTrustSettings(const PemBlock& block, std::string_view bytes) {
  const auto settings = ParseTrustSettings(bytes);
  if (!settings) {
    return Fail(Code::kCert,
                fmt::format("{} is damaged: its DER or the trust settings behind it are cut short", Which()),
                Where(block.offset));
  }
  if (settings->reject) {
    findings_.Add(Severity::kWarning, "pem-trusted",
                  fmt::format("{} is a TRUSTED CERTIFICATE whose OpenSSL settings reject it for some uses; Windows "
                              "would trust it for all, so no node gets it unless --trust names it",
                              Which()),
                  Where(block.offset));
  } else {
    findings_.Add(Severity::kInfo, "pem-trusted",
                  fmt::format("{} is a TRUSTED CERTIFICATE; its OpenSSL trust settings are dropped", Which()),
                  Where(block.offset));
  }
  return *settings;
}

// Rejects copies without settings, too: they are the same CA.
void BundleReader::RejectCopies() {
  std::set<std::string_view> rejected;
  for (const Certificate& certificate : out_) {
    if (certificate.rejected) rejected.insert(certificate.sha256);
  }
  if (rejected.empty()) return;
  for (Certificate& certificate : out_) certificate.rejected = rejected.contains(certificate.sha256);
}

Result<void> BundleReader::PassOver(const PemBlock& block) {
  // A certificate under a wrong label would be lost silently.
  if (const auto body = DecodePemBody(block.body); body && ParseCertificate(*body, {})) {
    return Fail(Code::kCert,
                fmt::format("the block is labelled {} but holds a certificate: label it CERTIFICATE", block.label),
                Where(block.offset));
  }
  ++other_blocks_;
  findings_.Add(Severity::kWarning, "pem-other",
                fmt::format("a block {} is in the trust bundle; only certificates are read", block.label),
                Where(block.offset));
  return {};
}

Result<std::vector<Certificate>> ReadDerFile(std::string_view bytes, std::string_view where) {
  auto certificate = ParseCertificate(bytes, where);
  if (!certificate) {
    Error error = std::move(certificate).error();
    if (const std::string hint = DescribeDer(bytes); !hint.empty())
      error.message = "the file is binary and not a certificate: " + hint;
    return std::unexpected(std::move(error));
  }
  std::vector<Certificate> out;
  out.push_back(*std::move(certificate));
  return out;
}

}  // namespace

bool IsDer(std::string_view bytes) {
  return bytes.size() >= 2 && bytes[0] == '\x30' && static_cast<std::uint8_t>(bytes[1]) >= 0x80;
}

Result<std::vector<Certificate>> ParseTrustBundle(std::string_view bytes, std::string_view where, Findings& findings) {
  if (bytes.size() > kMostBundleBytes) {
    return Fail(
        Code::kTooLarge,
        fmt::format("the trust bundle has {} bytes, more than the {} that are allowed", bytes.size(), kMostBundleBytes),
        std::string(where));
  }
  if (IsDer(bytes)) return ReadDerFile(bytes, where);
  const auto decoded = DecodePemText(bytes);
  if (!decoded) {
    const std::string hint = DescribeText(bytes);
    return Fail(Code::kCert, fmt::format("the trust bundle can't be read: {}", hint.empty() ? decoded.error() : hint),
                std::string(where));
  }
  return BundleReader(*decoded ? std::string_view(**decoded) : bytes, where, findings).Run();
}

std::string EncodePem(std::span<const Certificate> certificates) {
  std::string out;
  for (const Certificate& certificate : certificates) out += ArmourPem("CERTIFICATE", certificate.der);
  return out;
}

}  // namespace prov::pki
