// The published objects and files as text, and whether only their owner may read them.
#pragma once

#include <string>

#include "provisioner/base/result.h"
#include "provisioner/publish/objects.h"
#include "provisioner/publish/proxy_spec.h"

namespace prov::publish {

// /etc/mco/proxy.env as the machine config operator writes it into each node's config (4.7 and later): its comment,
// then the non-empty variables, unchanged. Byte for byte, because configs are compared by their digests.
std::string RenderProxyEnv(const ProxyValues& status);

// Checks that systemd reads the status' values from proxy.env; if not, the finding `env-differs` names the variable.
void ReviewProxyEnv(const std::string& bytes, const ProxyValues& status, Findings& findings);

// Sets `status` of a Proxy in place; keeps its members that are not about proxies.
void SetStatus(Object& proxy, const ProxyValues& status);

// The ConfigMap openshift-config-managed/trusted-ca-bundle, as YAML.
std::string RenderTrustConfigMap(std::string_view bundle);

// Whether one of the URLs may hold a credential.
bool HoldsCredentials(const ProxyValues& values);

// Whether a tree of objects may hold secrets: a Secret, a URL with a user, or a proxy of `values` that has credentials
// in another form. True in case of doubt.
bool HoldsSecrets(const JsonValue& objects, const ProxyValues& values);

}  // namespace prov::publish
