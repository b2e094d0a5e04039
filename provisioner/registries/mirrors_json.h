// A cluster's mirrors as JSON, as payloads and nodes keep them.
// Format: docs/formats/egress-json.md.
#pragma once

#include "provisioner/base/json_reader.h"
#include "provisioner/base/json_writer.h"
#include "provisioner/base/result.h"
#include "provisioner/registries/mirrors.h"

namespace prov::registries {

// {"places","registries":[…],"cas":[…],"trust":[…]}, written as the next value; without "cas" if nothing is said of
// CAs, and without "trust" if it is empty. ReadMirrors gives them back, without faults.
void WriteMirrors(JsonWriter& json, const Mirrors& mirrors);
// Errors: type.
Result<Mirrors> ReadMirrors(const JsonNode& node);

}  // namespace prov::registries
