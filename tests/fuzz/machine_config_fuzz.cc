// The whole way from a document to reviewed settings: no password reaches a finding or an error, and what is accepted
// can be reviewed and translated.
#include "provisioner/egress/win_http_bypass.h"
#include "provisioner/source/machine_config_source.h"
#include "tests/fuzz/ignition_checks.h"
#include "tests/fuzz/secret_checks.h"

namespace prov::fuzz {
namespace {

void CheckTranslation(std::string_view input, const egress::EgressConfig& config) {
  const bool shown = CheckConfig(input, config);
  Findings more;
  const auto settings = egress::ParseProxySettings(config, more);
  FUZZ_CHECK(shown || !Holds(more, kSecret));
  if (!settings) {
    CheckError(settings.error());
    FUZZ_CHECK(shown || !Holds(settings.error(), kSecret));
    return;
  }
  const auto win_http = egress::TranslateForWinHttp(settings->http, settings->https,
                                                    settings->no_proxy ? &*settings->no_proxy : nullptr, false, more);
  FUZZ_CHECK(shown || !Holds(more, kSecret));
  if (!win_http) return;
  FUZZ_CHECK(egress::ValidateWinHttp(*win_http));
  FUZZ_CHECK(shown || (!Holds(win_http->proxy, kSecret) && !Holds(win_http->bypass, kSecret)));
}

}  // namespace
}  // namespace prov::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace prov::fuzz;
  const std::string_view input = TextOf(data, size);
  FakeFetcher fetcher;
  const auto config = [&]() -> prov::Result<prov::egress::EgressConfig> {
    auto document = PROV_TRY(prov::ignition::ReadConfig(std::string(input), "input", {}, SmallLimits(), &fetcher));
    return prov::source::Finish(PROV_TRY(prov::source::ReadMachineConfig(std::move(document))));
  }();
  if (config) {
    CheckTranslation(input, *config);
  } else {
    CheckError(config.error());
    FUZZ_CHECK(!config.error().where.empty());
  }
  return 0;
}
