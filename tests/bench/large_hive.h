// A hive as large as a server's SOFTWARE, for tests and measurements.
#pragma once

#include <random>
#include <string>

#include "images/registry/registry_key.h"

namespace prov::testing_support {

inline constexpr int kLargeHiveGroups = 300;

// 100 keys of four values in each group: 142 KB, so 43 MB in all. The same each time.
inline images::RegKey LargeHive(int groups = kLargeHiveGroups) {
  images::RegKey root;
  std::mt19937 random(1);
  for (int group = 0; group < groups; ++group) {
    images::RegKey& parent = images::KeyAt(root, "Classes\\Group" + std::to_string(group));
    for (int i = 0; i < 100; ++i) {
      images::RegKey& key = parent.subkeys.emplace_back();
      key.name = "{Key-" + std::to_string(random()) + "-" + std::to_string(i) + "}";
      for (const char* name : {"", "InprocServer32", "ThreadingModel", "Data"}) {
        std::string data(200 + random() % 160, '\0');
        for (char& c : data) c = static_cast<char>(random());
        key.values.push_back({name, images::RegType::kBinary, data});
      }
    }
  }
  return root;
}

}  // namespace prov::testing_support
