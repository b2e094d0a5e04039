#include "provisioner/pki/certificate.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "provisioner/base/hash.h"
#include "provisioner/base/text.h"
#include "provisioner/pki/certificate_key.h"
#include "provisioner/pki/certificate_signature.h"
#include "provisioner/pki/certificate_time.h"
#include "provisioner/pki/der.h"
#include "provisioner/pki/distinguished_name.h"

namespace prov::pki {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kSubjectKeyIdentifier = "\x55\x1D\x0E"sv;
constexpr std::string_view kBasicConstraints = "\x55\x1D\x13"sv;
constexpr std::string_view kAuthorityKeyIdentifier = "\x55\x1D\x23"sv;

// Reads the fields of one certificate in their order. Each step returns what is damaged, or "" if nothing is.
class Parser {
 public:
  explicit Parser(std::string_view der) : der_(der) {}

  std::string Run() {
    std::string damaged = ReadOutline();
    if (damaged.empty()) damaged = ReadBeginning();
    if (damaged.empty()) damaged = ReadNames();
    if (damaged.empty()) damaged = ReadKey();
    if (damaged.empty()) damaged = ReadEnd();
    if (damaged.empty()) Conclude();
    return damaged;
  }

  Certificate Take() { return std::move(out_); }

 private:
  std::string ReadOutline();
  std::string ReadBeginning();
  std::string ReadNames();
  std::string ReadKey();
  std::string ReadEnd();
  std::string ReadExtensions(std::string_view extensions);
  std::string ReadExtension(std::string_view oid, std::string_view value);
  std::string ReadAuthorityKeyIdentifier(std::string_view value);
  void Conclude();

  std::string_view der_;
  DerReader tbs_{{}};
  Certificate out_;
  std::string_view signature_oid_;
  std::string_view serial_;
  std::string_view key_info_;  // SubjectPublicKeyInfo
  std::optional<std::string_view> subject_key_id_;
  std::optional<std::string_view> authority_key_id_;
  std::optional<std::string_view> authority_serial_;
  bool seen_basic_constraints_ = false;
  bool seen_authority_key_identifier_ = false;
};

// AlgorithmIdentifier's OID; nullopt when malformed.
std::optional<std::string_view> AlgorithmOid(std::string_view sequence) {
  DerReader reader(sequence);
  const auto oid = reader.Take(der::kOid);
  if (!oid || (!reader.AtEnd() && (!reader.Next() || !reader.AtEnd()))) return std::nullopt;
  return oid;
}

std::string Parser::ReadOutline() {
  DerReader file(der_);
  const auto certificate = file.Take(der::kSequence);
  if (!certificate) {
    return file.NextIs(der::kSequence) ? "its bytes end before the length that they announce, or the length isn't DER"
                                       : "it doesn't start with an ASN.1 SEQUENCE";
  }
  if (!file.AtEnd()) return fmt::format("{} bytes stand behind the certificate", file.Rest().size());
  DerReader parts(*certificate);
  const auto tbs = parts.Take(der::kSequence);
  if (!tbs) return "the part to be signed (tbsCertificate) is damaged";
  const auto algorithm = parts.Take(der::kSequence);
  const auto oid = algorithm ? AlgorithmOid(*algorithm) : std::nullopt;
  if (!oid) return "signatureAlgorithm is damaged";
  const auto signature = parts.Take(der::kBitString);
  if (!signature || signature->empty() || !parts.AtEnd()) return "the signature is damaged";
  tbs_ = DerReader(*tbs);
  signature_oid_ = *oid;
  return {};
}

std::string Parser::ReadBeginning() {
  if (tbs_.NextIs(der::ContextConstructed(0))) {
    const auto wrapped = tbs_.Take(der::ContextConstructed(0));
    const auto version = wrapped ? OnlyElement(*wrapped, der::kInteger) : std::nullopt;
    if (!version || version->size() != 1 || static_cast<unsigned char>(version->front()) > 2) {
      return "its version is none of 1, 2, 3";
    }
    out_.version = version->front() + 1;
  }
  const auto serial = tbs_.Take(der::kInteger);
  if (!serial || !IsDerInteger(*serial)) return "serialNumber is damaged";
  serial_ = *serial;
  out_.serial = IntegerHex(*serial);
  const auto algorithm = tbs_.Take(der::kSequence);
  const auto oid = algorithm ? AlgorithmOid(*algorithm) : std::nullopt;
  if (!oid) return "the inner signature algorithm is damaged";
  if (*oid != signature_oid_) return "its two signature algorithms differ";
  auto parsed = ParseSignatureAlgorithm(*algorithm);
  if (!parsed) return "signatureAlgorithm is damaged";
  out_.signature_algorithm = std::move(parsed->name);
  out_.weak_signature = parsed->weak;
  return {};
}

std::string Parser::ReadNames() {
  const auto issuer = tbs_.NextIs(der::kSequence) ? tbs_.Next() : std::nullopt;
  auto issuer_text = issuer ? FormatDistinguishedName(issuer->whole) : std::nullopt;
  if (!issuer_text) return "the issuer's name is damaged";
  const auto validity = tbs_.Take(der::kSequence);
  if (!validity) return "validity is damaged";
  DerReader times(*validity);
  for (const bool first : {true, false}) {
    const auto element = times.Next();
    const auto time = element ? ParseCertificateTime(element->tag, element->content) : std::nullopt;
    if (!time) return fmt::format("{} is no valid time", first ? "notBefore" : "notAfter");
    (first ? out_.not_before_unix : out_.not_after_unix) = *time;
    (first ? out_.not_before : out_.not_after) = FormatUtc(*time);
  }
  if (!times.AtEnd()) return "validity is damaged";
  const auto subject = tbs_.NextIs(der::kSequence) ? tbs_.Next() : std::nullopt;
  if (!subject) return "the subject's name is damaged";
  out_.self_issued = subject->whole == issuer->whole;
  auto subject_text = out_.self_issued ? issuer_text : FormatDistinguishedName(subject->whole);
  if (!subject_text) return "the subject's name is damaged";
  out_.issuer_der = issuer->whole;
  out_.subject_der = subject->whole;
  out_.issuer = *std::move(issuer_text);
  out_.subject = *std::move(subject_text);
  return {};
}

std::string Parser::ReadKey() {
  const auto info = tbs_.Take(der::kSequence);
  if (!info) return "the public key is damaged";
  key_info_ = *info;
  auto key = ParsePublicKeyInfo(*info);
  if (!key) return "the public key is damaged";
  out_.key_algorithm = std::move(key->algorithm);
  out_.key_bits = key->bits;
  return {};
}

std::string Parser::ReadEnd() {
  for (const unsigned unique_id : {1U, 2U}) {
    if (tbs_.NextIs(der::Context(unique_id)) && !tbs_.Next()) return "a unique identifier is damaged";
  }
  if (tbs_.NextIs(der::ContextConstructed(3))) {
    const auto wrapped = tbs_.Take(der::ContextConstructed(3));
    const auto extensions = wrapped ? OnlyElement(*wrapped, der::kSequence) : std::nullopt;
    if (!extensions) return "the extensions are damaged";
    if (std::string damaged = ReadExtensions(*extensions); !damaged.empty()) return damaged;
  }
  if (!tbs_.AtEnd()) return "unknown fields stand behind the extensions";
  return {};
}

std::string Parser::ReadExtensions(std::string_view extensions) {
  DerReader list(extensions);
  while (!list.AtEnd()) {
    const auto extension = list.Take(der::kSequence);
    if (!extension) return "the extensions are damaged";
    DerReader fields(*extension);
    const auto oid = fields.Take(der::kOid);
    if (fields.NextIs(der::kBoolean) && !fields.Next()) return "the extensions are damaged";
    const auto value = fields.Take(der::kOctetString);
    if (!oid || !value || !fields.AtEnd()) return "the extensions are damaged";
    if (std::string damaged = ReadExtension(*oid, *value); !damaged.empty()) return damaged;
  }
  return {};
}

std::string Parser::ReadExtension(std::string_view oid, std::string_view value) {
  if (oid == kBasicConstraints) {
    const auto sequence = OnlyElement(value, der::kSequence);
    if (!sequence || std::exchange(seen_basic_constraints_, true)) return "basicConstraints is damaged or repeated";
    DerReader fields(*sequence);
    if (fields.NextIs(der::kBoolean)) {
      const auto is_ca = fields.Take(der::kBoolean);
      if (!is_ca || is_ca->size() != 1) return "basicConstraints is damaged or repeated";
      out_.is_ca = is_ca->front() != '\0';
    }
    if (fields.NextIs(der::kInteger) && !fields.Next()) return "basicConstraints is damaged or repeated";
    if (!fields.AtEnd()) return "basicConstraints is damaged or repeated";
  } else if (oid == kSubjectKeyIdentifier) {
    const auto id = OnlyElement(value, der::kOctetString);
    if (!id || subject_key_id_) return "subjectKeyIdentifier is damaged or repeated";
    subject_key_id_ = id;
  } else if (oid == kAuthorityKeyIdentifier) {
    return ReadAuthorityKeyIdentifier(value);
  }
  return {};
}

std::string Parser::ReadAuthorityKeyIdentifier(std::string_view value) {
  constexpr std::string_view kDamaged = "authorityKeyIdentifier is damaged or repeated";
  const auto sequence = OnlyElement(value, der::kSequence);
  if (!sequence || std::exchange(seen_authority_key_identifier_, true)) return std::string(kDamaged);
  DerReader fields(*sequence);
  while (!fields.AtEnd()) {
    const auto field = fields.Next();
    if (!field) return std::string(kDamaged);
    if (field->tag == der::Context(0)) authority_key_id_ = field->content;
    if (field->tag == der::Context(2)) authority_serial_ = field->content;
  }
  return {};
}

void Parser::Conclude() {
  const auto names_own_key = [&] {
    if (!authority_key_id_) return !authority_serial_ || *authority_serial_ == serial_;
    if (subject_key_id_) return *authority_key_id_ == *subject_key_id_;
    // Without an identifier of its own, the usual one: SHA-1 of the key's bits (RFC 5280, 4.2.1.2, method 1).
    DerReader fields(key_info_);
    fields.Next();
    const auto bits = fields.Take(der::kBitString);
    return bits && !bits->empty() && Sha1(bits->substr(1)) == *authority_key_id_;
  };
  out_.self_signed = out_.self_issued && names_own_key();
  out_.der = der_;
  out_.sha1 = ToHex(Sha1(der_));
  out_.sha256 = ToHex(Sha256(der_));
}

}  // namespace

Result<Certificate> ParseCertificate(std::string_view der, std::string_view where) {
  Parser parser(der);
  if (const std::string damaged = parser.Run(); !damaged.empty()) {
    return Fail(Code::kCert, fmt::format("this certificate can't be read: {}; get it again from its source", damaged),
                std::string(where));
  }
  return parser.Take();
}

}  // namespace prov::pki
