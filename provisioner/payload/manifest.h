// manifest.json: every file of a payload with its digest. What is not in it is not part of the payload; but for its own
// signature, which can't be.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "provisioner/base/result.h"
#include "provisioner/payload/payload.h"

namespace prov::payload {

struct ManifestEntry {
  std::string path;
  std::string sha256;  // lower-case hex
  std::uint64_t bytes = 0;
  bool secret = false;  // holds credentials
};

struct Manifest {
  std::int64_t generation = 0;
  std::vector<ManifestEntry> files;
};

// The manifest of the given files: path, SHA-256, size, mode, secrecy and purpose of each.
std::string ManifestJson(const std::vector<PayloadFile>& files, std::int64_t generation);

// Errors: json, type, version; manifest for a path that is not safe or occurs twice, a digest that is none.
Result<Manifest> ParseManifest(std::string_view text, std::string_view where);

// Path to bytes, manifest.json and its signature included.
using PayloadBytes = std::map<std::string, std::string, std::less<>>;

// Each listed file is there with its digest, and nothing else is. Errors: manifest, with the file as where.
Result<void> CheckAgainstManifest(const PayloadBytes& files, const Manifest& manifest, std::string_view where);

}  // namespace prov::payload
