#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "provisioner/machine/live_service_settings.h"

namespace prov::machine {
namespace {

constexpr wchar_t kAccount[] = L"LocalSystem";

std::unexpected<Error> SettingFailure(std::string_view what, DWORD error, std::string_view name) {
  if (error == ERROR_SERVICE_MARKED_FOR_DELETE) {
    return Fail(
        Code::kIo,
        fmt::format("the service {} is being removed and somebody still looks at it: close the services console "
                    "and Task Manager, or restart, then run this again",
                    name),
        std::string(name));
  }
  return WindowsFailure(fmt::format("cannot {} the service {}", what, name), error, name);
}

// Restarted after longer and longer pauses; a day without a failure starts anew. After the last pause it goes on with
// that one.
constexpr DWORD kDaySeconds = 86'400;
std::array<SC_ACTION, 3> WantedActions() {
  return {{{SC_ACTION_RESTART, 5'000}, {SC_ACTION_RESTART, 30'000}, {SC_ACTION_RESTART, 60'000}}};
}

bool IsWanted(const SERVICE_FAILURE_ACTIONSW& now) {
  const auto wanted = WantedActions();
  return now.dwResetPeriod == kDaySeconds && now.cActions == wanted.size() &&
         std::equal(wanted.begin(), wanted.end(), now.lpsaActions,
                    [](const SC_ACTION& a, const SC_ACTION& b) { return a.Type == b.Type && a.Delay == b.Delay; });
}

bool SameText(const wchar_t* now, const std::wstring& wanted) { return (now == nullptr ? L"" : now) == wanted; }

// What one of Windows' functions fills once the buffer is large enough: `ask(buffer, size, &needed)`. The pointers in
// it lead into it. nullopt: Windows does not know this setting.
template <class Ask>
Result<std::optional<std::vector<BYTE>>> Query(Ask ask, std::string_view name) {
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
  return Query(
      [&](BYTE* to, DWORD size, DWORD* needed) { return QueryServiceConfig2W(service.get(), level, to, size, needed); },
      name);
}

Result<bool> CorrectConfiguration(const ServiceHandle& service, const ServiceDefinition& definition) {
  const auto buffer = PROV_TRY(Query(
      [&](BYTE* to, DWORD size, DWORD* needed) {
        return QueryServiceConfigW(service.get(), reinterpret_cast<QUERY_SERVICE_CONFIGW*>(to), size, needed);
      },
      definition.name));
  if (!buffer) return SettingFailure("read the settings of", ERROR_INVALID_LEVEL, definition.name);
  const auto& now = *reinterpret_cast<const QUERY_SERVICE_CONFIGW*>(buffer->data());
  const std::wstring command = Wide(definition.command_line);
  const std::wstring display = Wide(definition.display_name);
  const bool same_command = SameText(now.lpBinaryPathName, command);
  const bool same_display = SameText(now.lpDisplayName, display);
  const bool same_account = now.lpServiceStartName != nullptr && _wcsicmp(now.lpServiceStartName, kAccount) == 0;
  const bool same_type = now.dwServiceType == SERVICE_WIN32_OWN_PROCESS;
  const bool same_start = now.dwStartType == SERVICE_AUTO_START;
  if (same_command && same_display && same_account && same_type && same_start) return false;
  // A type is only taken together with an account.
  const wchar_t* account = same_account && same_type ? nullptr : kAccount;
  if (ChangeServiceConfigW(service.get(), same_type ? SERVICE_NO_CHANGE : SERVICE_WIN32_OWN_PROCESS,
                           same_start ? SERVICE_NO_CHANGE : SERVICE_AUTO_START, SERVICE_NO_CHANGE,
                           same_command ? nullptr : command.c_str(), nullptr, nullptr, nullptr, account,
                           account == nullptr ? nullptr : L"", same_display ? nullptr : display.c_str()) == 0) {
    return SettingFailure("change", GetLastError(), definition.name);
  }
  return true;
}

Result<void> WriteDescription(const ServiceHandle& service, const ServiceDefinition& definition) {
  std::wstring text = Wide(definition.description);
  SERVICE_DESCRIPTIONW wanted{text.data()};
  if (ChangeServiceConfig2W(service.get(), SERVICE_CONFIG_DESCRIPTION, &wanted) != 0) return {};
  return SettingFailure("describe", GetLastError(), definition.name);
}

Result<bool> CorrectDescription(const ServiceHandle& service, const ServiceDefinition& definition) {
  const auto now = PROV_TRY(QueryLevel(service, SERVICE_CONFIG_DESCRIPTION, definition.name));
  if (!now) return false;
  const auto& description = *reinterpret_cast<const SERVICE_DESCRIPTIONW*>(now->data());
  if (SameText(description.lpDescription, Wide(definition.description))) return false;
  PROV_TRY(WriteDescription(service, definition));
  return true;
}

Result<void> WriteFailureActions(const ServiceHandle& service, const ServiceDefinition& definition) {
  auto actions = WantedActions();
  SERVICE_FAILURE_ACTIONSW wanted{kDaySeconds, nullptr, nullptr, static_cast<DWORD>(actions.size()), actions.data()};
  if (ChangeServiceConfig2W(service.get(), SERVICE_CONFIG_FAILURE_ACTIONS, &wanted) != 0) return {};
  return SettingFailure("set the restarts of", GetLastError(), definition.name);
}

Result<bool> CorrectFailureActions(const ServiceHandle& service, const ServiceDefinition& definition) {
  const auto now = PROV_TRY(QueryLevel(service, SERVICE_CONFIG_FAILURE_ACTIONS, definition.name));
  if (!now || IsWanted(*reinterpret_cast<const SERVICE_FAILURE_ACTIONSW*>(now->data()))) return false;
  PROV_TRY(WriteFailureActions(service, definition));
  return true;
}

}  // namespace

Result<void> MakeService(const ServiceHandle& manager, const ServiceDefinition& definition) {
  const ServiceHandle service(
      CreateServiceW(manager.get(), Wide(definition.name).c_str(), Wide(definition.display_name).c_str(),
                     SERVICE_CHANGE_CONFIG | SERVICE_START, SERVICE_WIN32_OWN_PROCESS, SERVICE_AUTO_START,
                     SERVICE_ERROR_NORMAL, Wide(definition.command_line).c_str(), nullptr, nullptr, nullptr, nullptr,
                     nullptr));  // no account: LocalSystem
  if (!service) return SettingFailure("make", GetLastError(), definition.name);
  PROV_TRY(WriteDescription(service, definition));
  return WriteFailureActions(service, definition);
}

Result<bool> CorrectService(const ServiceHandle& service, const ServiceDefinition& definition) {
  const bool configuration = PROV_TRY(CorrectConfiguration(service, definition));
  const bool description = PROV_TRY(CorrectDescription(service, definition));
  const bool actions = PROV_TRY(CorrectFailureActions(service, definition));
  return configuration || description || actions;
}

}  // namespace prov::machine
