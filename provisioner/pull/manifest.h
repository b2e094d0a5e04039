// Manifests and indexes of images (OCI image specification 1.1 and Docker's schema 2), as far as a pull needs them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "provisioner/base/result.h"

namespace prov::pull {

struct Descriptor {
  std::string media_type;
  std::string digest;  // checked: "sha256:<64 hex digits>" or "sha512:<128>"
  std::int64_t size = 0;
  std::vector<std::string> urls;                      // where it is asked for first
  std::string os, architecture, variant, os_version;  // of an index's entry; "": not said
};

struct Manifest {
  bool index = false;
  std::vector<Descriptor> entries;   // of an index
  std::optional<Descriptor> config;  // of a manifest
  std::vector<Descriptor> layers;
};

// The types of Docker and OCI that containerd looks into.
bool IsIndexType(std::string_view media_type);
bool IsManifestType(std::string_view media_type);

// `media_type`: what the text is said to be; containerd refuses an index for a manifest, and the other way round.
// Errors: json, type, invalid-config (a digest; neither an index nor a manifest; not of the type).
Result<Manifest> ParseManifest(std::string_view text, std::string_view media_type, const std::string& where);

bool IsDigest(std::string_view text);
// Whether these are the bytes of the digest.
bool HasDigest(std::string_view bytes, std::string_view digest);

struct Platform {
  std::string os = "windows", architecture = "amd64";
  std::string os_version;  // "10.0.20348": the node's build; "": any
};

// "OS/ARCHITECTURE". Errors: usage.
Result<Platform> ParsePlatform(std::string_view text, const std::string& where);

// The entries that a node of this platform fetches, as containerd 2.1 and later do for kubelet. With a build of
// Windows: those of the same build; from Server 2022 on, those of each build since then that is not newer; beyond
// Server 2025, since that. An entry without a build fits; one without a platform fits, too, and comes last.
std::vector<Descriptor> EntriesFor(const Manifest& index, const Platform& platform);

// "windows/amd64 10.0.17763.1", for messages.
std::string DescribeEntry(const Descriptor& entry);
// "windows/amd64 10.0.17763.1, linux/arm64": what an index has, for messages; of many the first.
std::string DescribeEntries(const Manifest& index);

}  // namespace prov::pull
