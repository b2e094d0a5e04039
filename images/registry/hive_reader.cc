#include "images/registry/hive_reader.h"

#include <string>
#include <unordered_map>

#include "images/registry/hive_cells.h"
#include "images/registry/hive_format.h"
#include "images/registry/hive_names.h"
#include "images/registry/hive_records.h"
#include "images/registry/registry_key.h"

namespace prov::images {
namespace {

using regf::CellMap;
using regf::Damaged;
using regf::KeyRecord;

// Many keys may share one descriptor, and each gets a copy. All copies together may be at most this multiple of the
// file.
constexpr std::size_t kSecurityCopies = 16;

class HiveReader {
 public:
  HiveReader(CellMap cells, std::size_t file_bytes)
      : cells_(std::move(cells)), security_budget_(kSecurityCopies * file_bytes) {}

  Result<RegKey> ReadRoot() {
    const KeyRecord record = PROV_TRY(regf::ReadKey(cells_, cells_.base().root));
    RegKey root;
    PROV_TRY(ReadContent(record, 0, {}, root));
    return root;
  }

 private:
  Result<void> ReadContent(const KeyRecord& record, unsigned depth, std::string_view inherited, RegKey& out) {
    const std::string_view descriptor = PROV_TRY(Descriptor(record.security));
    if (descriptor.data() != inherited.data()) {
      if (descriptor.size() > security_budget_)
        return Damaged(record.offset, "large security descriptors stand at too many keys");
      security_budget_ -= descriptor.size();
      out.security = descriptor;
    }
    for (const std::uint32_t offset : PROV_TRY(regf::ReadValueList(cells_, record))) {
      PROV_TRY(ReadValue(offset, out.values.emplace_back()));
    }
    const std::vector<regf::SubkeyRef> refs = PROV_TRY(regf::ReadSubkeyList(cells_, record));
    if (!refs.empty() && depth == kMaxKeyDepth) return Damaged(record.offset, "keys are nested deeper than 512 levels");
    for (const regf::SubkeyRef& ref : refs)
      PROV_TRY(ReadSubkey(ref.key, depth + 1, descriptor, out.subkeys.emplace_back()));
    return {};
  }

  Result<void> ReadSubkey(std::uint32_t offset, unsigned depth, std::string_view inherited, RegKey& out) {
    const KeyRecord record = PROV_TRY(regf::ReadSubkey(cells_, offset));
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

  CellMap cells_;
  std::size_t security_budget_;
  std::unordered_map<std::uint32_t, std::string_view> by_offset_;
  std::unordered_map<std::string_view, std::string_view> by_content_;
};

}  // namespace

Result<RegKey> ReadHive(std::string_view bytes) {
  return HiveReader(PROV_TRY(CellMap::Make(bytes)), bytes.size()).ReadRoot();
}

}  // namespace prov::images
