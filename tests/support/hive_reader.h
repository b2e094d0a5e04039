// Reads a whole hive into a tree, to compare hives with what was to be in them. It reads records as the editor does,
// and trusts nothing in a file either.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "images/registry/hive_cells.h"
#include "images/registry/hive_names.h"
#include "images/registry/hive_records.h"
#include "images/registry/registry_key.h"
#include "provisioner/base/result.h"

namespace prov::images {
namespace testing {

class HiveReader {
 public:
  explicit HiveReader(regf::CellMap cells) : cells_(std::move(cells)) {}

  Result<RegKey> ReadRoot() {
    const regf::KeyRecord record = PROV_TRY(regf::ReadKey(cells_, cells_.base().root));
    RegKey root;
    PROV_TRY(ReadContent(record, 0, {}, root));
    return root;
  }

 private:
  Result<void> ReadContent(const regf::KeyRecord& record, unsigned depth, std::string_view inherited, RegKey& out) {
    const std::string_view descriptor = PROV_TRY(Descriptor(record.security));
    if (descriptor.data() != inherited.data()) out.security = descriptor;
    for (const std::uint32_t offset : PROV_TRY(regf::ReadValueList(cells_, record))) {
      PROV_TRY(ReadValue(offset, out.values.emplace_back()));
    }
    const std::vector<regf::SubkeyRef> refs = PROV_TRY(regf::ReadSubkeyList(cells_, record));
    if (!refs.empty() && depth == kMaxKeyDepth)
      return regf::Damaged(record.offset, "keys are nested deeper than 512 levels");
    for (const regf::SubkeyRef& ref : refs)
      PROV_TRY(ReadSubkey(ref.key, depth + 1, descriptor, out.subkeys.emplace_back()));
    return {};
  }

  Result<void> ReadSubkey(std::uint32_t offset, unsigned depth, std::string_view inherited, RegKey& out) {
    const regf::KeyRecord record = PROV_TRY(regf::ReadSubkey(cells_, offset));
    out.name = regf::NameToUtf8(record.name);
    return ReadContent(record, depth, inherited, out);
  }

  Result<void> ReadValue(std::uint32_t offset, RegValue& out) {
    const regf::ValueRecord value = PROV_TRY(regf::ReadValue(cells_, offset));
    out.name = regf::NameToUtf8(value.Name());
    out.type = static_cast<RegType>(value.type);
    out.data = value.Data();
    return {};
  }

  // A view into the file, the identical one for equal descriptors, so that comparing addresses is enough.
  Result<std::string_view> Descriptor(std::uint32_t offset) {
    const auto known = by_offset_.find(offset);
    if (known != by_offset_.end()) return known->second;
    const regf::SecurityRecord record = PROV_TRY(regf::ReadSecurity(cells_, offset));
    const std::string_view first = by_content_.try_emplace(record.descriptor, record.descriptor).first->second;
    by_offset_.emplace(offset, first);
    return first;
  }

  regf::CellMap cells_;
  std::unordered_map<std::uint32_t, std::string_view> by_offset_;
  std::unordered_map<std::string_view, std::string_view> by_content_;
};

}  // namespace testing

// The tree in a hive. The root's name is "". `security` is set if it differs from the parent's (always for the root);
// WriteHive of the result gives a hive with the same content. Drops class names, timestamps, volatile and symbolic-link
// flags. Ignores wrong lookup hashes, order and reference counts (CheckHive checks them). Errors: those of
// HiveEditor::Open.
inline Result<RegKey> ReadHive(std::string_view bytes) {
  return testing::HiveReader(PROV_TRY(regf::CellMap::Make(bytes))).ReadRoot();
}

}  // namespace prov::images
