// Debian 12's libexpat takes random bytes from a function that glibc has from 2.36 on, and the program runs with older
// ones: it brings the function along.
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
