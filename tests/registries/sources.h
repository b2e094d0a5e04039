// Registries of a cluster's settings, as tests write them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "provisioner/registries/mirrors.h"

namespace prov::registries {

inline Registry Source(std::string prefix, std::vector<Mirror> mirrors, bool blocked = false) {
  return {.prefix = std::move(prefix),
          .location = "",
          .blocked = blocked,
          .insecure = false,
          .mirrors = std::move(mirrors)};
}
inline Mirror ByDigest(std::string location) { return {std::move(location), false, MirrorUse::kDigestOnly}; }
inline Mirror ByTag(std::string location) { return {std::move(location), false, MirrorUse::kTagOnly}; }
inline Mirror ForAll(std::string location) { return {std::move(location), false, MirrorUse::kAll}; }

inline Mirrors Cluster(std::vector<Registry> registries) {
  return {.places = {"registries.conf"}, .registries = std::move(registries), .cas = {}};
}

}  // namespace prov::registries
