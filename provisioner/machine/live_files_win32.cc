// LiveFiles: files that everybody may read, each replaced in one step, below folders that can't be redirected
// meanwhile.
#include <vector>

#include "provisioner/base/opened_file.h"
#include "provisioner/machine/followed_file.h"
#include "provisioner/machine/live_machine.h"
#include "provisioner/machine/windows_file.h"

namespace prov::machine {
namespace {

using Steps = std::vector<FollowedStep>;

enum class Missing { kLeft, kMade };

// The folders above the last step, held open.
struct Way {
  std::vector<FileHandle> folders;
  bool is_there = false;
};

Result<FileHandle> Hold(const FollowedStep& step) { return HoldFolder(win32::Path(step.path), step.use); }

Result<Way> HoldWay(const Steps& steps, Missing missing) {
  Way out;
  out.folders.reserve(steps.size());
  for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
    FileHandle folder = PROV_TRY(Hold(steps[i]));
    if (!folder && missing == Missing::kMade) {
      PROV_TRY(MakeFolder(win32::Path(steps[i].path), FileUse::kPlain));
      folder = PROV_TRY(Hold(steps[i]));
    }
    if (!folder) return out;
    out.folders.push_back(std::move(folder));
  }
  out.is_there = true;
  return out;
}

// An empty handle: it is absent. Errors: owner (a link, or others can change it), io.
Result<FileHandle> OpenPresent(const FollowedStep& file) {
  return OpenTrusted(win32::Path(file.path), file.use, FILE_READ_ATTRIBUTES, kShareAll, FILE_FLAG_BACKUP_SEMANTICS);
}

// Gives a file the permissions of another one: what was for administrators alone, such as a login in a header, stays so
// when it is put back.
Result<void> CopyPermissions(const FileHandle& from, const FileHandle& to, std::string_view path) {
  win32::LocalMemory<PSECURITY_DESCRIPTOR> descriptor;
  PACL dacl = nullptr;
  DWORD error = GetSecurityInfo(from.get(), SE_FILE_OBJECT, DACL_SECURITY_INFORMATION, nullptr, nullptr, &dacl, nullptr,
                                descriptor.out());
  if (error != ERROR_SUCCESS) return win32::Failure(Code::kIo, "cannot read its permissions", path, error);
  SECURITY_DESCRIPTOR_CONTROL control = 0;
  DWORD revision = 0;
  GetSecurityDescriptorControl(descriptor.get(), &control, &revision);
  const DWORD inherits =
      (control & SE_DACL_PROTECTED) != 0 ? PROTECTED_DACL_SECURITY_INFORMATION : UNPROTECTED_DACL_SECURITY_INFORMATION;
  error =
      SetSecurityInfo(to.get(), SE_FILE_OBJECT, DACL_SECURITY_INFORMATION | inherits, nullptr, nullptr, dacl, nullptr);
  if (error != ERROR_SUCCESS) return win32::Failure(Code::kIo, "cannot keep its permissions", path, error);
  return {};
}

}  // namespace

Result<std::optional<std::string>> LiveFiles::ReadFile(std::string_view path, std::uint64_t limit) {
  const Steps steps = PROV_TRY(FollowedSteps(path));
  const Way way = PROV_TRY(HoldWay(steps, Missing::kLeft));
  if (!way.is_there) return std::nullopt;
  const FollowedStep& last = steps.back();
  const FileHandle file = PROV_TRY(OpenTrusted(win32::Path(last.path), last.use, GENERIC_READ, kShareAll, 0));
  if (!file) return std::nullopt;
  return PROV_TRY(ReadOpened(reinterpret_cast<NativeFile>(file.get()), last.path, limit));
}

Result<void> LiveFiles::PutFile(std::string_view path, std::string_view bytes) {
  const Steps steps = PROV_TRY(FollowedSteps(path));
  const Way way = PROV_TRY(HoldWay(steps, Missing::kMade));
  FileHandle old = PROV_TRY(OpenPresent(steps.back()));
  const std::wstring target = win32::Path(steps.back().path);
  const std::wstring fresh = target + L".new";
  DeleteFileW(fresh.c_str());  // left by a run that was cut short
  FileHandle file = PROV_TRY(MakeFile(fresh, FileUse::kPlain, GENERIC_WRITE | WRITE_DAC, CREATE_NEW));
  if (old) PROV_TRY(CopyPermissions(old, file, path));
  old.Close();
  PROV_TRY(WriteAndFlush(file, bytes, fresh));
  file.Close();
  const DWORD error = MoveOver(fresh, target);
  if (error == ERROR_SUCCESS) return {};
  DeleteFileW(fresh.c_str());
  return win32::Failure(Code::kIo, "cannot replace the file", path, error);
}

// Renames before it deletes: Windows can flush a renaming, but not a deletion.
Result<void> LiveFiles::RemoveFile(std::string_view path) {
  const Steps steps = PROV_TRY(FollowedSteps(path));
  const Way way = PROV_TRY(HoldWay(steps, Missing::kLeft));
  if (!way.is_there) return {};
  PROV_TRY(OpenPresent(steps.back()));
  const std::wstring target = win32::Path(steps.back().path);
  const std::wstring old = target + L".old";
  DeleteFileW((target + L".new").c_str());
  const DWORD error = MoveOver(target, old);
  if (error != ERROR_SUCCESS && error != ERROR_FILE_NOT_FOUND)
    return win32::Failure(Code::kIo, "cannot remove the file", path, error);
  DeleteFileW(old.c_str());
  return {};
}

Result<bool> LiveFiles::FolderExists(std::string_view path) {
  const Steps steps = PROV_TRY(FollowedSteps(path));
  const Way way = PROV_TRY(HoldWay(steps, Missing::kLeft));
  if (!way.is_there) return false;
  const DWORD attributes = GetFileAttributesW(win32::Path(steps.back().path).c_str());
  return attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
}

Result<void> LiveFiles::RemoveFolderIfEmpty(std::string_view path) {
  const Steps steps = PROV_TRY(FollowedSteps(path));
  const Way way = PROV_TRY(HoldWay(steps, Missing::kLeft));
  if (!way.is_there) return {};
  PROV_TRY(OpenPresent(steps.back()));
  if (RemoveDirectoryW(win32::Path(steps.back().path).c_str()) != 0) return {};
  const DWORD error = GetLastError();
  // containerd or a scanner may have it open. An empty folder that stays does no harm.
  const bool stays = error == ERROR_DIR_NOT_EMPTY || error == ERROR_SHARING_VIOLATION || win32::MeansMissing(error);
  return stays ? Result<void>() : win32::Failure(Code::kIo, "cannot remove the folder", path, error);
}

}  // namespace prov::machine
