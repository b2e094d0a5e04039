// manifest.json: the list of a payload's files with their digests. An unlisted file is not part of the payload. Only
// the manifest and its signature are not listed.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "provisioner/base/result.h"
#include "provisioner/payload/payload.h"

namespace prov::payload {

// Its name in a payload.
inline constexpr std::string_view kManifestName = "manifest.json";

struct ManifestEntry {
  std::string path;
  std::string sha256;  // lower-case hex
  std::uint64_t bytes = 0;
  bool secret = false;  // holds credentials
};

// The payload that the files of a node go with.
struct PayloadOfNode {
  std::string path = {};    // its folder, relative to theirs (node_files.h); "": the manifest names none
  std::string sha256 = {};  // of its manifest, in lower-case hex
};

struct ManifestHead {
  std::int64_t generation = 0;
  std::string cluster = {};    // the only one that the payload is for; "": for any
  std::string node = {};       // the files are those of this node alone (node_files.h); "": they are a payload
  PayloadOfNode payload = {};  // only with a node
};

struct Manifest : ManifestHead {
  std::vector<ManifestEntry> files;
};

// The manifest of the given files: path, SHA-256, size, mode, secrecy and purpose of each.
std::string ManifestJson(const std::vector<PayloadFile>& files, const ManifestHead& head);

// Adds their manifest to the files, and sorts them by path.
void AddManifest(std::vector<PayloadFile>& files, const ManifestHead& head);

// Errors: json, type, version; manifest for an unsafe or repeated path, or an invalid digest.
Result<Manifest> ParseManifest(std::string_view text, std::string_view where);

// Path to bytes, manifest.json and its signature included.
using PayloadBytes = std::map<std::string, std::string, std::less<>>;

// Checks that each listed file is there with its size and digest. Errors: manifest, with the file as where.
Result<void> CheckDigests(const PayloadBytes& files, const Manifest& manifest, std::string_view where);

}  // namespace prov::payload
