// A payload as a source: from a folder that `bake` wrote, back to the EgressConfig and the choices it was baked with,
// so that baking or applying it again gives the same.
#pragma once

#include <cstdint>
#include <string>

#include "provisioner/base/file.h"
#include "provisioner/base/folder.h"
#include "provisioner/base/result.h"
#include "provisioner/payload/egress_json.h"
#include "provisioner/payload/manifest.h"

namespace prov::payload {

inline constexpr std::uint64_t kMostManifestBytes = std::uint64_t{64} << 20U;

// Reads each listed file once; everything later uses these bytes. With a `signer`, the signature is checked before the
// manifest is parsed. Errors: not-found, io, link, too-large, signature, manifest, and those of ParseManifest. `read`
// reads each file; its refusals are returned as they are.
Result<PayloadBytes> LoadPayloadFolder(const std::string& folder, const pki::Certificate* signer = nullptr,
                                       const FileReader& read = ReadRegularFile);

// `where` names the payload in messages. Errors: those of CheckAgainstManifest and of ReadEgressJson.
Result<EgressDocument> ReadPayload(const PayloadBytes& files, std::string_view where);

}  // namespace prov::payload
