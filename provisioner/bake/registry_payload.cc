#include "provisioner/bake/registry_payload.h"

#include "images/hive/security.h"
#include "images/hive/writer.h"
#include "images/reg_file.h"

namespace prov::bake {
namespace {

using images::KeyAt;
using images::RegKey;
using reconcile::DesiredState;

// Adds the environments below a control set's key.
void AddEnvironments(const DesiredState& state, RegKey& control_set) {
  if (!state.environment.empty()) {
    RegKey& key = KeyAt(control_set, reconcile::kEnvironmentKey);
    for (const reconcile::EnvironmentVariable& variable : state.environment)
      key.values.push_back(reconcile::EncodeVariable(variable));
  }
  for (const reconcile::ServiceEnvironment& service : state.services) {
    if (service.variables.empty()) continue;
    KeyAt(control_set, reconcile::ServiceKey(service.service))
        .values.push_back(
            reconcile::EncodeServiceEnvironment(reconcile::MergeServiceEnvironment({}, service.variables)));
  }
}

void AddSoftware(const DesiredState& state, RegKey& software) {
  if (state.win_http) {
    for (const std::string_view key : reconcile::kWinHttpKeys) {
      KeyAt(software, key).values.push_back(reconcile::EncodeWinHttpValue(*state.win_http));
    }
  }
  if (state.win_inet) {
    for (const reconcile::WinInetPlace& place : reconcile::WinInetPlaces()) {
      KeyAt(software, place.key).values.push_back(reconcile::EncodeWinInetValue(place, *state.win_inet, std::nullopt));
    }
  }
  for (const egress::Store store : {egress::Store::kRoot, egress::Store::kCa}) {
    RegKey* key = nullptr;
    for (const reconcile::CertificateItem& item : state.certificates) {
      if (item.store != store) continue;
      if (key == nullptr) key = &KeyAt(software, reconcile::StoreKey(store));
      key->subkeys.push_back(reconcile::EncodeCertificate(item.certificate));
    }
  }
}

}  // namespace

RegKey SystemTree(const DesiredState& state) {
  RegKey root;
  AddEnvironments(state, KeyAt(root, "ControlSet001"));
  return root;
}

RegKey SoftwareTree(const DesiredState& state) {
  RegKey root;
  AddSoftware(state, root);
  return root;
}

Result<std::string> SystemHive(const DesiredState& state) {
  images::HiveOptions options;
  options.file_name = "SYSTEM";
  if (state.holds_credentials) options.security = images::SystemAdminsDescriptor();
  return images::WriteHive(SystemTree(state), options);
}

Result<std::string> SoftwareHive(const DesiredState& state) {
  images::HiveOptions options;
  options.file_name = "SOFTWARE";
  return images::WriteHive(SoftwareTree(state), options);
}

std::string RegistryFile(const DesiredState& state) {
  RegKey machine;
  AddEnvironments(state, KeyAt(machine, R"(SYSTEM\CurrentControlSet)"));
  AddSoftware(state, KeyAt(machine, "SOFTWARE"));
  return images::WriteRegFile(machine, "HKEY_LOCAL_MACHINE");
}

}  // namespace prov::bake
