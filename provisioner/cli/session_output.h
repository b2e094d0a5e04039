// Prints the report of a run on a machine: as JSON for programs, or as text for people.
#pragma once

#include <string>
#include <string_view>

#include "provisioner/base/json_writer.h"
#include "provisioner/reconcile/session.h"

namespace prov::cli {

// `target`, `changes`, `rebootRequired`, `writes`, `findings` as members of the open object.
void WriteSession(JsonWriter& json, std::string_view target, const reconcile::SessionReport& report);

// A whole document with `schema`.
std::string SessionJson(std::string_view target, const reconcile::SessionReport& report);

// `done`: the changes were made ("created"), not only planned ("create").
std::string SessionText(std::string_view target, const reconcile::SessionReport& report, bool done);

// Prints at once what a run did to this machine: one of these to standard output; without `json`, the findings to
// standard error.
void PrintSession(bool json, const reconcile::SessionReport& report);

}  // namespace prov::cli
