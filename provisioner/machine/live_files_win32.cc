// LiveFiles: files that everybody may read, each replaced in one step, below folders that can't be redirected
// meanwhile.
#include <string>
#include <vector>

#include "images/tree/file_security.h"
#include "images/tree/folder_tree.h"
#include "provisioner/base/opened_file.h"
#include "provisioner/machine/folder_security.h"
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

// The error for a folder that others can change, with those below it.
std::unexpected<Error> Refuse(const Steps& steps, std::size_t at, Error first) {
  if (first.code != Code::kOwner) return std::unexpected(std::move(first));
  std::vector<Error> found = {std::move(first)};
  while (++at + 1 < steps.size()) {
    auto folder = Hold(steps[at]);
    if (folder && !*folder) break;  // it is not there
    if (!folder && folder.error().code == Code::kOwner) found.push_back(std::move(folder).error());
  }
  return RefuseWay(found);
}

Result<Way> HoldWay(const Steps& steps, Missing missing) {
  Way out;
  out.folders.reserve(steps.size());
  for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
    auto held = Hold(steps[i]);
    if (!held) return Refuse(steps, i, std::move(held).error());
    FileHandle folder = *std::move(held);
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

// Nobody else uses this name. A run that was cut short may have left such a file.
std::wstring TemporaryBeside(const FollowedStep& file) {
  const std::wstring path = win32::Path(file.path);
  return path.substr(0, path.rfind(L'\\') + 1) + Wide(images::kTemporaryName);
}

// Of ours, so that no attribute of it is anybody's will.
Result<void> RemoveLeftover(const std::wstring& temporary, std::string_view path) {
  SetFileAttributesW(temporary.c_str(), FILE_ATTRIBUTE_NORMAL);
  if (DeleteFileW(temporary.c_str()) != 0 || win32::MeansMissing(GetLastError())) return {};
  return win32::Failure(Code::kIo, "cannot remove the leftover beside it", path);
}

Result<std::string> DescriptorOf(const FileHandle& file, std::string_view path) {
  win32::LocalMemory<PSECURITY_DESCRIPTOR> descriptor;
  const DWORD error =
      GetSecurityInfo(file.get(), SE_FILE_OBJECT, OWNER_SECURITY_INFORMATION | DACL_SECURITY_INFORMATION, nullptr,
                      nullptr, nullptr, nullptr, descriptor.out());
  if (error != ERROR_SUCCESS) return win32::Failure(Code::kIo, "cannot read its permissions", path, error);
  return std::string(static_cast<const char*>(descriptor.get()), GetSecurityDescriptorLength(descriptor.get()));
}

Result<void> SetPermissions(const FileHandle& file, PSECURITY_DESCRIPTOR descriptor, std::string_view path) {
  PACL dacl = nullptr;
  BOOL has_dacl = FALSE;
  BOOL is_default = FALSE;
  SECURITY_DESCRIPTOR_CONTROL control = 0;
  DWORD revision = 0;
  if (GetSecurityDescriptorDacl(descriptor, &has_dacl, &dacl, &is_default) == 0 ||
      GetSecurityDescriptorControl(descriptor, &control, &revision) == 0) {
    return win32::Failure(Code::kIo, "cannot make its permissions", path);
  }
  const DWORD inherits =
      (control & SE_DACL_PROTECTED) != 0 ? PROTECTED_DACL_SECURITY_INFORMATION : UNPROTECTED_DACL_SECURITY_INFORMATION;
  const DWORD error = SetSecurityInfo(file.get(), SE_FILE_OBJECT, DACL_SECURITY_INFORMATION | inherits, nullptr,
                                      nullptr, dacl, nullptr);
  if (error != ERROR_SUCCESS) return win32::Failure(Code::kIo, "cannot set its permissions", path, error);
  return {};
}

// A new file is closed to others until it has its contents and the permissions that it is to have.
Result<void> WriteClosed(const FileHandle& old, const std::wstring& temporary, std::string_view path,
                         std::string_view bytes, FileAccess access) {
  const FileHandle file = PROV_TRY(MakeSecretFile(temporary, GENERIC_WRITE | WRITE_DAC, CREATE_NEW));
  PROV_TRY(WriteAndFlush(file, bytes, temporary));
  if (old) {
    std::string present = PROV_TRY(DescriptorOf(old, path));
    if (access == FileAccess::kClosed && EverybodyReads(present)) return {};
    PROV_TRY(SetPermissions(file, present.data(), path));
  } else if (access == FileAccess::kKept) {
    win32::SecurityAttributes plain = PROV_TRY(win32::SecurityAttributes::FromSddl(images::FileSddl(FileUse::kPlain)));
    PROV_TRY(SetPermissions(file, plain.get()->lpSecurityDescriptor, path));
  }
  if (FlushFileBuffers(file.get()) == 0) return win32::Failure(Code::kIo, "cannot flush", path);
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

Result<bool> LiveFiles::IsForEverybody(std::string_view path) {
  const Steps steps = PROV_TRY(FollowedSteps(path));
  const Way way = PROV_TRY(HoldWay(steps, Missing::kLeft));
  if (!way.is_there) return false;
  const FileHandle file = PROV_TRY(OpenPresent(steps.back()));
  return file && EverybodyReads(PROV_TRY(DescriptorOf(file, path)));
}

Result<void> LiveFiles::PutFile(std::string_view path, std::string_view bytes, FileAccess access) {
  const Steps steps = PROV_TRY(FollowedSteps(path));
  const Way way = PROV_TRY(HoldWay(steps, Missing::kMade));
  FileHandle old = PROV_TRY(OpenPresent(steps.back()));
  const std::wstring temporary = TemporaryBeside(steps.back());
  PROV_TRY(RemoveLeftover(temporary, path));
  Result<void> done = WriteClosed(old, temporary, path, bytes, access);
  old.Close();
  if (done) {
    const DWORD error = MoveOver(temporary, win32::Path(steps.back().path));
    if (error == ERROR_SUCCESS) return {};
    done = win32::Failure(Code::kIo, "cannot replace the file", path, error);
  }
  DeleteFileW(temporary.c_str());
  return done;
}

// Renames before it deletes: Windows can flush a renaming, but not a deletion.
Result<void> LiveFiles::RemoveFile(std::string_view path) {
  const Steps steps = PROV_TRY(FollowedSteps(path));
  const Way way = PROV_TRY(HoldWay(steps, Missing::kLeft));
  if (!way.is_there) return {};
  const std::wstring temporary = TemporaryBeside(steps.back());
  PROV_TRY(RemoveLeftover(temporary, path));
  if (!PROV_TRY(OpenPresent(steps.back()))) return {};
  const DWORD attributes = GetFileAttributesW(win32::Path(steps.back().path).c_str());
  if (attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_READONLY) != 0)
    return Fail(Code::kIo, "is read-only; attrib -r takes the attribute away", std::string(path));
  const DWORD error = MoveOver(win32::Path(steps.back().path), temporary);
  if (error != ERROR_SUCCESS && error != ERROR_FILE_NOT_FOUND)
    return win32::Failure(Code::kIo, "cannot remove the file", path, error);
  return RemoveLeftover(temporary, path);
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
  if (!PROV_TRY(OpenPresent(steps.back()))) return {};
  DeleteFileW((win32::Path(steps.back().path) + L"\\" + Wide(images::kTemporaryName)).c_str());
  if (RemoveDirectoryW(win32::Path(steps.back().path).c_str()) != 0) return {};
  const DWORD error = GetLastError();
  const bool stays = error == ERROR_DIR_NOT_EMPTY || win32::MeansMissing(error);
  return stays ? Result<void>() : win32::Failure(Code::kIo, "cannot remove the folder", path, error);
}

}  // namespace prov::machine
