#include "images/registry/hive_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "images/registry/hive_limits.h"
#include "images/registry/security.h"

namespace prov::images::regf {
namespace {

class Planner {
 public:
  Result<HivePlan> Plan(const RegKey& root) {
    HivePlan plan;
    plan.root.key = &root;
    plan.root.name = {Store(u"ROOT"), 8};
    PROV_TRY(PlanContent(plan.root));
    plan.cell_bytes = cell_bytes_;
    return plan;
  }

 private:
  Result<void> PlanContent(PlannedKey& out) {
    const RegKey& key = *out.key;
    if (!key.security.empty() && !IsSecurityDescriptor(key.security)) {
      return Refuse(Code::kHive, "the key's security descriptor is no well-formed self-relative one");
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
      planned.name = {Store(name), static_cast<std::uint32_t>(2 * name.size())};
      planned.upper_name = Upcase(name);
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
    std::optional<std::u16string> name = NameFromUtf8(utf8);
    if (!name) return Refuse(Code::kHive, "the key's name is no well-formed UTF-8");
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
      const std::optional<std::u16string> name = NameFromUtf8(value.name);
      if (!name) return RefuseValue(Code::kHive, value, "the value's name is no well-formed UTF-8");
      if (name->size() > kMaxValueNameUnits) {
        return RefuseValue(
            Code::kSizeLimit, value,
            fmt::format("the value's name has {} characters, Windows takes {}", name->size(), kMaxValueNameUnits));
      }
      if (value.data.size() > kMaxValueBytes) {
        return RefuseValue(
            Code::kSizeLimit, value,
            fmt::format("the value has {} bytes, the registry takes {}", value.data.size(), kMaxValueBytes));
      }
      PlannedName& planned = out.value_names.emplace_back();
      planned = {Store(*name), static_cast<std::uint32_t>(2 * name->size())};
      upper_names.push_back(Upcase(*name));
      PROV_TRY(Count(40 + planned.stored.bytes.size() + value.data.size()));
    }
    std::ranges::sort(upper_names);
    const auto twice = std::ranges::adjacent_find(upper_names);
    if (twice != upper_names.end()) {
      return Refuse(
          Code::kHive,
          fmt::format(
              "the key has two values named \"{}\" (upper and lower case are the same); give each value one name",
              NameToUtf8(*twice)));
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
  std::unexpected<Error> RefuseValue(Code code, const RegValue& value, std::string message) const {
    return Fail(code, std::move(message), fmt::format("{}, value \"{}\"", Path(), value.name));
  }

  std::vector<std::string_view> path_;
  std::size_t cell_bytes_ = 0;
};

}  // namespace

Result<HivePlan> PlanHive(const RegKey& root) { return Planner().Plan(root); }

}  // namespace prov::images::regf
