// Reads a payload as a source: from a folder that `bake` wrote, back to the EgressConfig and the choices that it was
// baked with. Baking or applying these again gives the same result.
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

struct LoadedPayload {
  Manifest manifest;
  PayloadBytes files;  // those that it lists, itself, and its signature if there is one
};

// Refuses unlisted files, then reads each listed file once; later steps use only these bytes. With a `signer`, checks
// the signature before it parses the manifest. `read` reads each file; its errors are returned unchanged. Errors:
// not-found, io, link, too-large, signature, manifest, and those of ParseManifest.
Result<LoadedPayload> LoadPayloadFolder(const std::string& folder, const pki::Certificate* signer = nullptr,
                                        const FileReader& read = ReadRegularFile);

// Checks the files' digests and reads egress.json. `where` names the payload in messages. Errors: those of CheckDigests
// and of ReadEgressJson; manifest if the two documents name different generations.
Result<EgressDocument> ReadPayload(const LoadedPayload& payload, std::string_view where);

}  // namespace prov::payload
