// Stands in for bench_simdjson.cc where simdjson is not installed.
#include "tests/bench/bench.h"

namespace prov::bench {

bool ExtractWithSimdjson(std::string_view /*padded_json*/, std::size_t /*capacity*/, Extracted& /*out*/) {
  return false;
}

}  // namespace prov::bench
