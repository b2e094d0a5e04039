// ReadHive, WriteHive, CheckHive: what can be read is written back to a hive that passes the strict check and holds the
// same; writing is a fixed point; what passes the check can be read. Input: a whole hive, or its bins with the zeros at
// the end cut off and four bytes in front (the root's offset), for which the base block is made here.
#include <algorithm>

#include "images/hive/checker.h"
#include "images/hive/format.h"
#include "images/hive/names.h"
#include "images/hive/reader.h"
#include "images/hive/writer.h"
#include "tests/fuzz/check.h"

namespace prov::fuzz {
namespace {

namespace regf = images::regf;
using images::RegKey;

// The file whose bins these are.
std::string Wrap(std::string_view input) {
  const std::uint32_t root = input.size() >= 4 ? regf::Load32(input, 0) : 0;
  std::string bins(input.substr(std::min<std::size_t>(4, input.size())));
  bins.resize((bins.size() / regf::kBinAlignment + 1) * regf::kBinAlignment);
  std::string base(regf::kBaseBlockBytes, '\0');
  base.replace(0, 4, "regf");
  regf::Store32(base.data() + 4, 1);
  regf::Store32(base.data() + 8, 1);
  regf::Store32(base.data() + 20, 1);
  regf::Store32(base.data() + 24, 5);
  regf::Store32(base.data() + 32, 1);
  regf::Store32(base.data() + 36, root);
  regf::Store32(base.data() + 40, static_cast<std::uint32_t>(bins.size()));
  regf::Store32(base.data() + 44, 1);
  regf::Store32(base.data() + 508, regf::BaseBlockChecksum(base));
  return base + bins;
}

// Mutations rarely keep the checksum: it is put right.
std::string Repair(std::string file) {
  if (file.size() >= regf::kBaseBlockBytes) regf::Store32(file.data() + 508, regf::BaseBlockChecksum(file));
  return file;
}

void Sort(RegKey& key) {
  std::ranges::sort(key.subkeys, {},
                    [](const RegKey& k) { return regf::Upcase(regf::NameFromUtf8(k.name).value_or(u"")); });
  for (RegKey& subkey : key.subkeys) Sort(subkey);
}

void CheckHiveError(const Error& error, bool may_be_too_large) {
  CheckError(error);
  const bool too_large = error.code == Code::kSizeLimit && may_be_too_large;
  FUZZ_CHECK(error.code == Code::kHive || error.code == Code::kDirtyHive || too_large);
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
    CheckFile(Repair(std::string(input)));
  } else {
    CheckFile(Wrap(input));
  }
  return 0;
}
