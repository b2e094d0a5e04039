#include "images/registry/hive_editor.h"

#include <utility>

#include "images/registry/hive_editor_changes.h"
#include "images/registry/hive_editor_tree.h"
#include "images/registry/hive_names.h"
#include "images/registry/registry_key.h"
#include "images/registry/security.h"

namespace prov::images {
namespace {

using regf::EditedKey;
using regf::EditedValue;
using State = EditedValue::State;

// The name of a value that is searched for. It may be longer than a hive allows.
Result<std::u16string> ValueName(std::string_view key, std::string_view utf8) {
  std::optional<std::u16string> name = regf::NameFromUtf8(utf8);
  if (!name) return Fail(Code::kHive, "the value's name is not well-formed UTF-8", regf::ValuePlace(key, utf8));
  return *std::move(name);
}

// The value with this name, present or deleted; nullptr if there never was one.
EditedValue* FindValue(const EditedKey& key, std::u16string_view name) {
  const auto found = key.content->value_by_name.find(regf::Upcase(name));
  return found == key.content->value_by_name.end() ? nullptr : &key.content->values[found->second];
}

bool IsAsInFile(const EditedValue& value, const RegValue& wanted) {
  const regf::ValueRecord& file = value.file;
  // Windows can't read big data that libhivex puts into one cell. Setting the value again repairs it.
  if (!value.InFile() || file.plain_big_data || file.loose_big_data) return false;
  if (file.type != static_cast<std::uint32_t>(wanted.type) || file.DataBytes() != wanted.data.size()) return false;
  return file.Data() == wanted.data;
}

}  // namespace

HiveEditor::HiveEditor() = default;
HiveEditor::HiveEditor(HiveEditor&& other) noexcept = default;
HiveEditor& HiveEditor::operator=(HiveEditor&& other) noexcept = default;
HiveEditor::~HiveEditor() = default;

Result<HiveEditor> HiveEditor::Open(std::string bytes) {
  HiveEditor out;
  out.file_ = std::make_unique<const std::string>(std::move(bytes));
  out.tree_ = std::make_unique<regf::EditedTree>(PROV_TRY(regf::EditedTree::Make(*out.file_)));
  return out;
}

Result<bool> HiveEditor::KeyExists(std::string_view key) const { return PROV_TRY(tree_->Find(key)) != nullptr; }

Result<std::optional<RegValue>> HiveEditor::Read(std::string_view key, std::string_view name) const {
  const std::u16string value_name = PROV_TRY(ValueName(key, name));
  const EditedKey* const found = PROV_TRY(tree_->Find(key));
  if (found == nullptr) return std::nullopt;
  const EditedValue* const value = FindValue(*found, value_name);
  if (value == nullptr || !value->IsThere()) return std::nullopt;
  return regf::ValueOf(*value);
}

Result<std::vector<std::string>> HiveEditor::Subkeys(std::string_view key) const {
  std::vector<std::string> names;
  const EditedKey* const found = PROV_TRY(tree_->Find(key));
  if (found == nullptr) return names;
  for (const EditedKey* subkey : regf::OrderSubkeys(*found->content))
    names.push_back(regf::NameToUtf8(subkey->record.name));
  return names;
}

Result<std::string> HiveEditor::Security(std::string_view key) const {
  const EditedKey* const found = PROV_TRY(tree_->Find(key));
  if (found == nullptr) return std::string();
  return std::string(tree_->security().at(found->security).descriptor);
}

Result<void> HiveEditor::Set(std::string_view key, const RegValue& value) {
  Result<std::u16string> name = regf::CheckValue(value);
  if (!name) return FailIn(regf::ValuePlace(key, value.name), std::move(name).error());
  EditedKey& edited = *PROV_TRY(tree_->FindOrMake(key));
  EditedValue* found = FindValue(edited, *name);
  if (found == nullptr) {
    edited.content->value_by_name.emplace(regf::Upcase(*name), edited.content->values.size());
    found = &edited.content->values.emplace_back();
    found->state = State::kAbsent;
  }
  if (!found->IsThere()) {
    ++edited.content->value_count;
    if (!found->InFile()) found->name = *std::move(name);
  }
  if (IsAsInFile(*found, value)) {
    found->state = State::kAsInFile;
    found->data.clear();
  } else {
    found->state = State::kSet;
    found->type = value.type;
    found->data = value.data;
  }
  return {};
}

Result<void> HiveEditor::DeleteValue(std::string_view key, std::string_view name) {
  const std::u16string value_name = PROV_TRY(ValueName(key, name));
  const EditedKey* const found = PROV_TRY(tree_->Find(key));
  if (found == nullptr) return {};
  EditedValue* const value = FindValue(*found, value_name);
  if (value == nullptr || !value->IsThere()) return {};
  value->state = State::kAbsent;
  value->data.clear();
  --found->content->value_count;
  return {};
}

Result<void> HiveEditor::DeleteKeyIfEmpty(std::string_view key) {
  EditedKey* const found = PROV_TRY(tree_->Find(key));
  if (found == nullptr || found->parent == nullptr) return {};
  if (found->content->value_count != 0 || found->content->subkey_count != 0) return {};
  found->is_there = false;
  --found->parent->content->subkey_count;
  return {};
}

Result<void> HiveEditor::SetSecurity(std::string_view key, std::string_view descriptor) {
  if (!IsSecurityDescriptor(descriptor))
    return Fail(Code::kHive, "the key's security descriptor is not a well-formed self-relative one", std::string(key));
  EditedKey* const found = PROV_TRY(tree_->FindOrMake(key));
  regf::SecurityTable& table = tree_->security();
  const bool is_the_files = found->InFile() && table.at(found->file_security).descriptor == descriptor;
  found->security = is_the_files ? found->file_security : table.Find(descriptor);
  return {};
}

bool HiveEditor::Changed() const { return regf::HasChanges(tree_->root()); }

Result<std::string> HiveEditor::Finish(std::uint64_t filetime) {
  const auto file = std::move(file_);
  const auto tree = std::move(tree_);
  const regf::Changes changes = PROV_TRY(regf::FindChanges(*tree));
  if (changes.IsEmpty()) return *file;
  std::string result = regf::WriteChanges(*file, *tree, changes, filetime);
  PROV_TRY(regf::VerifyChanges(*file, result, *tree, changes));
  return result;
}

}  // namespace prov::images
