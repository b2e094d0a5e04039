// egress.json: the desired state as data, for the constant scripts of a payload and for later runs of this program.
// DESIGN.md documents it.
#pragma once

#include <cstdint>
#include <string>

#include "provisioner/egress/egress_config.h"
#include "provisioner/reconcile/desired_state.h"

namespace prov::bake {

// `generation` orders payloads of one source: a node refuses a lower one.
std::string EgressJson(const egress::EgressConfig& config, const reconcile::DesiredState& state,
                       std::int64_t generation);

// Where a certificate lies in the payload: `trust/ROOT/<thumbprint>.cer`.
std::string CertificatePath(const reconcile::CertificateItem& item);

}  // namespace prov::bake
