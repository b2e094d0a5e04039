// The editor's model of a hive: the keys that were read, with their edits; the security descriptors; and the lists of
// subkeys that result from the edits.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "images/registry/hive_cell_writer.h"
#include "images/registry/hive_cells.h"
#include "images/registry/hive_format.h"
#include "images/registry/hive_records.h"
#include "images/registry/registry_key.h"
#include "provisioner/base/result.h"

namespace prov::images::regf {

// A security descriptor of the hive: its users, its cell, and its place in the ring.
struct SecurityEntry {
  std::string_view descriptor;
  std::uint32_t cell = kNil;      // in the file; kNil: it is not in the file
  std::uint32_t next = kNil;      // from the file
  std::uint32_t previous = kNil;  // from the file
  std::uint32_t file_keys = 0;    // counted keys of the file that use it
  std::uint32_t keys = 0;         // the same after the edits
  bool on_ring = false;           // of the file
};

class SecurityTable {
 public:
  // Counts a key of the file that uses this cell; its first use claims it in `cells`. Returns the descriptor's index.
  Result<std::size_t> CountKey(CellMap& cells, std::uint32_t cell);
  // Follows the ring from the root key's cell, which must be counted already. A broken ring is an error only if it has
  // to change.
  void FollowRing(CellMap& cells, std::uint32_t first);

  std::size_t IndexOf(std::uint32_t cell) const { return by_cell_.at(cell); }
  // The index of an equal descriptor, or of a new entry.
  std::size_t Find(std::string_view descriptor);
  const SecurityEntry& at(std::size_t index) const { return entries_[index]; }
  std::size_t size() const { return entries_.size(); }

  // Call ResetKeys(), then the others for everything that the edits change.
  void ResetKeys();
  void AddKey(std::size_t index) { ++entries_[index].keys; }
  void RemoveKey(std::size_t index) { --entries_[index].keys; }

  // The ring after the edits, as indices: without unused descriptors, with the new ones. Empty for a broken ring that
  // need not change. Errors: hive, if the ring is broken and has to change.
  Result<std::vector<std::size_t>> NewRing() const;
  static bool IsNew(const SecurityEntry& entry) { return entry.cell == kNil && entry.keys != 0; }
  // Whether the edits remove the last key of a descriptor that can leave the ring.
  bool IsRemoved(const SecurityEntry& entry) const {
    return ring_is_whole_ && entry.on_ring && entry.file_keys != 0 && entry.keys == 0;
  }

 private:
  Result<std::size_t> Add(CellMap& cells, std::uint32_t cell);

  std::vector<SecurityEntry> entries_;
  std::unordered_map<std::uint32_t, std::size_t> by_cell_;
  std::unordered_map<std::string_view, std::size_t> by_descriptor_;
  std::deque<std::string> own_;  // storage for the new entries
  std::vector<std::size_t> ring_;
  bool ring_is_whole_ = false;
};

// A value of the file, or a new one.
struct EditedValue {
  enum class State { kAsInFile, kSet, kAbsent };

  std::u16string name;
  State state = State::kAsInFile;
  RegType type = RegType::kNone;  // as set
  std::string data;               // as set
  ValueRecord file;               // offset 0: not in the file

  bool InFile() const { return file.offset != 0; }
  bool IsThere() const { return state != State::kAbsent; }
  bool Differs() const { return state == State::kSet || (state == State::kAbsent && InFile()); }
  bool FreesFile() const { return InFile() && state != State::kAsInFile; }
};

struct EditedKey;

// The contents of a key, read on first use.
struct KeyContent {
  std::vector<EditedValue> values;                                // in the list's order, new ones at the end
  std::unordered_map<std::u16string, std::size_t> value_by_name;  // upper case
  std::vector<std::unique_ptr<EditedKey>> subkeys;                // in the list's order, new ones at the end
  std::unordered_map<std::u16string, EditedKey*> subkey_by_name;  // upper case
  std::vector<std::uint32_t> list_cells;                          // of the subkeys, in the file
  std::size_t value_count = 0;                                    // without absent ones
  std::size_t subkey_count = 0;                                   // without absent ones
};

struct EditedKey {
  KeyRecord record;  // in the file; a key that is new has offset 0 and only a name
  EditedKey* parent = nullptr;
  std::string_view list_kind;     // kind of the list of the file that contains it
  std::uint32_t list_hint = 0;    // in that list
  std::size_t file_security = 0;  // index in the table, for a key of the file
  std::size_t security = 0;
  bool is_there = true;
  std::unique_ptr<KeyContent> content;  // null: not read, so unchanged
  std::uint32_t new_offset = 0;         // set by Finish for a key that is not in the file

  bool InFile() const { return record.offset != 0; }
  std::uint32_t Offset() const { return InFile() ? record.offset : new_offset; }
  bool IsMade() const { return is_there && !InFile(); }
  bool IsDeleted() const { return !is_there && InFile(); }
  bool ValuesDiffer() const;
  bool SubkeysDiffer() const;
  // Whether its own record in the file changes.
  bool Differs() const {
    return is_there && InFile() && (security != file_security || ValuesDiffer() || SubkeysDiffer());
  }
};

class EditedTree {
 public:
  // Reads every key and value of the hive once, so that each cell has one known owner, and a freed cell can't be in use
  // elsewhere. `file` must outlive the tree. Errors: as in HiveEditor::Open.
  static Result<EditedTree> Make(std::string_view file);

  // Splits a path into names. Errors: hive.
  static Result<std::vector<std::u16string>> Names(std::string_view path);

  // The key at a path, with its content read; nullptr if it does not exist.
  Result<EditedKey*> Find(std::string_view path);
  // The same, but makes missing keys.
  Result<EditedKey*> FindOrMake(std::string_view path);

  const CellMap& cells() const { return cells_; }
  SecurityTable& security() { return security_; }
  EditedKey& root() { return *root_; }

 private:
  explicit EditedTree(CellMap cells) : cells_(std::move(cells)) {}
  Result<void> Walk(CellMap& cells, const KeyRecord& key, unsigned depth);
  Result<void> ReadContent(EditedKey& key);
  Result<EditedKey*> MakeSubkey(EditedKey& parent, std::u16string upper, std::u16string name, std::string_view path);

  CellMap cells_;  // cells that `content` was read from are claimed
  SecurityTable security_;
  std::unique_ptr<EditedKey> root_;
};

// The value's data, unless its state is kAbsent.
RegValue ValueOf(const EditedValue& value);

// A key's list of subkeys after the edits.
struct EditedList {
  std::string_view kind;           // "lf", "lh" or "li"
  std::vector<ListedKey> entries;  // in their order
};

// Existing entries keep their order and hints, and new ones are inserted by the order of Windows 8 and later. A list in
// another order is sorted again with new hints. The list keeps its kind if this version has it. New keys must have an
// offset.
EditedList ListSubkeys(const KeyContent& content, std::uint32_t minor);

// The subkeys in that order.
std::vector<const EditedKey*> OrderSubkeys(const KeyContent& content);

}  // namespace prov::images::regf
