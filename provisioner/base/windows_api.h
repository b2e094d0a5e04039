// Helpers for Windows calls: the system headers, UTF-16, paths, handles, error messages. Only *_win32.cc may include
// it.
#pragma once

#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#ifndef NOMINMAX
#define NOMINMAX
#endif
// clang-format off: the others need the first one
#include <windows.h>
#include <aclapi.h>
#include <sddl.h>
// clang-format on

#include <string>
#include <string_view>
#include <utility>

#include "provisioner/base/result.h"

namespace prov::win32 {

std::wstring Wide(std::string_view utf8);    // malformed bytes become U+FFFD
std::string Narrow(std::wstring_view wide);  // an unpaired surrogate becomes U+FFFD

// A path in the form for Windows. A long path becomes absolute and gets the prefix that lifts the limit of 260 units.
// Use it for every path, because Windows' functions for narrow strings do not read UTF-8.
std::wstring Path(std::string_view utf8);
std::wstring Path(std::wstring_view path);

// The absolute path without "." and "..", as Windows itself computes it.
std::wstring Absolute(const std::wstring& path);

// "Access denied (5)", in the system's language.
std::string MessageOf(DWORD error);

// "cannot open: Access denied (5); check its permissions, …".
std::unexpected<Error> Failure(Code code, std::string_view what, std::string_view where, DWORD error = GetLastError());

// The same for a path: not-found if the error means that nothing is there, else io.
std::unexpected<Error> PathFailure(std::string_view what, const std::string& path, DWORD error = GetLastError());

// Whether the error means that nothing is at the path, or that the path is invalid, such as one with a quote.
bool MeansMissing(DWORD error);

// Moves a file (onto another one, if `flags` allow it) or a folder, durably. Virus scanners and indexers open new files
// for a moment and block the move, so it is retried for a while. Returns ERROR_SUCCESS or the error.
DWORD Move(const std::wstring& from, const std::wstring& to, DWORD flags = 0);

// Writes all bytes at the current position. Returns ERROR_SUCCESS or the error.
DWORD WriteAll(HANDLE file, std::string_view bytes);

// Memory that is freed by a particular function of Windows.
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

// A handle that CloseHandle closes. A failed call gives an empty one, whether Windows returned NULL or
// INVALID_HANDLE_VALUE.
class Handle {
 public:
  Handle() = default;
  explicit Handle(HANDLE handle) : handle_(handle == nullptr ? INVALID_HANDLE_VALUE : handle) {}
  Handle(Handle&& other) noexcept : handle_(std::exchange(other.handle_, INVALID_HANDLE_VALUE)) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() { Close(); }

  HANDLE get() const { return handle_; }
  HANDLE Release() { return std::exchange(handle_, INVALID_HANDLE_VALUE); }
  explicit operator bool() const { return handle_ != INVALID_HANDLE_VALUE; }
  bool Close() {  // false: written data may be lost
    return handle_ == INVALID_HANDLE_VALUE || CloseHandle(std::exchange(handle_, INVALID_HANDLE_VALUE)) != 0;
  }

 private:
  HANDLE handle_ = INVALID_HANDLE_VALUE;
};

// The entries of a folder, usually with "." and "..".
class FolderSearch {
 public:
  // `pattern`: the folder's path from Path(), a separator and "*".
  explicit FolderSearch(const std::wstring& pattern)
      : handle_(FindFirstFileExW(pattern.c_str(), FindExInfoBasic, &entry_, FindExSearchNameMatch, nullptr,
                                 FIND_FIRST_EX_LARGE_FETCH)) {
    if (handle_ == INVALID_HANDLE_VALUE) error_ = GetLastError();
  }
  FolderSearch(const FolderSearch&) = delete;
  FolderSearch& operator=(const FolderSearch&) = delete;
  ~FolderSearch() {
    if (handle_ != INVALID_HANDLE_VALUE) FindClose(handle_);
  }

  bool Has() const { return error_ == ERROR_SUCCESS; }
  void Next() {
    if (FindNextFileW(handle_, &entry_) == 0) error_ = GetLastError();
  }
  DWORD error() const { return error_; }  // ERROR_NO_MORE_FILES at the end
  const WIN32_FIND_DATAW& entry() const { return entry_; }

 private:
  WIN32_FIND_DATAW entry_{};
  DWORD error_ = ERROR_SUCCESS;
  HANDLE handle_;
};

// A security descriptor for a new object; an empty one means the folder's default.
class SecurityAttributes {
 public:
  static Result<SecurityAttributes> FromSddl(std::string_view sddl);
  SECURITY_ATTRIBUTES* get() { return descriptor_ ? &attributes_ : nullptr; }

 private:
  LocalMemory<PSECURITY_DESCRIPTOR> descriptor_;
  SECURITY_ATTRIBUTES attributes_{};
};

// The account that runs this process, as "S-1-5-…"; "" if Windows does not return it.
std::string AccountSid();

// Whether this runs under Wine, which maps descriptors to Unix owners and modes, so that descriptors do not read back
// as they were set.
bool RunsUnderWine();

}  // namespace prov::win32
