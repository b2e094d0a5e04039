#include "images/hive/writer.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>
#include <vector>

#include "images/hive/bins.h"
#include "images/hive/format.h"
#include "images/hive/names.h"
#include "images/hive/plan.h"

namespace prov::images {
namespace {

using regf::kNil;
using regf::Store16;
using regf::Store32;
using regf::Store64;
using regf::StoreBytes;

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
    const std::string& name = planned.name.stored.bytes;
    const std::uint32_t offset = bins_.Allocate(regf::kKeyBytes + name.size());
    Security& security = planned.key->security.empty() ? inherited : FindSecurity(planned.key->security);
    const std::uint32_t security_offset = UseSecurity(security);
    const std::uint32_t value_list = WriteValues(planned);
    std::vector<std::uint32_t> subkeys;
    subkeys.reserve(planned.subkeys.size());
    for (const regf::PlannedKey& subkey : planned.subkeys) subkeys.push_back(WriteKey(subkey, offset, security));
    const std::uint32_t subkey_list = WriteSubkeyList(planned, subkeys);

    std::uint32_t max_subkey_name = 0;
    for (const regf::PlannedKey& subkey : planned.subkeys)
      max_subkey_name = std::max(max_subkey_name, subkey.name.utf16_bytes);
    std::uint32_t max_value_name = 0;
    for (const regf::PlannedName& value : planned.value_names)
      max_value_name = std::max(max_value_name, value.utf16_bytes);
    std::size_t max_data = 0;
    for (const RegValue& value : planned.key->values) max_data = std::max(max_data, value.data.size());

    const bool is_root = parent == kNil;
    char* const nk = bins_.Content(offset);
    StoreBytes(nk, "nk");
    Store16(nk + 2, static_cast<std::uint16_t>((is_root ? regf::kKeyRoot : 0) |
                                               (planned.name.stored.latin1 ? regf::kKeyLatin1Name : 0)));
    Store64(nk + 4, filetime_);
    Store32(nk + 16, parent);
    Store32(nk + 20, static_cast<std::uint32_t>(subkeys.size()));
    Store32(nk + 28, subkey_list);
    Store32(nk + 32, kNil);  // volatile subkeys
    Store32(nk + 36, static_cast<std::uint32_t>(planned.value_names.size()));
    Store32(nk + 40, value_list);
    Store32(nk + 44, security_offset);
    Store32(nk + 48, kNil);  // class name
    Store32(nk + 52, max_subkey_name);
    Store32(nk + 60, max_value_name);
    Store32(nk + 64, static_cast<std::uint32_t>(max_data));
    Store16(nk + 72, static_cast<std::uint16_t>(name.size()));
    StoreBytes(nk + regf::kKeyBytes, name);
    return offset;
  }

  std::uint32_t WriteValues(const regf::PlannedKey& planned) {
    const std::vector<RegValue>& values = planned.key->values;
    if (values.empty()) return kNil;
    const std::uint32_t list = bins_.Allocate(4 * values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::uint32_t value = WriteValue(values[i], planned.value_names[i].stored);
      Store32(bins_.Content(list) + 4 * i, value);
    }
    return list;
  }

  std::uint32_t WriteValue(const RegValue& value, const regf::StoredName& name) {
    const std::uint32_t offset = bins_.Allocate(regf::kValueBytes + name.bytes.size());
    const auto size = static_cast<std::uint32_t>(value.data.size());
    const bool is_inline = size <= 4;
    const std::uint32_t data = is_inline ? 0 : WriteData(value.data);
    char* const vk = bins_.Content(offset);
    StoreBytes(vk, "vk");
    Store16(vk + 2, static_cast<std::uint16_t>(name.bytes.size()));
    Store32(vk + 4, is_inline ? size | regf::kInlineData : size);
    Store32(vk + 8, data);
    if (is_inline) StoreBytes(vk + 8, value.data);
    Store32(vk + 12, static_cast<std::uint32_t>(value.type));
    Store16(vk + 16, name.latin1 && !name.bytes.empty() ? regf::kValueLatin1Name : 0);
    StoreBytes(vk + regf::kValueBytes, name.bytes);
    return offset;
  }

  std::uint32_t WriteData(std::string_view data) {
    if (data.size() <= regf::kBigDataBytes) return WriteBytes(data);
    const std::size_t segments = (data.size() + regf::kBigDataBytes - 1) / regf::kBigDataBytes;
    const std::uint32_t record = bins_.Allocate(regf::kBigDataRecordBytes);
    const std::uint32_t list = bins_.Allocate(4 * segments);
    std::uint32_t segment = 0;
    for (std::size_t i = 0; i < segments; ++i) {
      const std::string_view part = data.substr(i * regf::kBigDataBytes, regf::kBigDataBytes);
      // For the sake of other readers: libhivex takes the last four bytes of a segment's cell for padding, reglookup
      // reads segments in the order of their offsets.
      segment = bins_.Allocate(part.size() + 4, segment);
      StoreBytes(bins_.Content(segment), part);
      Store32(bins_.Content(list) + 4 * i, segment);
    }
    char* const db = bins_.Content(record);
    StoreBytes(db, "db");
    Store16(db + 2, static_cast<std::uint16_t>(segments));
    Store32(db + 4, list);
    return record;
  }

  std::uint32_t WriteBytes(std::string_view bytes) {
    const std::uint32_t offset = bins_.Allocate(bytes.size());
    StoreBytes(bins_.Content(offset), bytes);
    return offset;
  }

  std::uint32_t WriteSubkeyList(const regf::PlannedKey& planned, const std::vector<std::uint32_t>& offsets) {
    if (offsets.empty()) return kNil;
    std::vector<std::uint32_t> leaves;
    for (std::size_t begin = 0; begin < offsets.size(); begin += regf::kMaxLeafNames) {
      leaves.push_back(WriteLeaf(planned, offsets, begin, std::min(offsets.size(), begin + regf::kMaxLeafNames)));
    }
    if (leaves.size() == 1) return leaves.front();
    const std::uint32_t index = bins_.Allocate(4 + 4 * leaves.size());
    char* const ri = bins_.Content(index);
    StoreBytes(ri, "ri");
    Store16(ri + 2, static_cast<std::uint16_t>(leaves.size()));
    for (std::size_t i = 0; i < leaves.size(); ++i) Store32(ri + 4 + 4 * i, leaves[i]);
    return index;
  }

  std::uint32_t WriteLeaf(const regf::PlannedKey& planned, const std::vector<std::uint32_t>& offsets, std::size_t begin,
                          std::size_t end) {
    const std::uint32_t leaf = bins_.Allocate(4 + 8 * (end - begin));
    char* entry = bins_.Content(leaf);
    StoreBytes(entry, "lh");
    Store16(entry + 2, static_cast<std::uint16_t>(end - begin));
    entry += 4;
    for (std::size_t i = begin; i < end; ++i, entry += 8) {
      Store32(entry, offsets[i]);
      Store32(entry + 4, regf::LookupHash(planned.subkeys[i].upper_name));
    }
    return leaf;
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
      const std::string_view descriptor = security.descriptor;
      security.offset = bins_.Allocate(regf::kSecurityBytes + descriptor.size());
      char* const sk = bins_.Content(security.offset);
      StoreBytes(sk, "sk");
      Store32(sk + 16, static_cast<std::uint32_t>(descriptor.size()));
      StoreBytes(sk + regf::kSecurityBytes, descriptor);
      ring_.push_back(&security);
    }
    return security.offset;
  }

  void WriteSecurityRing() {
    for (std::size_t i = 0; i < ring_.size(); ++i) {
      char* const sk = bins_.Content(ring_[i]->offset);
      Store32(sk + 4, ring_[(i + 1) % ring_.size()]->offset);
      Store32(sk + 8, ring_[(i + ring_.size() - 1) % ring_.size()]->offset);
      Store32(sk + 12, ring_[i]->references);
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
  Store32(base + 24, 5);
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
