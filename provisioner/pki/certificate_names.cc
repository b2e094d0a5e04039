#include "provisioner/pki/certificate_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "provisioner/base/ip_address.h"
#include "provisioner/base/text.h"
#include "provisioner/pki/der.h"

namespace prov::pki {
namespace {

using namespace std::string_view_literals;

struct AttributeType {
  std::string_view oid;  // content octets
  std::string_view name;
};

// Short names as OpenSSL prints them, so that both texts can be compared. They include those of RFC 4514.
constexpr std::array kTypes = {
    AttributeType{"\x55\x04\x03"sv, "CN"},
    AttributeType{"\x55\x04\x0A"sv, "O"},
    AttributeType{"\x55\x04\x06"sv, "C"},
    AttributeType{"\x55\x04\x0B"sv, "OU"},
    AttributeType{"\x55\x04\x07"sv, "L"},
    AttributeType{"\x55\x04\x08"sv, "ST"},
    AttributeType{"\x55\x04\x05"sv, "serialNumber"},
    AttributeType{"\x55\x04\x61"sv, "organizationIdentifier"},
    AttributeType{"\x2A\x86\x48\x86\xF7\x0D\x01\x09\x01"sv, "emailAddress"},
    AttributeType{"\x09\x92\x26\x89\x93\xF2\x2C\x64\x01\x19"sv, "DC"},
    AttributeType{"\x09\x92\x26\x89\x93\xF2\x2C\x64\x01\x01"sv, "UID"},
    AttributeType{"\x55\x04\x04"sv, "SN"},
    AttributeType{"\x55\x04\x09"sv, "street"},
    AttributeType{"\x55\x04\x0C"sv, "title"},
    AttributeType{"\x55\x04\x0D"sv, "description"},
    AttributeType{"\x55\x04\x0F"sv, "businessCategory"},
    AttributeType{"\x55\x04\x11"sv, "postalCode"},
    AttributeType{"\x55\x04\x29"sv, "name"},
    AttributeType{"\x55\x04\x2A"sv, "GN"},
    AttributeType{"\x55\x04\x2B"sv, "initials"},
    AttributeType{"\x55\x04\x2C"sv, "generationQualifier"},
    AttributeType{"\x55\x04\x2E"sv, "dnQualifier"},
    AttributeType{"\x55\x04\x41"sv, "pseudonym"},
    AttributeType{"\x2B\x06\x01\x04\x01\x82\x37\x3C\x02\x01\x01"sv, "jurisdictionL"},
    AttributeType{"\x2B\x06\x01\x04\x01\x82\x37\x3C\x02\x01\x02"sv, "jurisdictionST"},
    AttributeType{"\x2B\x06\x01\x04\x01\x82\x37\x3C\x02\x01\x03"sv, "jurisdictionC"},
    AttributeType{"\x2A\x86\x48\x86\xF7\x0D\x01\x09\x02"sv, "unstructuredName"},
};

std::string Latin1ToUtf8(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size());
  for (const char c : bytes) {
    const auto byte = static_cast<std::uint8_t>(c);
    if (byte < 0x80) {
      out.push_back(c);
    } else {
      out.push_back(static_cast<char>(0xC0U | (byte >> 6U)));
      out.push_back(static_cast<char>(0x80U | (byte & 0x3FU)));
    }
  }
  return out;
}

// The text of a value; nullopt if it is not text.
std::optional<std::string> TextOf(const DerElement& value) {
  switch (value.tag) {
    case 0x0C:  // UTF8String
      if (!IsUtf8(value.content)) return std::nullopt;
      return std::string(value.content);
    case 0x12:  // NumericString
    case 0x13:  // PrintableString
    case 0x14:  // TeletexString
    case 0x16:  // IA5String
    case 0x17:  // UTCTime
    case 0x18:  // GeneralizedTime
    case 0x1A:  // VisibleString
      return Latin1ToUtf8(value.content);
    case 0x1E:  // BMPString
      return FromUtf16Be(value.content);
    default:
      return std::nullopt;
  }
}

void AppendEscaped(std::string& out, std::string_view text) {
  constexpr std::string_view kSpecial = ",+\"\\<>;";
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const auto byte = static_cast<std::uint8_t>(c);
    if (byte < 0x20 || byte == 0x7F) {
      out += fmt::format("\\{:02X}", byte);
      continue;
    }
    const bool first = i == 0 && (c == ' ' || c == '#');
    const bool last = i + 1 == text.size() && c == ' ';
    if (first || last || kSpecial.find(c) != std::string_view::npos) out.push_back('\\');
    out.push_back(c);
  }
}

struct Attribute {
  std::string_view type;
  DerElement value;
  bool joined = false;  // in the same RDN as the previous one
};

bool AppendAttribute(std::string& out, const Attribute& attribute) {
  const auto* known =
      std::find_if(kTypes.begin(), kTypes.end(), [&](const AttributeType& t) { return t.oid == attribute.type; });
  std::optional<std::string> text;
  if (known != kTypes.end()) {
    out += known->name;
    text = TextOf(attribute.value);
  } else {
    const auto dotted = DottedOid(attribute.type);
    if (!dotted) return false;
    out += *dotted;
  }
  out.push_back('=');
  if (text) {
    AppendEscaped(out, *text);
  } else {
    out.push_back('#');
    out += ToHex(attribute.value.whole);
  }
  return true;
}

constexpr std::string_view kSubjectAltName = "\x55\x1D\x11"sv;
constexpr std::size_t kMostNames = 1000;
constexpr unsigned kDnsName = 2;    // of GeneralName (RFC 5280, 4.2.1.6)
constexpr unsigned kIpAddress = 7;  // of GeneralName: 4 or 16 bytes

std::string AddressText(std::string_view bytes) {
  constexpr std::string_view kMapped = "\0\0\0\0\0\0\0\0\0\0\xFF\xFF"sv;
  const std::string all = (bytes.size() == 4 ? std::string(kMapped) : std::string()) + std::string(bytes);
  IpAddress::Bytes value{};
  if (all.size() != value.size()) return {};
  std::ranges::copy(all, value.begin());
  return IpAddress(value).ToString();
}

std::vector<std::string> Names(std::string_view general_names) {
  std::vector<std::string> out;
  DerReader names(general_names);
  while (out.size() < kMostNames) {
    const auto name = names.Next();
    if (!name) break;
    if (name->tag == der::Context(kDnsName)) out.emplace_back(name->content);
    if (name->tag == der::Context(kIpAddress)) out.push_back(AddressText(name->content));
  }
  std::erase(out, std::string());
  return out;
}

// The content of the Extensions; nullopt if there are none.
std::optional<std::string_view> ExtensionsOf(std::string_view certificate) {
  const auto parts = OnlyElement(certificate, der::kSequence);
  if (!parts) return std::nullopt;
  DerReader reader(*parts);
  const auto signed_part = reader.Read(der::kSequence);
  if (!signed_part) return std::nullopt;
  DerReader fields(*signed_part);
  while (const auto field = fields.Next()) {
    if (field->tag == der::ContextConstructed(3)) return OnlyElement(field->content, der::kSequence);
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> FormatDistinguishedName(std::string_view name) {
  const auto rdns = OnlyElement(name, der::kSequence);
  if (!rdns) return std::nullopt;
  std::vector<Attribute> attributes;
  DerReader outer(*rdns);
  while (!outer.AtEnd()) {
    const auto rdn = outer.Read(der::kSet);
    if (!rdn || rdn->empty()) return std::nullopt;
    DerReader members(*rdn);
    for (bool joined = false; !members.AtEnd(); joined = true) {
      const auto pair = members.Read(der::kSequence);
      if (!pair) return std::nullopt;
      DerReader fields(*pair);
      const auto type = fields.Read(der::kOid);
      const auto value = type ? fields.Next() : std::nullopt;
      if (!value || !fields.AtEnd()) return std::nullopt;
      attributes.push_back({*type, *value, joined});
    }
  }
  std::string out;
  out.reserve(name.size() + 16);
  for (std::size_t i = attributes.size(); i-- > 0;) {
    if (!AppendAttribute(out, attributes[i])) return std::nullopt;
    if (i > 0) out.push_back(attributes[i].joined ? '+' : ',');
  }
  return out;
}

std::vector<std::string> AlternativeNames(std::string_view der) {
  DerReader extensions(ExtensionsOf(der).value_or(std::string_view()));
  while (const auto extension = extensions.Read(der::kSequence)) {
    DerReader fields(*extension);
    if (fields.Read(der::kOid) != kSubjectAltName) continue;
    fields.Read(der::kBoolean);
    const auto value = fields.Read(der::kOctetString);
    const auto names = value ? OnlyElement(*value, der::kSequence) : std::nullopt;
    return Names(names.value_or(std::string_view()));
  }
  return {};
}

}  // namespace prov::pki
