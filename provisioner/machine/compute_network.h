// Port: the Host Compute Network service of the running system (HCN; HNS), which manages the network endpoints of
// containers and the policies on them. Its answers are returned unchanged; provisioner/hns/ interprets them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "provisioner/base/result.h"

namespace prov::machine {

// The answer to a call. Both texts are UTF-8; "" if Windows gave none.
struct NetworkAnswer {
  std::uint32_t status = 0;  // the HRESULT
  std::string text;          // the requested JSON document
  std::string error_record;  // JSON: {"Success","Error","ErrorCode"}
};

// An open endpoint or namespace. The caller closes it.
using NetworkHandle = std::uintptr_t;

struct OpenedNetworkObject {
  NetworkAnswer answer;
  NetworkHandle handle = 0;  // 0: the call failed
};

enum class NetworkObject { kEndpoint, kNamespace };

// Queries and requests are JSON documents. Errors of each member: hns (not installed), target (no Windows). A call that
// Windows refuses is an answer, not an error.
class ComputeNetwork {
 public:
  virtual ~ComputeNetwork() = default;

  virtual Result<NetworkAnswer> Enumerate(NetworkObject kind, std::string_view query) = 0;
  // `id`: a GUID without braces. Errors: also usage (not a GUID).
  virtual Result<OpenedNetworkObject> Open(NetworkObject kind, std::string_view id) = 0;
  virtual Result<NetworkAnswer> Query(NetworkObject kind, NetworkHandle object, std::string_view query) = 0;
  virtual void Close(NetworkObject kind, NetworkHandle object) = 0;
  virtual Result<NetworkAnswer> ModifyEndpoint(NetworkHandle endpoint, std::string_view request) = 0;

  // GET /globals/version: {"Success":true,"Output":{"Major":13,"Minor":2}}.
  virtual Result<NetworkAnswer> Version() = 0;
};

// For a host that is not a running Windows: each call fails (target).
ComputeNetwork& AbsentComputeNetwork();

}  // namespace prov::machine
