// Writes records into new cells and allocates space for them: shared by the writer of new hives and the editor.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "images/registry/hive_names.h"
#include "images/registry/hive_records.h"
#include "images/registry/registry_key.h"

namespace prov::images::regf {

// Space for the cells of a new hive, or for the new cells of one that is edited: cells in bins of 16 KiB (the size that
// one segment of big data fills exactly), or larger where one cell needs it; pages that the last bin does not use are
// cut off in the end. Gaps at the ends of the last few bins are filled by later, smaller cells (best fit among a fixed
// number, so time stays linear). Everything is zero until written. In a hive that is edited, its free cells come first.
class BinAllocator {
 public:
  // `filetime` stands in the first bin; `expected_bytes` of cells are reserved at once.
  BinAllocator(std::uint64_t filetime, std::size_t expected_bytes);
  // Copies a hive: `file` ends with its last bin. The cells at `freed` become free and are wiped, as they may have held
  // secrets. Adjacent free cells are merged, as in hives that Windows writes.
  BinAllocator(std::string_view file, const std::vector<std::uint32_t>& freed, std::size_t expected_bytes);

  // A new cell in use for `content_bytes`: its offset in the bins, which is above `after`.
  std::uint32_t Allocate(std::size_t content_bytes, std::uint32_t after = 0);

  // Where the content of a cell is written; valid until the next Allocate.
  char* Content(std::uint32_t offset);

  // The file so far: the base block (4096 zero bytes in a new hive), then the bins with their free space marked. The
  // allocator is empty afterwards.
  std::string Finish();

  std::size_t BinsBytes() const;

 private:
  // The unused end of a bin, as offsets in the bins; empty when begin == end.
  struct Gap {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    std::uint32_t Bytes() const { return end - begin; }
  };

  char* Cell(std::uint32_t offset);
  void Wipe(std::uint32_t offset);
  std::optional<std::uint32_t> AllocateFree(std::uint32_t cell_bytes, std::uint32_t after);
  std::uint32_t AllocateNew(std::uint32_t cell_bytes, std::uint32_t after);
  Gap& AddBin(std::uint32_t cell_bytes);
  void MarkFree(const Gap& gap);
  void TrimLastBin();

  std::string file_;
  std::uint64_t filetime_ = 0;
  std::uint32_t last_bin_ = 0;                              // its offset
  std::array<Gap, 16> gaps_{};                              // of new bins
  std::set<std::pair<std::uint32_t, std::uint32_t>> free_;  // of the hive that is edited: sizes and offsets
};

// An entry for a subkey in a list.
struct ListedKey {
  std::uint32_t key = 0;   // offset in the bins
  std::uint32_t hint = 0;  // as SubkeyRef::hint
};
inline bool operator==(const ListedKey& a, const ListedKey& b) { return a.key == b.key && a.hint == b.hint; }

// Minor versions above 4 have lists of hashes, those above 3 big data records.
inline std::string_view ListKind(std::uint32_t minor) { return minor > 4 ? "lh" : "lf"; }
// What Windows 8 and later put beside a name in a list of that kind.
std::uint32_t ListHint(std::string_view kind, std::u16string_view name);

// Each returns the offset of the new cell, kNil for an empty list.
std::uint32_t WriteValue(BinAllocator& bins, const StoredName& name, RegType type, std::string_view data,
                         std::uint32_t minor);
std::uint32_t WriteSubkeyList(BinAllocator& bins, std::string_view kind, const std::vector<ListedKey>& keys);
std::uint32_t WriteSecurity(BinAllocator& bins, std::string_view descriptor);  // links and count are still to be set

// The cell of a key that WriteKey fills.
std::uint32_t AllocateKey(BinAllocator& bins, const StoredName& name);
// `key.offset` is that cell; `key.name` is not looked at.
void WriteKey(BinAllocator& bins, const KeyRecord& key, const StoredName& name, std::uint64_t filetime);

// Updates the fields that change with a key's content, in the cell of an existing key.
void UpdateKey(BinAllocator& bins, const KeyRecord& key, std::uint64_t filetime);
void SetSecurityLinks(BinAllocator& bins, std::uint32_t cell, std::uint32_t next, std::uint32_t previous);
void SetSecurityReferences(BinAllocator& bins, std::uint32_t cell, std::uint32_t references);

}  // namespace prov::images::regf
