// Limits of a document's cost. The defaults are far above what a cluster produces (a stored MachineConfig is at most
// 1.5 MiB, a list of them some tens of MiB) and far below what would harm a node.
#pragma once

#include <cstdint>

#include "provisioner/base/json.h"

namespace prov::ignition {

// How deep Lists may lie within each other, as templates nest them.
constexpr unsigned kMostListLevels = 8;

// `values` counts all documents together.
struct Limits : JsonLimits {
  std::uint64_t file = 64ULL << 20U;  // decoded bytes of one file, with append entries; also of one decoding step
  unsigned merge_depth = 16;          // levels of configs that refer to configs
  unsigned merged_configs = 256;      // all referenced configs together
  std::uint64_t merged_configs_total = 64ULL << 20U;  // decoded bytes of all referenced configs together
};

}  // namespace prov::ignition
