#include "provisioner/pki/certificate.h"

#include <fmt/format.h>
#include <openssl/asn1.h>
#include <openssl/objects.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <memory>
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

// Parses a UTCTime or GeneralizedTime (by the DER tag) into seconds since 1970. Accepts old forms, as OpenSSL does:
// without seconds, with a fraction (dropped), with an offset such as +0100. nullopt for other tags, malformed text and
// invalid dates.
std::optional<std::int64_t> ParseCertificateTime(std::uint8_t tag, std::string_view content) {
  constexpr std::size_t kLongest = 64;
  if ((tag != der::kUtcTime && tag != der::kGeneralizedTime) || content.size() > kLongest) return std::nullopt;
  const std::unique_ptr<ASN1_STRING, decltype(&ASN1_STRING_free)> time(ASN1_STRING_type_new(tag), &ASN1_STRING_free);
  std::tm parts{};
  if (!time || ASN1_STRING_set(time.get(), content.data(), static_cast<int>(content.size())) != 1 ||
      ASN1_TIME_to_tm(time.get(), &parts) != 1)
    return std::nullopt;
  const std::chrono::sys_days day = std::chrono::year(parts.tm_year + 1900) / (parts.tm_mon + 1) / parts.tm_mday;
  const auto time_of_day =
      std::chrono::hours(parts.tm_hour) + std::chrono::minutes(parts.tm_min) + std::chrono::seconds(parts.tm_sec);
  return (std::chrono::sys_seconds(day) + time_of_day).time_since_epoch().count();
}

// OpenSSL's number of an algorithm; NID_undef if it does not know the OID.
int NidOf(std::string_view oid) {
  const auto dotted = DottedOid(oid);
  return dotted ? OBJ_txt2nid(dotted->c_str()) : NID_undef;
}

bool IsWeakDigest(int nid) {
  constexpr std::array kWeak = {NID_md2, NID_md4, NID_md5, NID_sha, NID_sha1};
  return std::ranges::find(kWeak, nid) != kWeak.end();
}

// RSASSA-PSS-params: SEQUENCE { [0] hashAlgorithm DEFAULT sha1, ... }.
bool IsWeakPss(std::string_view parameters) {
  const auto fields = OnlyElement(parameters, der::kSequence);
  if (!fields) return true;
  const auto wrapped = DerReader(*fields).Read(der::ContextConstructed(0));
  const auto identifier = wrapped ? OnlyElement(*wrapped, der::kSequence) : std::nullopt;
  const auto hash = identifier ? DerReader(*identifier).Read(der::kOid) : std::nullopt;
  return !hash || IsWeakDigest(NidOf(*hash));
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
  auto dotted = oid ? DottedOid(*oid) : std::nullopt;
  if (!dotted) return std::nullopt;
  const int algorithm = NidOf(*oid);
  if (algorithm == NID_undef) return SignatureAlgorithm{*std::move(dotted), false};
  int digest = NID_undef;
  OBJ_find_sigid_algs(algorithm, &digest, nullptr);
  return SignatureAlgorithm{OBJ_nid2ln(algorithm),
                            algorithm == NID_rsassaPss ? IsWeakPss(reader.Rest()) : IsWeakDigest(digest)};
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
  out_.key_curve = std::move(key->curve);
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
