// The single forms. Only for render.cc. Each needs a policy of a kind that has the form.
#pragma once

#include <string>

#include "provisioner/base/result.h"
#include "provisioner/router/render.h"

namespace prov::router {

// The name and the namespace of the objects ("": none): the request's, else the policy's. Errors: usage if Kubernetes
// does not accept them for an object of the format.
Result<std::string> ObjectName(const RouterPolicy& policy, const RenderRequest& request);
Result<std::string> ObjectNamespace(const RouterPolicy& policy, const RenderRequest& request);

// "192.0.2.10/24", or without the prefix. Errors: destination if the policy has none.
Result<std::string> SourceText(const RouterPolicy& policy, bool with_prefix);
Result<std::string> GatewayText(const RouterPolicy& policy);
// The destinations as written; for an EgressRouter, made from its rules. Errors: destination (SCTP, IPv6).
Result<std::string> DestinationsText(const RouterPolicy& policy);

Result<std::string> RenderNft(const RouterPolicy& policy, const RenderRequest& request);
Result<std::string> RenderIptables(const RouterPolicy& policy, const RenderRequest& request);
Result<std::string> RenderSquid(const RouterPolicy& policy, const RenderRequest& request);
Result<std::string> RenderHaproxy(const RouterPolicy& policy, const RenderRequest& request);
Result<std::string> RenderEnv(const RouterPolicy& policy, const RenderRequest& request);
Result<std::string> RenderConfigMap(const RouterPolicy& policy, const RenderRequest& request);
Result<std::string> RenderManifest(const RouterPolicy& policy, const RenderRequest& request);
Result<std::string> RenderCr(const RouterPolicy& policy, const RenderRequest& request);
Result<std::string> RenderNad(const RouterPolicy& policy, const RenderRequest& request);

}  // namespace prov::router
