// The port Clock on Windows: the system's time, and a wait that RequestStop() ends.
#include <algorithm>
#include <chrono>

#include "provisioner/machine/live_ports.h"
#include "provisioner/machine/windows_calls.h"

namespace prov::machine {
namespace {

// Set once a stop was requested; never reset.
HANDLE StopEvent() {
  static const HANDLE event = CreateEventW(nullptr, TRUE, FALSE, nullptr);
  return event;
}

bool StopWasAsked() { return WaitForSingleObject(StopEvent(), 0) == WAIT_OBJECT_0; }

// The first Ctrl-C requests a stop; a second one ends the program at once. Other console events are left to Windows: a
// service must outlive the end of a session.
BOOL WINAPI OnConsoleControl(DWORD control) {
  const bool closes = control == CTRL_CLOSE_EVENT;
  if (control != CTRL_C_EVENT && control != CTRL_BREAK_EVENT && !closes) return FALSE;
  if (StopWasAsked()) return FALSE;
  RequestStop();
  // Windows ends the process when this returns. Give the run the time that Windows would wait.
  constexpr DWORD kCloseMilliseconds = 5'000;
  if (closes) Sleep(kCloseMilliseconds);
  return TRUE;
}

class WindowsClock final : public Clock {
 public:
  std::int64_t NowUnix() override { return std::chrono::system_clock::to_time_t(std::chrono::system_clock::now()); }

  bool Wait(std::int64_t milliseconds) override {
    [[maybe_unused]] static const BOOL listening = SetConsoleCtrlHandler(OnConsoleControl, TRUE);
    constexpr std::int64_t kMostAtOnce = 86'400'000;  // the value INFINITE has another meaning
    for (std::int64_t left = std::max<std::int64_t>(milliseconds, 0);; left -= kMostAtOnce) {
      const auto part = static_cast<DWORD>(std::min(left, kMostAtOnce));
      if (WaitForSingleObject(StopEvent(), part) == WAIT_OBJECT_0) return false;
      if (left <= kMostAtOnce) return true;
    }
  }
};

}  // namespace

Clock& LiveClock() {
  static WindowsClock clock;
  return clock;
}

void RequestStop() { SetEvent(StopEvent()); }

void EndBySignal() {}  // the exit code says it

}  // namespace prov::machine
