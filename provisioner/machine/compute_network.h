// Port: the Host Compute Network service of the running system (HCN; HNS), which manages the network endpoints of
// containers and the policies on them. Its answers are returned unchanged; provisioner/hns/ interprets them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "provisioner/base/result.h"

namespace prov::machine {

// The result of a call. Both texts are UTF-8; "" if there was none.
struct NetworkAnswer {
  std::uint32_t status = 0;  // the HRESULT
  std::string text;          // the JSON document that was asked for
  std::string error_record;  // JSON: {"Success","Error","ErrorCode"}
};

// An endpoint or a namespace that is open. Whoever opened one closes it.
using NetworkHandle = std::uintptr_t;

struct OpenedNetworkObject {
  NetworkAnswer answer;
  NetworkHandle handle = 0;  // 0: the call failed
};

// Queries and requests are JSON documents. Errors of each member: hns (not installed), target (no Windows). A call that
// was made and failed is an answer.
class ComputeNetwork {
 public:
  virtual ~ComputeNetwork() = default;

  virtual Result<NetworkAnswer> EnumerateEndpoints(std::string_view query) = 0;
  // `id`: a GUID without braces; usage if it is none.
  virtual Result<OpenedNetworkObject> OpenEndpoint(std::string_view id) = 0;
  virtual Result<NetworkAnswer> QueryEndpoint(NetworkHandle endpoint, std::string_view query) = 0;
  virtual Result<NetworkAnswer> ModifyEndpoint(NetworkHandle endpoint, std::string_view request) = 0;
  virtual void CloseEndpoint(NetworkHandle endpoint) = 0;

  virtual Result<NetworkAnswer> EnumerateNamespaces(std::string_view query) = 0;
  virtual Result<OpenedNetworkObject> OpenNamespace(std::string_view id) = 0;
  virtual Result<NetworkAnswer> QueryNamespace(NetworkHandle name_space, std::string_view query) = 0;
  virtual void CloseNamespace(NetworkHandle name_space) = 0;

  // GET /globals/version: {"Success":true,"Output":{"Major":13,"Minor":2}}.
  virtual Result<NetworkAnswer> Version() = 0;
};

// Where no Windows runs: each call is an error (target).
ComputeNetwork& AbsentComputeNetwork();

}  // namespace prov::machine
