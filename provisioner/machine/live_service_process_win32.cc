#include <fmt/format.h>

#include "provisioner/machine/live_ports.h"
#include "provisioner/machine/live_service_process.h"
#include "provisioner/machine/windows_calls.h"

namespace prov::machine {
namespace {

// What the service control manager waits for a change of state until it says that this service hangs. A stop waits for
// the round that is under way.
constexpr DWORD kWaitHintMilliseconds = 120'000;

struct ServiceProcess {
  std::wstring name;
  const std::function<void()>* body = nullptr;
  SERVICE_STATUS_HANDLE status = nullptr;
  DWORD error = ERROR_SUCCESS;
};

// Windows calls its functions back without a context.
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
  static ServiceProcess only;  // OnControl may come until the process ends
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
    return WindowsFailure("cannot run as a service", error, name);
  }
  if (only.error != ERROR_SUCCESS) return WindowsFailure("cannot run as a service", only.error, name);
  return {};
}

}  // namespace prov::machine
