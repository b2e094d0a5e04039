// ReadHive, WriteHive, CheckHive: what can be read is written back to a hive that passes the strict check and holds the
// same; writing is a fixed point; what passes the check can be read. Input: a whole hive, or its bins with the zeros at
// the end cut off and four bytes in front (the root's offset), for which the base block is made here.
#include <algorithm>

#include "images/registry/hive_names.h"
#include "images/registry/hive_writer.h"
#include "tests/fuzz/check.h"
#include "tests/fuzz/hive_input.h"
#include "tests/support/hive_checker.h"
#include "tests/support/hive_reader.h"

namespace prov::fuzz {
namespace {

namespace regf = images::regf;
using images::RegKey;

void Sort(RegKey& key) {
  std::ranges::sort(key.subkeys, {},
                    [](const RegKey& k) { return regf::Upcase(regf::NameFromUtf8(k.name).value_or(u"")); });
  for (RegKey& subkey : key.subkeys) Sort(subkey);
}

void CheckTree(RegKey tree) {
  FUZZ_CHECK(tree.name.empty());
  FUZZ_CHECK(!tree.security.empty());
  const auto written = images::WriteHive(tree, {});
  if (!written) {
    CheckHiveError(written.error(), true);
    return;
  }
  const auto fault = images::CheckHive(*written);
  if (!fault) std::fprintf(stderr, "CheckHive: %s (%s)\n", fault.error().message.c_str(), fault.error().where.c_str());
  FUZZ_CHECK(fault);
  const auto again = images::ReadHive(*written);
  FUZZ_CHECK(again);
  Sort(tree);
  FUZZ_CHECK(*again == tree);
  FUZZ_CHECK(images::WriteHive(*again, {}) == *written);
}

void CheckFile(const std::string& file) {
  const auto tree = images::ReadHive(file);
  const auto strict = images::CheckHive(file);
  const auto lenient = images::CheckHive(file, {.allow_unreachable = true});
  FUZZ_CHECK(!strict || lenient);
  if (!strict) CheckHiveError(strict.error(), false);
  if (!tree) {
    CheckHiveError(tree.error(), false);
    FUZZ_CHECK(!lenient);
    return;
  }
  CheckTree(*tree);
}

}  // namespace
}  // namespace prov::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace prov::fuzz;
  const std::string_view input = TextOf(data, size);
  if (input.starts_with("regf")) {
    const auto raw = prov::images::ReadHive(input);
    if (!raw) CheckHiveError(raw.error(), false);
  }
  CheckFile(HiveOf(input));
  return 0;
}
