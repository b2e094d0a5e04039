#include "images/registry/hive_editor_changes.h"

#include <algorithm>

#include "images/registry/hive_format.h"
#include "images/registry/hive_limits.h"

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

  void FreeValue(const ValueView& value) {
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

}  // namespace prov::images::regf
