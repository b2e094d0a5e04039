#include "provisioner/base/edit_distance.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "provisioner/base/text.h"

namespace prov {

std::size_t EditDistance(std::string_view first, std::string_view second) {
  const std::string a = AsciiLower(first);
  const std::string b = AsciiLower(second);
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

}  // namespace prov
