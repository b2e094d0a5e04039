#include "provisioner/base/beside_win32.h"
#include "provisioner/base/file.h"
#include "provisioner/base/opened_file.h"
#include "provisioner/base/windows_api.h"

namespace prov {
namespace {

using win32::Handle;

// The security for a mode. Without rights for group and others, only the user, SYSTEM and Administrators have access,
// whatever the folder grants. For any other mode, the folder decides.
Result<win32::SecurityAttributes> SecurityFor(unsigned mode) {
  if ((mode & 0077U) != 0) return win32::SecurityAttributes();
  const std::string user = win32::AccountSid();
  return win32::SecurityAttributes::FromSddl("D:P(A;;FA;;;SY)(A;;FA;;;BA)" +
                                             (user.empty() ? "" : "(A;;FA;;;" + user + ")"));
}

HANDLE CreateNew(const std::string& path, win32::SecurityAttributes& security) {
  return CreateFileW(win32::Path(path).c_str(), GENERIC_WRITE, 0, security.get(), CREATE_NEW, FILE_ATTRIBUTE_NORMAL,
                     nullptr);
}

Result<void> WriteAndFlush(Handle& file, std::string_view bytes, const std::string& path) {
  const DWORD error = win32::WriteAll(file.get(), bytes);
  if (error != ERROR_SUCCESS) return win32::PathFailure("cannot write", path, error);
  if (FlushFileBuffers(file.get()) == 0) return win32::PathFailure("cannot flush", path);
  if (!file.Close()) return win32::PathFailure("cannot close", path);
  return {};
}

}  // namespace

Result<std::string> ReadFile(const std::string& path, std::uint64_t limit) {
  if (path == "-") {
    HANDLE input = GetStdHandle(STD_INPUT_HANDLE);
    if (input == INVALID_HANDLE_VALUE || input == nullptr) return Fail(Code::kIo, "there is no standard input", path);
    return ReadOpened(reinterpret_cast<NativeFile>(input), path, limit);
  }
  const std::wstring name = win32::Path(path);
  const DWORD attributes = GetFileAttributesW(name.c_str());
  if (attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0) {
    return Fail(Code::kIo, "is a folder; give a file", path);
  }
  const Handle file(CreateFileW(name.c_str(), GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
                                nullptr, OPEN_EXISTING, FILE_FLAG_SEQUENTIAL_SCAN, nullptr));
  if (!file) return win32::PathFailure("cannot open", path);
  return ReadOpened(reinterpret_cast<NativeFile>(file.get()), path, limit);
}

unsigned OutputMode(unsigned mode) { return mode; }

Result<void> WriteFileAtomically(const std::string& path, std::string_view bytes, unsigned mode) {
  for (const std::string& leftover : win32::LeftoversOf(path, Leftover::kUnfinished)) {
    DeleteFileW(win32::Path(leftover).c_str());  // of a killed run; a running one has its file open
  }
  const std::string temporary = win32::BesideOf(path);
  win32::SecurityAttributes security = PROV_TRY(SecurityFor(mode));
  Handle file(CreateNew(temporary, security));
  if (!file) return win32::PathFailure("cannot create a file beside it", path);
  const auto write_and_rename = [&]() -> Result<void> {
    PROV_TRY(WriteAndFlush(file, bytes, path));
    const DWORD error = win32::Move(win32::Path(temporary), win32::Path(path), MOVEFILE_REPLACE_EXISTING);
    if (error != ERROR_SUCCESS) return win32::PathFailure("cannot rename into place", path, error);
    return {};
  };
  Result<void> done = write_and_rename();
  if (!done) {
    file.Close();  // an open file can't be deleted
    DeleteFileW(win32::Path(temporary).c_str());
  }
  return done;
}

Result<void> WriteNewFile(const std::string& path, std::string_view bytes, unsigned mode) {
  win32::SecurityAttributes security = PROV_TRY(SecurityFor(mode));
  Handle file(CreateNew(path, security));
  if (!file) return win32::PathFailure("cannot create", path);
  return WriteAndFlush(file, bytes, path);
}

Result<void> FlushFolder(const std::string& folder) {
  const Handle handle(CreateFileW(win32::Path(folder).c_str(), FILE_LIST_DIRECTORY | FILE_ADD_FILE,
                                  FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, nullptr, OPEN_EXISTING,
                                  FILE_FLAG_BACKUP_SEMANTICS, nullptr));
  if (!handle) return win32::PathFailure("cannot open the folder", folder);
  // Some file systems refuse this for folders; the moves themselves are written through.
  FlushFileBuffers(handle.get());
  return {};
}

}  // namespace prov
