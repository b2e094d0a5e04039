#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "provisioner/base/text.h"
#include "provisioner/base/windows_api.h"

namespace prov::win32 {
namespace {

// Folders must leave room for a short name within MAX_PATH, so their limit is 248.
constexpr std::size_t kLongPath = MAX_PATH - 12;

}  // namespace

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
  std::wstring given(path);
  const std::wstring absolute = Absolute(given);
  const bool fits = std::max(given.size(), absolute.size()) < kLongPath;
  if (fits || absolute.starts_with(L"\\\\?\\") || absolute.starts_with(L"\\\\.\\")) return given;
  if (absolute.starts_with(L"\\\\")) return L"\\\\?\\UNC" + absolute.substr(1);
  return L"\\\\?\\" + absolute;
}

std::wstring Path(std::string_view utf8) { return Path(Wide(utf8)); }

std::string MessageOf(DWORD error) {
  LocalMemory<wchar_t*> text;
  const DWORD size = FormatMessageW(
      FORMAT_MESSAGE_ALLOCATE_BUFFER | FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS, nullptr, error, 0,
      reinterpret_cast<wchar_t*>(text.out()), 0, nullptr);  // ALLOCATE_BUFFER: the pointer's address
  std::string message = size == 0 ? std::string("an unknown error") : Narrow({text.get(), size});
  while (!message.empty() && (TrimBlanks(message).size() < message.size() || message.back() == '.')) message.pop_back();
  return fmt::format("{} ({})", message, error);
}

namespace {

// The remedy for an error; "" if there is none.
std::string_view RemedyFor(DWORD error) {
  if (MeansMissing(error)) return "; check the path";
  if (error == ERROR_ACCESS_DENIED) return "; check its permissions, and that this runs as an administrator";
  if (error == ERROR_SHARING_VIOLATION) return "; end the program that uses it";
  if (error == ERROR_DISK_FULL || error == ERROR_HANDLE_DISK_FULL) return "; make room on its volume";
  return {};
}

}  // namespace

std::unexpected<Error> Failure(Code code, std::string_view what, std::string_view where, DWORD error) {
  return Fail(code, fmt::format("{}: {}{}", what, MessageOf(error), RemedyFor(error)), std::string(where));
}

std::unexpected<Error> PathFailure(std::string_view what, const std::string& path, DWORD error) {
  return Failure(MeansMissing(error) ? Code::kNotFound : Code::kIo, what, path, error);
}

bool MeansMissing(DWORD error) {
  return error == ERROR_FILE_NOT_FOUND || error == ERROR_PATH_NOT_FOUND || error == ERROR_INVALID_NAME;
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

DWORD WriteAll(HANDLE file, std::string_view bytes) {
  constexpr std::size_t kMostAtOnce = std::size_t{1} << 30U;
  while (!bytes.empty()) {
    DWORD written = 0;
    const auto wanted = static_cast<DWORD>(std::min(bytes.size(), kMostAtOnce));
    if (WriteFile(file, bytes.data(), wanted, &written, nullptr) == 0) return GetLastError();
    bytes.remove_prefix(written);
  }
  return ERROR_SUCCESS;
}

Result<SecurityAttributes> SecurityAttributes::FromSddl(std::string_view sddl) {
  SecurityAttributes out;
  if (ConvertStringSecurityDescriptorToSecurityDescriptorW(Wide(sddl).c_str(), SDDL_REVISION_1, out.descriptor_.out(),
                                                           nullptr) == 0) {
    return Failure(Code::kIo, "cannot make a security descriptor", std::string(sddl));
  }
  out.attributes_ = {sizeof(SECURITY_ATTRIBUTES), out.descriptor_.get(), FALSE};
  return out;
}

std::string AccountSid() {
  HANDLE opened = nullptr;
  if (OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &opened) == 0) return {};
  const Handle token(opened);
  alignas(TOKEN_USER) std::array<unsigned char, sizeof(TOKEN_USER) + SECURITY_MAX_SID_SIZE> bytes{};
  DWORD size = 0;
  if (GetTokenInformation(token.get(), TokenUser, bytes.data(), static_cast<DWORD>(bytes.size()), &size) == 0)
    return {};
  LocalMemory<wchar_t*> text;
  if (ConvertSidToStringSidW(reinterpret_cast<const TOKEN_USER*>(bytes.data())->User.Sid, text.out()) == 0) return {};
  return Narrow(text.get());
}

// Windows' ntdll has no such function, and other programs can't add one.
bool RunsUnderWine() { return GetProcAddress(GetModuleHandleW(L"ntdll.dll"), "wine_get_version") != nullptr; }

}  // namespace prov::win32
