// HiveEditor: what it opens the reader reads, and edits are as hive_edits.h has them. Input: a byte count, that many
// bytes of which the edits are made, then a hive as in hive_fuzz.cc.
#include <algorithm>

#include "tests/fuzz/hive_edits.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace prov::fuzz;
  std::string_view input = TextOf(data, size);
  if (input.empty()) return 0;
  const std::size_t edits = std::min<std::size_t>(static_cast<std::uint8_t>(input.front()), input.size() - 1);
  CheckEdits(HiveOf(input.substr(1 + edits)), input.substr(1, edits));
  return 0;
}
