// The port Clock on Linux: the system's time, and a wait that a signal ends.
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <limits>

#include "provisioner/machine/live_ports.h"

namespace prov::machine {
namespace {

using Steady = std::chrono::steady_clock;

// A pipe that becomes readable, and stays so, once a stop was requested. So a signal that comes just before poll()
// begins ends that wait, too.
class StopPipe {
 public:
  StopPipe() {
    if (pipe(ends_) != 0) return;
    for (const int end : ends_) {
      fcntl(end, F_SETFD, FD_CLOEXEC);
      fcntl(end, F_SETFL, O_NONBLOCK);
    }
  }

  int Readable() const { return ends_[0]; }
  // `number`: the signal that requests the stop; 0: none.
  void Fill(int number) const {
    const int kept = errno;  // the interrupted code may be about to read it
    const auto byte = static_cast<unsigned char>(number);
    [[maybe_unused]] const ssize_t written = write(ends_[1], &byte, 1);
    errno = kept;
  }
  // The number of the first request.
  int Number() const {
    unsigned char byte = 0;
    return read(ends_[0], &byte, 1) == 1 ? byte : 0;
  }

 private:
  int ends_[2] = {-1, -1};
};

StopPipe& Stop() {
  static StopPipe pipe;
  return pipe;
}

void OnSignal(int number) { Stop().Fill(number); }

// The first signal requests a stop; a second one ends the program at once.
void ListenToSignals() {
  Stop();  // create it before a handler needs it
  struct sigaction action = {};
  action.sa_handler = OnSignal;
  action.sa_flags = SA_RESTART | static_cast<int>(SA_RESETHAND);
  sigemptyset(&action.sa_mask);
  for (const int number : {SIGINT, SIGTERM}) {
    struct sigaction before = {};
    // A shell ignores Ctrl-C for programs that it starts in the background, so keep that.
    const bool ignored = sigaction(number, nullptr, &before) == 0 && before.sa_handler == SIG_IGN;
    if (!ignored) sigaction(number, &action, nullptr);
  }
}

class PosixClock final : public Clock {
 public:
  std::int64_t NowUnix() override { return std::chrono::system_clock::to_time_t(std::chrono::system_clock::now()); }

  bool Wait(std::int64_t milliseconds) override {
    [[maybe_unused]] static const bool listening = (ListenToSignals(), true);
    const Steady::time_point end = Steady::now() + std::chrono::milliseconds(std::max<std::int64_t>(milliseconds, 0));
    for (;;) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Steady::now()).count();
      const auto part = std::clamp<std::int64_t>(left, 0, std::numeric_limits<int>::max());
      pollfd stop = {Stop().Readable(), POLLIN, 0};
      if (poll(&stop, 1, static_cast<int>(part)) > 0) return false;
      if (Steady::now() >= end) return true;
    }
  }
};

}  // namespace

Clock& LiveClock() {
  static PosixClock clock;
  return clock;
}

void RequestStop() { Stop().Fill(0); }

void EndBySignal() {
  const int number = Stop().Number();
  if (number == 0) return;
  std::signal(number, SIG_DFL);
  std::raise(number);
}

}  // namespace prov::machine
