#include "provisioner/pki/certificate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "provisioner/base/clock.h"
#include "provisioner/base/hash.h"
#include "provisioner/base/text.h"
#include "provisioner/pki/certificate_key.h"
#include "provisioner/pki/certificate_names.h"
#include "provisioner/pki/der.h"

namespace prov::pki {
namespace {

using namespace std::string_view_literals;

// Reads numbers of fixed width from the front of a text.
class Digits {
 public:
  explicit Digits(std::string_view text) : rest_(text) {}

  std::optional<int> Read(std::size_t width) {
    if (rest_.size() < width) return std::nullopt;
    int value = 0;
    for (const char c : rest_.substr(0, width)) {
      if (!IsDigit(c)) return std::nullopt;
      value = value * 10 + (c - '0');
    }
    rest_.remove_prefix(width);
    return value;
  }
  bool StartsWithDigit() const { return !rest_.empty() && IsDigit(rest_.front()); }
  std::string_view& rest() { return rest_; }

 private:
  std::string_view rest_;
};

// Parses "Z", or the offset "+hhmm", in seconds. Nothing may follow.
std::optional<int> ParseZone(std::string_view zone) {
  if (zone == "Z") return 0;
  if (zone.size() != 5 || (zone.front() != '+' && zone.front() != '-')) return std::nullopt;
  Digits digits(zone.substr(1));
  const auto hours = digits.Read(2);
  const auto minutes = digits.Read(2);
  if (!hours || !minutes || *hours > 14 || *minutes > 59) return std::nullopt;
  const int seconds = *hours * 3600 + *minutes * 60;
  return zone.front() == '+' ? seconds : -seconds;
}

// Parses a UTCTime or GeneralizedTime (by the DER tag) into seconds since 1970. Accepts old forms: without seconds,
// with a fraction (dropped), with an offset such as +0100. nullopt for other tags, malformed text and invalid dates.
// Two-digit years from 50 on are in the 20th century (RFC 5280, 4.1.2.5.1).
std::optional<std::int64_t> ParseCertificateTime(std::uint8_t tag, std::string_view content) {
  const bool generalized = tag == der::kGeneralizedTime;
  if (!generalized && tag != der::kUtcTime) return std::nullopt;
  Digits digits(content);
  auto year = digits.Read(generalized ? 4 : 2);
  const auto month = digits.Read(2);
  const auto day = digits.Read(2);
  const auto hour = digits.Read(2);
  const auto minute = digits.Read(2);
  if (!year || !month || !day || !hour || !minute) return std::nullopt;
  if (!generalized) *year += *year >= 50 ? 1900 : 2000;
  int second = 0;
  if (digits.StartsWithDigit()) {
    const auto seconds = digits.Read(2);
    if (!seconds) return std::nullopt;
    second = *seconds;
    if (generalized && digits.rest().starts_with('.')) {
      digits.rest().remove_prefix(1);
      if (!digits.StartsWithDigit()) return std::nullopt;
      while (digits.StartsWithDigit()) digits.rest().remove_prefix(1);
    }
  }
  const auto offset = ParseZone(digits.rest());
  const std::chrono::year_month_day date{std::chrono::year(*year), std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!offset || !date.ok() || *hour > 23 || *minute > 59 || second > 59) return std::nullopt;
  const auto days = std::chrono::sys_days(date).time_since_epoch().count();
  return std::int64_t{days} * 86400 + std::int64_t{*hour} * 3600 + std::int64_t{*minute} * 60 + second - *offset;
}

struct KnownAlgorithm {
  std::string_view oid;  // content octets
  std::string_view name;
  bool weak = false;
};

constexpr std::array kAlgorithms = {
    KnownAlgorithm{"\x2A\x86\x48\x86\xF7\x0D\x01\x01\x0B"sv, "sha256WithRSAEncryption"},
    KnownAlgorithm{"\x2A\x86\x48\x86\xF7\x0D\x01\x01\x0C"sv, "sha384WithRSAEncryption"},
    KnownAlgorithm{"\x2A\x86\x48\x86\xF7\x0D\x01\x01\x0D"sv, "sha512WithRSAEncryption"},
    KnownAlgorithm{"\x2A\x86\x48\x86\xF7\x0D\x01\x01\x05"sv, "sha1WithRSAEncryption", true},
    KnownAlgorithm{"\x2A\x86\x48\x86\xF7\x0D\x01\x01\x0E"sv, "sha224WithRSAEncryption"},
    KnownAlgorithm{"\x2A\x86\x48\x86\xF7\x0D\x01\x01\x04"sv, "md5WithRSAEncryption", true},
    KnownAlgorithm{"\x2A\x86\x48\x86\xF7\x0D\x01\x01\x03"sv, "md4WithRSAEncryption", true},
    KnownAlgorithm{"\x2A\x86\x48\x86\xF7\x0D\x01\x01\x02"sv, "md2WithRSAEncryption", true},
    KnownAlgorithm{kRsaPssOid, "rsassaPss"},
    KnownAlgorithm{"\x2A\x86\x48\xCE\x3D\x04\x03\x02"sv, "ecdsa-with-SHA256"},
    KnownAlgorithm{"\x2A\x86\x48\xCE\x3D\x04\x03\x03"sv, "ecdsa-with-SHA384"},
    KnownAlgorithm{"\x2A\x86\x48\xCE\x3D\x04\x03\x04"sv, "ecdsa-with-SHA512"},
    KnownAlgorithm{"\x2A\x86\x48\xCE\x3D\x04\x03\x01"sv, "ecdsa-with-SHA224"},
    KnownAlgorithm{"\x2A\x86\x48\xCE\x3D\x04\x01"sv, "ecdsa-with-SHA1", true},
    KnownAlgorithm{"\x2A\x86\x48\xCE\x38\x04\x03"sv, "dsaWithSHA1", true},
    KnownAlgorithm{"\x60\x86\x48\x01\x65\x03\x04\x03\x02"sv, "dsa_with_SHA256"},
    KnownAlgorithm{"\x2B\x65\x70"sv, "ED25519"},
    KnownAlgorithm{"\x2B\x65\x71"sv, "ED448"},
    // Older than those of PKCS#1.
    KnownAlgorithm{"\x2B\x0E\x03\x02\x03"sv, "md5WithRSA", true},
    KnownAlgorithm{"\x2B\x0E\x03\x02\x1D"sv, "sha1WithRSA", true},
    KnownAlgorithm{"\x2B\x0E\x03\x02\x1B"sv, "dsaWithSHA1-old", true},
};

constexpr std::array kWeakHashes = {
    "\x2B\x0E\x03\x02\x1A"sv,              // SHA-1
    "\x2A\x86\x48\x86\xF7\x0D\x02\x05"sv,  // MD5
    "\x2A\x86\x48\x86\xF7\x0D\x02\x04"sv,  // MD4
    "\x2A\x86\x48\x86\xF7\x0D\x02\x02"sv,  // MD2
};

// RSASSA-PSS-params: SEQUENCE { [0] hashAlgorithm DEFAULT sha1, ... }.
bool IsWeakPss(std::string_view parameters) {
  const auto fields = OnlyElement(parameters, der::kSequence);
  if (!fields) return true;
  const auto wrapped = DerReader(*fields).Read(der::ContextConstructed(0));
  const auto identifier = wrapped ? OnlyElement(*wrapped, der::kSequence) : std::nullopt;
  const auto hash = identifier ? DerReader(*identifier).Read(der::kOid) : std::nullopt;
  return !hash || std::ranges::find(kWeakHashes, *hash) != kWeakHashes.end();
}

// The algorithm of a certificate's signature, and whether such a signature can be forged.
struct SignatureAlgorithm {
  std::string name;   // OpenSSL's long names such as "sha256WithRSAEncryption", or the dotted OID
  bool weak = false;  // signs a digest by MD2, MD4, MD5 or SHA-1
};

// Parses the content of an AlgorithmIdentifier. nullopt if its OID is malformed. RSASSA-PSS is weak unless its
// parameters name another hash: the default is SHA-1 (RFC 4055, 3.1).
std::optional<SignatureAlgorithm> ParseSignatureAlgorithm(std::string_view identifier) {
  DerReader reader(identifier);
  const auto oid = reader.Read(der::kOid);
  if (!oid) return std::nullopt;
  if (const auto* const known = std::ranges::find(kAlgorithms, *oid, &KnownAlgorithm::oid);
      known != kAlgorithms.end()) {
    return SignatureAlgorithm{std::string(known->name),
                              known->weak || (*oid == kRsaPssOid && IsWeakPss(reader.Rest()))};
  }
  auto dotted = DottedOid(*oid);
  if (!dotted) return std::nullopt;
  return SignatureAlgorithm{*std::move(dotted), false};
}

constexpr std::string_view kSubjectKeyIdentifier = "\x55\x1D\x0E"sv;
constexpr std::string_view kBasicConstraints = "\x55\x1D\x13"sv;
constexpr std::string_view kAuthorityKeyIdentifier = "\x55\x1D\x23"sv;

// Parses the fields of one certificate in order. Each step returns the damaged field, or "" if there is none.
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

  Certificate Release() { return std::move(out_); }

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
  const auto oid = reader.Read(der::kOid);
  if (!oid || (!reader.AtEnd() && (!reader.Next() || !reader.AtEnd()))) return std::nullopt;
  return oid;
}

std::string Parser::ReadOutline() {
  DerReader file(der_);
  const auto certificate = file.Read(der::kSequence);
  if (!certificate) {
    return file.NextIs(der::kSequence) ? "its bytes end before the length that they announce, or the length isn't DER"
                                       : "it doesn't start with an ASN.1 SEQUENCE";
  }
  if (!file.AtEnd()) return fmt::format("{} bytes stand behind the certificate", file.Rest().size());
  DerReader parts(*certificate);
  const auto tbs = parts.Read(der::kSequence);
  if (!tbs) return "the part to be signed (tbsCertificate) is damaged";
  const auto algorithm = parts.Read(der::kSequence);
  const auto oid = algorithm ? AlgorithmOid(*algorithm) : std::nullopt;
  if (!oid) return "signatureAlgorithm is damaged";
  const auto signature = parts.Read(der::kBitString);
  if (!signature || signature->empty() || !parts.AtEnd()) return "the signature is damaged";
  tbs_ = DerReader(*tbs);
  signature_oid_ = *oid;
  return {};
}

std::string Parser::ReadBeginning() {
  if (tbs_.NextIs(der::ContextConstructed(0))) {
    const auto wrapped = tbs_.Read(der::ContextConstructed(0));
    const auto version = wrapped ? OnlyElement(*wrapped, der::kInteger) : std::nullopt;
    if (!version || version->size() != 1 || static_cast<unsigned char>(version->front()) > 2) {
      return "its version is none of 1, 2, 3";
    }
    out_.version = version->front() + 1;
  }
  const auto serial = tbs_.Read(der::kInteger);
  if (!serial || !IsDerInteger(*serial)) return "serialNumber is damaged";
  serial_ = *serial;
  out_.serial = IntegerHex(*serial);
  const auto algorithm = tbs_.Read(der::kSequence);
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
  const auto validity = tbs_.Read(der::kSequence);
  if (!validity) return "validity is damaged";
  DerReader times(*validity);
  for (const bool first : {true, false}) {
    const auto element = times.Next();
    const auto time = element ? ParseCertificateTime(element->tag, element->content) : std::nullopt;
    if (!time) return fmt::format("{} is not a valid time", first ? "notBefore" : "notAfter");
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
  const auto info = tbs_.Read(der::kSequence);
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
    const auto wrapped = tbs_.Read(der::ContextConstructed(3));
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
    const auto extension = list.Read(der::kSequence);
    if (!extension) return "the extensions are damaged";
    DerReader fields(*extension);
    const auto oid = fields.Read(der::kOid);
    if (fields.NextIs(der::kBoolean) && !fields.Next()) return "the extensions are damaged";
    const auto value = fields.Read(der::kOctetString);
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
      const auto is_ca = fields.Read(der::kBoolean);
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
    // Without its own key identifier, compare with the usual one: SHA-1 of the key's bits (RFC 5280, 4.2.1.2, method
    // 1).
    DerReader fields(key_info_);
    fields.Next();
    const auto bits = fields.Read(der::kBitString);
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
  return parser.Release();
}

}  // namespace prov::pki
