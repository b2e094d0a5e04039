// The certificates that verify a server.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "provisioner/source/source.h"

namespace prov::source {

// DER, in order, each once. `bytes` is PEM in any form, or one DER certificate. An input without certificates is an
// error, because an empty list would mean the system's trust. Errors: cert, too-large.
Result<std::vector<std::string>> ParseRoots(std::string_view bytes, const std::string& where);

// The certificates of --ca: a PEM file, or the certificateAuthorities of a pointer config. Empty without the option.
// Errors: those of ParseRoots() and of request.ReadLocal(); for a pointer config those of
// ignition::ReadFetchSettings().
Result<std::vector<std::string>> RootsOf(const SourceRequest& request);

// Fails with usage on a node that follows the source (request.IsFollowed()): its system store holds what the source
// delivered, so whoever has the key of a delivered CA could replace the source.
Result<void> MayUseSystemRoots(const SourceRequest& request);

}  // namespace prov::source
