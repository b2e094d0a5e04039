// `hns-proxy list|clear|add|ensure|check`: what is done with endpoints of this node.
#include "provisioner/cli/hns_proxy.h"

namespace prov::cli {
namespace {

std::unexpected<Error> RefuseSystem() {
  return Fail(Code::kTarget,
              "endpoints are changed and listed on Windows only; here render and check POLICY work without them",
              "this machine");
}

}  // namespace

Result<Outcome> RunOnEndpoints(const Arguments& /*arguments*/, machine::Host& /*host*/) { return RefuseSystem(); }

Result<hns::Container> FindContainer(const Arguments& arguments, const std::string& id, machine::Host& /*host*/) {
  if (arguments.Has("crictl")) return ContainerFromFile(id, arguments.Get("crictl"));
  return RefuseSystem();
}

Result<std::vector<std::string>> EndpointsOfNamespace(const std::string& /*guid*/, machine::Host& /*host*/) {
  return RefuseSystem();
}

}  // namespace prov::cli
