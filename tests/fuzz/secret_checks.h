// What holds for settings that were read from a document, and whether this shows the seeds' password elsewhere than in
// the values of the proxy.
#pragma once

#include "provisioner/egress/review.h"
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
  // In the seeds the contents are percent-escaped, so that each one in a value is one in the document. Only AKS'
  // default for HTTPS is a copy.
  std::size_t secret = config.http_proxy ? CountSecret(config.http_proxy->Reveal()) : 0;
  if (config.https_proxy && !HasFinding(config.findings, "aks-https-default"))
    secret += CountSecret(config.https_proxy->Reveal());
  return CountSecret(input) > secret;
}

// What is no statement holds nothing, and no password reaches a finding. Returns ShownElsewhere.
inline bool CheckConfig(std::string_view input, const egress::EgressConfig& config) {
  const bool shown = ShownElsewhere(input, config);
  for (const egress::SourceFile* file : {&config.proxy_file, &config.trust_file})
    FUZZ_CHECK(file->present ? file->sha256.size() == 64 && !file->path.empty() : file->sha256.empty());
  FUZZ_CHECK(config.trust_file.present || config.certificates.empty());
  FUZZ_CHECK(config.proxy_file.present || (!config.http_proxy && !config.https_proxy && !config.no_proxy));
  CheckFindings(config.findings);
  FUZZ_CHECK(shown || !Holds(config.findings, kSecret));
  const auto findings = egress::Review(config, {}, 1'790'000'000);
  if (findings) {
    CheckFindings(*findings);
    FUZZ_CHECK(shown || !Holds(*findings, kSecret));
  } else {
    CheckError(findings.error());
    FUZZ_CHECK(findings.error().code == Code::kNoProxy);
  }
  return shown;
}

}  // namespace prov::fuzz
