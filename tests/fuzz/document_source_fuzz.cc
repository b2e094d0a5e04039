// The whole way from any source that is one text to reviewed settings: no password reaches a finding, what is read
// keeps the promises of EgressConfig, and what is no statement holds nothing.
#include "provisioner/egress/review.h"
#include "provisioner/source/document_source.h"
#include "tests/fuzz/ignition_checks.h"
#include "tests/fuzz/secret_checks.h"

namespace prov::fuzz {
namespace {

void CheckFile(const egress::SourceFile& file) {
  FUZZ_CHECK(!file.present || (file.sha256.size() == 64 && !file.path.empty()));
  FUZZ_CHECK(file.present || file.sha256.empty());
}

void CheckConfig(std::string_view input, const egress::EgressConfig& config) {
  FUZZ_CHECK(!config.source.kind.empty());
  CheckFile(config.proxy_file);
  CheckFile(config.trust_file);
  FUZZ_CHECK(config.trust_file.present || config.certificates.empty());
  FUZZ_CHECK(config.proxy_file.present || (!config.http_proxy && !config.https_proxy && !config.no_proxy));
  const bool shown = ShownElsewhere(input, config);
  CheckFindings(config.findings);
  FUZZ_CHECK(shown || !Holds(config.findings, kSecret));
  const auto findings = egress::Review(config, {}, 1'790'000'000);
  if (findings) {
    CheckFindings(*findings);
    FUZZ_CHECK(shown || !Holds(*findings, kSecret));
  } else {
    CheckError(findings.error());
  }
}

}  // namespace
}  // namespace prov::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace prov::fuzz;
  const std::string_view input = TextOf(data, size);
  FakeFetcher fetcher;
  const auto config = prov::source::ReadDocument(std::string(input), "input", {}, &fetcher, SmallLimits());
  if (config) {
    CheckConfig(input, *config);
    // Reading has no memory.
    const auto again = prov::source::ReadDocument(std::string(input), "input", {}, &fetcher, SmallLimits());
    FUZZ_CHECK(again && again->proxy_file.sha256 == config->proxy_file.sha256 && again->findings == config->findings);
  } else {
    CheckError(config.error());
    FUZZ_CHECK(!config.error().where.empty());
  }
  return 0;
}
