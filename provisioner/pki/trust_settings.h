// What stands behind the certificate in OpenSSL's TRUSTED CERTIFICATE.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace prov::pki {

struct TrustSettings {
  std::size_t certificate_bytes = 0;  // of the certificate before them
  // They reject it for some use, or trust it for others than servers alone. Windows' stores can't hold that: a CA in
  // ROOT is trusted for everything.
  bool reject = false;
};

// `bytes`: the certificate and, if there are any, its settings. nullopt when they are cut short or no DER.
std::optional<TrustSettings> ParseTrustSettings(std::string_view bytes);

}  // namespace prov::pki
