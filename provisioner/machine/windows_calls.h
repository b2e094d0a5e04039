// What all live adapters need of Windows' interface. Only *_win32.cc may include it: it brings windows.h.
#pragma once

#ifndef NOMINMAX
#define NOMINMAX
#endif
#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
// clang-format off: the others need the first one
#include <windows.h>
#include <aclapi.h>
#include <sddl.h>
#include <shlobj.h>
#include <wincrypt.h>
#include <winternl.h>
// clang-format on

#include <string>
#include <string_view>
#include <utility>

#include "provisioner/base/result.h"

namespace prov::machine {

std::wstring Wide(std::string_view utf8);
std::string Narrow(std::wstring_view wide);  // an unpaired surrogate becomes U+FFFD

// "cannot X: Windows says: … (5)"; refused access adds who may.
std::unexpected<Error> WindowsFailure(std::string_view what, DWORD error, std::string_view where);

// Something that one function of Windows frees.
template <class T, auto kFree>
class Owned {
 public:
  Owned() = default;
  explicit Owned(T value) : value_(value) {}
  Owned(Owned&& other) noexcept : value_(std::exchange(other.value_, T{})) {}
  Owned& operator=(Owned&& other) noexcept {
    std::swap(value_, other.value_);
    return *this;
  }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  ~Owned() { Reset(); }

  T get() const { return value_; }
  T* out() {
    Reset();
    return &value_;
  }
  T Release() { return std::exchange(value_, T{}); }
  explicit operator bool() const { return value_ != T{}; }
  void Reset() {
    if (value_ != T{}) kFree(std::exchange(value_, T{}));
  }

 private:
  T value_{};
};

inline void FreeLocal(void* memory) { LocalFree(memory); }
template <class T>
using LocalMemory = Owned<T, &FreeLocal>;

// A handle of CreateFileW; a failed call gives an empty one.
class FileHandle {
 public:
  FileHandle() = default;
  explicit FileHandle(HANDLE handle) : handle_(handle) {}
  FileHandle(FileHandle&& other) noexcept : handle_(std::exchange(other.handle_, INVALID_HANDLE_VALUE)) {}
  FileHandle& operator=(FileHandle&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  FileHandle(const FileHandle&) = delete;
  FileHandle& operator=(const FileHandle&) = delete;
  ~FileHandle() { Close(); }

  HANDLE get() const { return handle_; }
  HANDLE Release() { return std::exchange(handle_, INVALID_HANDLE_VALUE); }
  explicit operator bool() const { return handle_ != INVALID_HANDLE_VALUE; }
  void Close() {
    if (handle_ != INVALID_HANDLE_VALUE) CloseHandle(std::exchange(handle_, INVALID_HANDLE_VALUE));
  }

 private:
  HANDLE handle_ = INVALID_HANDLE_VALUE;
};

// A descriptor for what is being made.
class SecurityAttributes {
 public:
  static Result<SecurityAttributes> FromSddl(std::string_view sddl);
  SECURITY_ATTRIBUTES* get() { return &attributes_; }

 private:
  LocalMemory<PSECURITY_DESCRIPTOR> descriptor_;
  SECURITY_ATTRIBUTES attributes_{};
};

}  // namespace prov::machine
