#include "images/registry/hive_writer.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "images/registry/hive_bins.h"
#include "images/registry/hive_cell_writer.h"
#include "images/registry/hive_format.h"
#include "images/registry/hive_names.h"
#include "images/registry/hive_plan.h"

namespace prov::images {
namespace {

using regf::kNil;
using regf::Store16;
using regf::Store32;
using regf::Store64;
using regf::StoreBytes;

constexpr std::uint32_t kMinor = 5;  // of the format 1.5

class Writer {
 public:
  Writer(const regf::HivePlan& plan, std::uint64_t filetime) : bins_(filetime, plan.cell_bytes), filetime_(filetime) {}

  // The root's descriptor must not be empty.
  void WriteTree(const regf::PlannedKey& root, std::string_view root_security) {
    WriteKey(root, kNil, FindSecurity(root_security));
    WriteSecurityRing();
  }

  // The file, its base block still zero.
  std::string Finish() { return bins_.Finish(); }

 private:
  struct Security {
    std::string_view descriptor;
    std::uint32_t offset = 0;
    std::uint32_t references = 0;
  };

  std::uint32_t WriteKey(const regf::PlannedKey& planned, std::uint32_t parent, Security& inherited) {
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
    for (const regf::PlannedKey& subkey : planned.subkeys) {
      const std::uint32_t offset = WriteKey(subkey, key.offset, security);
      subkeys.push_back({offset, regf::LookupHash(subkey.upper_name)});
    }
    key.subkey_count = static_cast<std::uint32_t>(subkeys.size());
    key.subkey_list = regf::WriteSubkeyList(bins_, regf::ListKind(kMinor), subkeys);
    for (const regf::PlannedKey& subkey : planned.subkeys)
      key.max_subkey_name = std::max(key.max_subkey_name, subkey.name.utf16_bytes);
    for (const regf::PlannedName& value : planned.value_names)
      key.max_value_name = std::max(key.max_value_name, value.utf16_bytes);
    for (const RegValue& value : planned.key->values)
      key.max_value_data = std::max(key.max_value_data, static_cast<std::uint32_t>(value.data.size()));
    regf::WriteKey(bins_, key, planned.name.stored, filetime_);
    return key.offset;
  }

  std::uint32_t WriteValues(const regf::PlannedKey& planned) {
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

  // The entry of a descriptor, stable from now on.
  Security& FindSecurity(std::string_view descriptor) {
    const auto [found, is_new] = by_descriptor_.try_emplace(descriptor);
    if (is_new) found->second.descriptor = descriptor;
    return found->second;
  }

  // The cell of a descriptor, made at its first use; counts the use.
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

// The end of a name that fits into the base block, never half a character.
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
    return Fail(Code::kHive, "the security descriptor of the hive is no well-formed self-relative one", "the root key");
  }
  const std::optional<std::u16string> file_name = regf::NameFromUtf8(options.file_name);
  if (!file_name)
    return Fail(Code::kHive, "the file name to be kept in the hive is no well-formed UTF-8", "the base block");
  const regf::HivePlan plan = PROV_TRY(regf::PlanHive(root));

  Writer writer(plan, options.filetime);
  const std::string security = options.security.empty() ? SystemAdminsUsersDescriptor() : options.security;
  writer.WriteTree(plan.root, security);
  std::string file = writer.Finish();
  WriteBaseBlock(file, LastUnits(*file_name), options.filetime);
  return file;
}

}  // namespace prov::images
