// The records in cells: keys, subkey lists, values, big data, security. Each function checks all bounds that it relies
// on.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "images/registry/hive_cells.h"
#include "images/registry/hive_format.h"
#include "provisioner/base/result.h"

namespace prov::images::regf {

struct KeyRecord {
  std::uint32_t offset = 0;  // the key's own, in the bins
  std::uint16_t flags = 0;
  std::uint32_t parent = 0;
  std::uint32_t subkey_count = 0;
  std::uint32_t subkey_list = 0;
  std::uint32_t value_count = 0;
  std::uint32_t value_list = 0;
  std::uint32_t security = 0;
  std::uint32_t class_name = 0;
  std::uint32_t class_bytes = 0;
  std::uint32_t max_subkey_name = 0;  // UTF-16 bytes
  std::uint32_t max_value_name = 0;   // UTF-16 bytes
  std::uint32_t max_value_data = 0;
  std::u16string name;
};

struct SubkeyRef {
  std::uint32_t key = 0;   // offset in the bins
  std::uint32_t list = 0;  // offset of the leaf
  std::string_view kind;   // "lf", "lh" or "li"
  std::uint32_t hint = 0;  // lh: lookup hash; lf: the name's start (NameStart) or a first byte of zero; li: 0
};

// A value in views of its cells.
struct ValueRecord {
  std::uint32_t offset = 0;
  std::uint16_t flags = 0;
  std::string_view stored_name;
  std::uint32_t type = 0;
  std::uint32_t data_cell = kNil;            // the data or the big data record; kNil for up to four bytes
  std::uint32_t segment_list = kNil;         // of big data
  std::vector<std::uint32_t> segment_cells;  // of big data
  std::string_view data;                     // empty if it is in segments
  std::vector<std::string_view> segments;
  bool plain_big_data = false;  // more than 16,344 bytes in one cell although the version requires a db record
  bool loose_big_data = false;  // a db record with more segments than its data needs

  std::u16string Name() const;
  std::size_t DataBytes() const;
  std::string Data() const;
};

struct SecurityRecord {
  std::uint32_t next = 0;
  std::uint32_t previous = 0;
  std::uint32_t references = 0;
  std::string_view descriptor;
};

// Reading a record claims its cells (CellMap::Claim), so no record can be read twice.
Result<KeyRecord> ReadKey(CellMap& cells, std::uint32_t offset);
// Reads a key other than the root, whose name must be valid.
Result<KeyRecord> ReadSubkey(CellMap& cells, std::uint32_t offset);
// The subkeys of `key` in the list's order, as many as the key's count. Claims the list's cells, not the keys; adds
// their offsets to `list_cells`.
Result<std::vector<SubkeyRef>> ReadSubkeyList(CellMap& cells, const KeyRecord& key,
                                              std::vector<std::uint32_t>* list_cells = nullptr);
// Offsets of the values of `key`.
Result<std::vector<std::uint32_t>> ReadValueList(CellMap& cells, const KeyRecord& key);
Result<ValueRecord> ReadValue(CellMap& cells, std::uint32_t offset);
// Does not claim security cells, because keys share them.
Result<SecurityRecord> ReadSecurity(const CellMap& cells, std::uint32_t offset);

}  // namespace prov::images::regf
