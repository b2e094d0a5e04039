#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "provisioner/machine/remove_file.h"
#include "provisioner/machine/windows_calls.h"

namespace prov::machine {
namespace {

constexpr DWORD kShareAll = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;

// `C:\folder\file` and no other of the many ways to name one.
bool IsFullPlainPath(const std::wstring& path) {
  const bool drive = path.size() > 3 && iswalpha(path[0]) != 0 && path[1] == L':' && path[2] == L'\\';
  if (!drive || path.find_first_of(L":/\"<>|?*", 2) != std::wstring::npos) return false;
  std::wstring::size_type start = 3;
  while (true) {
    const std::wstring::size_type end = std::min(path.find(L'\\', start), path.size());
    // A name that ends with a dot or blank is another one for Windows; "." and ".." are among them.
    if (end == start || path[end - 1] == L'.' || path[end - 1] == L' ') return false;
    if (end == path.size()) return true;
    start = end + 1;
  }
}

std::wstring LongName(const std::wstring& path) {
  std::wstring out(32'768, L'\0');
  const DWORD size = GetLongPathNameW(path.c_str(), out.data(), static_cast<DWORD>(out.size()));
  if (size == 0 || size >= out.size()) return path;
  out.resize(size);
  return out;
}

// Where the opened file really is, after all links; without "\\?\".
std::wstring FinalName(const FileHandle& file) {
  std::wstring out(32'768, L'\0');
  const DWORD size = GetFinalPathNameByHandleW(file.get(), out.data(), static_cast<DWORD>(out.size()), VOLUME_NAME_DOS);
  if (size == 0 || size >= out.size()) return {};
  out.resize(size);
  return out.starts_with(L"\\\\?\\") ? out.substr(4) : out;
}

bool SamePath(const std::wstring& a, const std::wstring& b) {
  return CompareStringOrdinal(a.c_str(), static_cast<int>(a.size()), b.c_str(), static_cast<int>(b.size()), TRUE) ==
         CSTR_EQUAL;
}

// What was looked at, whatever has its name by now. Copies from a read-only medium are read-only.
Result<void> RemoveOpened(const FileHandle& file, DWORD attributes, const std::string& where) {
  if ((attributes & FILE_ATTRIBUTE_READONLY) != 0) {
    FILE_BASIC_INFO basic{};
    basic.FileAttributes = FILE_ATTRIBUTE_NORMAL;
    SetFileInformationByHandle(file.get(), FileBasicInfo, &basic, sizeof(basic));
  }
  FILE_DISPOSITION_INFO disposition{TRUE};
  if (SetFileInformationByHandle(file.get(), FileDispositionInfo, &disposition, sizeof(disposition)) != 0) return {};
  return WindowsFailure("cannot remove the file", GetLastError(), where);
}

struct Entry {
  std::wstring path;
  DWORD attributes;
};

Result<std::vector<Entry>> Entries(const std::wstring& folder) {
  std::vector<Entry> out;
  WIN32_FIND_DATAW data{};
  HANDLE found = FindFirstFileW((folder + L"\\*").c_str(), &data);
  if (found == INVALID_HANDLE_VALUE) return WindowsFailure("cannot list the folder", GetLastError(), Narrow(folder));
  do {
    const std::wstring name = data.cFileName;
    if (name != L"." && name != L"..") out.push_back({folder + L"\\" + name, data.dwFileAttributes});
  } while (FindNextFileW(found, &data) != 0);
  FindClose(found);
  return out;
}

// Scanners hold a file open for a moment.
Result<void> Remove(const std::wstring& path, bool is_folder) {
  constexpr int kAttempts = 20;
  constexpr DWORD kPauseMilliseconds = 50;
  for (int attempt = 1;; ++attempt) {
    if ((is_folder ? RemoveDirectoryW(path.c_str()) : DeleteFileW(path.c_str())) != 0) return {};
    const DWORD error = GetLastError();
    if (error == ERROR_FILE_NOT_FOUND || error == ERROR_PATH_NOT_FOUND) return {};
    const bool passing =
        error == ERROR_SHARING_VIOLATION || error == ERROR_ACCESS_DENIED || error == ERROR_DIR_NOT_EMPTY;
    if (!passing || attempt == kAttempts) return WindowsFailure("cannot remove", error, Narrow(path));
    Sleep(kPauseMilliseconds);
  }
}

}  // namespace

Result<void> RemovePlainFile(std::string_view path) {
  const std::wstring wide = Wide(path);
  const std::string where(path);
  if (!IsFullPlainPath(wide)) return Fail(Code::kUsage, R"(is no full path such as C:\folder\file)", where);
  const FileHandle file(CreateFileW((L"\\\\?\\" + wide).c_str(), DELETE | FILE_READ_ATTRIBUTES | FILE_WRITE_ATTRIBUTES,
                                    kShareAll, nullptr, OPEN_EXISTING,
                                    FILE_FLAG_OPEN_REPARSE_POINT | FILE_FLAG_BACKUP_SEMANTICS, nullptr));
  if (!file) {
    const DWORD error = GetLastError();
    if (error == ERROR_FILE_NOT_FOUND || error == ERROR_PATH_NOT_FOUND) return {};
    return WindowsFailure("cannot open the file to remove it", error, where);
  }
  BY_HANDLE_FILE_INFORMATION information{};
  if (GetFileInformationByHandle(file.get(), &information) == 0) {
    return WindowsFailure("cannot look at the file", GetLastError(), where);
  }
  const DWORD attributes = information.dwFileAttributes;
  if ((attributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0) return Fail(Code::kLink, "is a link: remove it by hand", where);
  if ((attributes & FILE_ATTRIBUTE_DIRECTORY) != 0) return Fail(Code::kDirectory, "is a folder, not a file", where);
  const std::wstring real = FinalName(file);
  if (!SamePath(LongName(wide), real)) {
    return Fail(Code::kLink, fmt::format("leads through a link to {}: remove it by hand", Narrow(real)), where);
  }
  return RemoveOpened(file, attributes, where);
}

Result<void> RemoveTree(const std::wstring& folder) {
  for (const Entry& entry : PROV_TRY(Entries(folder))) {
    const bool is_folder = (entry.attributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
    const bool is_link = (entry.attributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0;
    if (is_folder && !is_link) {
      PROV_TRY(RemoveTree(entry.path));
    } else {
      if ((entry.attributes & FILE_ATTRIBUTE_READONLY) != 0)
        SetFileAttributesW(entry.path.c_str(), FILE_ATTRIBUTE_NORMAL);
      PROV_TRY(Remove(entry.path, is_folder));
    }
  }
  return Remove(folder, true);
}

}  // namespace prov::machine
