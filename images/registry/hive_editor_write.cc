#include "images/registry/hive_editor_write.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "images/registry/hive_bins.h"
#include "images/registry/hive_cell_writer.h"
#include "images/registry/hive_editor_list.h"
#include "images/registry/hive_format.h"
#include "images/registry/hive_names.h"

namespace prov::images::regf {
namespace {

class ChangeWriter {
 public:
  ChangeWriter(std::string_view file, EditedTree& tree, const Changes& changes, std::uint64_t filetime)
      : tree_(tree),
        changes_(changes),
        filetime_(filetime),
        minor_(tree.cells().base().minor),
        // What stands behind the bins is no part of the hive, and new bins go there.
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

  // The key's record as it shall be; its lists are written.
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

  // Windows lets these grow only; what is too small in the file is put right.
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
      // The cell of one that is removed may be something else by now.
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
  std::vector<std::uint32_t> security_cells_;  // by index in the table; kNil for what nobody uses
};

}  // namespace

std::string WriteChanges(std::string_view file, EditedTree& tree, const Changes& changes, std::uint64_t filetime) {
  return ChangeWriter(file, tree, changes, filetime).Write();
}

}  // namespace prov::images::regf
