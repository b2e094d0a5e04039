#include "images/registry/hive_records.h"

#include <fmt/format.h>

#include <algorithm>

#include "images/registry/hive_format.h"
#include "images/registry/hive_names.h"
#include "images/registry/registry_key.h"
#include "images/registry/security.h"

namespace prov::images::regf {
namespace {

Result<void> ReadLeaf(std::uint32_t offset, std::string_view content, std::vector<SubkeyRef>& out) {
  const std::string_view kind = content.substr(0, 2);
  if (kind != "lf" && kind != "lh" && kind != "li") return Damaged(offset, "a subkey list is of no known kind");
  const std::size_t entry_bytes = kind == "li" ? 4 : 8;
  const std::size_t count = Load16(content, 2);
  if (content.size() < 4 + count * entry_bytes) return Damaged(offset, "a subkey list is longer than its cell");
  for (std::size_t at = 4; at < 4 + count * entry_bytes; at += entry_bytes) {
    out.push_back({Load32(content, at), offset, kind, kind == "li" ? 0 : Load32(content, at + 4)});
  }
  return {};
}

Result<void> ReadSegments(CellMap& cells, std::size_t size, ValueRecord& value) {
  const std::uint32_t offset = value.data_cell;
  const std::string_view record = PROV_TRY(cells.Content(offset, "big data record"));
  if (record.size() < 8 || record.substr(0, 2) != "db")
    return Damaged(offset, "a value's data is shorter than its size");
  const std::size_t count = Load16(record, 2);
  const std::size_t needed = (size + kBigDataBytes - 1) / kBigDataBytes;
  value.segment_list = Load32(record, 4);
  const std::string_view list = PROV_TRY(cells.Claim(value.segment_list, "big data list"));
  if (count < needed || list.size() < 4 * count) return Damaged(offset, "a big data record lacks segments");
  value.loose_big_data = count > needed;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t segment_offset = Load32(list, 4 * i);
    const std::string_view segment = PROV_TRY(cells.Claim(segment_offset, "big data segment"));
    const std::size_t part = std::min(size, kBigDataBytes);
    if (segment.size() < part) return Damaged(segment_offset, "a big data segment is too short");
    value.segment_cells.push_back(segment_offset);
    value.segments.push_back(segment.substr(0, part));
    size -= part;
  }
  return {};
}

Result<void> ReadData(CellMap& cells, std::size_t size, ValueRecord& value) {
  const std::uint32_t offset = value.data_cell;
  const std::string_view content = PROV_TRY(cells.Claim(offset, "value data"));
  if (content.size() >= size) {
    // Data that fits into its cell is stored directly, whatever it begins with: a db record is a small cell.
    value.plain_big_data = size > kBigDataBytes && cells.base().minor > 3;
    value.data = content.substr(0, size);
    return {};
  }
  if (size <= kBigDataBytes || cells.base().minor <= 3)
    return Damaged(offset, "a value's data is shorter than its size");
  return ReadSegments(cells, size, value);
}

}  // namespace

Result<KeyRecord> ReadKey(CellMap& cells, std::uint32_t offset) {
  const std::string_view content = PROV_TRY(cells.Claim(offset, "key"));
  if (content.size() < kKeyBytes || content.substr(0, 2) != "nk") return Damaged(offset, "a key is not a key record");
  KeyRecord key;
  key.offset = offset;
  key.flags = Load16(content, 2);
  key.parent = Load32(content, 16);
  key.subkey_count = Load32(content, 20);
  key.subkey_list = Load32(content, 28);
  key.value_count = Load32(content, 36);
  key.value_list = Load32(content, 40);
  key.security = Load32(content, 44);
  key.class_name = Load32(content, 48);
  key.max_subkey_name = Load16(content, 52);
  key.max_value_name = Load32(content, 60);
  key.max_value_data = Load32(content, 64);
  key.class_bytes = Load16(content, 74);
  const std::size_t name_bytes = Load16(content, 72);
  if (content.size() - kKeyBytes < name_bytes) return Damaged(offset, "a key's name is longer than its cell");
  std::optional<std::u16string> name = Load(content.substr(kKeyBytes, name_bytes), (key.flags & kKeyLatin1Name) != 0);
  if (!name) return Damaged(offset, "a key's name has half a character");
  key.name = std::move(*name);
  return key;
}

Result<KeyRecord> ReadSubkey(CellMap& cells, std::uint32_t offset) {
  KeyRecord key = PROV_TRY(ReadKey(cells, offset));
  if (key.name.empty() || key.name.size() > kMaxKeyNameUnits)
    return Damaged(offset, fmt::format("a key's name is empty or longer than {} characters", kMaxKeyNameUnits));
  if (key.name.find(u'\\') != std::u16string::npos) return Damaged(offset, "a key's name holds a backslash");
  return key;
}

Result<std::vector<SubkeyRef>> ReadSubkeyList(CellMap& cells, const KeyRecord& key,
                                              std::vector<std::uint32_t>* list_cells) {
  std::vector<SubkeyRef> out;
  // Without subkeys the offset has no meaning.
  if (key.subkey_count == 0) return out;
  const std::string_view content = PROV_TRY(cells.Claim(key.subkey_list, "subkey list"));
  if (list_cells != nullptr) list_cells->push_back(key.subkey_list);
  if (content.substr(0, 2) != "ri") {
    PROV_TRY(ReadLeaf(key.subkey_list, content, out));
  } else {
    const std::size_t count = Load16(content, 2);
    if (content.size() < 4 + 4 * count)
      return Damaged(key.subkey_list, "a list of subkey lists is longer than its cell");
    for (std::size_t at = 4; at < 4 + 4 * count; at += 4) {
      const std::uint32_t leaf = Load32(content, at);
      PROV_TRY(ReadLeaf(leaf, PROV_TRY(cells.Claim(leaf, "subkey list")), out));
      if (list_cells != nullptr) list_cells->push_back(leaf);
    }
  }
  if (out.size() != key.subkey_count) {
    return Damaged(key.offset,
                   fmt::format("a key says it has {} subkeys, its list has {}", key.subkey_count, out.size()));
  }
  return out;
}

Result<std::vector<std::uint32_t>> ReadValueList(CellMap& cells, const KeyRecord& key) {
  std::vector<std::uint32_t> out;
  if (key.value_count == 0) return out;
  const std::string_view content = PROV_TRY(cells.Claim(key.value_list, "value list"));
  // The cell may have spare room.
  if (content.size() / 4 < key.value_count) return Damaged(key.value_list, "a value list is longer than its cell");
  out.reserve(key.value_count);
  for (std::size_t i = 0; i < key.value_count; ++i) out.push_back(Load32(content, 4 * i));
  return out;
}

Result<ValueRecord> ReadValue(CellMap& cells, std::uint32_t offset) {
  const std::string_view content = PROV_TRY(cells.Claim(offset, "value"));
  if (content.size() < kValueBytes || content.substr(0, 2) != "vk")
    return Damaged(offset, "a value is not a value record");
  ValueRecord value;
  value.offset = offset;
  value.flags = Load16(content, 16);
  value.type = Load32(content, 12);
  const std::size_t name_bytes = Load16(content, 2);
  if (content.size() - kValueBytes < name_bytes) return Damaged(offset, "a value's name is longer than its cell");
  if (name_bytes % 2 != 0 && (value.flags & kValueLatin1Name) == 0)
    return Damaged(offset, "a value's name has half a character");
  value.stored_name = content.substr(kValueBytes, name_bytes);
  const std::uint32_t size = Load32(content, 4);
  if ((size & kInlineData) != 0) {
    const std::uint32_t bytes = size & ~kInlineData;
    if (bytes > 4) return Damaged(offset, "a value keeps more than four bytes in itself");
    value.data = content.substr(8, bytes);
  } else if (size != 0) {
    value.data_cell = Load32(content, 8);
    PROV_TRY(ReadData(cells, size, value));
  }
  return value;
}

std::u16string ValueRecord::Name() const { return Load(stored_name, (flags & kValueLatin1Name) != 0).value_or(u""); }

std::size_t ValueRecord::DataBytes() const {
  std::size_t size = data.size();
  for (const std::string_view segment : segments) size += segment.size();
  return size;
}

std::string ValueRecord::Data() const {
  std::string out(data);
  for (const std::string_view segment : segments) out += segment;
  return out;
}

Result<SecurityRecord> ReadSecurity(const CellMap& cells, std::uint32_t offset) {
  const std::string_view content = PROV_TRY(cells.Content(offset, "security descriptor"));
  if (content.size() < kSecurityBytes || content.substr(0, 2) != "sk")
    return Damaged(offset, "a security descriptor is not such a record");
  const std::size_t size = Load32(content, 16);
  if (content.size() - kSecurityBytes < size) return Damaged(offset, "a security descriptor is longer than its cell");
  const std::string_view descriptor = content.substr(kSecurityBytes, size);
  if (!IsSecurityDescriptor(descriptor)) return Damaged(offset, "a security descriptor is malformed");
  return SecurityRecord{Load32(content, 4), Load32(content, 8), Load32(content, 12), descriptor};
}

}  // namespace prov::images::regf
