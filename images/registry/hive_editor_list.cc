#include "images/registry/hive_editor_list.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <string>
#include <tuple>

#include "images/registry/hive_names.h"

namespace prov::images::regf {
namespace {

struct NamedKey {
  std::u16string upper;
  const EditedKey* key = nullptr;
  std::size_t place = 0;  // among those it came with
};

std::vector<NamedKey> UpperNames(const std::vector<const EditedKey*>& keys, CaseTable table) {
  std::vector<NamedKey> out;
  out.reserve(keys.size());
  for (const EditedKey* key : keys) out.push_back({Upcase(key->record.name, table), key, out.size()});
  return out;
}

bool IsSorted(const std::vector<NamedKey>& keys) {
  return std::ranges::adjacent_find(keys, [](const NamedKey& a, const NamedKey& b) { return a.upper >= b.upper; }) ==
         keys.end();
}

struct Order {
  std::vector<NamedKey> keys;
  bool is_the_files = true;  // of the keys that the file has
};

// The keys of the file as they are and new ones between them, all in the order of `table`; nothing if that can't be.
std::vector<NamedKey> Merged(const std::vector<const EditedKey*>& file, const std::vector<const EditedKey*>& made,
                             CaseTable table) {
  std::vector<NamedKey> keys = UpperNames(file, table);
  if (!IsSorted(keys)) return {};
  std::vector<NamedKey> new_keys = UpperNames(made, table);
  std::ranges::sort(new_keys, {}, &NamedKey::upper);
  std::vector<NamedKey> merged;
  merged.reserve(keys.size() + new_keys.size());
  std::ranges::merge(keys, new_keys, std::back_inserter(merged), {}, &NamedKey::upper, &NamedKey::upper);
  if (!IsSorted(merged)) merged.clear();
  return merged;
}

Order FindOrder(const KeyContent& content) {
  std::vector<const EditedKey*> file;
  std::vector<const EditedKey*> made;
  for (const std::unique_ptr<EditedKey>& subkey : content.subkeys) {
    if (subkey->is_there) (subkey->InFile() ? file : made).push_back(subkey.get());
  }
  Order order;
  for (const CaseTable table : {CaseTable::kWindows8, CaseTable::kVista}) {
    order.keys = Merged(file, made, table);
    if (order.keys.size() == file.size() + made.size()) return order;
  }
  file.insert(file.end(), made.begin(), made.end());
  order.keys = UpperNames(file, CaseTable::kWindows8);
  std::ranges::sort(order.keys, {}, [](const NamedKey& key) { return std::tie(key.upper, key.place); });
  order.is_the_files = false;
  return order;
}

}  // namespace

EditedList ListSubkeys(const KeyContent& content, std::uint32_t minor) {
  const Order order = FindOrder(content);
  EditedList list;
  list.kind = ListKind(minor);
  // A list of more than one kind gets the version's.
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
