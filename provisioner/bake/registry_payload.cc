#include "provisioner/bake/registry_payload.h"

#include <algorithm>

#include "images/hive/security.h"
#include "images/hive/writer.h"
#include "images/reg_file.h"

namespace prov::bake {
namespace {

using images::KeyAt;
using images::RegKey;
using reconcile::DesiredState;

// A .reg file holds values alone: their keys stay readable for every user of the node.
constexpr std::string_view kLeftOut =
    "Left out: environments of services that hold the proxy's password. A .reg file can't close their keys\n"
    "to users. scripts\\Install-Egress.ps1 and provisioner.exe close a key before they write.\n";

enum class ServiceSecrets { kWritten, kLeftOut };

// Adds the environments below a control set's key.
void AddEnvironments(const DesiredState& state, ServiceSecrets secrets, RegKey& control_set) {
  if (!state.environment.empty()) {
    RegKey& key = KeyAt(control_set, reconcile::kEnvironmentKey);
    for (const reconcile::EnvironmentVariable& variable : state.environment)
      key.values.push_back(reconcile::EncodeVariable(variable));
  }
  for (const reconcile::ServiceEnvironment& service : state.services) {
    if (service.variables.empty()) continue;
    if (secrets == ServiceSecrets::kLeftOut && HoldsCredentials(service)) continue;
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
  AddEnvironments(state, ServiceSecrets::kWritten, KeyAt(root, "ControlSet001"));
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

bool LeavesServicesOut(const DesiredState& state) {
  return state.credentials == reconcile::CredentialPolicy::kServices &&
         std::ranges::any_of(state.services, reconcile::HoldsCredentials);
}

std::string RegistryFile(const DesiredState& state) {
  RegKey machine;
  const bool left_out = LeavesServicesOut(state);
  AddEnvironments(state, left_out ? ServiceSecrets::kLeftOut : ServiceSecrets::kWritten,
                  KeyAt(machine, R"(SYSTEM\CurrentControlSet)"));
  AddSoftware(state, KeyAt(machine, "SOFTWARE"));
  return images::WriteRegFile(machine, "HKEY_LOCAL_MACHINE", left_out ? kLeftOut : "");
}

}  // namespace prov::bake
