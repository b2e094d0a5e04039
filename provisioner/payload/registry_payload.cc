#include "provisioner/payload/registry_payload.h"

#include <algorithm>

#include "images/registry/hive_writer.h"
#include "images/registry/reg_file.h"
#include "images/registry/security.h"
#include "provisioner/reconcile/kind.h"

namespace prov::payload {
namespace {

using images::KeyAt;
using images::RegKey;
using reconcile::DesiredState;

constexpr std::string_view kControlSet = R"(SYSTEM\CurrentControlSet)";

// A .reg file sets no permissions: every user of the node can read the keys.
constexpr std::string_view kLeftOut =
    "Left out: environments of services that hold the proxy's password. A .reg file can't close their keys\n"
    "to users. scripts\\Apply-Egress.ps1 and provisioner.exe close a key before they write.\n";

// The registry of an otherwise empty machine. Puts certificates after the other values, whatever the order of a plan.
RegKey Bake(const DesiredState& state, bool closed) {
  RegKey out;
  KeyAt(out, kControlSet);
  KeyAt(out, "SOFTWARE");
  for (const bool certificates : {false, true}) {
    for (const reconcile::Kind* kind : reconcile::Kinds()) {
      if ((kind == &reconcile::CertificateKind()) == certificates) kind->Bake(state, closed, out);
    }
  }
  return out;
}

}  // namespace

Result<std::string> SystemHive(const DesiredState& state) {
  images::HiveOptions options;
  options.file_name = "SYSTEM";
  if (state.holds_credentials) options.security = images::SystemAdminsDescriptor();
  RegKey root;
  RegKey baked = Bake(state, true);
  KeyAt(root, "ControlSet001").subkeys = std::move(KeyAt(baked, kControlSet).subkeys);
  return images::WriteHive(root, options);
}

Result<std::string> SoftwareHive(const DesiredState& state) {
  images::HiveOptions options;
  options.file_name = "SOFTWARE";
  RegKey root;
  RegKey baked = Bake(state, true);
  root.subkeys = std::move(KeyAt(baked, "SOFTWARE").subkeys);
  return images::WriteHive(root, options);
}

bool LeavesServicesOut(const DesiredState& state) {
  return state.credentials == reconcile::CredentialPolicy::kServices &&
         std::ranges::any_of(state.services, reconcile::HoldsCredentials);
}

std::string RegistryFile(const DesiredState& state) {
  const bool left_out = LeavesServicesOut(state);
  return images::WriteRegFile(Bake(state, !left_out), "HKEY_LOCAL_MACHINE", left_out ? kLeftOut : "");
}

}  // namespace prov::payload
