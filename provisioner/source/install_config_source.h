// install-config.yaml, from which OpenShift's installer makes a cluster. Facts: docs/openshift.md#objects and
// #merged-noproxy.
#pragma once

#include "provisioner/source/reading.h"

namespace prov::source {

// Whether an object without a kind is an install-config.
bool IsInstallConfig(const JsonValue& object);

// Reads the user's `proxy` and `additionalTrustBundle` (PEM); an absent one makes no statement. noProxy lacks the
// entries that the cluster will add: a finding lists the known ones. Errors: type, invalid-config, cert. Findings:
// no-proxy-file, no-proxy-incomplete.
Result<Reading> ReadInstallConfig(const ObjectView& object);

}  // namespace prov::source
