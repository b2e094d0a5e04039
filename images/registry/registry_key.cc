#include "images/registry/registry_key.h"

#include <algorithm>

#include "provisioner/base/text.h"

namespace prov::images {

std::string EncodeSz(std::string_view utf8) { return ToUtf16Le(utf8) + std::string(2, '\0'); }

std::string EncodeMultiSz(const std::vector<std::string>& utf8_items) {
  std::string out;
  for (const std::string& item : utf8_items) out += EncodeSz(item);
  return out + std::string(2, '\0');
}

std::string EncodeDword(std::uint32_t value) {
  std::string out;
  for (unsigned shift = 0; shift < 32; shift += 8) out.push_back(static_cast<char>((value >> shift) & 0xFFU));
  return out;
}

RegKey& KeyAt(RegKey& parent, std::string_view path) {
  RegKey* key = &parent;
  for (const std::string_view name : Split(path, '\\')) {
    if (name.empty()) continue;
    const auto found =
        std::ranges::find_if(key->subkeys, [&](const RegKey& k) { return EqualsIgnoreAsciiCase(k.name, name); });
    if (found != key->subkeys.end()) {
      key = &*found;
    } else {
      key = &key->subkeys.emplace_back();
      key->name = std::string(name);
    }
  }
  return *key;
}

}  // namespace prov::images
