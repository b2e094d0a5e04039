#include "images/registry/hive_editor_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "images/registry/hive_names.h"
#include "images/registry/registry_key.h"
#include "provisioner/base/text.h"

namespace prov::images::regf {

Result<std::size_t> SecurityTable::Add(CellMap& cells, std::uint32_t cell) {
  PROV_TRY(cells.Claim(cell, "security descriptor"));
  const SecurityRecord record = PROV_TRY(ReadSecurity(cells, cell));
  SecurityEntry entry;
  entry.descriptor = record.descriptor;
  entry.cell = cell;
  entry.next = record.next;
  entry.previous = record.previous;
  entries_.push_back(entry);
  by_cell_.emplace(cell, entries_.size() - 1);
  return entries_.size() - 1;
}

Result<std::size_t> SecurityTable::CountKey(CellMap& cells, std::uint32_t cell) {
  const auto known = by_cell_.find(cell);
  const std::size_t index = known != by_cell_.end() ? known->second : PROV_TRY(Add(cells, cell));
  ++entries_[index].file_keys;
  return index;
}

void SecurityTable::FollowRing(CellMap& cells, std::uint32_t first) {
  std::uint32_t previous = entries_[IndexOf(first)].previous;
  std::uint32_t at = first;
  do {
    const auto known = by_cell_.find(at);
    const Result<std::size_t> index = known != by_cell_.end() ? Result<std::size_t>(known->second) : Add(cells, at);
    if (!index || entries_[*index].on_ring || entries_[*index].previous != previous) break;
    entries_[*index].on_ring = true;
    ring_.push_back(*index);
    previous = at;
    at = entries_[*index].next;
    ring_is_whole_ = at == first && entries_[ring_.front()].previous == previous;
  } while (at != first);
  // Of equal descriptors, prefer one on the ring, which stays reachable.
  for (const std::size_t index : ring_) by_descriptor_.try_emplace(entries_[index].descriptor, index);
  for (std::size_t i = 0; i < entries_.size(); ++i) by_descriptor_.try_emplace(entries_[i].descriptor, i);
}

std::size_t SecurityTable::Find(std::string_view descriptor) {
  const auto known = by_descriptor_.find(descriptor);
  if (known != by_descriptor_.end()) return known->second;
  SecurityEntry entry;
  entry.descriptor = own_.emplace_back(descriptor);
  entries_.push_back(entry);
  by_descriptor_.emplace(entry.descriptor, entries_.size() - 1);
  return entries_.size() - 1;
}

void SecurityTable::ResetKeys() {
  for (SecurityEntry& entry : entries_) entry.keys = entry.file_keys;
}

Result<std::vector<std::size_t>> SecurityTable::NewRing() const {
  std::vector<std::size_t> ring;
  for (const std::size_t index : ring_) {
    if (!IsRemoved(entries_[index])) ring.push_back(index);
  }
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (!IsNew(entries_[i])) continue;
    if (!ring_is_whole_) return Damaged(entries_.front().cell, "the ring of security descriptors is broken");
    ring.push_back(i);
  }
  if (!ring_is_whole_) ring.clear();
  return ring;
}

bool EditedKey::ValuesDiffer() const {
  return content != nullptr && std::ranges::any_of(content->values, &EditedValue::Differs);
}

bool EditedKey::SubkeysDiffer() const {
  return content != nullptr && std::ranges::any_of(content->subkeys, [](const std::unique_ptr<EditedKey>& subkey) {
           return subkey->IsMade() || subkey->IsDeleted();
         });
}

Result<EditedTree> EditedTree::Make(std::string_view file) {
  EditedTree tree(PROV_TRY(CellMap::Make(file)));
  CellMap walked = tree.cells_;
  const KeyRecord root = PROV_TRY(ReadKey(walked, walked.base().root));
  PROV_TRY(tree.Walk(walked, root, 0));
  tree.security_.FollowRing(walked, root.security);
  tree.root_ = std::make_unique<EditedKey>();
  tree.root_->record = PROV_TRY(ReadKey(tree.cells_, root.offset));
  tree.root_->file_security = tree.root_->security = tree.security_.IndexOf(root.security);
  return tree;
}

Result<void> EditedTree::Walk(CellMap& cells, const KeyRecord& key, unsigned depth) {
  PROV_TRY(security_.CountKey(cells, key.security));
  if (key.class_bytes != 0) PROV_TRY(cells.Claim(key.class_name, "class name"));
  for (const std::uint32_t value : PROV_TRY(ReadValueList(cells, key))) PROV_TRY(ReadValue(cells, value));
  const std::vector<SubkeyRef> refs = PROV_TRY(ReadSubkeyList(cells, key));
  if (!refs.empty() && depth == kMaxKeyDepth) return Damaged(key.offset, "keys are nested deeper than 512 levels");
  for (const SubkeyRef& ref : refs) PROV_TRY(Walk(cells, PROV_TRY(ReadSubkey(cells, ref.key)), depth + 1));
  return {};
}

Result<std::vector<std::u16string>> EditedTree::Names(std::string_view path) {
  std::vector<std::u16string> names;
  if (path.empty()) return names;
  for (const std::string_view part : Split(path, '\\')) {
    std::optional<std::u16string> name = NameFromUtf8(part);
    if (!name) return Fail(Code::kHive, "the key's name is not well-formed UTF-8", std::string(path));
    if (name->empty()) return Fail(Code::kHive, "a key's name is empty", std::string(path));
    names.push_back(*std::move(name));
  }
  return names;
}

Result<EditedKey*> EditedTree::Find(std::string_view path) {
  EditedKey* key = root_.get();
  for (const std::u16string& name : PROV_TRY(Names(path))) {
    PROV_TRY(ReadContent(*key));
    const auto found = key->content->subkey_by_name.find(Upcase(name));
    if (found == key->content->subkey_by_name.end() || !found->second->is_there) return nullptr;
    key = found->second;
  }
  PROV_TRY(ReadContent(*key));
  return key;
}

Result<EditedKey*> EditedTree::FindOrMake(std::string_view path) {
  EditedKey* key = root_.get();
  std::vector<std::u16string> names = PROV_TRY(Names(path));
  if (names.size() > kMaxKeyDepth)
    return Fail(Code::kSizeLimit, fmt::format("keys are nested deeper than {} levels", kMaxKeyDepth),
                std::string(path));
  for (std::u16string& name : names) {
    PROV_TRY(ReadContent(*key));
    std::u16string upper = Upcase(name);
    const auto found = key->content->subkey_by_name.find(upper);
    if (found != key->content->subkey_by_name.end() && found->second->is_there) {
      key = found->second;
    } else {
      key = PROV_TRY(MakeSubkey(*key, std::move(upper), std::move(name), path));
    }
  }
  PROV_TRY(ReadContent(*key));
  return key;
}

Result<EditedKey*> EditedTree::MakeSubkey(EditedKey& parent, std::u16string upper, std::u16string name,
                                          std::string_view path) {
  if (name.size() > kMaxKeyNameUnits) {
    return Fail(Code::kSizeLimit,
                fmt::format("the key's name has {} characters, Windows takes {}", name.size(), kMaxKeyNameUnits),
                std::string(path));
  }
  EditedKey*& key = parent.content->subkey_by_name[std::move(upper)];
  // A deleted key comes back empty. If it gets its old content again, nothing has changed.
  if (key == nullptr) {
    key = parent.content->subkeys.emplace_back(std::make_unique<EditedKey>()).get();
    key->parent = &parent;
    key->content = std::make_unique<KeyContent>();
  }
  if (!key->InFile()) key->record.name = std::move(name);
  const SecurityEntry& wanted = security_.at(parent.security);
  const bool is_the_files = key->InFile() && security_.at(key->file_security).descriptor == wanted.descriptor;
  key->security = is_the_files ? key->file_security : parent.security;
  key->is_there = true;
  ++parent.content->subkey_count;
  return key;
}

Result<void> EditedTree::ReadContent(EditedKey& key) {
  if (key.content != nullptr) return {};
  auto content = std::make_unique<KeyContent>();
  for (const std::uint32_t offset : PROV_TRY(ReadValueList(cells_, key.record))) {
    EditedValue& value = content->values.emplace_back();
    value.file = PROV_TRY(ReadValue(cells_, offset));
    value.name = value.file.Name();
    if (!content->value_by_name.try_emplace(Upcase(value.name), content->values.size() - 1).second)
      return Damaged(key.record.offset, "two values of a key have the same name");
  }
  for (const SubkeyRef& ref : PROV_TRY(ReadSubkeyList(cells_, key.record, &content->list_cells))) {
    EditedKey& subkey = *content->subkeys.emplace_back(std::make_unique<EditedKey>());
    subkey.record = PROV_TRY(ReadSubkey(cells_, ref.key));
    subkey.parent = &key;
    subkey.list_kind = ref.kind;
    subkey.list_hint = ref.hint;
    subkey.file_security = subkey.security = security_.IndexOf(subkey.record.security);
    if (!content->subkey_by_name.try_emplace(Upcase(subkey.record.name), &subkey).second)
      return Damaged(key.record.offset, "two subkeys of a key have the same name");
  }
  content->value_count = content->values.size();
  content->subkey_count = content->subkeys.size();
  key.content = std::move(content);
  return {};
}

RegValue ValueOf(const EditedValue& value) {
  RegValue out;
  out.name = NameToUtf8(value.name);
  if (value.state == EditedValue::State::kSet) {
    out.type = value.type;
    out.data = value.data;
  } else {
    out.type = static_cast<RegType>(value.file.type);
    out.data = value.file.Data();
  }
  return out;
}

namespace {

struct NamedKey {
  std::u16string upper;
  const EditedKey* key = nullptr;
};

std::vector<NamedKey> UpperNames(const std::vector<const EditedKey*>& keys) {
  std::vector<NamedKey> out;
  out.reserve(keys.size());
  for (const EditedKey* key : keys) out.push_back({Upcase(key->record.name), key});
  return out;
}

bool IsSorted(const std::vector<NamedKey>& keys) {
  return std::ranges::adjacent_find(keys, [](const NamedKey& a, const NamedKey& b) { return a.upper >= b.upper; }) ==
         keys.end();
}

struct Order {
  std::vector<NamedKey> keys;
  bool is_the_files = true;  // the keys of the file keep their order
};

Order FindOrder(const KeyContent& content) {
  std::vector<const EditedKey*> file;
  std::vector<const EditedKey*> made;
  for (const std::unique_ptr<EditedKey>& subkey : content.subkeys) {
    if (subkey->is_there) (subkey->InFile() ? file : made).push_back(subkey.get());
  }
  Order order;
  order.is_the_files = IsSorted(UpperNames(file));
  file.insert(file.end(), made.begin(), made.end());
  order.keys = UpperNames(file);
  std::ranges::sort(order.keys, {}, &NamedKey::upper);
  return order;
}

}  // namespace

EditedList ListSubkeys(const KeyContent& content, std::uint32_t minor) {
  const Order order = FindOrder(content);
  EditedList list;
  list.kind = ListKind(minor);
  // A list with more than one kind gets the version's kind.
  const auto is_other = [&](const std::unique_ptr<EditedKey>& subkey) {
    return subkey->InFile() && subkey->list_kind != content.subkeys.front()->list_kind;
  };
  if (order.is_the_files && !content.subkeys.empty() && content.subkeys.front()->InFile() &&
      std::ranges::none_of(content.subkeys, is_other)) {
    const std::string_view kind = content.subkeys.front()->list_kind;
    if (kind != "lh" || list.kind == "lh") list.kind = kind;
  }
  list.entries.reserve(order.keys.size());
  for (const NamedKey& named : order.keys) {
    const EditedKey& key = *named.key;
    const bool keeps_hint = order.is_the_files && key.InFile() && key.list_kind == list.kind;
    list.entries.push_back({key.Offset(), keeps_hint ? key.list_hint : ListHint(list.kind, key.record.name)});
  }
  return list;
}

std::vector<const EditedKey*> OrderSubkeys(const KeyContent& content) {
  std::vector<const EditedKey*> out;
  for (const NamedKey& named : FindOrder(content).keys) out.push_back(named.key);
  return out;
}

}  // namespace prov::images::regf
