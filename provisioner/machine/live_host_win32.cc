// The port Host on Windows: the live machine with its services, events, requests and installation.
#include "provisioner/machine/host.h"
#include "provisioner/machine/live_machine.h"
#include "provisioner/machine/live_ports.h"
#include "provisioner/machine/windows_calls.h"

namespace prov::machine {
namespace {

// Whether this process has administrator rights now. An administrator's process has none unless it was started
// elevated.
bool IsAdministrator() {
  BYTE sid[SECURITY_MAX_SID_SIZE];
  DWORD size = sizeof(sid);
  BOOL member = FALSE;
  return CreateWellKnownSid(WinBuiltinAdministratorsSid, nullptr, sid, &size) != 0 &&
         CheckTokenMembership(nullptr, sid, &member) != 0 && member != FALSE;
}

Error NotEnoughRights(std::string where) {
  return {Code::kTarget,
          "this needs the rights of an administrator: run it in a console that was started as administrator, or as "
          "SYSTEM",
          std::move(where)};
}

Result<void> EnablePrivilege(const wchar_t* name) {
  HANDLE opened = nullptr;
  if (OpenProcessToken(GetCurrentProcess(), TOKEN_ADJUST_PRIVILEGES | TOKEN_QUERY, &opened) == 0) {
    return win32::Failure(Code::kIo, "cannot take the right to restart", Narrow(name));
  }
  const FileHandle token(opened);
  TOKEN_PRIVILEGES wanted{1, {{{}, SE_PRIVILEGE_ENABLED}}};
  if (LookupPrivilegeValueW(nullptr, name, &wanted.Privileges[0].Luid) == 0 ||
      AdjustTokenPrivileges(token.get(), FALSE, &wanted, 0, nullptr, nullptr) == 0) {
    return win32::Failure(Code::kIo, "cannot take the right to restart", Narrow(name));
  }
  if (GetLastError() == ERROR_NOT_ALL_ASSIGNED) return std::unexpected(NotEnoughRights(Narrow(name)));
  return {};
}

class WindowsHost final : public Host {
 public:
  Result<std::unique_ptr<OpenMachine>> Open(Access access) override {
    const std::string folder = PROV_TRY(DefaultStateFolder());
    const bool enough = IsAdministrator();
    if (access == Access::kWrite && !enough) return std::unexpected(NotEnoughRights(folder));
    auto opened = OpenLiveMachine(folder, access);
    if (!opened && !enough && opened.error().code == Code::kIo) return std::unexpected(NotEnoughRights(folder));
    return opened;
  }

  Services& services() override { return LiveServices(); }
  EventLog& events() override { return LiveEventLog(); }
  Clock& clock() override { return LiveClock(); }
  net::Http& http() override { return net::LiveHttp(); }
  Installation& installation() override { return LiveInstallation(); }
  ComputeNetwork& compute_network() override { return LiveComputeNetwork(); }
  Programs& programs() override { return LivePrograms(); }

  // Closes programs without asking them, so that forgotten sessions can't delay the reboot.
  Result<void> Reboot(std::string_view reason) override {
    PROV_TRY(EnablePrivilege(L"SeShutdownPrivilege"));
    constexpr DWORD kShutdownIsScheduled = 1190;  // mingw-w64 10 has no name for it
    constexpr DWORD kGraceSeconds = 10;
    constexpr DWORD kReason =
        SHTDN_REASON_MAJOR_OPERATINGSYSTEM | SHTDN_REASON_MINOR_RECONFIG | SHTDN_REASON_FLAG_PLANNED;
    if (InitiateSystemShutdownExW(nullptr, Wide(reason).data(), kGraceSeconds, TRUE, TRUE, kReason) != 0) return {};
    const DWORD error = GetLastError();
    if (error == ERROR_SHUTDOWN_IN_PROGRESS || error == kShutdownIsScheduled) return {};
    return win32::Failure(Code::kIo, "cannot restart the machine", "InitiateSystemShutdownEx", error);
  }

  Result<void> RunAsService(std::string_view name, const std::function<void()>& body) override {
    return RunServiceProcess(name, body);
  }
};

}  // namespace

Host& LiveHost() {
  static WindowsHost host;
  return host;
}

}  // namespace prov::machine
