// The objects of a cluster that speak of mirrors: ImageDigestMirrorSet, ImageTagMirrorSet, ImageContentSourcePolicy and
// the Image object of the cluster; an install-config's mirrors; and files with them.
// Facts: docs/registries.md#mirrors-of-a-cluster.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "provisioner/base/finding.h"
#include "provisioner/base/result.h"
#include "provisioner/registries/mirrors.h"
#include "provisioner/source/source_objects.h"

namespace prov::source {

bool IsMirrorObject(const JsonValue& object, std::string_view kind);

// What the machine-config operator would make of all of them. Errors: type, invalid-config.
Result<registries::Mirrors> ReadMirrorObjects(std::span<const FoundObject> objects);

// imageDigestSources and imageContentSources of an install-config. Errors: type.
Result<registries::Mirrors> ReadInstallMirrors(const ObjectView& config);

// "host..5000" or "host": the name under which a CA of a registry stands in ConfigMaps; as "host:5000".
std::string RegistryOfKey(std::string_view key);

// A file of registries.conf, or with such objects as JSON or YAML. `where` names it. Errors: registries, json, yaml,
// type, invalid-config, kind (neither). Findings: not-read.
Result<registries::Mirrors> ReadMirrorFile(std::string bytes, const std::string& where, Findings& findings);

}  // namespace prov::source
