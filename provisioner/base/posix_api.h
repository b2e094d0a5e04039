// Helpers for POSIX calls: descriptors that close themselves, error messages, shared libraries. Only *_posix.cc and
// *_posix.h may include it.
#pragma once

#include <cerrno>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "provisioner/base/result.h"

namespace prov::posix {

// A file descriptor that closes itself. A failed call gives an empty one, with errno.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor();

  int get() const { return fd_; }
  int Release() { return std::exchange(fd_, -1); }
  explicit operator bool() const { return fd_ >= 0; }
  bool Close();  // false: written data may be lost

 private:
  int fd_ = -1;
};

// "cannot open: Permission denied; check its permissions".
std::unexpected<Error> Failure(Code code, std::string_view what, const std::string& where, int error = errno);

// A shared library that is loaded on first use and never unloaded.
class Library {
 public:
  // Loads the first of these libraries that exists.
  explicit Library(std::initializer_list<const char*> names);

  template <class Function>
  void Find(Function& function, const char* name) {
    function = reinterpret_cast<Function>(Symbol(name));
  }
  // Whether the library and all requested functions were found.
  bool complete() const { return complete_; }

 private:
  void* Symbol(const char* name);

  void* library_ = nullptr;
  bool complete_ = false;
};

// Writes all bytes at the current position. Returns false on failure, see errno.
bool WriteAll(int fd, std::string_view bytes);

}  // namespace prov::posix
