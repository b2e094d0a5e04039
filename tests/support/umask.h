// Sets the umask for the lifetime of this object.
#pragma once

#include <sys/stat.h>

namespace prov::testing_support {

class Umask {
 public:
  explicit Umask(mode_t mask) : before_(umask(mask)) {}
  Umask(const Umask&) = delete;
  Umask& operator=(const Umask&) = delete;
  ~Umask() { umask(before_); }

 private:
  mode_t before_;
};

// What is left of `mode` under `mask`, as of whatever open(2) makes.
inline unsigned Left(unsigned mode, mode_t mask) { return mode & ~static_cast<unsigned>(mask); }

}  // namespace prov::testing_support
