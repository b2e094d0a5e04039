// The Secret with the user data of a pool's Linux machines: a pointer config, as oc get secret worker-user-data-managed
// prints it, or HyperShift's user-data-NODEPOOL-HASH, which has it at the key "value".
// Facts: docs/openshift.md#machine-config-server and #hosted-clusters.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "ignition/document.h"
#include "provisioner/source/reading.h"
#include "provisioner/source/source_objects.h"

namespace prov::source {

struct UserData {
  std::string config;  // an Ignition config, JSON
  std::string path;    // its place in the document
};

// The user data of the Secret called `name`, or of the only one that has some; nullopt if none has. Errors: type;
// invalid-config if it is not base64; kind if it is empty or not an Ignition config; not-found if several Secrets have
// user data.
Result<std::optional<UserData>> ReadUserDataSecret(std::span<const FoundObject> secrets, std::string_view name);

// The names of the Secrets with user data, as a list in words; "": none has some. At the key "value", which other
// Secrets have, too, only an Ignition config counts.
std::string NamesWithUserData(std::span<const FoundObject> secrets);

// Reads user data, usually a pointer config, and what it refers to. Errors: those of the config, with their place in
// the document.
Result<Reading> ReadPointerConfig(UserData user_data, const ignition::Limits& limits, ignition::Fetcher* fetcher);

}  // namespace prov::source
