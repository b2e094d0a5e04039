// Modes of files, and the mask that takes bits from them.
#pragma once

#include <sys/stat.h>

#include <string>

namespace prov::testing_support {

// Sets the umask for the lifetime of this object.
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

// Of what stands at the path, which may be a link; 0 if nothing does.
inline unsigned ModeOf(const std::string& path) {
  struct stat info{};
  return lstat(path.c_str(), &info) == 0 ? static_cast<unsigned>(info.st_mode & 07777U) : 0;
}

}  // namespace prov::testing_support
