// The certificates with which a server is verified.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "provisioner/source/source.h"

namespace prov::source {

// DER, in order, each once. `bytes` is PEM in any shape, or one DER certificate. An input without certificates is an
// error: an empty list would mean the system's trust. Errors: cert, too-large.
Result<std::vector<std::string>> ParseRoots(std::string_view bytes, const std::string& where);

// Those of --ca: of a PEM file, or of a pointer config, whose
// certificateAuthorities count. None where the option is not given. Errors:
// those of ParseRoots() and of request.ReadLocal(); for a pointer config those
// of ignition::ReadFetchSettings().
Result<std::vector<std::string>> RootsOf(const SourceRequest& request);

// Error usage on a node that follows the source (request.IsFollowed()): the system's store there holds what the source
// delivered, so whoever has the key of a delivered CA could replace the source.
Result<void> MayUseSystemRoots(const SourceRequest& request);

}  // namespace prov::source
