// Which config refers to which: what a config says about TLS, time-outs and proxies counts for what it refers to, and
// for what that refers to in turn.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "ignition/fetcher.h"
#include "ignition/json.h"
#include "ignition/version.h"
#include "provisioner/base/result.h"

namespace prov::ignition {

class FetchScopes {
 public:
  static constexpr std::uint32_t kOutermost = 0xFFFFFFFF;  // nothing referred to the config

  // `root` must outlive this. A config that replaces the one that refers to it takes over its CAs only, and only if it
  // has none of its own. The scope of what this config refers to.
  std::uint32_t Add(const JsonValue& root, SpecVersion version, std::string prefix, std::uint32_t parent,
                    bool replaces);

  // What the configs from the outermost to this one say, the inner one winning, CAs and exceptions of the proxy
  // together. Read when it is first asked for: a config that refers to nothing remote may say what it likes. A remote
  // CA is fetched with what the outer configs say. Errors: type, invalid-config, too-large, those of ReadResource().
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

// What the Ignition config in `bytes` (JSON) says itself; nothing that it refers to is fetched. `where` names it in
// errors: json, version, and those of SettingsOf().
Result<FetchSettings> ReadFetchSettings(std::string bytes, const std::string& where);

}  // namespace prov::ignition
