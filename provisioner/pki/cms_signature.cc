#include "provisioner/pki/cms_signature.h"

#include <cstdint>
#include <optional>
#include <utility>

#include "provisioner/pki/der.h"

namespace prov::pki {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kSignedData = "\x2A\x86\x48\x86\xF7\x0D\x01\x07\x02"sv;     // 1.2.840.113549.1.7.2
constexpr std::string_view kData = "\x2A\x86\x48\x86\xF7\x0D\x01\x07\x01"sv;           // 1.2.840.113549.1.7.1
constexpr std::string_view kSha256 = "\x60\x86\x48\x01\x65\x03\x04\x02\x01"sv;         // 2.16.840.1.101.3.4.2.1
constexpr std::string_view kRsaEncryption = "\x2A\x86\x48\x86\xF7\x0D\x01\x01\x01"sv;  // 1.2.840.113549.1.1.1
constexpr std::string_view kVersionOne = "\x01"sv;  // version of SignedData and SignerInfo without newer features
constexpr std::uint8_t kNull = 0x05;

std::string Element(std::uint8_t tag, std::string_view content) {
  std::string out(1, static_cast<char>(tag));
  if (content.size() < 0x80) {
    out += static_cast<char>(content.size());
  } else {
    std::string length;
    for (std::size_t rest = content.size(); rest > 0; rest >>= 8U) {
      length.insert(length.begin(), static_cast<char>(rest & 0xFFU));
    }
    out += static_cast<char>(0x80U | length.size());
    out += length;
  }
  return out.append(content);
}

std::string Sha256Algorithm() { return Element(der::kSequence, Element(der::kOid, kSha256)); }

std::unexpected<std::string> No(std::string why) { return std::unexpected(std::move(why)); }

// Checks for SHA-256's AlgorithmIdentifier. RFC 5754: its parameters should be absent and may be NULL.
bool IsSha256(std::optional<std::string_view> algorithm) {
  if (!algorithm) return false;
  DerReader fields(*algorithm);
  if (fields.Read(der::kOid) != kSha256) return false;
  return fields.AtEnd() || (fields.Read(kNull) == ""sv && fields.AtEnd());
}

bool IsRsa(std::optional<std::string_view> algorithm) {
  if (!algorithm) return false;
  DerReader fields(*algorithm);
  return fields.Read(der::kOid) == kRsaEncryption && fields.Read(kNull) == ""sv && fields.AtEnd();
}

std::expected<CmsSignature, std::string> ParseSigner(std::string_view content) {
  DerReader fields(content);
  CmsSignature out;
  const auto version = fields.Read(der::kInteger);
  if (version && *version != kVersionOne) return No("names its signer by a key identifier: sign without -keyid");
  const auto signer = fields.Next();
  if (!version || !signer || signer->tag != der::kSequence) return No("names no signer");
  out.signer = signer->whole;
  if (!IsSha256(fields.Read(der::kSequence))) return No("has another digest than SHA-256");
  if (fields.NextIs(der::ContextConstructed(0))) {
    return No("has signed attributes, such as a time: sign without them (-noattr)");
  }
  if (!IsRsa(fields.Read(der::kSequence))) return No("was not made with an RSA key (PKCS#1 v1.5)");
  const auto value = fields.Read(der::kOctetString);
  if (!value) return No("holds no signature");
  if (!fields.AtEnd()) return No("has attributes that nothing signs");
  out.value = *value;
  return out;
}

std::expected<CmsSignature, std::string> ParseSignedData(std::string_view content) {
  DerReader fields(content);
  if (fields.Read(der::kInteger) != kVersionOne) return No("is of another version than 1");
  DerReader digests(fields.Read(der::kSet).value_or(""sv));
  if (!IsSha256(digests.Read(der::kSequence)) || !digests.AtEnd()) return No("has another digest than SHA-256");
  DerReader enclosed(fields.Read(der::kSequence).value_or(""sv));
  if (enclosed.Read(der::kOid) != kData) return No("does not sign plain data");
  if (!enclosed.AtEnd()) return No("is not detached: make one that does not enclose its content");
  for (const unsigned skipped : {0U, 1U}) {  // certificates, revocation lists
    if (fields.NextIs(der::ContextConstructed(skipped)) && !fields.Next()) return No("is cut short");
  }
  const auto signers = fields.Read(der::kSet);
  if (!signers || !fields.AtEnd()) return No("has no signer");
  DerReader list(*signers);
  const auto first = list.Read(der::kSequence);
  if (!first) return No("has no signer");
  if (!list.AtEnd()) return No("has more than one signer");
  return ParseSigner(*first);
}

}  // namespace

std::string EncodeCms(const CmsSignature& signature) {
  const std::string version = Element(der::kInteger, kVersionOne);
  std::string signer = version;
  signer += signature.signer;
  signer += Sha256Algorithm();
  signer += Element(der::kSequence, Element(der::kOid, kRsaEncryption) + Element(kNull, {}));
  signer += Element(der::kOctetString, signature.value);
  std::string data = version;
  data += Element(der::kSet, Sha256Algorithm());
  data += Element(der::kSequence, Element(der::kOid, kData));
  data += Element(der::kSet, Element(der::kSequence, signer));
  return Element(der::kSequence,
                 Element(der::kOid, kSignedData) + Element(der::ContextConstructed(0), Element(der::kSequence, data)));
}

std::expected<CmsSignature, std::string> ParseCms(std::string_view bytes) {
  const auto content = OnlyElement(bytes, der::kSequence);
  if (!content) return No("is not a single DER structure: it is damaged, or in PEM");
  DerReader fields(*content);
  if (fields.Read(der::kOid) != kSignedData) return No("is not signed data");
  const auto wrapped = fields.Read(der::ContextConstructed(0));
  if (!wrapped || !fields.AtEnd()) return No("is not signed data");
  const auto data = OnlyElement(*wrapped, der::kSequence);
  return data ? ParseSignedData(*data) : No("is not signed data");
}

std::string IssuerAndSerial(const Certificate& certificate) {
  // Was parsed before: Certificate ::= SEQUENCE { SEQUENCE { [0] version OPTIONAL, serialNumber, ... } ... }
  DerReader whole(OnlyElement(certificate.der, der::kSequence).value_or(""sv));
  DerReader fields(whole.Read(der::kSequence).value_or(""sv));
  fields.Read(der::ContextConstructed(0));
  const auto serial = fields.Read(der::kInteger);
  return Element(der::kSequence, certificate.issuer_der + Element(der::kInteger, serial.value_or(""sv)));
}

}  // namespace prov::pki
