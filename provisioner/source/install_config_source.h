// install-config.yaml, from which OpenShift's installer makes a cluster. Facts: docs/openshift.md#objects and
// #merged-noproxy.
#pragma once

#include "provisioner/source/reading.h"

namespace prov::source {

// Whether an object without a kind is an install-config.
bool IsInstallConfig(const JsonValue& object);

// What the user wrote: `proxy` and `additionalTrustBundle` (PEM); where one is absent there is no statement about it.
// noProxy lacks what the cluster will add: a finding names what is known of that. Errors: type, invalid-config, cert.
// Findings: no-proxy-file, no-proxy-incomplete.
Result<Reading> ReadInstallConfig(const ObjectView& object);

}  // namespace prov::source
