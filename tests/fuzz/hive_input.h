// What the targets that take hives share: the file that an input stands for.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "images/registry/hive_format.h"
#include "tests/fuzz/check.h"

namespace prov::fuzz {

// Mutations rarely keep the checksum: it is put right.
inline std::string RepairHive(std::string file) {
  namespace regf = images::regf;
  if (file.size() >= regf::kBaseBlockBytes) regf::Store32(file.data() + 508, regf::BaseBlockChecksum(file));
  return file;
}

// The file whose root key and bins these are, the zeros at the end cut off.
inline std::string WrapHive(std::string_view input) {
  namespace regf = images::regf;
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
  return RepairHive(base + bins);
}

// A whole hive, or its bins with four bytes in front (the root's offset), for which the base block is made here.
inline std::string HiveOf(std::string_view input) {
  return input.starts_with("regf") ? RepairHive(std::string(input)) : WrapHive(input);
}

inline void CheckHiveError(const Error& error, bool may_be_too_large) {
  CheckError(error);
  const bool too_large = error.code == Code::kSizeLimit && may_be_too_large;
  FUZZ_CHECK(error.code == Code::kHive || error.code == Code::kDirtyHive || too_large);
}

}  // namespace prov::fuzz
