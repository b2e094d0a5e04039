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
  Result<NetworkAnswer> Enumerate(NetworkObject /*kind*/, std::string_view /*query*/) override { return NoNetwork(); }
  Result<OpenedNetworkObject> Open(NetworkObject /*kind*/, std::string_view /*id*/) override { return NoNetwork(); }
  Result<NetworkAnswer> Query(NetworkObject /*kind*/, NetworkHandle /*object*/, std::string_view /*query*/) override {
    return NoNetwork();
  }
  void Close(NetworkObject /*kind*/, NetworkHandle /*object*/) override {}
  Result<NetworkAnswer> ModifyEndpoint(NetworkHandle /*endpoint*/, std::string_view /*request*/) override {
    return NoNetwork();
  }
  Result<NetworkAnswer> Version() override { return NoNetwork(); }
};

}  // namespace

ComputeNetwork& AbsentComputeNetwork() {
  static NoComputeNetwork network;
  return network;
}

}  // namespace prov::machine
