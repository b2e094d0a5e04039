// The port Services on Windows: the service control manager, the definition of services, and this process as a service.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <vector>

#include "provisioner/machine/live_ports.h"
#include "provisioner/machine/process_environment.h"
#include "provisioner/machine/windows_calls.h"

namespace prov::machine {
namespace {

using ServiceHandle = Owned<SC_HANDLE, &CloseServiceHandle>;

std::unexpected<Error> ServiceFailure(std::string_view what, DWORD error, std::string_view name) {
  return win32::Failure(Code::kIo, fmt::format("cannot {} the service {}", what, name), name, error);
}

constexpr wchar_t kAccount[] = L"LocalSystem";

std::unexpected<Error> SettingFailure(std::string_view what, DWORD error, std::string_view name) {
  if (error == ERROR_SERVICE_MARKED_FOR_DELETE) {
    return Fail(
        Code::kIo,
        fmt::format("the service {} is marked for deletion, but a program still has it open: close the services "
                    "console and Task Manager, or restart; then run this again",
                    name),
        std::string(name));
  }
  return ServiceFailure(what, error, name);
}

// Restarts the service after growing pauses. After the last one, that pause repeats; a day without a failure resets the
// count.
constexpr DWORD kResetSeconds = 86'400;
std::array<SC_ACTION, 3> WantedActions() {
  return {{{SC_ACTION_RESTART, 5'000}, {SC_ACTION_RESTART, 30'000}, {SC_ACTION_RESTART, 60'000}}};
}

bool IsWanted(const SERVICE_FAILURE_ACTIONSW& now) {
  const auto wanted = WantedActions();
  return now.dwResetPeriod == kResetSeconds && now.cActions == wanted.size() &&
         std::equal(wanted.begin(), wanted.end(), now.lpsaActions,
                    [](const SC_ACTION& a, const SC_ACTION& b) { return a.Type == b.Type && a.Delay == b.Delay; });
}

// Calls `ask(buffer, size, &needed)` until the buffer is large enough, and returns the buffer, which may hold pointers
// into itself. nullopt: this Windows does not know the setting.
template <class Ask>
Result<std::optional<std::vector<BYTE>>> QueryService(Ask ask, std::string_view name) {
  std::vector<BYTE> buffer;
  DWORD needed = 0;
  while (ask(buffer.data(), static_cast<DWORD>(buffer.size()), &needed) == 0) {
    const DWORD error = GetLastError();
    if (error == ERROR_INVALID_LEVEL) return std::nullopt;
    if (error != ERROR_INSUFFICIENT_BUFFER || needed <= buffer.size()) {
      return SettingFailure("read the settings of", error, name);
    }
    buffer.resize(needed);
  }
  return buffer;
}

auto QueryLevel(const ServiceHandle& service, DWORD level, std::string_view name) {
  return QueryService(
      [&](BYTE* to, DWORD size, DWORD* needed) { return QueryServiceConfig2W(service.get(), level, to, size, needed); },
      name);
}

// The bytes hold a QUERY_SERVICE_CONFIGW.
Result<std::vector<BYTE>> QueryConfiguration(const ServiceHandle& service, std::string_view name) {
  auto buffer = PROV_TRY(QueryService(
      [&](BYTE* to, DWORD size, DWORD* needed) {
        return QueryServiceConfigW(service.get(), reinterpret_cast<QUERY_SERVICE_CONFIGW*>(to), size, needed);
      },
      name));
  if (!buffer) return SettingFailure("read the settings of", ERROR_INVALID_LEVEL, name);
  return *std::move(buffer);
}

std::string NarrowOrEmpty(const wchar_t* text) { return text == nullptr ? std::string() : Narrow(text); }

Result<ServiceDefinition> ReadDefinition(const ServiceHandle& service, std::string_view name) {
  const std::vector<BYTE> configuration = PROV_TRY(QueryConfiguration(service, name));
  const auto& now = *reinterpret_cast<const QUERY_SERVICE_CONFIGW*>(configuration.data());
  ServiceDefinition out{std::string(name), NarrowOrEmpty(now.lpDisplayName), {}, NarrowOrEmpty(now.lpBinaryPathName)};
  if (const auto level = PROV_TRY(QueryLevel(service, SERVICE_CONFIG_DESCRIPTION, name))) {
    out.description = NarrowOrEmpty(reinterpret_cast<const SERVICE_DESCRIPTIONW*>(level->data())->lpDescription);
  }
  return out;
}

// Whether the service is as MakeService() makes it.
Result<bool> IsAsWanted(const ServiceHandle& service, const ServiceDefinition& definition) {
  const std::vector<BYTE> buffer = PROV_TRY(QueryConfiguration(service, definition.name));
  const auto& now = *reinterpret_cast<const QUERY_SERVICE_CONFIGW*>(buffer.data());
  const bool same_account = now.lpServiceStartName != nullptr && _wcsicmp(now.lpServiceStartName, kAccount) == 0;
  const bool same_start =
      now.dwServiceType == SERVICE_WIN32_OWN_PROCESS && now.dwStartType == SERVICE_AUTO_START && same_account;
  if (!same_start || PROV_TRY(ReadDefinition(service, definition.name)) != definition) return false;
  const auto actions = PROV_TRY(QueryLevel(service, SERVICE_CONFIG_FAILURE_ACTIONS, definition.name));
  return !actions || IsWanted(*reinterpret_cast<const SERVICE_FAILURE_ACTIONSW*>(actions->data()));
}

// Writes what CreateService does not take.
Result<void> WriteDetails(const ServiceHandle& service, const ServiceDefinition& definition) {
  std::wstring text = Wide(definition.description);
  SERVICE_DESCRIPTIONW description{text.data()};
  if (ChangeServiceConfig2W(service.get(), SERVICE_CONFIG_DESCRIPTION, &description) == 0) {
    return SettingFailure("describe", GetLastError(), definition.name);
  }
  auto actions = WantedActions();
  SERVICE_FAILURE_ACTIONSW wanted{kResetSeconds, nullptr, nullptr, static_cast<DWORD>(actions.size()), actions.data()};
  if (ChangeServiceConfig2W(service.get(), SERVICE_CONFIG_FAILURE_ACTIONS, &wanted) != 0) return {};
  return SettingFailure("set the restarts of", GetLastError(), definition.name);
}

// Makes a service that does not exist.
Result<void> MakeService(const ServiceHandle& manager, const ServiceDefinition& definition) {
  const ServiceHandle service(
      CreateServiceW(manager.get(), Wide(definition.name).c_str(), Wide(definition.display_name).c_str(),
                     SERVICE_CHANGE_CONFIG | SERVICE_START, SERVICE_WIN32_OWN_PROCESS, SERVICE_AUTO_START,
                     SERVICE_ERROR_NORMAL, Wide(definition.command_line).c_str(), nullptr, nullptr, nullptr, nullptr,
                     nullptr));  // no account: LocalSystem
  if (!service) return SettingFailure("make", GetLastError(), definition.name);
  return WriteDetails(service, definition);
}

// Corrects an existing service. Returns whether anything was written.
Result<bool> CorrectService(const ServiceHandle& service, const ServiceDefinition& definition) {
  if (PROV_TRY(IsAsWanted(service, definition))) return false;
  // Windows changes a type only together with an account.
  if (ChangeServiceConfigW(service.get(), SERVICE_WIN32_OWN_PROCESS, SERVICE_AUTO_START, SERVICE_NO_CHANGE,
                           Wide(definition.command_line).c_str(), nullptr, nullptr, nullptr, kAccount, L"",
                           Wide(definition.display_name).c_str()) == 0) {
    return SettingFailure("change", GetLastError(), definition.name);
  }
  PROV_TRY(WriteDetails(service, definition));
  return true;
}

using SteadyClock = std::chrono::steady_clock;

constexpr std::chrono::seconds kPatience{60};  // for one service to stop or to start
constexpr DWORD kStatePauseMilliseconds = 100;

Result<ServiceHandle> OpenManager(DWORD access) {
  ServiceHandle manager(OpenSCManagerW(nullptr, nullptr, access));
  if (manager) return manager;
  const DWORD error = GetLastError();
  Error failure = win32::Failure(Code::kIo, "cannot reach the service control manager", "OpenSCManager", error).error();
  if (error != ERROR_ACCESS_DENIED) failure.code = Code::kTarget;
  return std::unexpected(std::move(failure));
}

// An empty handle: the service does not exist.
Result<ServiceHandle> OpenNamed(std::string_view name, DWORD access) {
  const ServiceHandle manager = PROV_TRY(OpenManager(SC_MANAGER_CONNECT));
  ServiceHandle service(OpenServiceW(manager.get(), Wide(name).c_str(), access));
  if (service) return service;
  const DWORD error = GetLastError();
  // an invalid name is no service's name
  if (error == ERROR_SERVICE_DOES_NOT_EXIST || error == ERROR_INVALID_NAME) return service;
  return ServiceFailure("open", error, name);
}

// An existing service, opened with SERVICE_QUERY_STATUS and the rights that its members need.
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

  // Waits until the service is stopped, running or paused.
  Result<SERVICE_STATUS_PROCESS> Settled(std::string_view doing) {
    const SteadyClock::time_point end = SteadyClock::now() + kPatience;
    for (;;) {
      const SERVICE_STATUS_PROCESS status = PROV_TRY(Status());
      const DWORD state = status.dwCurrentState;
      if (state == SERVICE_STOPPED || state == SERVICE_RUNNING || state == SERVICE_PAUSED) return status;
      if (SteadyClock::now() >= end) {
        return Fail(Code::kIo,
                    fmt::format("the service {} is still {} after {} seconds: look at its log and the event log", name_,
                                doing, kPatience.count()),
                    name_);
      }
      Sleep(kStatePauseMilliseconds);
    }
  }

  Result<void> Stop() {
    const SteadyClock::time_point end = SteadyClock::now() + kPatience;
    for (;;) {
      if (PROV_TRY(Settled("changing its state")).dwCurrentState == SERVICE_STOPPED) return {};
      SERVICE_STATUS status{};
      const bool sent = ControlService(service_.get(), SERVICE_CONTROL_STOP, &status) != 0;
      const DWORD error = sent ? ERROR_SUCCESS : GetLastError();
      if (error == ERROR_SERVICE_NOT_ACTIVE) return {};
      // A service that is changing its state accepts no controls.
      const bool passing = sent || error == ERROR_SERVICE_CANNOT_ACCEPT_CTRL;
      if (!passing) return ServiceFailure("stop", error, name_);
      if (PROV_TRY(Settled("stopping")).dwCurrentState == SERVICE_STOPPED) return {};
      if (SteadyClock::now() >= end) {
        return Fail(Code::kIo, fmt::format("the service {} does not stop although it was asked to", name_), name_);
      }
      Sleep(kStatePauseMilliseconds);
    }
  }

  // Waits first if the service is stopping: Windows would report it as running.
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

// Stops the service after those that depend on it. Adds them to `stopped`, also if an error ends it.
Result<void> StopWithDependents(const std::string& name, std::vector<Controlled>& stopped) {
  ServiceHandle opened = PROV_TRY(OpenNamed(name, kStopAndStart));
  if (!opened) return Fail(Code::kIo, fmt::format("the service {} does not exist any more", name), name);
  Controlled service(std::move(opened), name);
  for (const std::string& dependent : PROV_TRY(service.RunningDependents())) {
    PROV_TRY(StopWithDependents(dependent, stopped));
  }
  if (PROV_TRY(service.Settled("changing its state")).dwCurrentState == SERVICE_STOPPED) return {};
  const Result<void> ended = service.Stop();
  stopped.push_back(std::move(service));  // even after a timeout: it may still stop
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
        definition.name, SERVICE_QUERY_CONFIG | SERVICE_CHANGE_CONFIG | SERVICE_START));  // for restarts on failure
    if (service) return CorrectService(service, definition);
    const ServiceHandle manager = PROV_TRY(OpenManager(SC_MANAGER_CONNECT | SC_MANAGER_CREATE_SERVICE));
    PROV_TRY(MakeService(manager, definition));
    return true;
  }

  Result<std::optional<ServiceDefinition>> Definition(std::string_view name) override {
    const ServiceHandle service = PROV_TRY(OpenNamed(name, SERVICE_QUERY_CONFIG));
    if (!service) return std::nullopt;
    return PROV_TRY(ReadDefinition(service, name));
  }

  // Waits for the process as well: the service control manager reports a service as stopped before its process has
  // ended.
  Result<bool> Stop(std::string_view name) override {
    ServiceHandle opened = PROV_TRY(OpenNamed(name, SERVICE_QUERY_STATUS | SERVICE_STOP));
    if (!opened) return false;
    Controlled service(std::move(opened), std::string(name));
    const SERVICE_STATUS_PROCESS status = PROV_TRY(service.Status());
    if (status.dwCurrentState == SERVICE_STOPPED) return false;
    const FileHandle process(OpenProcess(SYNCHRONIZE, FALSE, status.dwProcessId));
    PROV_TRY(service.Stop());
    if (process) WaitForSingleObject(process.get(), static_cast<DWORD>(std::chrono::milliseconds(kPatience).count()));
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

  // Starts the stopped services again even after an error: a node without its kubelet is worse than one with old
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

namespace {

// The service control manager considers this service hung after this time without a change of state. A stop waits for
// the current round.
constexpr DWORD kWaitHintMilliseconds = 120'000;

struct ServiceProcess {
  std::wstring name;
  const std::function<void()>* body = nullptr;
  SERVICE_STATUS_HANDLE status = nullptr;
  DWORD error = ERROR_SUCCESS;
};

// Global, because Windows calls the callbacks without a context.
ServiceProcess* process = nullptr;

void Report(DWORD state) {
  SERVICE_STATUS status{};
  const bool pending = state == SERVICE_START_PENDING || state == SERVICE_STOP_PENDING;
  status.dwServiceType = SERVICE_WIN32_OWN_PROCESS;
  status.dwCurrentState = state;
  status.dwControlsAccepted = state == SERVICE_RUNNING ? SERVICE_ACCEPT_STOP | SERVICE_ACCEPT_SHUTDOWN : 0;
  status.dwCheckPoint = pending ? 1 : 0;
  status.dwWaitHint = pending ? kWaitHintMilliseconds : 0;
  SetServiceStatus(process->status, &status);
}

DWORD WINAPI OnControl(DWORD control, DWORD /*event*/, void* /*data*/, void* /*context*/) {
  switch (control) {
    case SERVICE_CONTROL_STOP:
    case SERVICE_CONTROL_SHUTDOWN:
      Report(SERVICE_STOP_PENDING);
      RequestStop();
      return NO_ERROR;
    case SERVICE_CONTROL_INTERROGATE:
      return NO_ERROR;
    default:
      return ERROR_CALL_NOT_IMPLEMENTED;
  }
}

void WINAPI ServiceMain(DWORD /*count*/, wchar_t** /*words*/) {
  process->status = RegisterServiceCtrlHandlerExW(process->name.c_str(), OnControl, nullptr);
  if (process->status == nullptr) {
    process->error = GetLastError();
    return;
  }
  Report(SERVICE_START_PENDING);
  Report(SERVICE_RUNNING);
  (*process->body)();
  Report(SERVICE_STOPPED);
}

}  // namespace

Result<void> RunServiceProcess(std::string_view name, const std::function<void()>& body) {
  static ServiceProcess only;  // static: OnControl may be called until the process ends
  only = {Wide(name), &body, nullptr, ERROR_SUCCESS};
  process = &only;
  const SERVICE_TABLE_ENTRYW table[] = {{only.name.data(), ServiceMain}, {nullptr, nullptr}};
  if (StartServiceCtrlDispatcherW(table) == 0) {
    const DWORD error = GetLastError();
    if (error == ERROR_FAILED_SERVICE_CONTROLLER_CONNECT) {
      return Fail(Code::kTarget,
                  "was not started by the service control manager; use reconcile --once or reconcile --watch",
                  std::string(name));
    }
    return win32::Failure(Code::kIo, "cannot run as a service", name, error);
  }
  if (only.error != ERROR_SUCCESS) return win32::Failure(Code::kIo, "cannot run as a service", name, only.error);
  return {};
}

}  // namespace prov::machine
