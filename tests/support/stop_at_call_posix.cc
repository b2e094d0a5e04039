#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "tests/support/stop_at_call.h"

namespace prov::testing_support {
namespace {

[[noreturn]] void Die(const char* what) {
  std::perror(what);
  std::abort();
}

// The child's next stop.
int Wait(pid_t child) {
  int status = 0;
  if (waitpid(child, &status, 0) != child) Die("waitpid");
  return status;
}

}  // namespace

Stopped RunAndStopAt(std::size_t call, const std::function<bool()>& body) {
  const pid_t child = fork();
  if (child < 0) Die("fork");
  if (child == 0) {
    if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) Die("ptrace");
    if (raise(SIGSTOP) != 0) Die("raise");
    _exit(body() ? 0 : 1);
  }
  int status = Wait(child);
  // Each call stops twice: before and after.
  for (std::size_t stops = 0; WIFSTOPPED(status); ++stops) {
    if (stops == 2 * call + 1) {
      kill(child, SIGKILL);
      Wait(child);
      return Stopped::kKilled;
    }
    if (ptrace(PTRACE_SYSCALL, child, nullptr, nullptr) != 0) Die("ptrace");
    status = Wait(child);
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    std::fprintf(stderr, "the child failed with status %d\n", status);
    std::abort();
  }
  return Stopped::kFinished;
}

}  // namespace prov::testing_support
