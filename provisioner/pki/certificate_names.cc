#include "provisioner/pki/certificate_names.h"

#include <algorithm>
#include <optional>

#include "provisioner/base/ip_address.h"
#include "provisioner/pki/der.h"

namespace prov::pki {
namespace {

using namespace std::string_view_literals;

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

// The content of the Extensions; nullopt where there are none.
std::optional<std::string_view> ExtensionsOf(std::string_view certificate) {
  const auto parts = OnlyElement(certificate, der::kSequence);
  if (!parts) return std::nullopt;
  DerReader reader(*parts);
  const auto signed_part = reader.Take(der::kSequence);
  if (!signed_part) return std::nullopt;
  DerReader fields(*signed_part);
  while (const auto field = fields.Next()) {
    if (field->tag == der::ContextConstructed(3)) return OnlyElement(field->content, der::kSequence);
  }
  return std::nullopt;
}

}  // namespace

std::vector<std::string> AlternativeNames(std::string_view der) {
  DerReader extensions(ExtensionsOf(der).value_or(std::string_view()));
  while (const auto extension = extensions.Take(der::kSequence)) {
    DerReader fields(*extension);
    if (fields.Take(der::kOid) != kSubjectAltName) continue;
    fields.Take(der::kBoolean);
    const auto value = fields.Take(der::kOctetString);
    const auto names = value ? OnlyElement(*value, der::kSequence) : std::nullopt;
    return Names(names.value_or(std::string_view()));
  }
  return {};
}

}  // namespace prov::pki
