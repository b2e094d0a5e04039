// Ignition configs and MachineConfigs in JSON: nothing depends on where the text lies in memory, and where YAML reads
// the same text (JSON is nearly a part of it) it gives the same files.
#include "provisioner/base/json.h"
#include "provisioner/base/text.h"
#include "tests/fuzz/ignition_checks.h"

namespace prov::fuzz {
namespace {

bool StartsLikeJson(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && (text[first] == '{' || text[first] == '[');
}

}  // namespace
}  // namespace prov::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace prov::fuzz;
  const std::string_view text = TextOf(data, size);
  if (!StartsLikeJson(text)) return -1;  // YAML has a target of its own
  const auto files = CheckDocument(std::string(text));
  std::string moved = "\n ";
  moved.reserve(size + 2 + prov::kJsonPadding);
  moved += text;
  FUZZ_CHECK(CheckDocument(std::move(moved)) == files);
  if (files && prov::IsAscii(text) && !Holds(text, "\x7f")) {
    const auto as_yaml = CheckDocument("---\n" + std::string(text));
    FUZZ_CHECK(!as_yaml || *as_yaml == *files);
  }
  return 0;
}
