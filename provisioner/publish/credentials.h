// Whether what is published must be for its owner only.
#pragma once

#include "provisioner/publish/objects.h"
#include "provisioner/publish/proxy_spec.h"

namespace prov::publish {

// Whether one of the URLs holds what may be a credential.
bool HoldsCredentials(const ProxyValues& values);

// Whether a tree of objects holds what others must not read: a Secret, a URL with a user, or a proxy of `values` that
// has credentials of another form. Says so rather once too often.
bool HoldsSecrets(const JsonValue& objects, const ProxyValues& values);

}  // namespace prov::publish
