// Prints the report of a run on a machine: as JSON, or as text for people.
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

// `done`: words the changes as made ("created"), not as planned ("create").
std::string SessionText(std::string_view target, const reconcile::SessionReport& report, bool done);

// Prints at once what a run did to this machine: the JSON or the text on standard output; without `json`, the findings
// on standard error.
void PrintSession(bool json, const reconcile::SessionReport& report);

}  // namespace prov::cli
