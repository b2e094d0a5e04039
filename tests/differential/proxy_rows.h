// The rows that are asked of Go and of ours: a proxy URL for both variables, a NO_PROXY and a request's URL.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace prov::differential {

struct Row {
  std::string proxy;
  std::string no_proxy;
  std::string target;
};

// The same rows for the same seed. Two thirds vary NO_PROXY and the target, the rest the proxy's URL.
std::vector<Row> MakeRows(std::uint64_t seed, std::size_t count);

}  // namespace prov::differential
