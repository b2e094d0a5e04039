// Operations: what the engine plans for an empty machine, as data for the script of payloads and of user data
// (templates/Apply-Egress.ps1), which carries them out. Format: docs/formats/egress-json.md#operationsjson.
#pragma once

#include <cstdint>
#include <string>

#include "provisioner/base/json_writer.h"
#include "provisioner/egress/egress_config.h"
#include "provisioner/reconcile/desired_state.h"

namespace prov::payload {

// operations.json of a payload. Values that hold credentials are null: egress.json has them in `proxy`.
std::string OperationsJson(const egress::EgressConfig& config, const reconcile::DesiredState& state,
                           std::int64_t generation);

struct OperationChoices {
  bool equal_as_null = false;  // each value that equals that in `proxy` is null, not only those with credentials
  bool certificates = true;
};

// The member `operations` of an open object. A null value stands for that in `proxy` as WriteProxy writes it.
void WriteOperations(JsonWriter& json, const egress::EgressConfig& config, const reconcile::DesiredState& state,
                     const OperationChoices& choices);

}  // namespace prov::payload
