// Reads a payload as a source: from a folder that `bake` wrote, back to the EgressConfig and the choices that it was
// baked with. Baking or applying these again gives the same result.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "provisioner/base/file.h"
#include "provisioner/base/folder.h"
#include "provisioner/base/result.h"
#include "provisioner/payload/egress_json.h"
#include "provisioner/payload/manifest.h"
#include "provisioner/payload/pin.h"

namespace prov::payload {

inline constexpr std::uint64_t kMostManifestBytes = std::uint64_t{64} << 20U;

struct LoadedPayload {
  Manifest manifest;
  PayloadBytes files;                           // those that it lists, itself, and its signature if there is one
  std::optional<pki::Certificate> signer = {};  // who signed it; nullopt: that was not asked
};

struct FolderRules {
  const Pin& pin;               // a signature is checked before the manifest is parsed
  std::string_view apart = {};  // "provisioner/": what is beneath it is passed over; "": nothing
};

// Reads the files that the manifest of a folder lists, each once; later steps use only these bytes. Refuses others.
// `read` reads each file; its errors are returned unchanged. Errors: not-found, io, link, too-large, signature,
// cluster, manifest, and those of ParseManifest.
Result<LoadedPayload> LoadFolder(const std::string& folder, const FolderRules& rules,
                                 const FileReader& read = ReadRegularFile);

// The same for a payload. Errors: those of LoadFolder; manifest for the files of one node.
Result<LoadedPayload> LoadPayloadFolder(const std::string& folder, const Pin& pin = {},
                                        const FileReader& read = ReadRegularFile);

// Checks the files' digests and reads egress.json. `where` names the payload in messages. Errors: those of CheckDigests
// and of ReadEgressJson; manifest if the two documents name different generations.
Result<EgressDocument> ReadPayload(const LoadedPayload& payload, std::string_view where);

// The signer that a payload introduces, if its own signature was checked. Call it after ReadPayload, which checks the
// digests. Errors: those of ReadSigner.
Result<std::optional<pki::Certificate>> NextSignerOf(const LoadedPayload& payload, std::string_view where);

}  // namespace prov::payload
