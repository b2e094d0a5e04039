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
    if (library_ != nullptr) return;
    const DWORD error = GetLastError();
    missing_ = fmt::format("{} cannot be loaded (0x{:08x}): {}", name_,
                           static_cast<std::uint32_t>(HRESULT_FROM_WIN32(error)), win32::MessageOf(error));
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

// The calls for one kind of object. Those for namespaces have the same types.
struct ObjectFunctions {
  decltype(&::HcnEnumerateEndpoints) enumerate = nullptr;
  decltype(&::HcnOpenEndpoint) open = nullptr;
  decltype(&::HcnQueryEndpointProperties) query = nullptr;
  decltype(&::HcnCloseEndpoint) close = nullptr;
};

struct NetworkFunctions {
  ObjectFunctions endpoints, namespaces;
  decltype(&::HcnModifyEndpoint) modify_endpoint = nullptr;

  const ObjectFunctions& Of(NetworkObject kind) const {
    return kind == NetworkObject::kEndpoint ? endpoints : namespaces;
  }
};

Result<const NetworkFunctions*> Network() {
  static NetworkFunctions functions;
  static const Library library = [] {
    Library out("computenetwork.dll");
    out.Find(functions.endpoints.enumerate, "HcnEnumerateEndpoints");
    out.Find(functions.endpoints.open, "HcnOpenEndpoint");
    out.Find(functions.endpoints.query, "HcnQueryEndpointProperties");
    out.Find(functions.endpoints.close, "HcnCloseEndpoint");
    out.Find(functions.namespaces.enumerate, "HcnEnumerateNamespaces");
    out.Find(functions.namespaces.open, "HcnOpenNamespace");
    out.Find(functions.namespaces.query, "HcnQueryNamespaceProperties");
    out.Find(functions.namespaces.close, "HcnCloseNamespace");
    out.Find(functions.modify_endpoint, "HcnModifyEndpoint");
    return out;
  }();
  PROV_TRY(library.Check());
  return &functions;
}

// Declared in no header.
using HnsCall = HRESULT(WINAPI*)(PCWSTR method, PCWSTR path, PCWSTR object, PWSTR* response);

Result<const HnsCall*> OlderInterface() {
  static HnsCall call = nullptr;
  static const Library library = [] {
    Library out("vmcompute.dll");
    out.Find(call, "HNSCall");
    return out;
  }();
  PROV_TRY(library.Check());
  return &call;
}

Result<GUID> GuidOf(std::string_view id) {
  GUID out{};
  if (IIDFromString(Wide(fmt::format("{{{}}}", id)).c_str(), &out) == S_OK) return out;
  return Fail(Code::kUsage, "is not a GUID such as 93f86a7f-e361-4362-b8a4-81bbb6a622dd", std::string(id));
}

class LiveHcn final : public ComputeNetwork {
 public:
  Result<NetworkAnswer> Enumerate(NetworkObject kind, std::string_view query) override {
    const NetworkFunctions* network = PROV_TRY(Network());
    TaskText text, record;
    const HRESULT status = network->Of(kind).enumerate(Wide(query).c_str(), text.out(), record.out());
    return AnswerOf(status, text, record);
  }

  Result<OpenedNetworkObject> Open(NetworkObject kind, std::string_view id) override {
    const NetworkFunctions* network = PROV_TRY(Network());
    const GUID guid = PROV_TRY(GuidOf(id));
    void* object = nullptr;
    TaskText record;
    const HRESULT status = network->Of(kind).open(guid, &object, record.out());
    return OpenedNetworkObject{AnswerOf(status, {}, record), std::bit_cast<NetworkHandle>(object)};
  }

  Result<NetworkAnswer> Query(NetworkObject kind, NetworkHandle object, std::string_view query) override {
    const NetworkFunctions* network = PROV_TRY(Network());
    TaskText text, record;
    const HRESULT status =
        network->Of(kind).query(std::bit_cast<void*>(object), Wide(query).c_str(), text.out(), record.out());
    return AnswerOf(status, text, record);
  }

  void Close(NetworkObject kind, NetworkHandle object) override {
    if (const auto network = Network(); network) (*network)->Of(kind).close(std::bit_cast<void*>(object));
  }

  Result<NetworkAnswer> ModifyEndpoint(NetworkHandle endpoint, std::string_view request) override {
    const NetworkFunctions* network = PROV_TRY(Network());
    TaskText record;
    const HRESULT status =
        network->modify_endpoint(std::bit_cast<HCN_ENDPOINT>(endpoint), Wide(request).c_str(), record.out());
    return AnswerOf(status, {}, record);
  }

  Result<NetworkAnswer> Version() override {
    const HnsCall* const call = PROV_TRY(OlderInterface());
    TaskText text;
    const HRESULT status = (*call)(L"GET", L"/globals/version", L"", text.out());
    return AnswerOf(status, text, {});
  }
};

}  // namespace

ComputeNetwork& LiveComputeNetwork() {
  static LiveHcn network;
  return network;
}

}  // namespace prov::machine
