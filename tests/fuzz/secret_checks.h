// Whether an input shows the seeds' password elsewhere than in the values of the proxy.
#pragma once

#include "provisioner/egress/egress_config.h"
#include "tests/fuzz/check.h"

namespace prov::fuzz {

// The seeds' password. No mutation makes it up; copies of it outside of the proxy's values are no secret.
inline constexpr std::string_view kSecret = "c4nAry";

inline std::size_t CountSecret(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t at = text.find(kSecret); at != std::string_view::npos; at = text.find(kSecret, at + 1)) ++count;
  return count;
}

inline bool ShownElsewhere(std::string_view input, const egress::EgressConfig& config) {
  if (config.no_proxy && Holds(*config.no_proxy, kSecret)) return true;
  if (Holds(config.facts.api_host, kSecret)) return true;
  for (const auto& certificate : config.certificates) {
    if (Holds(certificate.subject, kSecret)) return true;
  }
  // In the seeds the contents are percent-escaped, so that each one in a value is one in the document.
  std::size_t secret = 0;
  for (const auto* value : {&config.http_proxy, &config.https_proxy}) {
    if (*value) secret += CountSecret((*value)->Reveal());
  }
  return CountSecret(input) > secret;
}

}  // namespace prov::fuzz
