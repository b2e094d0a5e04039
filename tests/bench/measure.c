/* usage: measure FD PROGRAM [ARGUMENT...]     Runs it; writes wall and CPU nanoseconds, peak KiB and the exit status to
 * FD. A small static program of its own, because what a process has used at most is counted from its parent's size on.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long long now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

int main(int argc, char** argv) {
  int status = 0;
  struct rusage usage;
  int fd = argc < 3 ? 2 : atoi(argv[1]);
  long long start = now();
  pid_t child = vfork();
  if (argc < 3 || child < 0) return 1;
  if (child == 0) {
    close(fd);
    execvp(argv[2], argv + 2);
    _exit(127);
  }
  if (wait4(child, &status, 0, &usage) != child) return 1;
  long long wall = now() - start;
  long long cpu = (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000000LL +
                  (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000LL;
  return dprintf(fd, "%lld %lld %ld %d\n", wall, cpu, usage.ru_maxrss, WIFEXITED(status) ? WEXITSTATUS(status) : 128) <
         0;
}
