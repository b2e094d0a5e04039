#include <fmt/format.h>

#include <vector>

#include "images/tree/file_security.h"
#include "images/tree/folder_tree.h"
#include "images/tree/tree_path.h"
#include "images/tree/windows_tree.h"
#include "provisioner/base/windows_api.h"

namespace prov::images {
namespace {

using win32::Handle;

constexpr DWORD kShareAll = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
// Opens a link itself, never its target; opens folders, too.
constexpr DWORD kItself = FILE_FLAG_OPEN_REPARSE_POINT | FILE_FLAG_BACKUP_SEMANTICS;
constexpr DWORD kMostAtOnce = 1U << 30U;  // of bytes in one call

enum class Kind { kAbsent, kFile, kFolder };

std::unexpected<Error> SystemError(std::string_view what, const std::string& where, DWORD error = GetLastError()) {
  const bool target = error == ERROR_DISK_FULL || error == ERROR_WRITE_PROTECT;
  return win32::Failure(target ? Code::kTarget : Code::kIo, what, where, error);
}

Handle OpenItself(const std::wstring& path, DWORD access, DWORD share) {
  return Handle(CreateFileW(path.c_str(), access, share, nullptr, OPEN_EXISTING, kItself, nullptr));
}

Result<Kind> KindOf(HANDLE file, const std::string& where) {
  BY_HANDLE_FILE_INFORMATION info{};
  if (GetFileInformationByHandle(file, &info) == 0) return SystemError("cannot inspect the path", where);
  if ((info.dwFileAttributes & (FILE_ATTRIBUTE_REPARSE_POINT | FILE_ATTRIBUTE_DEVICE)) != 0) {
    return Fail(Code::kLink, "is a link, a reparse point or a device: only files and folders are used in an image",
                where);
  }
  return (info.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0 ? Kind::kFolder : Kind::kFile;
}

// A place in the image. While the handles of its folders are open, they can't be replaced by links.
struct TreeEntry {
  std::vector<Handle> held;
  std::wstring folder, path;
  Kind kind = Kind::kAbsent;
};

Result<std::uint64_t> FreeOn(const std::wstring& folder, const std::string& where) {
  ULARGE_INTEGER there{};
  if (GetDiskFreeSpaceExW(folder.c_str(), &there, nullptr, nullptr) != 0) return there.QuadPart;
  return SystemError("cannot ask for free space", where);
}

std::wstring TemporaryIn(const std::wstring& folder) { return folder + L"\\" + win32::Wide(kTemporaryName); }

class FolderTree final : public ImageTree {
 public:
  FolderTree(std::string root, Handle folder, TreeAccess access)
      : root_(std::move(root)), folder_(std::move(folder)), access_(access) {}

  std::string Name() const override { return "image " + root_; }
  bool CanProtect() const override {
    DWORD flags = 0;
    return GetVolumeInformationByHandleW(folder_.get(), nullptr, 0, nullptr, nullptr, &flags, nullptr, 0) != 0 &&
           (flags & FILE_PERSISTENT_ACLS) != 0;
  }
  bool WritesTogether() const override { return false; }
  Result<void> Commit() override { return {}; }

  Result<bool> IsFolder(std::string_view path) override { return PROV_TRY(Find(path)).kind == Kind::kFolder; }
  Result<bool> IsFile(std::string_view path) override { return PROV_TRY(Find(path)).kind == Kind::kFile; }
  Result<std::optional<std::string>> Read(std::string_view path, std::uint64_t limit) override;
  Result<std::optional<std::string>> ReadStart(std::string_view path, std::size_t most) override;
  Result<std::optional<std::string>> Security(std::string_view path) override;
  Result<bool> IsMadeFor(std::string_view path, FileUse use) override;
  Result<void> Write(std::string_view path, std::string_view bytes, FileUse use) override;
  Result<void> SecureFolder(std::string_view path, FileUse use) override;
  Result<void> Remove(std::string_view path) override;
  Result<void> RemoveFolderIfEmpty(std::string_view path) override;
  Result<bool> RemoveLeftover(std::string_view folder) override;

 private:
  std::string Where(std::string_view path) const { return fmt::format("{}/{}", root_, path); }
  // With `make_for`, makes missing folders.
  Result<TreeEntry> Find(std::string_view path, const FileUse* make_for = nullptr) const;
  Result<Handle> OpenFile(const TreeEntry& place, std::string_view path) const;  // empty: the file does not exist
  Result<void> Replace(const TreeEntry& place, std::string_view bytes, FileUse use, const std::string& where) const;

  std::string root_;
  Handle folder_;
  TreeAccess access_;
};

Result<std::string> ReadHandle(HANDLE file, std::uint64_t size, const std::string& where) {
  std::string out(static_cast<std::size_t>(size), '\0');
  std::size_t used = 0;
  while (used < out.size()) {
    DWORD got = 0;
    const auto wanted = static_cast<DWORD>(std::min<std::size_t>(out.size() - used, kMostAtOnce));
    if (::ReadFile(file, &out[used], wanted, &got, nullptr) == 0) return SystemError("cannot read", where);
    if (got == 0) break;
    used += got;
  }
  out.resize(used);
  return out;
}

Result<TreeEntry> FolderTree::Find(std::string_view path, const FileUse* make_for) const {
  TreeEntry place{{}, L"", win32::Path(root_), Kind::kFolder};
  std::string where = root_;
  for (const std::string& name : PROV_TRY(SplitTreePath(path))) {
    if (place.kind == Kind::kAbsent && make_for == nullptr) return place;
    if (place.kind == Kind::kFile) return Fail(Code::kTarget, "is a file, a folder is wanted", where);
    if (place.kind == Kind::kAbsent) {
      win32::SecurityAttributes security = PROV_TRY(win32::SecurityAttributes::FromSddl(FolderSddl(*make_for)));
      if (CreateDirectoryW(place.path.c_str(), security.get()) == 0)
        return SystemError("cannot make the folder", where);
      place.held.push_back(OpenItself(place.path, FILE_LIST_DIRECTORY, FILE_SHARE_READ | FILE_SHARE_WRITE));
    }
    where += "/" + name;
    place.folder = place.path;
    place.path += L"\\" + win32::Wide(name);
    // Windows itself ignores case.
    Handle found =
        OpenItself(place.path, FILE_READ_ATTRIBUTES | FILE_LIST_DIRECTORY, FILE_SHARE_READ | FILE_SHARE_WRITE);
    const DWORD error = found ? ERROR_SUCCESS : GetLastError();
    if (!found && !win32::MeansMissing(error)) return SystemError("cannot open", where, error);
    place.kind = found ? PROV_TRY(KindOf(found.get(), where)) : Kind::kAbsent;
    if (place.kind == Kind::kFolder) place.held.push_back(std::move(found));
  }
  return place;
}

Result<Handle> FolderTree::OpenFile(const TreeEntry& place, std::string_view path) const {
  if (place.kind == Kind::kAbsent) return Handle();
  if (place.kind == Kind::kFolder) return Fail(Code::kTarget, "is a folder, a file is wanted", Where(path));
  Handle file = OpenItself(place.path, GENERIC_READ, kShareAll);
  if (!file) return SystemError("cannot open", Where(path));
  PROV_TRY(KindOf(file.get(), Where(path)));
  return file;
}

Result<std::optional<std::string>> FolderTree::Read(std::string_view path, std::uint64_t limit) {
  const Handle file = PROV_TRY(OpenFile(PROV_TRY(Find(path)), path));
  if (!file) return std::nullopt;
  LARGE_INTEGER size{};
  if (GetFileSizeEx(file.get(), &size) == 0) return SystemError("cannot read", Where(path));
  const auto bytes = static_cast<std::uint64_t>(size.QuadPart);
  if (bytes > limit) return Fail(Code::kTooLarge, fmt::format("is larger than {} bytes", limit), Where(path));
  std::string out = PROV_TRY(ReadHandle(file.get(), bytes, Where(path)));
  if (out.size() != bytes) return Fail(Code::kIo, "changes while it is read", Where(path));
  return out;
}

Result<std::optional<std::string>> FolderTree::ReadStart(std::string_view path, std::size_t most) {
  const Handle file = PROV_TRY(OpenFile(PROV_TRY(Find(path)), path));
  if (!file) return std::nullopt;
  return PROV_TRY(ReadHandle(file.get(), most, Where(path)));
}

Result<std::optional<std::string>> FolderTree::Security(std::string_view path) {
  const TreeEntry place = PROV_TRY(Find(path));
  if (place.kind == Kind::kAbsent) return std::nullopt;
  const Handle file = OpenItself(place.path, READ_CONTROL, kShareAll);
  if (!file) return SystemError("cannot open", Where(path));
  win32::LocalMemory<PSECURITY_DESCRIPTOR> descriptor;
  const DWORD error =
      GetSecurityInfo(file.get(), SE_FILE_OBJECT, OWNER_SECURITY_INFORMATION | DACL_SECURITY_INFORMATION, nullptr,
                      nullptr, nullptr, nullptr, descriptor.out());
  if (error != ERROR_SUCCESS) return SystemError("cannot read its descriptor", Where(path), error);
  return std::string(static_cast<const char*>(descriptor.get()), GetSecurityDescriptorLength(descriptor.get()));
}

Result<bool> FolderTree::IsMadeFor(std::string_view path, FileUse use) {
  if (use == FileUse::kEdited || !CanProtect() || win32::RunsUnderWine()) return true;
  const TreeEntry place = PROV_TRY(Find(path));
  if (place.kind == Kind::kAbsent) return true;
  const auto descriptor = PROV_TRY(Security(path));
  return HasSameAccess(descriptor.value_or(""),
                       place.kind == Kind::kFolder ? FolderDescriptor(use) : FileDescriptor(use));
}

// Windows passes the new entries on to the contents of the folder if they inherit.
Result<void> FolderTree::SecureFolder(std::string_view path, FileUse use) {
  PROV_TRY(CheckAccess(access_, root_));
  const TreeEntry place = PROV_TRY(Find(path));
  if (place.kind == Kind::kAbsent || !CanProtect()) return {};
  if (place.kind == Kind::kFile) return Fail(Code::kTarget, "is a file, a folder is wanted", Where(path));
  win32::SecurityAttributes security = PROV_TRY(win32::SecurityAttributes::FromSddl(FolderSddl(use)));
  PSECURITY_DESCRIPTOR descriptor = security.get()->lpSecurityDescriptor;
  PSID owner = nullptr;
  PACL dacl = nullptr;
  BOOL flag = FALSE;
  BOOL has_dacl = FALSE;
  if (GetSecurityDescriptorOwner(descriptor, &owner, &flag) == 0 ||
      GetSecurityDescriptorDacl(descriptor, &has_dacl, &dacl, &flag) == 0) {
    return SystemError("cannot make its descriptor", Where(path));
  }
  const Handle folder = OpenItself(place.path, READ_CONTROL | WRITE_DAC | WRITE_OWNER, kShareAll);
  if (!folder) return SystemError("cannot open the folder", Where(path));
  constexpr SECURITY_INFORMATION kParts =
      OWNER_SECURITY_INFORMATION | DACL_SECURITY_INFORMATION | PROTECTED_DACL_SECURITY_INFORMATION;
  const DWORD error = SetSecurityInfo(folder.get(), SE_FILE_OBJECT, kParts, owner, nullptr, dacl, nullptr);
  if (error != ERROR_SUCCESS) return SystemError("cannot set its descriptor", Where(path), error);
  return {};
}

Result<void> FolderTree::Write(std::string_view path, std::string_view bytes, FileUse use) {
  PROV_TRY(CheckAccess(access_, root_));
  const TreeEntry place = PROV_TRY(Find(path, &use));
  if (place.kind == Kind::kFolder) return Fail(Code::kTarget, "is a folder, a file is wanted", Where(path));
  PROV_TRY(CheckSpace(bytes.size(), PROV_TRY(FreeOn(place.folder, Where(path))), Where(path)));
  Result<void> done = Replace(place, bytes, use, Where(path));
  if (!done) DeleteFileW(TemporaryIn(place.folder).c_str());
  return done;
}

// Copies owner, group and entries, and whether these are inherited; also the attributes.
Result<void> CopyAttributes(HANDLE from, HANDLE to, const std::string& where) {
  win32::LocalMemory<PSECURITY_DESCRIPTOR> descriptor;
  PSID owner = nullptr;
  PSID group = nullptr;
  PACL dacl = nullptr;
  constexpr SECURITY_INFORMATION kParts =
      OWNER_SECURITY_INFORMATION | GROUP_SECURITY_INFORMATION | DACL_SECURITY_INFORMATION;
  DWORD error = GetSecurityInfo(from, SE_FILE_OBJECT, kParts, &owner, &group, &dacl, nullptr, descriptor.out());
  if (error != ERROR_SUCCESS) return SystemError("cannot read its descriptor", where, error);
  SECURITY_DESCRIPTOR_CONTROL control = 0;
  DWORD revision = 0;
  GetSecurityDescriptorControl(descriptor.get(), &control, &revision);
  const DWORD inherited =
      (control & SE_DACL_PROTECTED) != 0 ? PROTECTED_DACL_SECURITY_INFORMATION : UNPROTECTED_DACL_SECURITY_INFORMATION;
  error = SetSecurityInfo(to, SE_FILE_OBJECT, kParts | inherited, owner, group, dacl, nullptr);
  if (error != ERROR_SUCCESS) return SystemError("cannot keep its descriptor", where, error);
  FILE_BASIC_INFO info{};
  if (GetFileInformationByHandleEx(from, FileBasicInfo, &info, sizeof info) == 0) {
    return SystemError("cannot read its attributes", where);
  }
  info.LastWriteTime.QuadPart = info.ChangeTime.QuadPart = info.LastAccessTime.QuadPart = 0;  // 0: unchanged
  if (SetFileInformationByHandle(to, FileBasicInfo, &info, sizeof info) == 0) {
    return SystemError("cannot keep its attributes", where);
  }
  return {};
}

Result<void> FolderTree::Replace(const TreeEntry& place, std::string_view bytes, FileUse use,
                                 const std::string& where) const {
  const std::wstring temporary = TemporaryIn(place.folder);
  // Removes what an interrupted run left; a link itself.
  if (DeleteFileW(temporary.c_str()) == 0 && !win32::MeansMissing(GetLastError())) {
    return SystemError("cannot remove the leftover beside it", where);
  }
  // An edited file gets its old security after its contents, and is closed to others until then.
  const bool keeps = place.kind == Kind::kFile && use == FileUse::kEdited;
  const std::string_view sddl = FileSddl(keeps ? FileUse::kSecret : use);
  win32::SecurityAttributes security = PROV_TRY(win32::SecurityAttributes::FromSddl(sddl));
  Handle file(CreateFileW(temporary.c_str(), GENERIC_WRITE | READ_CONTROL | WRITE_DAC | WRITE_OWNER, 0, security.get(),
                          CREATE_NEW, FILE_ATTRIBUTE_NORMAL, nullptr));
  if (!file) return SystemError("cannot make a file beside it", where);
  const DWORD unwritten = win32::WriteAll(file.get(), bytes);
  if (unwritten != ERROR_SUCCESS) return SystemError("cannot write", where, unwritten);
  if (keeps) {
    const Handle old = OpenItself(place.path, FILE_READ_ATTRIBUTES | READ_CONTROL, kShareAll);
    if (!old) return SystemError("cannot open", where);
    PROV_TRY(CopyAttributes(old.get(), file.get(), where));
  }
  if (FlushFileBuffers(file.get()) == 0) return SystemError("cannot flush", where);
  if (!file.Close()) return SystemError("cannot close", where);
  const DWORD error = win32::Move(temporary, place.path, MOVEFILE_REPLACE_EXISTING);
  if (error != ERROR_SUCCESS) return SystemError("cannot replace", where, error);
  return {};
}

Result<void> FolderTree::Remove(std::string_view path) {
  PROV_TRY(CheckAccess(access_, root_));
  const TreeEntry place = PROV_TRY(Find(path));
  if (place.kind == Kind::kAbsent) return {};
  if (place.kind == Kind::kFolder) return Fail(Code::kTarget, "is a folder, a file is wanted", Where(path));
  if (DeleteFileW(place.path.c_str()) == 0) return SystemError("cannot remove", Where(path));
  return {};
}

Result<void> FolderTree::RemoveFolderIfEmpty(std::string_view path) {
  PROV_TRY(CheckAccess(access_, root_));
  TreeEntry place = PROV_TRY(Find(path));
  if (place.kind != Kind::kFolder) return {};
  DeleteFileW(TemporaryIn(place.path).c_str());
  place.held.pop_back();  // the folder's own handle: an open folder can't be removed
  if (RemoveDirectoryW(place.path.c_str()) != 0) return {};
  const DWORD error = GetLastError();
  if (error == ERROR_DIR_NOT_EMPTY || win32::MeansMissing(error)) return {};
  return SystemError("cannot remove the folder", Where(path), error);
}

Result<bool> FolderTree::RemoveLeftover(std::string_view folder) {
  PROV_TRY(CheckAccess(access_, root_));
  const TreeEntry place =
      folder.empty() ? TreeEntry{{}, L"", win32::Path(root_), Kind::kFolder} : PROV_TRY(Find(folder));
  if (place.kind != Kind::kFolder) return false;
  if (DeleteFileW(TemporaryIn(place.path).c_str()) != 0) return true;
  const DWORD error = GetLastError();
  if (win32::MeansMissing(error)) return false;
  return SystemError(fmt::format("cannot remove the leftover {}", kTemporaryName), Where(folder), error);
}

}  // namespace

Result<std::unique_ptr<ImageTree>> OpenFolderTree(const std::string& root, TreeAccess access) {
  // A writer requests a right that it does not share. That excludes other writers, even if it is not used.
  const bool writes = access == TreeAccess::kWrite;
  const DWORD rights = FILE_LIST_DIRECTORY | (writes ? DELETE : 0U);
  const DWORD share = writes ? FILE_SHARE_READ | FILE_SHARE_WRITE : kShareAll;
  Handle folder(CreateFileW(win32::Path(root).c_str(), rights, share, nullptr, OPEN_EXISTING,
                            FILE_FLAG_BACKUP_SEMANTICS, nullptr));
  const DWORD error = folder ? ERROR_SUCCESS : GetLastError();
  if (error == ERROR_SHARING_VIOLATION) {
    return Fail(Code::kLock, "another run works on this image: wait until it has ended", root);
  }
  if (win32::MeansMissing(error)) {
    return Fail(Code::kTarget, "the folder does not exist; give the one that contains Windows", root);
  }
  if (!folder) return SystemError("cannot open the folder", root, error);
  auto tree = std::make_unique<FolderTree>(root, std::move(folder), access);
  PROV_TRY(RequireWindows(*tree));
  return tree;
}

}  // namespace prov::images
