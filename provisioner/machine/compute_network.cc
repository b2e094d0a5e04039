#include "provisioner/machine/compute_network.h"

namespace prov::machine {
namespace {

std::unexpected<Error> NoNetwork() {
  return Fail(Code::kTarget,
              "only the Windows node that runs a container knows its network endpoints, and this is not a running "
              "Windows; run provisioner.exe on the node");
}

class NoComputeNetwork final : public ComputeNetwork {
 public:
  Result<NetworkAnswer> EnumerateEndpoints(std::string_view /*query*/) override { return NoNetwork(); }
  Result<OpenedNetworkObject> OpenEndpoint(std::string_view /*id*/) override { return NoNetwork(); }
  Result<NetworkAnswer> QueryEndpoint(NetworkHandle /*endpoint*/, std::string_view /*query*/) override {
    return NoNetwork();
  }
  Result<NetworkAnswer> ModifyEndpoint(NetworkHandle /*endpoint*/, std::string_view /*request*/) override {
    return NoNetwork();
  }
  void CloseEndpoint(NetworkHandle /*endpoint*/) override {}
  Result<NetworkAnswer> EnumerateNamespaces(std::string_view /*query*/) override { return NoNetwork(); }
  Result<OpenedNetworkObject> OpenNamespace(std::string_view /*id*/) override { return NoNetwork(); }
  Result<NetworkAnswer> QueryNamespace(NetworkHandle /*name_space*/, std::string_view /*query*/) override {
    return NoNetwork();
  }
  void CloseNamespace(NetworkHandle /*name_space*/) override {}
  Result<NetworkAnswer> Version() override { return NoNetwork(); }
};

}  // namespace

ComputeNetwork& AbsentComputeNetwork() {
  static NoComputeNetwork network;
  return network;
}

}  // namespace prov::machine
