#include "images/registry/hive_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "images/registry/hive_cell_writer.h"
#include "images/registry/hive_format.h"
#include "images/registry/hive_names.h"
#include "images/registry/security.h"

namespace prov::images {
namespace {

using regf::kNil;
using regf::Store16;
using regf::Store32;
using regf::Store64;
using regf::StoreBytes;

constexpr std::uint32_t kMinor = 5;  // of the format 1.5

struct PlannedName {
  regf::StoredName stored;
  std::uint32_t utf16_bytes = 0;
};

struct PlannedKey {
  const RegKey* key = nullptr;
  PlannedName name;
  std::u16string upper_name;
  std::vector<PlannedName> value_names;  // as key->values
  std::vector<PlannedKey> subkeys;       // ascending by upper_name
};

// The prepared content, checked and sorted before the first byte is written.
struct HivePlan {
  PlannedKey root;
  std::size_t cell_bytes = 0;  // approximate size of all cells
};

class Planner {
 public:
  Result<HivePlan> Plan(const RegKey& root) {
    HivePlan plan;
    plan.root.key = &root;
    plan.root.name = {regf::Store(u"ROOT"), 8};
    PROV_TRY(PlanContent(plan.root));
    plan.cell_bytes = cell_bytes_;
    return plan;
  }

 private:
  Result<void> PlanContent(PlannedKey& out) {
    const RegKey& key = *out.key;
    if (!key.security.empty() && !IsSecurityDescriptor(key.security)) {
      return Refuse(Code::kHive, "the key's security descriptor is not a well-formed self-relative one");
    }
    PROV_TRY(Count(96 + out.name.stored.bytes.size() + key.security.size()));
    PROV_TRY(PlanValues(out));
    if (!key.subkeys.empty() && path_.size() == kMaxKeyDepth) {
      return Refuse(Code::kSizeLimit, fmt::format("keys are nested deeper than {} levels", kMaxKeyDepth));
    }
    out.subkeys.reserve(key.subkeys.size());
    for (const RegKey& subkey : key.subkeys) {
      path_.push_back(subkey.name);
      PlannedKey& planned = out.subkeys.emplace_back();
      planned.key = &subkey;
      const std::u16string name = PROV_TRY(KeyName(subkey.name));
      planned.name = {regf::Store(name), static_cast<std::uint32_t>(2 * name.size())};
      planned.upper_name = regf::Upcase(name);
      PROV_TRY(PlanContent(planned));
      path_.pop_back();
    }
    std::ranges::sort(out.subkeys, {}, &PlannedKey::upper_name);
    const auto twice = std::ranges::adjacent_find(out.subkeys, {}, &PlannedKey::upper_name);
    if (twice != out.subkeys.end()) {
      path_.push_back(twice->key->name);
      return Refuse(Code::kHive,
                    "the key exists twice (names that differ in case only are the same); give each subkey one name");
    }
    return {};
  }

  Result<std::u16string> KeyName(std::string_view utf8) {
    std::optional<std::u16string> name = regf::NameFromUtf8(utf8);
    if (!name) return Refuse(Code::kHive, "the key's name is not well-formed UTF-8");
    if (name->empty()) return Refuse(Code::kHive, "a key's name is empty");
    if (name->find(u'\\') != std::u16string::npos)
      return Refuse(Code::kHive, "the key's name holds a backslash, which separates keys");
    if (name->size() > kMaxKeyNameUnits) {
      return Refuse(Code::kSizeLimit,
                    fmt::format("the key's name has {} characters, Windows takes {}", name->size(), kMaxKeyNameUnits));
    }
    return *std::move(name);
  }

  Result<void> PlanValues(PlannedKey& out) {
    std::vector<std::u16string> upper_names;
    out.value_names.reserve(out.key->values.size());
    for (const RegValue& value : out.key->values) {
      const Result<std::u16string> name = regf::CheckValue(value);
      if (!name) return FailIn(regf::ValuePlace(Path(), value.name), name.error());
      PlannedName& planned = out.value_names.emplace_back();
      planned = {regf::Store(*name), static_cast<std::uint32_t>(2 * name->size())};
      upper_names.push_back(regf::Upcase(*name));
      PROV_TRY(Count(40 + planned.stored.bytes.size() + value.data.size()));
    }
    std::ranges::sort(upper_names);
    const auto twice = std::ranges::adjacent_find(upper_names);
    if (twice != upper_names.end()) {
      return Refuse(
          Code::kHive,
          fmt::format(
              "the key has two values named \"{}\" (upper and lower case are the same); give each value one name",
              regf::NameToUtf8(*twice)));
    }
    return {};
  }

  Result<void> Count(std::size_t bytes) {
    cell_bytes_ += bytes;
    if (cell_bytes_ <= kMaxHiveBytes) return {};
    return Refuse(Code::kSizeLimit, "the hive would exceed 1 GiB; put less into it");
  }

  std::string Path() const { return path_.empty() ? "the root key" : fmt::format("{}", fmt::join(path_, "\\")); }
  std::unexpected<Error> Refuse(Code code, std::string message) const { return Fail(code, std::move(message), Path()); }

  std::vector<std::string_view> path_;
  std::size_t cell_bytes_ = 0;
};

class Writer {
 public:
  Writer(const HivePlan& plan, std::uint64_t filetime) : bins_(filetime, plan.cell_bytes), filetime_(filetime) {}

  // The root's descriptor must not be empty.
  void WriteTree(const PlannedKey& root, std::string_view root_security) {
    WriteKey(root, kNil, FindSecurity(root_security));
    WriteSecurityRing();
  }

  // The file; its base block is still zero.
  std::string Finish() { return bins_.Finish(); }

 private:
  struct Security {
    std::string_view descriptor;
    std::uint32_t offset = 0;
    std::uint32_t references = 0;
  };

  std::uint32_t WriteKey(const PlannedKey& planned, std::uint32_t parent, Security& inherited) {
    regf::KeyRecord key;
    key.offset = regf::AllocateKey(bins_, planned.name.stored);
    key.flags = parent == kNil ? regf::kKeyRoot : 0;
    key.parent = parent;
    Security& security = planned.key->security.empty() ? inherited : FindSecurity(planned.key->security);
    key.security = UseSecurity(security);
    key.value_count = static_cast<std::uint32_t>(planned.value_names.size());
    key.value_list = WriteValues(planned);
    std::vector<regf::ListedKey> subkeys;
    subkeys.reserve(planned.subkeys.size());
    for (const PlannedKey& subkey : planned.subkeys) {
      const std::uint32_t offset = WriteKey(subkey, key.offset, security);
      subkeys.push_back({offset, regf::LookupHash(subkey.upper_name)});
    }
    key.subkey_count = static_cast<std::uint32_t>(subkeys.size());
    key.subkey_list = regf::WriteSubkeyList(bins_, regf::ListKind(kMinor), subkeys);
    for (const PlannedKey& subkey : planned.subkeys)
      key.max_subkey_name = std::max(key.max_subkey_name, subkey.name.utf16_bytes);
    for (const PlannedName& value : planned.value_names)
      key.max_value_name = std::max(key.max_value_name, value.utf16_bytes);
    for (const RegValue& value : planned.key->values)
      key.max_value_data = std::max(key.max_value_data, static_cast<std::uint32_t>(value.data.size()));
    regf::WriteKey(bins_, key, planned.name.stored, filetime_);
    return key.offset;
  }

  std::uint32_t WriteValues(const PlannedKey& planned) {
    const std::vector<RegValue>& values = planned.key->values;
    if (values.empty()) return kNil;
    const std::uint32_t list = bins_.Allocate(4 * values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::uint32_t value =
          regf::WriteValue(bins_, planned.value_names[i].stored, values[i].type, values[i].data, kMinor);
      Store32(bins_.Content(list) + 4 * i, value);
    }
    return list;
  }

  // The entry of a descriptor; its address stays valid.
  Security& FindSecurity(std::string_view descriptor) {
    const auto [found, is_new] = by_descriptor_.try_emplace(descriptor);
    if (is_new) found->second.descriptor = descriptor;
    return found->second;
  }

  // The cell of a descriptor, made on first use; counts the use.
  std::uint32_t UseSecurity(Security& security) {
    if (security.references++ == 0) {
      security.offset = regf::WriteSecurity(bins_, security.descriptor);
      ring_.push_back(&security);
    }
    return security.offset;
  }

  void WriteSecurityRing() {
    for (std::size_t i = 0; i < ring_.size(); ++i) {
      regf::SetSecurityLinks(bins_, ring_[i]->offset, ring_[(i + 1) % ring_.size()]->offset,
                             ring_[(i + ring_.size() - 1) % ring_.size()]->offset);
      regf::SetSecurityReferences(bins_, ring_[i]->offset, ring_[i]->references);
    }
  }

  regf::BinAllocator bins_;
  std::uint64_t filetime_;
  std::unordered_map<std::string_view, Security> by_descriptor_;
  std::vector<const Security*> ring_;  // in the order of first use
};

// The end of a name that fits into the base block, cut between characters.
std::u16string_view LastUnits(std::u16string_view name) {
  constexpr std::size_t kUnits = 31;
  if (name.size() <= kUnits) return name;
  name.remove_prefix(name.size() - kUnits);
  const bool starts_with_half = name.front() >= 0xDC00 && name.front() <= 0xDFFF;
  return name.substr(starts_with_half ? 1 : 0);
}

void WriteBaseBlock(std::string& file, std::u16string_view file_name, std::uint64_t filetime) {
  char* const base = file.data();
  StoreBytes(base, "regf");
  Store32(base + 4, 1);
  Store32(base + 8, 1);  // equal sequence numbers: closed cleanly
  Store64(base + 12, filetime);
  Store32(base + 20, 1);
  Store32(base + 24, kMinor);
  Store32(base + 28, 0);
  Store32(base + 32, 1);
  Store32(base + 36, regf::kRootOffset);
  Store32(base + 40, static_cast<std::uint32_t>(file.size() - regf::kBaseBlockBytes));
  Store32(base + 44, 1);
  for (std::size_t i = 0; i < file_name.size(); ++i) Store16(base + 48 + 2 * i, file_name[i]);
  Store32(base + 508, regf::BaseBlockChecksum(file));
}

}  // namespace

Result<std::string> WriteHive(const RegKey& root, const HiveOptions& options) {
  if (!options.security.empty() && !IsSecurityDescriptor(options.security)) {
    return Fail(Code::kHive, "the security descriptor of the hive is not a well-formed self-relative one",
                "the root key");
  }
  const std::optional<std::u16string> file_name = regf::NameFromUtf8(options.file_name);
  if (!file_name)
    return Fail(Code::kHive, "the file name to be kept in the hive is not well-formed UTF-8", "the base block");
  const HivePlan plan = PROV_TRY(Planner().Plan(root));

  Writer writer(plan, options.filetime);
  const std::string security = options.security.empty() ? SystemAdminsUsersDescriptor() : options.security;
  writer.WriteTree(plan.root, security);
  std::string file = writer.Finish();
  WriteBaseBlock(file, LastUnits(*file_name), options.filetime);
  return file;
}

}  // namespace prov::images
