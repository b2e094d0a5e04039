// VerifyChanges: reads a changed hive with the reader's code, and compares it with the original file and the edits.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <vector>

#include "images/registry/hive_cell_writer.h"
#include "images/registry/hive_editor_changes.h"
#include "images/registry/hive_editor_tree.h"
#include "images/registry/hive_format.h"
#include "images/registry/hive_names.h"

namespace prov::images::regf {
namespace {

constexpr auto kCellHeader = static_cast<std::uint32_t>(kCellHeaderBytes);

std::unexpected<Error> Differs(std::uint32_t offset, std::string_view what) {
  return Fail(Code::kInternal, fmt::format("the changed hive does not read back as meant: {}", what),
              fmt::format("offset {:#x}", kBaseBlockBytes + offset));
}

class Verifier {
 public:
  Verifier(std::string_view file, std::string_view result, EditedTree& tree, const Changes& changes, CellMap cells)
      : file_(file), result_(result), tree_(tree), changes_(changes), cells_(std::move(cells)) {}

  Result<void> Verify() {
    PROV_TRY(CompareBase());
    PROV_TRY(CompareUntouched());
    for (const EditedKey* key : changes_.updated) PROV_TRY(CheckKey(*key));
    for (const EditedKey* key : changes_.made) PROV_TRY(CheckKey(*key));
    PROV_TRY(CheckRing());
    return CheckCells();
  }

 private:
  Result<void> CompareBase() const {
    // Compares everything but sequence numbers and time, the bins' size, and the checksum.
    const auto same = [&](std::size_t begin, std::size_t end) {
      return file_.substr(begin, end - begin) == result_.substr(begin, end - begin);
    };
    if (!same(0, 4) || !same(20, 40) || !same(44, 508) || !same(512, kBaseBlockBytes))
      return Differs(0, "the base block");
    const BaseBlock& before = tree_.cells().base();
    const BaseBlock& after = cells_.base();
    if (after.sequence != before.sequence + 1 || after.bins_bytes != result_.size() - kBaseBlockBytes)
      return Differs(0, "the base block's numbers");
    return {};
  }

  // Call it when all new cells are claimed.
  Result<void> CheckCells() const {
    std::vector<std::uint32_t> freed = changes_.freed;
    std::ranges::sort(freed);
    const auto stays = [&](std::uint32_t cell) {
      return tree_.cells().IsInUse(cell) && !std::ranges::binary_search(freed, cell);
    };
    std::optional<std::uint32_t> lost;
    ForEachCell(FileBins(), [&](std::uint32_t at, std::uint32_t, bool) {
      if (!lost && stays(at) && !cells_.IsInUse(at)) lost = at;
    });
    if (lost) return Differs(*lost, "a cell that stays is not a cell any more");
    for (auto at = cells_.FirstUnclaimed(); at; at = cells_.FirstUnclaimed(*at + 8)) {
      if (!stays(*at)) return Differs(*at, "nothing refers to a new cell");
    }
    return {};
  }

  // Compares every byte of the file's bins that is neither free nor part of an edit.
  Result<void> CompareUntouched() {
    struct Range {
      std::uint32_t begin = 0;
      std::uint32_t end = 0;
    };
    std::vector<Range> touched;
    touched.reserve(changes_.freed.size() + (6 * changes_.updated.size()));
    for (const std::uint32_t cell : changes_.freed)
      touched.push_back({cell, cell + (0U - Load32(file_, kBaseBlockBytes + cell))});
    for (const EditedKey* key : changes_.updated) {
      const std::uint32_t nk = key->record.offset + kCellHeader;
      for (const Range field : {Range{4, 12}, {20, 24}, {28, 32}, {36, 48}, {52, 54}, {60, 68}})
        touched.push_back({nk + field.begin, nk + field.end});
    }
    for (const std::uint32_t cell : ChangedSecurity()) {
      const std::uint32_t sk = cell + kCellHeader;
      touched.push_back({sk + 4, sk + 16});
    }
    ForEachCell(FileBins(), [&](std::uint32_t at, std::uint32_t bytes, bool in_use) {
      if (!in_use) touched.push_back({at, at + bytes});
    });
    std::ranges::sort(touched, {}, &Range::begin);
    std::uint32_t at = 0;
    const std::uint32_t end = tree_.cells().base().bins_bytes;
    touched.push_back({end, end});
    for (const Range& range : touched) {
      // A security cell may occur twice.
      if (range.begin > at && std::memcmp(Bins(file_) + at, Bins(result_) + at, range.begin - at) != 0)
        return Differs(at, "bytes between here and the next change");
      at = std::max(at, range.end);
    }
    return {};
  }

  std::string_view FileBins() const { return file_.substr(kBaseBlockBytes, tree_.cells().base().bins_bytes); }
  static const char* Bins(std::string_view file) { return file.data() + kBaseBlockBytes; }

  // The cells of the file whose count or neighbours change.
  std::vector<std::uint32_t> ChangedSecurity() const {
    const SecurityTable& table = tree_.security();
    std::vector<std::uint32_t> cells;
    for (std::size_t i = 0; i < table.size(); ++i) {
      if (table.at(i).cell != kNil && table.at(i).keys != table.at(i).file_keys) cells.push_back(table.at(i).cell);
    }
    const std::vector<std::size_t>& ring = changes_.ring;
    for (std::size_t i = 0; i < ring.size(); ++i) {
      const SecurityEntry& entry = table.at(ring[i]);
      const bool stays = entry.next == table.at(ring[(i + 1) % ring.size()]).cell &&
                         entry.previous == table.at(ring[(i + ring.size() - 1) % ring.size()]).cell;
      if (entry.cell != kNil && !stays) cells.push_back(entry.cell);
    }
    return cells;
  }

  Result<void> CheckKey(const EditedKey& key) {
    const Result<KeyRecord> read =
        key.parent == nullptr ? ReadKey(cells_, key.Offset()) : ReadSubkey(cells_, key.Offset());
    if (!read) return Differs(key.Offset(), read.error().message);
    if (read->name != key.record.name) return Differs(key.Offset(), "a key's name");
    if (key.parent != nullptr && !key.InFile() && read->parent != key.parent->Offset())
      return Differs(key.Offset(), "a key's parent");
    PROV_TRY(CheckSecurity(tree_.security().at(key.security), read->security));
    PROV_TRY(CheckValues(key, *read));
    return CheckSubkeys(key, *read);
  }

  Result<void> CheckValues(const EditedKey& key, const KeyRecord& read) {
    const Result<std::vector<std::uint32_t>> offsets = ReadValueList(cells_, read);
    if (!offsets) return Differs(key.Offset(), offsets.error().message);
    std::size_t at = 0;
    for (const EditedValue& value : key.content->values) {
      if (!value.IsThere()) continue;
      if (at == offsets->size()) return Differs(key.Offset(), "a key lacks values");
      PROV_TRY(CheckValue(value, (*offsets)[at++], read));
    }
    if (at != offsets->size()) return Differs(key.Offset(), "a key has values to spare");
    return {};
  }

  Result<void> CheckValue(const EditedValue& value, std::uint32_t offset, const KeyRecord& key) {
    if (value.state == EditedValue::State::kAsInFile)
      return offset == value.file.offset ? Result<void>() : Differs(offset, "a value that stays");
    const Result<ValueRecord> read = ReadValue(cells_, offset);
    if (!read) return Differs(offset, read.error().message);
    if (read->Name() != value.name || static_cast<RegType>(read->type) != value.type || read->Data() != value.data ||
        read->plain_big_data || read->loose_big_data)
      return Differs(offset, "a value");
    if (key.max_value_name < 2 * value.name.size() || key.max_value_data < value.data.size())
      return Differs(offset, "a key's longest value");
    return {};
  }

  Result<void> CheckSubkeys(const EditedKey& key, const KeyRecord& read) {
    const Result<std::vector<SubkeyRef>> refs = ReadSubkeyList(cells_, read);
    if (!refs) return Differs(key.Offset(), refs.error().message);
    if (!key.SubkeysDiffer()) return {};
    const EditedList wanted = ListSubkeys(*key.content, cells_.base().minor);
    if (refs->size() != wanted.entries.size()) return Differs(key.Offset(), "a key's number of subkeys");
    for (std::size_t i = 0; i < refs->size(); ++i) {
      const SubkeyRef& ref = (*refs)[i];
      if (ref.kind != wanted.kind || ListedKey{ref.key, ref.hint} != wanted.entries[i])
        return Differs(ref.list, "a list of subkeys");
    }
    for (const std::unique_ptr<EditedKey>& subkey : key.content->subkeys) {
      if (subkey->is_there && read.max_subkey_name < 2 * subkey->record.name.size())
        return Differs(key.Offset(), "a key's longest subkey");
    }
    return {};
  }

  Result<SecurityRecord> CheckSecurity(const SecurityEntry& wanted, std::uint32_t cell) const {
    Result<SecurityRecord> read = ReadSecurity(cells_, cell);
    if (!read) return Differs(cell, read.error().message);
    if (read->descriptor != wanted.descriptor) return Differs(cell, "a security descriptor");
    if (wanted.keys != wanted.file_keys && read->references != wanted.keys)
      return Differs(cell, "the count of a security descriptor");
    return read;
  }

  // Checks that the ring goes through the expected descriptors in both directions.
  Result<void> CheckRing() {
    const std::vector<std::size_t>& ring = changes_.ring;
    if (ring.empty()) return {};
    // Start at a known cell: one of the file, or else the root key's.
    auto first = std::ranges::find_if(ring, [&](std::size_t i) { return tree_.security().at(i).cell != kNil; });
    std::uint32_t at = 0;
    if (first != ring.end()) {
      at = tree_.security().at(*first).cell;
    } else {
      first = std::ranges::find(ring, tree_.root().security);
      at = Load32(result_, kBaseBlockBytes + tree_.root().record.offset + kCellHeaderBytes + 44);
    }
    const std::uint32_t start = at;
    for (std::size_t i = 0; i < ring.size(); ++i) {
      if (first == ring.end()) first = ring.begin();
      const SecurityEntry& wanted = tree_.security().at(*first++);
      const SecurityRecord here = PROV_TRY(CheckSecurity(wanted, at));
      if (SecurityTable::IsNew(wanted) && !cells_.Claim(at, "security descriptor"))
        return Differs(at, "a new security descriptor");
      const Result<SecurityRecord> next = ReadSecurity(cells_, here.next);
      if (!next || next->previous != at) return Differs(at, "the ring of security descriptors");
      at = here.next;
    }
    return at == start ? Result<void>() : Differs(at, "the ring of security descriptors");
  }

  std::string_view file_;
  std::string_view result_;
  EditedTree& tree_;
  const Changes& changes_;
  CellMap cells_;  // of the result
};

}  // namespace

Result<void> VerifyChanges(std::string_view file, std::string_view result, EditedTree& tree, const Changes& changes) {
  Result<CellMap> cells = CellMap::Make(result);
  if (!cells) return Differs(0, cells.error().message);
  return Verifier(file, result, tree, changes, *std::move(cells)).Verify();
}

}  // namespace prov::images::regf
