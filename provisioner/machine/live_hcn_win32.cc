// The port ComputeNetwork on Windows. Its libraries exist only with the Containers feature, so they are loaded at the
// first call: a program that imported them would not start on other nodes.
#include <fmt/format.h>

#include <bit>

#include "provisioner/machine/live_ports.h"
#include "provisioner/machine/windows_calls.h"
// clang-format off: these need the one above
#include <objbase.h>
#include <computenetwork.h>
// clang-format on

namespace prov::machine {
namespace {

// The caller owns the memory that these functions return.
inline void FreeTaskMemory(void* memory) { CoTaskMemFree(memory); }
using TaskText = Owned<PWSTR, &FreeTaskMemory>;

std::string TaskTextOf(const TaskText& text) { return text ? Narrow(text.get()) : std::string(); }

NetworkAnswer AnswerOf(HRESULT status, const TaskText& text, const TaskText& record) {
  return {static_cast<std::uint32_t>(status), TaskTextOf(text), TaskTextOf(record)};
}

constexpr std::string_view kInstall =
    "install the Windows feature Containers (Install-WindowsFeature -Name Containers) on Windows Server 2019 or later, "
    "and restart the node";

// A library of System32 and the functions that are needed from it.
class Library {
 public:
  explicit Library(std::string_view name)
      : name_(name), library_(LoadLibraryExW(Wide(name).c_str(), nullptr, LOAD_LIBRARY_SEARCH_SYSTEM32)) {
    if (library_ == nullptr) missing_ = fmt::format("{} cannot be loaded: {}", name_, win32::MessageOf(GetLastError()));
  }

  template <class Function>
  void Find(Function& function, const char* name) {
    if (library_ == nullptr) return;
    function = std::bit_cast<Function>(GetProcAddress(library_, name));
    if (function == nullptr && missing_.empty()) missing_ = fmt::format("{} has no function {}", name_, name);
  }

  // Fails if the library or one of the functions is missing.
  Result<void> Check() const {
    if (missing_.empty()) return {};
    return Fail(Code::kHns, fmt::format("the Host Networking Service is not installed ({}); {}", missing_, kInstall),
                name_);
  }

 private:
  std::string name_;
  HMODULE library_;  // stays loaded
  std::string missing_;
};

struct NetworkFunctions {
  decltype(&::HcnEnumerateEndpoints) enumerate_endpoints = nullptr;
  decltype(&::HcnOpenEndpoint) open_endpoint = nullptr;
  decltype(&::HcnQueryEndpointProperties) query_endpoint = nullptr;
  decltype(&::HcnModifyEndpoint) modify_endpoint = nullptr;
  decltype(&::HcnCloseEndpoint) close_endpoint = nullptr;
  decltype(&::HcnEnumerateNamespaces) enumerate_namespaces = nullptr;
  decltype(&::HcnOpenNamespace) open_namespace = nullptr;
  decltype(&::HcnQueryNamespaceProperties) query_namespace = nullptr;
  decltype(&::HcnCloseNamespace) close_namespace = nullptr;
};

Result<const NetworkFunctions*> Network() {
  static NetworkFunctions functions;
  static const Library library = [] {
    Library out("computenetwork.dll");
    out.Find(functions.enumerate_endpoints, "HcnEnumerateEndpoints");
    out.Find(functions.open_endpoint, "HcnOpenEndpoint");
    out.Find(functions.query_endpoint, "HcnQueryEndpointProperties");
    out.Find(functions.modify_endpoint, "HcnModifyEndpoint");
    out.Find(functions.close_endpoint, "HcnCloseEndpoint");
    out.Find(functions.enumerate_namespaces, "HcnEnumerateNamespaces");
    out.Find(functions.open_namespace, "HcnOpenNamespace");
    out.Find(functions.query_namespace, "HcnQueryNamespaceProperties");
    out.Find(functions.close_namespace, "HcnCloseNamespace");
    return out;
  }();
  PROV_TRY(library.Check());
  return &functions;
}

// Declared in no header.
using HnsCall = HRESULT(WINAPI*)(PCWSTR method, PCWSTR path, PCWSTR object, PWSTR* response);

struct OlderFunctions {
  HnsCall call = nullptr;
};

Result<const OlderFunctions*> OlderInterface() {
  static OlderFunctions functions;
  static const Library library = [] {
    Library out("vmcompute.dll");
    out.Find(functions.call, "HNSCall");
    return out;
  }();
  PROV_TRY(library.Check());
  return &functions;
}

Result<GUID> GuidOf(std::string_view id) {
  GUID out{};
  if (IIDFromString(Wide(fmt::format("{{{}}}", id)).c_str(), &out) == S_OK) return out;
  return Fail(Code::kUsage, "is not a GUID such as 93f86a7f-e361-4362-b8a4-81bbb6a622dd", std::string(id));
}

OpenedNetworkObject OpenedObject(HRESULT status, void* object, const TaskText& record) {
  return {AnswerOf(status, {}, record), std::bit_cast<NetworkHandle>(object)};
}

class LiveHcn final : public ComputeNetwork {
 public:
  Result<NetworkAnswer> EnumerateEndpoints(std::string_view query) override {
    const NetworkFunctions* network = PROV_TRY(Network());
    TaskText text, record;
    const HRESULT status = network->enumerate_endpoints(Wide(query).c_str(), text.out(), record.out());
    return AnswerOf(status, text, record);
  }

  Result<OpenedNetworkObject> OpenEndpoint(std::string_view id) override {
    const NetworkFunctions* network = PROV_TRY(Network());
    const GUID guid = PROV_TRY(GuidOf(id));
    HCN_ENDPOINT endpoint = nullptr;
    TaskText record;
    const HRESULT status = network->open_endpoint(guid, &endpoint, record.out());
    return OpenedObject(status, endpoint, record);
  }

  Result<NetworkAnswer> QueryEndpoint(NetworkHandle endpoint, std::string_view query) override {
    const NetworkFunctions* network = PROV_TRY(Network());
    TaskText text, record;
    const HRESULT status =
        network->query_endpoint(std::bit_cast<HCN_ENDPOINT>(endpoint), Wide(query).c_str(), text.out(), record.out());
    return AnswerOf(status, text, record);
  }

  Result<NetworkAnswer> ModifyEndpoint(NetworkHandle endpoint, std::string_view request) override {
    const NetworkFunctions* network = PROV_TRY(Network());
    TaskText record;
    const HRESULT status =
        network->modify_endpoint(std::bit_cast<HCN_ENDPOINT>(endpoint), Wide(request).c_str(), record.out());
    return AnswerOf(status, {}, record);
  }

  void CloseEndpoint(NetworkHandle endpoint) override {
    if (const auto network = Network(); network) (*network)->close_endpoint(std::bit_cast<HCN_ENDPOINT>(endpoint));
  }

  Result<NetworkAnswer> EnumerateNamespaces(std::string_view query) override {
    const NetworkFunctions* network = PROV_TRY(Network());
    TaskText text, record;
    const HRESULT status = network->enumerate_namespaces(Wide(query).c_str(), text.out(), record.out());
    return AnswerOf(status, text, record);
  }

  Result<OpenedNetworkObject> OpenNamespace(std::string_view id) override {
    const NetworkFunctions* network = PROV_TRY(Network());
    const GUID guid = PROV_TRY(GuidOf(id));
    HCN_NAMESPACE name_space = nullptr;
    TaskText record;
    const HRESULT status = network->open_namespace(guid, &name_space, record.out());
    return OpenedObject(status, name_space, record);
  }

  Result<NetworkAnswer> QueryNamespace(NetworkHandle name_space, std::string_view query) override {
    const NetworkFunctions* network = PROV_TRY(Network());
    TaskText text, record;
    const HRESULT status = network->query_namespace(std::bit_cast<HCN_NAMESPACE>(name_space), Wide(query).c_str(),
                                                    text.out(), record.out());
    return AnswerOf(status, text, record);
  }

  void CloseNamespace(NetworkHandle name_space) override {
    if (const auto network = Network(); network) (*network)->close_namespace(std::bit_cast<HCN_NAMESPACE>(name_space));
  }

  Result<NetworkAnswer> Version() override {
    const OlderFunctions* const older = PROV_TRY(OlderInterface());
    TaskText text;
    const HRESULT status = older->call(L"GET", L"/globals/version", L"", text.out());
    return AnswerOf(status, text, {});
  }
};

}  // namespace

ComputeNetwork& LiveComputeNetwork() {
  static LiveHcn network;
  return network;
}

}  // namespace prov::machine
