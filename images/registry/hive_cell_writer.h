// Writes records into new cells: what the writer of new hives and the editor have in common.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "images/registry/hive_bins.h"
#include "images/registry/hive_names.h"
#include "images/registry/hive_records.h"
#include "images/registry/registry_key.h"

namespace prov::images::regf {

// How a subkey stands in a list.
struct ListedKey {
  std::uint32_t key = 0;   // offset in the bins
  std::uint32_t hint = 0;  // as SubkeyRef::hint
};
inline bool operator==(const ListedKey& a, const ListedKey& b) { return a.key == b.key && a.hint == b.hint; }

// Minor versions above 4 have lists of hashes, those above 3 big data records.
inline std::string_view ListKind(std::uint32_t minor) { return minor > 4 ? "lh" : "lf"; }
// What Windows 8 and later put beside a name in a list of that kind.
std::uint32_t ListHint(std::string_view kind, std::u16string_view name);

// Each gives the offset of the cell that it made, kNil for an empty list.
std::uint32_t WriteValue(BinAllocator& bins, const StoredName& name, RegType type, std::string_view data,
                         std::uint32_t minor);
std::uint32_t WriteSubkeyList(BinAllocator& bins, std::string_view kind, const std::vector<ListedKey>& keys);
std::uint32_t WriteSecurity(BinAllocator& bins, std::string_view descriptor);  // links and count are still to be set

// The cell of a key that WriteKey fills.
std::uint32_t AllocateKey(BinAllocator& bins, const StoredName& name);
// `key.offset` is that cell; `key.name` is not looked at.
void WriteKey(BinAllocator& bins, const KeyRecord& key, const StoredName& name, std::uint64_t filetime);

// The fields that change with a key's content, in the cell of a key that exists.
void UpdateKey(BinAllocator& bins, const KeyRecord& key, std::uint64_t filetime);
void SetSecurityLinks(BinAllocator& bins, std::uint32_t cell, std::uint32_t next, std::uint32_t previous);
void SetSecurityReferences(BinAllocator& bins, std::uint32_t cell, std::uint32_t references);

}  // namespace prov::images::regf
