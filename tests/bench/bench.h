// The in-process measurements and what they share.
#pragma once

#include <cstddef>
#include <ctime>
#include <string>
#include <string_view>

namespace prov::bench {

// Of this process, so far.
inline long long CpuNanoseconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
}

// What a reader found: compared between readers, so that all of them are seen to do the same work.
struct Extracted {
  std::size_t proxy_bytes = 0;
  std::size_t bundle_bytes = 0;
};

// Finds and decodes the two wanted files with simdjson's on-demand reader. Returns false when it is not built in.
bool ExtractWithSimdjson(std::string_view padded_json, std::size_t capacity, Extracted& out);

}  // namespace prov::bench
