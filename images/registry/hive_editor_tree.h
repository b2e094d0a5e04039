// A hive as the editor sees it: the keys that were looked at, with the edits made to them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "images/registry/hive_cells.h"
#include "images/registry/hive_editor_security.h"
#include "images/registry/hive_records.h"
#include "images/registry/registry_key.h"

namespace prov::images::regf {

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

// What is below a key, read when it is first needed.
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
  // Goes through every key and value of the hive once, so that each cell is known to belong to one of them: what is
  // freed later can't be in use elsewhere. `file` must outlive the tree. Errors: as HiveEditor::Open.
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

  CellMap cells_;  // taken: what `content` was read from
  SecurityTable security_;
  std::unique_ptr<EditedKey> root_;
};

// Its data, whatever its state but absent.
RegValue ValueOf(const EditedValue& value);

}  // namespace prov::images::regf
