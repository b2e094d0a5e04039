// A hive as the editor sees it: the keys that were read, with the edits to them; its security descriptors; and the
// lists of subkeys that result from the edits.
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

// A security descriptor of the hive: which keys use it, which cell holds it, where it stands in the ring.
struct SecurityEntry {
  std::string_view descriptor;
  std::uint32_t cell = kNil;      // in the file; kNil: not there
  std::uint32_t next = kNil;      // as the file says
  std::uint32_t previous = kNil;  // as the file says
  std::uint32_t file_keys = 0;    // keys of the file that use it, counted by us
  std::uint32_t keys = 0;         // the same after the edits
  bool on_ring = false;           // of the file
};

class SecurityTable {
 public:
  // Counts a key of the file that uses this cell; the cell's first use claims it in `cells`. Gives its index.
  Result<std::size_t> CountKey(CellMap& cells, std::uint32_t cell);
  // Follows the ring from the root key's cell, which has been counted. A broken ring is no error unless it has to
  // change.
  void FollowRing(CellMap& cells, std::uint32_t first);

  std::size_t IndexOf(std::uint32_t cell) const { return by_cell_.at(cell); }
  // The index of an equal descriptor, or of a new entry.
  std::size_t Find(std::string_view descriptor);
  const SecurityEntry& at(std::size_t index) const { return entries_[index]; }
  std::size_t size() const { return entries_.size(); }

  // To be called after Reset for everything that the edits change.
  void ResetKeys();
  void AddKey(std::size_t index) { ++entries_[index].keys; }
  void RemoveKey(std::size_t index) { --entries_[index].keys; }

  // The ring after the edits, as indices: without unused descriptors, with the new ones; for a broken ring that need
  // not change, nothing. Error: hive, if the ring has to change and is broken.
  Result<std::vector<std::size_t>> NewRing() const;
  static bool IsNew(const SecurityEntry& entry) { return entry.cell == kNil && entry.keys != 0; }
  // Whether the edits remove the last key from a descriptor that can leave the ring.
  bool IsRemoved(const SecurityEntry& entry) const {
    return ring_is_whole_ && entry.on_ring && entry.file_keys != 0 && entry.keys == 0;
  }

 private:
  Result<std::size_t> Add(CellMap& cells, std::uint32_t cell);

  std::vector<SecurityEntry> entries_;
  std::unordered_map<std::uint32_t, std::size_t> by_cell_;
  std::unordered_map<std::string_view, std::size_t> by_descriptor_;
  std::deque<std::string> own_;  // what new entries point into
  std::vector<std::size_t> ring_;
  bool ring_is_whole_ = false;
};

// A value that the file has, or had not before an edit.
struct EditedValue {
  enum class State { kAsInFile, kSet, kAbsent };

  std::u16string name;
  State state = State::kAsInFile;
  RegType type = RegType::kNone;  // as set
  std::string data;               // as set
  ValueView file;                 // offset 0: not in the file

  bool InFile() const { return file.offset != 0; }
  bool IsThere() const { return state != State::kAbsent; }
  bool Differs() const { return state == State::kSet || (state == State::kAbsent && InFile()); }
  bool FreesFile() const { return InFile() && state != State::kAsInFile; }
};

struct EditedKey;

// The contents of a key, read when they are first needed.
struct KeyContent {
  std::vector<EditedValue> values;                                // in the order of the list, then what is new
  std::unordered_map<std::u16string, std::size_t> value_by_name;  // upper case
  std::vector<std::unique_ptr<EditedKey>> subkeys;                // in the order of the list, then what is new
  std::unordered_map<std::u16string, EditedKey*> subkey_by_name;  // upper case
  std::vector<std::uint32_t> list_cells;                          // of the subkeys, in the file
  std::size_t value_count = 0;                                    // without absent ones
  std::size_t subkey_count = 0;                                   // without absent ones
};

struct EditedKey {
  KeyRecord record;  // in the file; offset 0 and only a name: not there before the edits
  EditedKey* parent = nullptr;
  std::string_view list_kind;     // of the file's list that it is in
  std::uint32_t list_hint = 0;    // in that list
  std::size_t file_security = 0;  // index in the table; of a key of the file
  std::size_t security = 0;
  bool is_there = true;
  std::unique_ptr<KeyContent> content;  // none: not looked at, so as in the file
  std::uint32_t new_offset = 0;         // where Finish put a key that is not in the file

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
  // Reads every key and value of the hive once, so that each cell has one known owner: a cell that is freed later can't
  // be in use elsewhere. `file` must outlive the tree. Errors: as HiveEditor::Open.
  static Result<EditedTree> Make(std::string_view file);

  // A path's names. Error: hive.
  static Result<std::vector<std::u16string>> Names(std::string_view path);

  // The key at a path, its content read; nullptr if there is none.
  Result<EditedKey*> Find(std::string_view path);
  // The same; makes what is missing.
  Result<EditedKey*> FindOrMake(std::string_view path);

  const CellMap& cells() const { return cells_; }
  SecurityTable& security() { return security_; }
  EditedKey& root() { return *root_; }

 private:
  explicit EditedTree(CellMap cells) : cells_(std::move(cells)) {}
  Result<void> Walk(CellMap& cells, const KeyRecord& key, unsigned depth);
  Result<void> ReadContent(EditedKey& key);
  Result<EditedKey*> MakeSubkey(EditedKey& parent, std::u16string upper, std::u16string name, std::string_view path);

  CellMap cells_;  // claimed: what `content` was read from
  SecurityTable security_;
  std::unique_ptr<EditedKey> root_;
};

// Its data, whatever its state but absent.
RegValue ValueOf(const EditedValue& value);

// The list of a key's subkeys after the edits.
struct EditedList {
  std::string_view kind;           // "lf", "lh" or "li"
  std::vector<ListedKey> entries;  // in their order
};

// Existing entries stay as they are, in their order, and new ones are inserted by the order of Windows 8 and later, or
// by that of Vista if the list is sorted only by that one. A list in neither order, which Windows can't search, is
// sorted again with new hints. Its kind stays if hives of this version have it. New keys must have an offset.
EditedList ListSubkeys(const KeyContent& content, std::uint32_t minor);

// The same keys, in that order.
std::vector<const EditedKey*> OrderSubkeys(const KeyContent& content);

}  // namespace prov::images::regf
