// Writes records into new cells and allocates space for them. Used by the writer of new hives and by the editor.
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

// Allocates cells of a new hive, or new cells of an edited one: in bins of 16 KiB (the size that one segment of big
// data fills exactly), or larger if one cell needs it. At the end, unused pages of the last bin are cut off. Later,
// smaller cells fill the gaps at the ends of the last few bins (best fit among a fixed number, so time stays linear).
// Everything is zero until written. In an edited hive, its free cells are used first.
class BinAllocator {
 public:
  // `filetime`: the time in the first bin. Reserves memory for `expected_bytes` of cells.
  BinAllocator(std::uint64_t filetime, std::size_t expected_bytes);
  // Copies a hive: `file` ends with its last bin. Frees the cells at `freed` and wipes them, because they may have held
  // secrets. Merges adjacent free cells, as Windows does.
  BinAllocator(std::string_view file, const std::vector<std::uint32_t>& freed, std::size_t expected_bytes);

  // Allocates a cell for `content_bytes`, and returns its offset in the bins, which is above `after`.
  std::uint32_t Allocate(std::size_t content_bytes, std::uint32_t after = 0);

  // Where to write the content of a cell; valid until the next Allocate.
  char* Content(std::uint32_t offset);

  // The file: the base block (4096 zero bytes in a new hive), then the bins with their free space marked. The allocator
  // is empty afterwards.
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
  std::set<std::pair<std::uint32_t, std::uint32_t>> free_;  // of the edited hive: sizes and offsets
};

// An entry for a subkey in a list.
struct ListedKey {
  std::uint32_t key = 0;   // offset in the bins
  std::uint32_t hint = 0;  // as in SubkeyRef::hint
};
inline bool operator==(const ListedKey& a, const ListedKey& b) { return a.key == b.key && a.hint == b.hint; }

// Minor versions above 4 have lists of hashes; those above 3 have big data records.
inline std::string_view ListKind(std::uint32_t minor) { return minor > 4 ? "lh" : "lf"; }
// The value that Windows 8 and later write beside a name in such a list.
std::uint32_t ListHint(std::string_view kind, std::u16string_view name);

// Each returns the offset of the new cell; kNil for an empty list.
std::uint32_t WriteValue(BinAllocator& bins, const StoredName& name, RegType type, std::string_view data,
                         std::uint32_t minor);
std::uint32_t WriteSubkeyList(BinAllocator& bins, std::string_view kind, const std::vector<ListedKey>& keys);
std::uint32_t WriteSecurity(BinAllocator& bins, std::string_view descriptor);  // the caller sets links and count

// Allocates the cell of a key, for WriteKey.
std::uint32_t AllocateKey(BinAllocator& bins, const StoredName& name);
// `key.offset`: that cell. Ignores `key.name`.
void WriteKey(BinAllocator& bins, const KeyRecord& key, const StoredName& name, std::uint64_t filetime);

// Updates the fields that depend on a key's content, in an existing cell.
void UpdateKey(BinAllocator& bins, const KeyRecord& key, std::uint64_t filetime);
void SetSecurityLinks(BinAllocator& bins, std::uint32_t cell, std::uint32_t next, std::uint32_t previous);
void SetSecurityReferences(BinAllocator& bins, std::uint32_t cell, std::uint32_t references);

}  // namespace prov::images::regf
