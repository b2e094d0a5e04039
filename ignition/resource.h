// A Resource of the Ignition spec: the source of its bytes, their compression and their expected hash.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ignition/fetcher.h"
#include "ignition/version.h"
#include "provisioner/base/result.h"

namespace prov::ignition {

// Views into the config; nullopt: absent or null.
struct Resource {
  std::optional<std::string_view> source = std::nullopt;
  std::optional<std::string_view> compression = std::nullopt;
  std::optional<std::string_view> hash = std::nullopt;  // verification.hash
  std::vector<std::pair<std::string, std::string>> http_headers = {};
};

struct ResourceContext {
  ResourceUse use = ResourceUse::kFile;
  SpecVersion version = {3, kNewestMinor};  // of the config that has the resource
  std::uint64_t limit = 0;                  // in bytes, before and after decompression
  Fetcher* fetcher = nullptr;               // null: nothing remote can be read
  // The settings for the fetch; called only if there is one. Empty: the default settings.
  std::function<Result<FetchSettings>()> settings = {};
};

// Reads `resource`: fetches or decodes it, decompresses it, and verifies the hash, which is of the decompressed bytes.
// An absent or empty source gives no bytes. `where` is the JSON path of the resource; errors append the member. Errors:
// scheme, remote-source, merge-remote, data-url, compression, decompress, too-large, hash-spec, hash-mismatch, and the
// fetcher's.
Result<std::string> ReadResource(const Resource& resource, const ResourceContext& context, std::string_view where);

// A URL for messages: scheme, host and path; without userinfo, query and fragment; shortened.
std::string UrlForMessage(std::string_view url);

}  // namespace prov::ignition
