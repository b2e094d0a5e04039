// The job of `extract` by simdjson, for comparison.
#include <simdjson.h>

#include "ignition/data_url.h"
#include "provisioner/source/machine_config_source.h"
#include "tests/bench/bench.h"

namespace prov::bench {

bool ExtractWithSimdjson(std::string_view padded_json, std::size_t capacity, Extracted& out) {
  simdjson::ondemand::parser parser;
  simdjson::ondemand::document document = parser.iterate(padded_json.data(), padded_json.size(), capacity);
  for (simdjson::ondemand::object file : document["spec"]["config"]["storage"]["files"]) {
    const std::string_view path = file["path"].get_string();
    const bool proxy = path == source::kProxyEnvPath;
    if (!proxy && path != source::kTrustBundlePath) continue;
    const std::string_view url = file["contents"]["source"].get_string();
    const auto bytes = ignition::DecodeDataUrl(url, std::uint64_t{1} << 30U, path);
    (proxy ? out.proxy_bytes : out.bundle_bytes) = bytes ? bytes->size() : 0;
  }
  return true;
}

}  // namespace prov::bench
