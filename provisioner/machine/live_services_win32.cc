// The port Services on Windows: the service control manager.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "provisioner/machine/live_ports.h"
#include "provisioner/machine/live_service_settings.h"
#include "provisioner/machine/process_environment.h"

namespace prov::machine {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kPatience{60};  // for one service to stop or to start
constexpr DWORD kPauseMilliseconds = 100;

std::unexpected<Error> ServiceFailure(std::string_view what, DWORD error, std::string_view name) {
  return WindowsFailure(fmt::format("cannot {} the service {}", what, name), error, name);
}

Result<ServiceHandle> OpenManager(DWORD access) {
  ServiceHandle manager(OpenSCManagerW(nullptr, nullptr, access));
  if (manager) return manager;
  const DWORD error = GetLastError();
  Error failure = WindowsFailure("cannot reach the service control manager", error, "OpenSCManager").error();
  if (error != ERROR_ACCESS_DENIED) failure.code = Code::kTarget;
  return std::unexpected(std::move(failure));
}

// An empty handle: there is no such service.
Result<ServiceHandle> OpenNamed(std::string_view name, DWORD access) {
  const ServiceHandle manager = PROV_TRY(OpenManager(SC_MANAGER_CONNECT));
  ServiceHandle service(OpenServiceW(manager.get(), Wide(name).c_str(), access));
  if (service) return service;
  const DWORD error = GetLastError();
  // A name that can't be one is the name of no service.
  if (error == ERROR_SERVICE_DOES_NOT_EXIST || error == ERROR_INVALID_NAME) return service;
  return ServiceFailure("open", error, name);
}

// One service that is there, opened with SERVICE_QUERY_STATUS and what its members need.
class Controlled {
 public:
  Controlled(ServiceHandle service, std::string name) : service_(std::move(service)), name_(std::move(name)) {}

  const std::string& name() const { return name_; }

  Result<SERVICE_STATUS_PROCESS> Status() {
    SERVICE_STATUS_PROCESS status{};
    DWORD size = 0;
    if (QueryServiceStatusEx(service_.get(), SC_STATUS_PROCESS_INFO, reinterpret_cast<BYTE*>(&status), sizeof(status),
                             &size) == 0) {
      return ServiceFailure("ask for the state of", GetLastError(), name_);
    }
    return status;
  }

  // Until no change of state is under way.
  Result<SERVICE_STATUS_PROCESS> Settled(std::string_view doing) {
    const Clock::time_point end = Clock::now() + kPatience;
    for (;;) {
      const SERVICE_STATUS_PROCESS status = PROV_TRY(Status());
      const DWORD state = status.dwCurrentState;
      if (state == SERVICE_STOPPED || state == SERVICE_RUNNING || state == SERVICE_PAUSED) return status;
      if (Clock::now() >= end) {
        return Fail(Code::kIo,
                    fmt::format("the service {} is still {} after {} seconds: look at its log and the event log", name_,
                                doing, kPatience.count()),
                    name_);
      }
      Sleep(kPauseMilliseconds);
    }
  }

  Result<void> Stop() {
    const Clock::time_point end = Clock::now() + kPatience;
    for (;;) {
      if (PROV_TRY(Settled("changing its state")).dwCurrentState == SERVICE_STOPPED) return {};
      SERVICE_STATUS status{};
      const bool sent = ControlService(service_.get(), SERVICE_CONTROL_STOP, &status) != 0;
      const DWORD error = sent ? ERROR_SUCCESS : GetLastError();
      if (error == ERROR_SERVICE_NOT_ACTIVE) return {};
      // Between two states it takes no orders.
      const bool passing = sent || error == ERROR_SERVICE_CANNOT_ACCEPT_CTRL;
      if (!passing) return ServiceFailure("stop", error, name_);
      if (PROV_TRY(Settled("stopping")).dwCurrentState == SERVICE_STOPPED) return {};
      if (Clock::now() >= end) {
        return Fail(Code::kIo, fmt::format("the service {} does not stop although it was asked to", name_), name_);
      }
      Sleep(kPauseMilliseconds);
    }
  }

  // One that is on its way down is waited for, as Windows calls that running already.
  Result<void> Start() {
    if (PROV_TRY(Settled("changing its state")).dwCurrentState != SERVICE_STOPPED) return {};
    if (StartServiceW(service_.get(), 0, nullptr) == 0) {
      const DWORD error = GetLastError();
      if (error != ERROR_SERVICE_ALREADY_RUNNING) return ServiceFailure("start", error, name_);
    }
    const SERVICE_STATUS_PROCESS status = PROV_TRY(Settled("starting"));
    if (status.dwCurrentState != SERVICE_STOPPED || status.dwWin32ExitCode == ERROR_SUCCESS) return {};
    return ServiceFailure("start", status.dwWin32ExitCode, name_);
  }

  Result<std::vector<std::string>> RunningDependents() {
    DWORD size = 0;
    DWORD count = 0;
    std::vector<char> buffer;
    while (EnumDependentServicesW(service_.get(), SERVICE_ACTIVE,
                                  reinterpret_cast<ENUM_SERVICE_STATUSW*>(buffer.data()),
                                  static_cast<DWORD>(buffer.size()), &size, &count) == 0) {
      const DWORD error = GetLastError();
      if (error != ERROR_MORE_DATA || size <= buffer.size()) {
        return ServiceFailure("find what depends on", error, name_);
      }
      buffer.resize(size);
    }
    std::vector<std::string> names;
    names.reserve(count);
    const auto* found = reinterpret_cast<const ENUM_SERVICE_STATUSW*>(buffer.data());
    for (DWORD i = 0; i < count; ++i) names.push_back(Narrow(found[i].lpServiceName));
    return names;
  }

 private:
  ServiceHandle service_;
  std::string name_;
};

constexpr DWORD kStopAndStart = SERVICE_QUERY_STATUS | SERVICE_STOP | SERVICE_START | SERVICE_ENUMERATE_DEPENDENTS;

// Stops the service after the ones that depend on it. What was stopped goes to `stopped`, also when an error ends it.
Result<void> StopWithDependents(const std::string& name, std::vector<Controlled>& stopped) {
  ServiceHandle opened = PROV_TRY(OpenNamed(name, kStopAndStart));
  if (!opened) return Fail(Code::kIo, fmt::format("there is no service {} any more", name), name);
  Controlled service(std::move(opened), name);
  for (const std::string& dependent : PROV_TRY(service.RunningDependents())) {
    PROV_TRY(StopWithDependents(dependent, stopped));
  }
  if (PROV_TRY(service.Settled("changing its state")).dwCurrentState == SERVICE_STOPPED) return {};
  const Result<void> ended = service.Stop();
  stopped.push_back(std::move(service));  // also one that did not stop in time: it may yet
  return ended;
}

class WindowsServices final : public Services {
 public:
  Result<std::optional<ServiceState>> Query(std::string_view name) override {
    ServiceHandle opened = PROV_TRY(OpenNamed(name, SERVICE_QUERY_STATUS));
    if (!opened) return std::nullopt;
    const SERVICE_STATUS_PROCESS status = PROV_TRY(Controlled(std::move(opened), std::string(name)).Status());
    const bool running = status.dwCurrentState != SERVICE_STOPPED;
    return ServiceState{running, running ? status.dwProcessId : 0};
  }

  Result<bool> Install(const ServiceDefinition& definition) override {
    const ServiceHandle service = PROV_TRY(OpenNamed(
        definition.name, SERVICE_QUERY_CONFIG | SERVICE_CHANGE_CONFIG | SERVICE_START));  // to restart it on failure
    if (service) return CorrectService(service, definition);
    const ServiceHandle manager = PROV_TRY(OpenManager(SC_MANAGER_CONNECT | SC_MANAGER_CREATE_SERVICE));
    PROV_TRY(MakeService(manager, definition));
    return true;
  }

  Result<bool> Remove(std::string_view name) override {
    ServiceHandle opened = PROV_TRY(OpenNamed(name, SERVICE_QUERY_STATUS | SERVICE_STOP));
    if (!opened) return false;
    PROV_TRY(Controlled(std::move(opened), std::string(name)).Stop());
    const ServiceHandle service = PROV_TRY(OpenNamed(name, DELETE));
    if (service && DeleteService(service.get()) == 0 && GetLastError() != ERROR_SERVICE_MARKED_FOR_DELETE) {
      return ServiceFailure("remove", GetLastError(), name);
    }
    return true;
  }

  Result<void> Start(std::string_view name) override {
    ServiceHandle opened = PROV_TRY(OpenNamed(name, SERVICE_QUERY_STATUS | SERVICE_START));
    if (!opened) return ServiceFailure("start", ERROR_SERVICE_DOES_NOT_EXIST, name);
    return Controlled(std::move(opened), std::string(name)).Start();
  }

  // Whatever goes wrong, what was stopped is started again: a node without its kubelet is worse than one with old
  // settings.
  Result<void> Restart(std::string_view name) override {
    ServiceHandle opened = PROV_TRY(OpenNamed(name, SERVICE_QUERY_STATUS));
    if (!opened) return ServiceFailure("restart", ERROR_SERVICE_DOES_NOT_EXIST, name);
    std::vector<Controlled> stopped;
    Result<void> outcome = StopWithDependents(std::string(name), stopped);
    for (auto service = stopped.rbegin(); service != stopped.rend(); ++service) {
      Result<void> started = service->Start();
      if (outcome) outcome = std::move(started);
    }
    return outcome;
  }

  Result<std::vector<std::string>> EnvironmentOf(std::uint32_t process_id) override {
    return ReadProcessEnvironment(process_id);
  }
};

}  // namespace

Services& LiveServices() {
  static WindowsServices services;
  return services;
}

}  // namespace prov::machine
