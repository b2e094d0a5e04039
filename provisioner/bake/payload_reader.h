// A payload as a source: from a folder that `bake` wrote, back to the EgressConfig and the choices it was baked with,
// so that baking or applying it again gives the same.
#pragma once

#include <string>

#include "provisioner/bake/egress_json.h"
#include "provisioner/bake/manifest.h"
#include "provisioner/base/result.h"

namespace prov::bake {

// Each listed file is read once; what comes later uses these bytes. Errors: not-found, io, link, too-large, manifest,
// and those of ParseManifest.
Result<PayloadBytes> LoadPayloadFolder(const std::string& folder);

// `where` names the payload in messages. Errors: those of CheckAgainstManifest and of ReadEgressJson.
Result<EgressDocument> ReadPayload(const PayloadBytes& files, std::string_view where);

}  // namespace prov::bake
