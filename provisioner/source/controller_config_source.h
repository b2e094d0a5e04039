// ControllerConfig (machineconfiguration.openshift.io/v1): proxy and trust bundle in one object, as nodes get them.
// Facts: docs/openshift.md#objects.
#pragma once

#include "provisioner/source/reading.h"

namespace prov::source {

// spec.proxy and spec.additionalTrustBundle (base64). null is the explicit empty; a member that is absent makes no
// statement. Errors: type, no-config, cert. Findings: no-proxy-file.
Result<Reading> ReadControllerConfig(const ObjectView& object);

}  // namespace prov::source
