// A Secret that the controller keeps: what is in it, and the patch that makes it current. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "provisioner/base/result.h"
#include "provisioner/fleet/node_state.h"

namespace prov::controller {

// The label that lets the controller write a Secret or ConfigMap, and says what is kept in it. `deploy` prints objects
// with it; the controller makes none.
inline constexpr std::string_view kKeepsLabel = "egress-provisioner/keeps";
inline constexpr std::string_view kUserDataKept = "user-data";

using SecretData = std::map<std::string, std::string>;  // bytes by key

struct KeptSecret {
  std::string resource_version;
  std::string keeps;                      // the label's value; "": the object is not ours
  SecretData data;                        //
  std::optional<fleet::NodeState> state;  // of the annotation; nullopt: none that can be read
};

// An object of the API as JSON. Errors: json, type.
Result<KeptSecret> ParseKeptSecret(std::string_view body, const std::string& where);

// A JSON merge patch about `of`: sets the annotation, and with `data` exactly these keys.
std::string KeptSecretPatch(const KeptSecret& of, const fleet::NodeState& state, const SecretData* data);

}  // namespace prov::controller
