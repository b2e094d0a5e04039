#include "provisioner/source/kube_source.h"

namespace prov::source {

Result<egress::EgressConfig> ReadKube(const SourceRequest& request, const SourcePorts& /*ports*/) {
  return Fail(Code::kNetwork, "this build does not speak to clusters", request.source);
}

}  // namespace prov::source
