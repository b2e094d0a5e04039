// The in-process measurements and what they share.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <ctime>
#include <string>
#include <string_view>
#include <vector>

namespace prov::bench {

// Of this process, so far.
inline long long CpuNanoseconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
}

// The minimum and the median of these times, and what was found.
inline std::string Row(std::vector<long long> times, const auto& found) {
  std::ranges::sort(times);
  return fmt::format("{} {} {}\n", times.front(), times[times.size() / 2], found);
}

// What a reader found: compared between readers, so that all of them are seen to do the same work.
struct Extracted {
  std::size_t proxy_bytes = 0;
  std::size_t bundle_bytes = 0;
};

// Finds and decodes the two wanted files with simdjson's on-demand reader. Returns false when it is not built in.
bool ExtractWithSimdjson(std::string_view padded_json, std::size_t capacity, Extracted& out);

}  // namespace prov::bench
