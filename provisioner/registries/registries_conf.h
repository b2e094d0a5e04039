// registries.conf (version 2), with which the container tools of Linux nodes are told about mirrors.
// Facts: docs/registries.md#mirrors-of-a-cluster.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "provisioner/base/finding.h"
#include "provisioner/base/result.h"
#include "provisioner/registries/mirrors.h"

namespace prov::registries {

// The registries of one file; the first of several with one prefix counts. Version 1 is refused. Errors: registries,
// with the line; too-large. Findings: not-read (info: keys that no known version has).
Result<std::vector<Registry>> ParseRegistriesConf(std::string_view text, const std::string& where, Findings& findings);

// Adds what a later file says, e.g. one of registries.conf.d: it replaces the registries of the same prefix.
void MergeRegistries(std::vector<Registry> later, std::vector<Registry>& into);

// "all", "digest-only", "tag-only".
std::string_view NameOf(MirrorUse use);

}  // namespace prov::registries
