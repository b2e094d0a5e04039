// Whether something that is published may hold a secret, so that only its owner may read the file.
#pragma once

#include "provisioner/base/json.h"
#include "provisioner/publish/proxy_spec.h"

namespace prov::publish {

// Whether one of the URLs may hold a credential.
bool HoldsCredentials(const ProxyValues& values);

// Whether a tree of objects may hold secrets: a Secret, a URL with a user, or a proxy of `values` that has credentials
// in another form. True in case of doubt.
bool HoldsSecrets(const JsonValue& objects, const ProxyValues& values);

}  // namespace prov::publish
