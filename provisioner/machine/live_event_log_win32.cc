// The port EventLog on Windows: the application log, and the log file beside the state.
#include "provisioner/machine/live_machine.h"
#include "provisioner/machine/live_ports.h"
#include "provisioner/machine/log_file.h"
#include "provisioner/machine/windows_file.h"

namespace prov::machine {
namespace {

WORD TypeOf(Severity severity) {
  switch (severity) {
    case Severity::kError:
      return EVENTLOG_ERROR_TYPE;
    case Severity::kWarning:
      return EVENTLOG_WARNING_TYPE;
    default:
      return EVENTLOG_INFORMATION_TYPE;
  }
}

void ReportToSystem(Severity severity, std::uint16_t id, std::string_view text) {
  HANDLE source = RegisterEventSourceW(nullptr, L"Provisioner");
  if (source == nullptr) return;
  const std::wstring wide = Wide(EventText(text));
  const wchar_t* strings[] = {wide.c_str()};
  ReportEventW(source, TypeOf(severity), 0, id, nullptr, 1, 0, strings, nullptr);
  DeregisterEventSource(source);
}

// Writes nothing if the state folder does not exist, or if others have rights on it.
Result<void> AppendToOwnLog(std::string_view line) {
  const std::string folder = PROV_TRY(DefaultStateFolder());
  const FileHandle held = PROV_TRY(HoldFolder(Wide(folder), PathUse::kSecrets));
  if (!held) return {};
  return AppendToLog(folder + "\\" + std::string(kLogFile), line);
}

class WindowsEventLog final : public EventLog {
 public:
  void Write(Severity severity, std::uint16_t id, std::string_view text) override {
    ReportToSystem(severity, id, text);
    // Best effort: a failure to log must not stop a run.
    static_cast<void>(AppendToOwnLog(FormatLogLine(LiveClock().NowUnix(), severity, id, text)));
  }
};

}  // namespace

EventLog& LiveEventLog() {
  static WindowsEventLog events;
  return events;
}

}  // namespace prov::machine
