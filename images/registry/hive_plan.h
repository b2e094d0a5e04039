// What the hive writer writes, checked and sorted before the first byte exists.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "images/registry/hive_names.h"
#include "images/registry/registry_key.h"
#include "provisioner/base/result.h"

namespace prov::images::regf {

struct PlannedName {
  StoredName stored;
  std::uint32_t utf16_bytes = 0;
};

struct PlannedKey {
  const RegKey* key = nullptr;
  PlannedName name;
  std::u16string upper_name;
  std::vector<PlannedName> value_names;  // as key->values
  std::vector<PlannedKey> subkeys;       // ascending by upper_name
};

struct HivePlan {
  PlannedKey root;
  std::size_t cell_bytes = 0;  // about what all cells need
};

// Refers to `root`, which must outlive the plan. Errors as WriteHive.
Result<HivePlan> PlanHive(const RegKey& root);

}  // namespace prov::images::regf
