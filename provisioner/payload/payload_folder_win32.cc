#include <algorithm>
#include <filesystem>
#include <set>
#include <vector>

#include "provisioner/base/beside_win32.h"
#include "provisioner/base/clock.h"
#include "provisioner/base/file.h"
#include "provisioner/base/folder.h"
#include "provisioner/base/windows_api.h"
#include "provisioner/payload/payload_folder.h"

namespace prov::payload {
namespace {

// Used for path arithmetic only: its file operations follow junctions and can't handle long paths.
namespace fs = std::filesystem;

constexpr std::size_t kMostEntries = 100000;

std::string Text(const fs::path& path) { return win32::Narrow(path.native()); }
std::wstring Name(const fs::path& path) { return win32::Path(path.native()); }

std::unexpected<Error> Failure(Code code, std::string_view what, const fs::path& path, DWORD error = GetLastError()) {
  return win32::Failure(code, what, Text(path), error);
}

bool Exists(const fs::path& path) { return GetFileAttributesW(Name(path).c_str()) != INVALID_FILE_ATTRIBUTES; }

FILETIME FileTime(std::int64_t time_unix) {
  const std::uint64_t ticks = FileTimeOf(time_unix);
  return {static_cast<DWORD>(ticks), static_cast<DWORD>(ticks >> 32U)};
}

Result<void> SetTimes(const fs::path& path, std::int64_t time_unix) {
  const win32::Handle handle(CreateFileW(Name(path).c_str(), FILE_WRITE_ATTRIBUTES,
                                         FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, nullptr, OPEN_EXISTING,
                                         FILE_FLAG_BACKUP_SEMANTICS | FILE_FLAG_OPEN_REPARSE_POINT, nullptr));
  const FILETIME time = FileTime(time_unix);
  if (!handle || SetFileTime(handle.get(), &time, &time, &time) == 0) {
    return Failure(Code::kIo, "cannot set the time", path);
  }
  return {};
}

// The absolute path of the target folder. (std::filesystem takes the `\\` of a share for one separator.) Empty for a
// root, "." and "..", which can't name a new folder.
fs::path Target(const std::string& path) {
  const std::wstring given = win32::Wide(path);
  fs::path named = fs::path(given).lexically_normal();
  if (!named.has_filename()) named = named.parent_path();
  if (!named.has_filename() || named == L"." || named.filename() == L"..") return {};
  std::wstring out = win32::Absolute(given);
  while (out.ends_with(L'\\')) out.pop_back();
  // `\\server\share` is the root of a share.
  const bool share = out.starts_with(L"\\\\") && std::ranges::count(out, L'\\') < 4;
  return share ? fs::path() : fs::path(out);
}

// The folder and its parents that do not exist, innermost first.
std::vector<fs::path> MissingFolders(fs::path folder) {
  std::vector<fs::path> out;
  for (; folder.has_relative_path() && !Exists(folder); folder = folder.parent_path()) out.push_back(folder);
  return out;
}

Result<void> MakeFolders(const fs::path& folder, Code code) {
  std::vector<fs::path> missing = MissingFolders(folder);
  for (auto it = missing.rbegin(); it != missing.rend(); ++it) {
    if (CreateDirectoryW(Name(*it).c_str(), nullptr) == 0 && GetLastError() != ERROR_ALREADY_EXISTS) {
      return Failure(code, "cannot make the folder", *it);
    }
  }
  return {};
}

Result<void> WriteFiles(const Payload& payload, const fs::path& folder, std::int64_t time_unix,
                        const StopCheck& stop_check) {
  std::set<fs::path> folders = {folder};
  for (const PayloadFile& file : payload.files) {
    PROV_TRY(CheckStop(stop_check));
    const fs::path path = folder / fs::path(win32::Wide(file.path)).make_preferred();
    for (fs::path parent = path.parent_path(); parent != folder; parent = parent.parent_path()) folders.insert(parent);
    PROV_TRY(MakeFolders(path.parent_path(), Code::kIo));
    const Result<void> written = WriteNewFile(Text(path), file.bytes, file.Mode());
    // The temporary folder is new, so an existing file here is one that the payload has twice.
    if (!written) return Fail(Code::kIo, written.error().message, written.error().where);
    PROV_TRY(SetTimes(path, time_unix));
  }
  // Inner folders first. Setting the time of an inner folder does not change that of the outer one.
  for (auto it = folders.rbegin(); it != folders.rend(); ++it) {
    PROV_TRY(FlushFolder(Text(*it)));
    PROV_TRY(SetTimes(*it, time_unix));
  }
  return {};
}

// Returns false if a part of it remains.
bool RemoveTree(const fs::path& folder) {
  const Result<std::vector<FolderEntry>> entries = ListTree(Text(folder), kMostEntries);
  if (!entries) return false;
  bool done = true;
  // In reverse order, because a folder sorts before its contents. Removes a link, not its target.
  for (auto it = entries->rbegin(); it != entries->rend(); ++it) {
    const std::wstring name = Name(folder / fs::path(win32::Wide(it->path)).make_preferred());
    done = (DeleteFileW(name.c_str()) != 0 || RemoveDirectoryW(name.c_str()) != 0) && done;
  }
  return RemoveDirectoryW(Name(folder).c_str()) != 0 && done;
}

// Puts `fresh` at `path`; an earlier payload there is moved aside first and deleted last.
Result<void> Replace(const fs::path& fresh, const fs::path& path, const fs::path& aside) {
  const bool occupied = Exists(path);
  if (occupied) {
    const DWORD error = win32::Move(Name(path), Name(aside));
    if (error != ERROR_SUCCESS) {
      return Failure(Code::kIo, "cannot move the earlier payload aside (a program may have it open)", path, error);
    }
  }
  const DWORD error = win32::Move(Name(fresh), Name(path));
  if (error != ERROR_SUCCESS) {
    if (occupied) win32::Move(Name(aside), Name(path));
    return Failure(Code::kIo, "cannot rename the finished payload into place", path, error);
  }
  if (occupied && !RemoveTree(aside)) {
    return Fail(Code::kIo, "the new payload is in place, but the earlier one could not be deleted; delete it",
                Text(aside));
  }
  return {};
}

// Opens the folder so that no other process can delete it meanwhile.
win32::Handle Hold(const fs::path& folder, DWORD access, DWORD share) {
  return win32::Handle(CreateFileW(Name(folder).c_str(), access, share, nullptr, OPEN_EXISTING,
                                   FILE_FLAG_BACKUP_SEMANTICS | FILE_FLAG_OPEN_REPARSE_POINT, nullptr));
}

// Removes what killed runs left beside the payload. A folder that can be opened for deletion is not held by another
// run.
void RemoveLeftovers(const fs::path& target, Leftover which) {
  for (const std::string& leftover : win32::LeftoversOf(Text(target), which)) {
    const fs::path folder(win32::Wide(leftover));
    if (!IsFolder(leftover) || !Hold(folder, DELETE, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE)) continue;
    RemoveTree(folder);
  }
}

Result<void> WriteHeld(const Payload& payload, const fs::path& fresh, std::int64_t time_unix,
                       const StopCheck& stop_check) {
  const win32::Handle held = Hold(fresh, FILE_LIST_DIRECTORY, FILE_SHARE_READ | FILE_SHARE_WRITE);
  if (!held) return Failure(Code::kTarget, "cannot open the new folder", fresh);
  return WriteFiles(payload, fresh, time_unix, stop_check);
}

Result<void> WriteBeside(const Payload& payload, const fs::path& target, const fs::path& parent, std::int64_t time_unix,
                         const StopCheck& stop_check) {
  PROV_TRY(MakeFolders(parent, Code::kTarget));
  RemoveLeftovers(target, Leftover::kUnfinished);
  const std::string made = win32::BesideOf(Text(target));
  const fs::path fresh(win32::Wide(made));
  if (CreateDirectoryW(Name(fresh).c_str(), nullptr) == 0) {
    return Failure(Code::kTarget, "cannot make a folder here", parent);
  }
  Result<void> done = WriteHeld(payload, fresh, time_unix, stop_check);
  if (done) done = Replace(fresh, target, win32::Wide(AsideOf(made)));
  if (!done) RemoveTree(fresh);
  if (done) RemoveLeftovers(target, Leftover::kReplaced);
  return done;
}

}  // namespace

Result<void> WritePayloadFolder(const Payload& payload, const std::string& path, std::int64_t time_unix,
                                const StopCheck& stop_check) {
  const fs::path target = Target(path);
  if (target.empty()) return Fail(Code::kUsage, "is not a name for a new folder", path);
  if (Exists(target) && !IsFolder(Text(target)))
    return Fail(Code::kTarget, "exists and is not a folder; name another path or remove it", Text(target));
  if (Exists(target)) PROV_TRY(CheckReplaceablePayload(Text(target)));
  const fs::path parent = target.parent_path();
  const std::vector<fs::path> missing = MissingFolders(parent);
  Result<void> done = WriteBeside(payload, target, parent, time_unix, stop_check);
  if (!done) {
    for (const fs::path& folder : missing) RemoveDirectoryW(Name(folder).c_str());  // removes only those that are empty
  }
  return done;
}

}  // namespace prov::payload
