// Defines a function that glibc has only from 2.36 on. Debian 12's libexpat takes random bytes from it, and the program
// also runs with older versions of glibc.
#include <sys/random.h>

#include <cerrno>
#include <cstddef>
#include <cstdlib>

extern "C" void arc4random_buf(void* bytes, std::size_t size) noexcept {
  auto* to = static_cast<char*>(bytes);
  while (size > 0) {
    const ssize_t got = getrandom(to, size, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) std::abort();
    to += got;
    size -= static_cast<std::size_t>(got);
  }
}
