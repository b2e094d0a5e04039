#include "images/registry/hive_editor_changes.h"

#include <algorithm>
#include <memory>

#include "images/registry/hive_cell_writer.h"
#include "images/registry/hive_format.h"
#include "images/registry/hive_names.h"
#include "images/registry/registry_key.h"

namespace prov::images::regf {
namespace {

class Finder {
 public:
  Finder(EditedTree& tree, Changes& out) : security_(tree.security()), out_(out) {}

  void Visit(EditedKey& key) {
    if (key.content == nullptr) return;
    if (key.Differs()) out_.updated.push_back(&key);
    if (key.IsMade()) out_.made.push_back(&key);
    if (key.IsDeleted()) FreeKey(key);
    if (key.IsMade()) security_.AddKey(key.security);
    if (key.Differs() && key.security != key.file_security) {
      security_.AddKey(key.security);
      security_.RemoveKey(key.file_security);
    }
    if (key.IsMade()) out_.new_bytes += kKeyBytes + 16 + 2 * key.record.name.size();
    VisitValues(key);
    if (key.SubkeysDiffer()) {
      Free(key.content->list_cells);
      out_.new_bytes += 8 * key.content->subkey_count + key.content->subkey_count / 8 + 32;
    }
    for (const std::unique_ptr<EditedKey>& subkey : key.content->subkeys) Visit(*subkey);
  }

 private:
  void VisitValues(const EditedKey& key) {
    if (!key.ValuesDiffer()) return;
    if (key.InFile() && key.record.value_count != 0) out_.freed.push_back(key.record.value_list);
    out_.new_bytes += 4 * key.content->value_count + 16;
    for (const EditedValue& value : key.content->values) {
      if (value.FreesFile()) FreeValue(value.file);
      if (value.state != EditedValue::State::kSet) continue;
      out_.new_bytes += kValueBytes + 2 * value.name.size() + value.data.size() + value.data.size() / 1024 + 64;
    }
  }

  void FreeKey(const EditedKey& key) {
    security_.RemoveKey(key.file_security);
    out_.freed.push_back(key.record.offset);
    if (key.record.class_bytes != 0) out_.freed.push_back(key.record.class_name);
  }

  void FreeValue(const ValueRecord& value) {
    out_.freed.push_back(value.offset);
    if (value.data_cell != kNil) out_.freed.push_back(value.data_cell);
    if (value.segment_list != kNil) out_.freed.push_back(value.segment_list);
    Free(value.segment_cells);
  }

  void Free(const std::vector<std::uint32_t>& cells) {
    out_.freed.insert(out_.freed.end(), cells.begin(), cells.end());
  }

  SecurityTable& security_;
  Changes& out_;
};

}  // namespace

Result<Changes> FindChanges(EditedTree& tree) {
  Changes out;
  SecurityTable& security = tree.security();
  security.ResetKeys();
  Finder(tree, out).Visit(tree.root());
  out.ring = PROV_TRY(security.NewRing());
  for (std::size_t i = 0; i < security.size(); ++i) {
    const SecurityEntry& entry = security.at(i);
    if (security.IsRemoved(entry)) out.freed.push_back(entry.cell);
    if (SecurityTable::IsNew(entry)) out.new_bytes += kSecurityBytes + 16 + entry.descriptor.size();
  }
  if (kBaseBlockBytes + tree.cells().base().bins_bytes + out.new_bytes > kMaxHiveBytes)
    return Fail(Code::kSizeLimit, "the hive would exceed 1 GiB; put less into it", "the root key");
  return out;
}

bool HasChanges(const EditedKey& key) {
  if (key.content == nullptr) return false;
  if (key.Differs() || key.IsMade() || key.IsDeleted()) return true;
  return std::ranges::any_of(key.content->subkeys,
                             [](const std::unique_ptr<EditedKey>& subkey) { return HasChanges(*subkey); });
}

namespace {

class ChangeWriter {
 public:
  ChangeWriter(std::string_view file, EditedTree& tree, const Changes& changes, std::uint64_t filetime)
      : tree_(tree),
        changes_(changes),
        filetime_(filetime),
        minor_(tree.cells().base().minor),
        // Bytes after the bins are not part of the hive; new bins go there.
        bins_(file.substr(0, kBaseBlockBytes + tree.cells().base().bins_bytes), changes.freed, changes.new_bytes) {}

  std::string Write() {
    WriteSecurityCells();
    for (EditedKey* key : changes_.made) key->new_offset = AllocateKey(bins_, Store(key->record.name));
    for (EditedKey* key : changes_.made) WriteMade(*key);
    for (EditedKey* key : changes_.updated) UpdateKey(bins_, NewRecord(*key), filetime_);
    WriteSecurityRing();
    return WriteBase(bins_.Finish());
  }

 private:
  void WriteMade(const EditedKey& key) { WriteKey(bins_, NewRecord(key), Store(key.record.name), filetime_); }

  // The new record of a key whose lists are already written.
  KeyRecord NewRecord(const EditedKey& key) {
    KeyRecord record = key.record;
    record.offset = key.Offset();
    if (!key.InFile()) record.parent = key.parent->Offset();
    record.security = security_cells_[key.security];
    const KeyContent& content = *key.content;
    if (key.ValuesDiffer()) {
      record.value_count = static_cast<std::uint32_t>(content.value_count);
      record.value_list = WriteValues(content);
    } else if (!key.InFile()) {
      record.value_list = kNil;
    }
    if (key.SubkeysDiffer()) {
      record.subkey_count = static_cast<std::uint32_t>(content.subkey_count);
      record.subkey_list = WriteSubkeys(content);
    } else if (!key.InFile()) {
      record.subkey_list = kNil;
    }
    RaiseMaxima(content, record);
    return record;
  }

  std::uint32_t WriteValues(const KeyContent& content) {
    if (content.value_count == 0) return kNil;
    const std::uint32_t list = bins_.Allocate(4 * content.value_count);
    std::size_t at = 0;
    for (const EditedValue& value : content.values) {
      if (!value.IsThere()) continue;
      const std::uint32_t offset = value.state == EditedValue::State::kAsInFile
                                       ? value.file.offset
                                       : WriteValue(bins_, Store(value.name), value.type, value.data, minor_);
      Store32(bins_.Content(list) + at, offset);
      at += 4;
    }
    return list;
  }

  std::uint32_t WriteSubkeys(const KeyContent& content) {
    const EditedList list = ListSubkeys(content, minor_);
    return WriteSubkeyList(bins_, list.kind, list.entries);
  }

  // Windows only ever raises these maxima; a value that is too small in the file is corrected.
  static void RaiseMaxima(const KeyContent& content, KeyRecord& record) {
    const auto raise = [](std::uint32_t& maximum, std::size_t value) {
      maximum = std::max(maximum, static_cast<std::uint32_t>(value));
    };
    for (const EditedValue& value : content.values) {
      if (!value.IsThere()) continue;
      raise(record.max_value_name, 2 * value.name.size());
      raise(record.max_value_data,
            value.state == EditedValue::State::kSet ? value.data.size() : value.file.DataBytes());
    }
    for (const std::unique_ptr<EditedKey>& subkey : content.subkeys) {
      if (subkey->is_there) raise(record.max_subkey_name, 2 * subkey->record.name.size());
    }
  }

  void WriteSecurityCells() {
    const SecurityTable& table = tree_.security();
    for (std::size_t i = 0; i < table.size(); ++i) {
      const SecurityEntry& entry = table.at(i);
      security_cells_.push_back(SecurityTable::IsNew(entry) ? WriteSecurity(bins_, entry.descriptor) : entry.cell);
    }
  }

  void WriteSecurityRing() {
    const SecurityTable& table = tree_.security();
    for (std::size_t i = 0; i < table.size(); ++i) {
      const SecurityEntry& entry = table.at(i);
      // The cell of a removed descriptor may be in use for something else by now.
      if (entry.keys != entry.file_keys && !table.IsRemoved(entry))
        SetSecurityReferences(bins_, security_cells_[i], entry.keys);
    }
    const std::vector<std::size_t>& ring = changes_.ring;
    for (std::size_t i = 0; i < ring.size(); ++i) {
      SetSecurityLinks(bins_, security_cells_[ring[i]], security_cells_[ring[(i + 1) % ring.size()]],
                       security_cells_[ring[(i + ring.size() - 1) % ring.size()]]);
    }
  }

  std::string WriteBase(std::string file) const {
    char* const base = file.data();
    const std::uint32_t sequence = tree_.cells().base().sequence + 1;
    Store32(base + 4, sequence);
    Store32(base + 8, sequence);
    Store64(base + 12, filetime_);
    Store32(base + 40, static_cast<std::uint32_t>(file.size() - kBaseBlockBytes));
    Store32(base + 508, BaseBlockChecksum(file));
    return file;
  }

  EditedTree& tree_;
  const Changes& changes_;
  std::uint64_t filetime_;
  std::uint32_t minor_;
  BinAllocator bins_;
  std::vector<std::uint32_t> security_cells_;  // by index in the table; kNil if unused
};

}  // namespace

std::string WriteChanges(std::string_view file, EditedTree& tree, const Changes& changes, std::uint64_t filetime) {
  return ChangeWriter(file, tree, changes, filetime).Write();
}

}  // namespace prov::images::regf
