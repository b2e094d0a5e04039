// Scopes of fetch settings: a config's TLS, timeouts and proxies apply to everything that it refers to, directly or
// through other configs.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "ignition/fetcher.h"
#include "ignition/version.h"
#include "provisioner/base/json.h"
#include "provisioner/base/result.h"

namespace prov::ignition {

class FetchScopes {
 public:
  static constexpr std::uint32_t kOutermost = 0xFFFFFFFF;  // no config refers to the config

  // `root` must outlive this. Returns the scope for the references of this config. A config that replaces the one that
  // refers to it inherits only its CAs, and only if it has none of its own.
  std::uint32_t Add(const JsonValue& root, SpecVersion version, std::string prefix, std::uint32_t parent,
                    bool replaces);

  // The combined settings of all configs from the outermost to this one. Inner settings override outer ones; CAs and
  // proxy exceptions are combined. Settings are read on first use, so a config without remote references may have
  // invalid ones. A remote CA is fetched with the settings of the outer configs. Errors: type, invalid-config,
  // too-large, those of ReadResource().
  Result<FetchSettings> SettingsOf(std::uint32_t scope, Fetcher* fetcher) const;

 private:
  struct Scope {
    const JsonValue* root;
    SpecVersion version;
    std::string prefix;
    std::uint32_t parent;
    bool replaces;
  };

  std::vector<Scope> scopes_;
  mutable std::map<std::uint32_t, FetchSettings> known_;
};

// The settings of the Ignition config in `bytes` (JSON) alone; fetches nothing. `where` names it in errors. Errors:
// json, version, and those of SettingsOf().
Result<FetchSettings> ReadFetchSettings(std::string bytes, const std::string& where);

}  // namespace prov::ignition
