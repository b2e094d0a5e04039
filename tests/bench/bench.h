// The in-process measurements and what they share.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace prov::bench {

// What a reader found: compared between readers, so that all of them are seen to do the same work.
struct Extracted {
  std::size_t proxy_bytes = 0;
  std::size_t bundle_bytes = 0;
};

// Finds and decodes the two wanted files with simdjson's on-demand reader. Returns false when it is not built in.
bool ExtractWithSimdjson(std::string_view padded_json, std::size_t capacity, Extracted& out);

}  // namespace prov::bench
