// The certificate stores of an image (image_ports.h).
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "provisioner/base/json_reader.h"
#include "provisioner/base/json_writer.h"
#include "provisioner/base/text.h"
#include "provisioner/machine/certificate_blob.h"
#include "provisioner/machine/image_ports.h"

namespace prov::machine {
namespace {

using images::RegType;
using pki::Store;

constexpr std::string_view kOwnKeysSection = "storeKeys";

std::string OwnStore(Store store) { return R"(SOFTWARE\)" + CertificateStoreKey(store); }

Result<std::vector<std::string>> LoadOwnKeys(StateRecord& state) {
  const auto section = PROV_TRY(state.Read(kOwnKeysSection));
  if (!section) return std::vector<std::string>();
  return section->Get("keys", &JsonNode::Texts);
}

Result<void> SaveOwnKeys(StateRecord& state, const std::vector<std::string>& keys) {
  JsonWriter json;
  json.BeginObject().Strings("keys", keys);
  return state.Commit({{std::string(kOwnKeysSection), json.EndObject().Text()}});
}

std::string_view Parent(std::string_view key) { return key.substr(0, key.rfind('\\')); }

}  // namespace

Result<bool> ImageCertificateStore::Holds(std::string_view store_key, std::string_view der) {
  const auto blob =
      PROV_TRY(registry_.Read(fmt::format("{}\\{}", store_key, CertificateKeyName(der)), kCertificateBlob));
  return blob && blob->type == RegType::kBinary && CertificateInBlob(blob->data) == der;
}

Result<bool> ImageCertificateStore::Contains(Store store, std::string_view der) {
  for (const std::string& key : PhysicalStores(pki::NameOf(store))) {
    if (PROV_TRY(Holds(key, der))) return true;
  }
  return false;
}

Result<std::optional<std::string>> ImageCertificateStore::Find(Store store, std::string_view sha1) {
  const std::string name = AsciiUpper(sha1);
  for (const std::string& key : PhysicalStores(pki::NameOf(store))) {
    const auto blob = PROV_TRY(registry_.Read(fmt::format("{}\\{}", key, name), kCertificateBlob));
    const auto der = blob && blob->type == RegType::kBinary ? CertificateInBlob(blob->data) : std::nullopt;
    if (der && CertificateKeyName(*der) == name) return std::string(*der);
  }
  return std::nullopt;
}

Result<bool> ImageCertificateStore::IsDisallowed(std::string_view der) {
  for (const std::string& key : PhysicalStores("Disallowed")) {
    if (PROV_TRY(Holds(key, der))) return true;
  }
  return false;
}

// Remembers the store's keys if they are missing, so that removal takes them out again. Windows setup makes these keys;
// only a minimal image lacks them.
Result<void> ImageCertificateStore::RememberOwnKeys(const std::string& store_key) {
  if (PROV_TRY(registry_.KeyExists(store_key))) return {};
  std::vector<std::string> own = PROV_TRY(LoadOwnKeys(state_));
  for (std::string_view key = store_key; key != "SOFTWARE" && !PROV_TRY(registry_.KeyExists(key)); key = Parent(key)) {
    if (std::ranges::find(own, key) == own.end()) own.emplace_back(key);
  }
  return SaveOwnKeys(state_, own);
}

Result<void> ImageCertificateStore::RemoveOwnKeys(const std::string& store_key) {
  std::vector<std::string> own = PROV_TRY(LoadOwnKeys(state_));
  if (own.empty()) return {};
  for (std::string_view key = store_key; key.find('\\') != std::string_view::npos; key = Parent(key)) {
    const auto found = std::ranges::find(own, key);
    if (found == own.end()) break;
    PROV_TRY(registry_.DeleteKeyIfEmpty(key));
    if (PROV_TRY(registry_.KeyExists(key))) break;
  }
  return {};
}

Result<void> ImageCertificateStore::Add(Store store, std::string_view der) {
  const std::string store_key = OwnStore(store);
  if (PROV_TRY(Holds(store_key, der))) return {};
  PROV_TRY(RememberOwnKeys(store_key));
  return registry_.Set(fmt::format("{}\\{}", store_key, CertificateKeyName(der)),
                       {std::string(kCertificateBlob), RegType::kBinary, EncodeCertificateBlob(der)});
}

Result<void> ImageCertificateStore::Remove(Store store, std::string_view der) {
  const std::string store_key = OwnStore(store);
  const std::string key = fmt::format("{}\\{}", store_key, CertificateKeyName(der));
  if (PROV_TRY(Holds(store_key, der))) PROV_TRY(registry_.DeleteValue(key, kCertificateBlob));
  PROV_TRY(registry_.DeleteKeyIfEmpty(key));
  return RemoveOwnKeys(store_key);
}

}  // namespace prov::machine
