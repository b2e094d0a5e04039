// What is published, as text, and whether it is for its owner only.
#pragma once

#include <string>

#include "provisioner/base/result.h"
#include "provisioner/publish/objects.h"
#include "provisioner/publish/proxy_spec.h"

namespace prov::publish {

// /etc/mco/proxy.env as the machine config operator writes it into each node's config (4.7 and later): its comment,
// then the variables that are not empty, as they are. Byte for byte, because configs are compared by their digests.
std::string RenderProxyEnv(const ProxyValues& status);

// Whether systemd reads from proxy.env what the status says; where it does not, a finding `env-differs` names the
// variable.
void ReviewProxyEnv(const std::string& bytes, const ProxyValues& status, Findings& findings);

// Sets `status` of a Proxy, in place; members of the status that are not about proxies stay.
void SetStatus(Object& proxy, const ProxyValues& status);

// The ConfigMap openshift-config-managed/trusted-ca-bundle, as YAML.
std::string RenderTrustConfigMap(std::string_view bundle);

// Whether one of the URLs holds what may be a credential.
bool HoldsCredentials(const ProxyValues& values);

// Whether a tree of objects holds what others must not read: a Secret, a URL with a user, or a proxy of `values` that
// has credentials of another form. Says so rather once too often.
bool HoldsSecrets(const JsonValue& objects, const ProxyValues& values);

}  // namespace prov::publish
