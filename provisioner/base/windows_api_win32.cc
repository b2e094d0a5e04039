#include <fmt/format.h>

#include "provisioner/base/text.h"
#include "provisioner/base/windows_api.h"

namespace prov::win32 {
namespace {

// Folders must leave room for a short name within MAX_PATH, so they end at 248.
constexpr std::size_t kLongPath = MAX_PATH - 12;

std::wstring Absolute(const std::wstring& path) {
  std::wstring out(path.size() + MAX_PATH, L'\0');
  for (;;) {
    const DWORD size = GetFullPathNameW(path.c_str(), static_cast<DWORD>(out.size()), out.data(), nullptr);
    if (size == 0) return path;
    const bool fits = size < out.size();
    out.resize(size);
    if (fits) return out;
  }
}

}  // namespace

std::wstring Wide(std::string_view utf8) {
  const std::string bytes = ToUtf16Le(utf8);
  std::wstring out(bytes.size() / 2, L'\0');
  bytes.copy(reinterpret_cast<char*>(out.data()), bytes.size());
  return out;
}

std::string Narrow(std::wstring_view wide) {
  const int length = static_cast<int>(wide.size());
  const int size = WideCharToMultiByte(CP_UTF8, 0, wide.data(), length, nullptr, 0, nullptr, nullptr);
  std::string out(static_cast<std::size_t>(size), '\0');
  WideCharToMultiByte(CP_UTF8, 0, wide.data(), length, out.data(), size, nullptr, nullptr);
  return out;
}

std::wstring Path(std::wstring_view path) {
  const std::wstring given(path);
  const std::wstring absolute = Absolute(given);
  if (absolute.size() < kLongPath || absolute.starts_with(L"\\\\?\\") || absolute.starts_with(L"\\\\.\\")) return given;
  if (absolute.starts_with(L"\\\\")) return L"\\\\?\\UNC" + absolute.substr(1);
  return L"\\\\?\\" + absolute;
}

std::wstring Path(std::string_view utf8) { return Path(Wide(utf8)); }

std::string MessageOf(DWORD error) {
  wchar_t* text = nullptr;
  const DWORD size = FormatMessageW(
      FORMAT_MESSAGE_ALLOCATE_BUFFER | FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS, nullptr, error, 0,
      reinterpret_cast<wchar_t*>(&text), 0, nullptr);  // ALLOCATE_BUFFER: it takes where to put the address
  const std::string message = size == 0 ? std::string("unknown error") : Narrow({text, size});
  LocalFree(text);
  return fmt::format("{} ({})", TrimBlanks(message), error);
}

DWORD Move(const std::wstring& from, const std::wstring& to, DWORD flags) {
  constexpr int kAttempts = 20;
  constexpr DWORD kPauseMilliseconds = 50;
  for (int attempt = 1;; ++attempt) {
    if (MoveFileExW(from.c_str(), to.c_str(), flags | MOVEFILE_WRITE_THROUGH) != 0) return ERROR_SUCCESS;
    const DWORD error = GetLastError();
    const bool passing =
        error == ERROR_SHARING_VIOLATION || error == ERROR_LOCK_VIOLATION || error == ERROR_ACCESS_DENIED;
    if (!passing || attempt == kAttempts) return error;
    Sleep(kPauseMilliseconds);
  }
}

}  // namespace prov::win32
