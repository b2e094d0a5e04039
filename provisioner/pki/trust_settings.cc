#include "provisioner/pki/trust_settings.h"

#include "provisioner/pki/der.h"

namespace prov::pki {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kServerAuth = "\x2B\x06\x01\x05\x05\x07\x03\x01"sv;
constexpr std::string_view kAnyUse = "\x55\x1D\x25\x00"sv;

// Whether a list of uses has servers in it.
bool TrustsServers(std::string_view uses) {
  DerReader reader(uses);
  while (const auto use = reader.Next()) {
    if (use->tag == der::kOid && (use->content == kServerAuth || use->content == kAnyUse)) return true;
  }
  return false;
}

}  // namespace

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
    // An empty list says nothing; OpenSSL takes one that is not empty for all there is to trust.
    if ((trust && !field->content.empty() && !TrustsServers(field->content)) || (reject && !field->content.empty())) {
      out.reject = true;
    }
  }
  if (!fields.AtEnd()) return std::nullopt;
  return out;
}

}  // namespace prov::pki
