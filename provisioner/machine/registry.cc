#include "provisioner/machine/registry.h"

#include <algorithm>

#include "provisioner/base/text.h"

namespace prov::machine {

Result<std::string> ReadText(Registry& registry, std::string_view key, std::string_view name) {
  const auto value = PROV_TRY(registry.Read(key, name));
  const bool is_text = value && (value->type == images::RegType::kSz || value->type == images::RegType::kExpandSz);
  std::string out = is_text ? FromUtf16Le(value->data).value_or("") : "";
  out.resize(std::min(out.size(), out.find('\0')));
  return out;
}

Result<bool> Differs(Registry& registry, std::string_view key, const images::RegValue& value) {
  const auto now = PROV_TRY(registry.Read(key, value.name));
  return !now || now->type != value.type || now->data != value.data;
}

Result<bool> SetIfDifferent(Registry& registry, std::string_view key, const images::RegValue& value) {
  if (!PROV_TRY(Differs(registry, key, value))) return false;
  PROV_TRY(registry.Set(key, value));
  return true;
}

}  // namespace prov::machine
