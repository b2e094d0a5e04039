// What every user of Windows' interface needs: its headers, UTF-16, paths, handles, the text of its errors. For
// *_win32.cc alone.
#pragma once

#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#ifndef NOMINMAX
#define NOMINMAX
#endif
// clang-format off: the others take words from the first
#include <windows.h>
#include <aclapi.h>
#include <sddl.h>
// clang-format on

#include <string>
#include <string_view>
#include <utility>

namespace prov::win32 {

std::wstring Wide(std::string_view utf8);    // malformed bytes become U+FFFD
std::string Narrow(std::wstring_view wide);  // an unpaired surrogate becomes U+FFFD

// The form in which a path goes to Windows: absolute where it is long, with the prefix that lifts the limit of 260
// units. Every path goes through here, as no function for narrow strings reads UTF-8.
std::wstring Path(std::string_view utf8);
std::wstring Path(std::wstring_view path);

// "Access denied. (5)", in the system's language.
std::string MessageOf(DWORD error);

// One that CloseHandle closes.
class Handle {
 public:
  explicit Handle(HANDLE handle) : handle_(handle) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() {
    if (IsOpen()) CloseHandle(handle_);
  }
  bool IsOpen() const { return handle_ != INVALID_HANDLE_VALUE && handle_ != nullptr; }
  HANDLE get() const { return handle_; }
  bool Close() { return CloseHandle(std::exchange(handle_, nullptr)) != 0; }

 private:
  HANDLE handle_;
};

// Moves a file (onto another one, if `flags` say so) or a folder, durably. Scanners and indexers open what has just
// been written for a moment and forbid the move, so it is tried for a while. 0 or the error.
DWORD Move(const std::wstring& from, const std::wstring& to, DWORD flags = 0);

}  // namespace prov::win32
