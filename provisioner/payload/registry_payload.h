// The registry part of a payload: the desired state of an otherwise empty machine as hives and as a .reg file.
#pragma once

#include <string>

#include "provisioner/base/result.h"
#include "provisioner/reconcile/desired_state.h"

namespace prov::payload {

// SYSTEM holds the environments in ControlSet001, and no `Select`: merged into an image's hive, that would choose the
// control set that Windows starts with. Only SYSTEM and Administrators can read a hive that holds credentials. SOFTWARE
// holds the WinHTTP and WinINET settings in both views, and the certificate stores.
Result<std::string> SystemHive(const reconcile::DesiredState& state);
Result<std::string> SoftwareHive(const reconcile::DesiredState& state);

// The same values for `reg import` on a live node: paths below HKEY_LOCAL_MACHINE, the control set by its live name.
// With `--credentials services` it leaves out values that users must not read, because an import can't close their
// keys; a comment in it says so.
std::string RegistryFile(const reconcile::DesiredState& state);
bool LeavesServicesOut(const reconcile::DesiredState& state);

}  // namespace prov::payload
