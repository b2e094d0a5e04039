// The whole way from any source that is one text to reviewed settings: no password reaches a finding, what is read
// keeps the promises of EgressConfig, and what is no statement holds nothing.
#include "provisioner/source/document_source.h"
#include "tests/fuzz/ignition_checks.h"
#include "tests/fuzz/secret_checks.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace prov::fuzz;
  const std::string_view input = TextOf(data, size);
  FakeFetcher fetcher;
  const auto config = prov::source::ReadDocument(std::string(input), "input", {}, &fetcher, SmallLimits());
  if (config) {
    FUZZ_CHECK(!config->source.kind.empty());
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
