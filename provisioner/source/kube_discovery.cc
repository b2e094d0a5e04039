#include "provisioner/source/kube_discovery.h"

#include <string>

#include "provisioner/base/json_reader.h"

namespace prov::source {

Result<bool> Serves(KubeClient& client, std::string_view group, std::string_view resource) {
  const KubeObject version{.group = std::string(group), .resource = {}, .name_space = {}, .name = {}};
  const auto body = client.Get(version);
  if (!body && body.error().code == Code::kNotFound) return false;
  if (!body) return std::unexpected(body.error());
  const JsonNode root = PROV_TRY(ParseJsonDocument(*body, version.Path()));
  for (const JsonNode& one : PROV_TRY(root.Get("resources", &JsonNode::Items)))
    if (PROV_TRY(one.Get("name", &JsonNode::Text)) == resource) return true;
  return false;
}

}  // namespace prov::source
