// An object that the controller keeps, a Secret or a ConfigMap: what is in it, and the patch that makes it current.
// Pure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "provisioner/base/result.h"
#include "provisioner/fleet/node_state.h"

namespace prov::controller {

enum class KeptKind {
  kUserData,   // a Secret
  kPodParams,  // a ConfigMap
};

using KeptData = std::map<std::string, std::string, std::less<>>;  // bytes by key

struct KeptObject {
  std::string resource_version;
  std::string uid;                        // "": the server says none
  std::string keeps;                      // the value of source::kKeepsLabel; "": the object is not ours
  KeptData data;                          //
  bool was_written = false;               // by a controller: it has the annotation with a state
  std::optional<fleet::NodeState> state;  // of the annotation; nullopt: none that can be read
};

// An object of the API as JSON. Errors: json, type.
Result<KeptObject> ParseKeptObject(KeptKind kind, std::string_view body, const std::string& where);

// A JSON merge patch about `of`: sets the annotation, and with `data` exactly these keys.
std::string KeptObjectPatch(KeptKind kind, const KeptObject& of, const fleet::NodeState& state, const KeptData* data);

}  // namespace prov::controller
