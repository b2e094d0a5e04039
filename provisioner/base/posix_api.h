// What every user of the interface of Unix needs: descriptors that close themselves, the words of its errors, shared
// libraries. For *_posix.cc alone.
#pragma once

#include <cerrno>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "provisioner/base/result.h"

namespace prov::posix {

// A file descriptor that closes itself. A failed call gives an empty one, and errno.
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
  bool Close();  // false: what was written may be lost

 private:
  int fd_ = -1;
};

// "cannot open: Permission denied; check its permissions".
std::unexpected<Error> Failure(Code code, std::string_view what, const std::string& where, int error = errno);

// A shared library that is loaded when it is first needed, and never unloaded.
class Library {
 public:
  // The first of these that is there.
  explicit Library(std::initializer_list<const char*> names);

  template <class Function>
  void Find(Function& function, const char* name) {
    function = reinterpret_cast<Function>(Symbol(name));
  }
  // Whether the library was there, and all functions of it that were asked for.
  bool complete() const { return complete_; }

 private:
  void* Symbol(const char* name);

  void* library_ = nullptr;
  bool complete_ = false;
};

// Everything, at the place where the descriptor stands. False: errno.
bool WriteAll(int fd, std::string_view bytes);

}  // namespace prov::posix
