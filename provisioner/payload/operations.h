// Operations: what the script of payloads and of user data (templates/Apply-Egress.ps1) is to do, as data. Each kind of
// item writes its own (Kind::WriteForScript). Format: docs/formats/egress-json.md#operationsjson.
#pragma once

#include <cstdint>
#include <string>

#include "provisioner/base/json_writer.h"
#include "provisioner/egress/egress_config.h"
#include "provisioner/reconcile/desired_state.h"

namespace prov::payload {

// operations.json of a payload. Values with credentials are null: egress.json has them in `proxy`.
std::string OperationsJson(const egress::EgressConfig& config, const reconcile::DesiredState& state,
                           std::int64_t generation);

// Writes `scope` and `leftOut`: the kinds of items of which the script takes back what it recorded and finds no longer
// in the list. The choices leave out those of `leftOut`, which is written only if there are some.
void WriteScopeOfScript(JsonWriter& json, const reconcile::DesiredState& state);

struct OperationChoices {
  bool equal_as_null = false;  // null also for values without credentials that equal those in `proxy`
  bool certificates = true;
};

// Writes the member `operations` of the open object. A null value stands for the one in `proxy`, as WriteProxy writes
// it.
void WriteOperations(JsonWriter& json, const egress::EgressConfig& config, const reconcile::DesiredState& state,
                     const OperationChoices& choices);

}  // namespace prov::payload
