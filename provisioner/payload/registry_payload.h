// The registry part of a payload: the desired state as the SYSTEM and SOFTWARE trees of an otherwise empty machine.
#pragma once

#include <string>

#include "images/registry/registry_key.h"
#include "provisioner/base/result.h"
#include "provisioner/reconcile/desired_state.h"

namespace prov::payload {

// Root of a SYSTEM hive: ControlSet001 holds the environments. There is no `Select`: merged into the hive of an image,
// it would choose the control set that Windows starts with.
images::RegKey SystemTree(const reconcile::DesiredState& state);
// Root of a SOFTWARE hive: WinHTTP and WinINET settings in both views and the certificate stores.
images::RegKey SoftwareTree(const reconcile::DesiredState& state);

// The hives of the two trees. One that holds credentials is readable by SYSTEM and Administrators only.
Result<std::string> SystemHive(const reconcile::DesiredState& state);
Result<std::string> SoftwareHive(const reconcile::DesiredState& state);

// The same values for `reg import` on a live node: paths below HKEY_LOCAL_MACHINE, the control set by its live name.
// With `--credentials services` it leaves out values that users must not read, since an import can't close the keys; a
// comment in it says so.
std::string RegistryFile(const reconcile::DesiredState& state);
bool LeavesServicesOut(const reconcile::DesiredState& state);

}  // namespace prov::payload
