#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>

#include <optional>
#include <vector>

#include "images/tree/descriptor_posix.h"
#include "images/tree/file_attributes_posix.h"
#include "images/tree/folder_tree.h"
#include "images/tree/tree_path.h"
#include "images/tree/windows_tree.h"

namespace prov::images {
namespace {

constexpr std::size_t kMaxEntries = 1000000;  // of one folder
constexpr int kOpenFolder = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
// O_NONBLOCK: opening a pipe must not wait.
constexpr int kOpenFile = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
constexpr const char* kTemporary = kTemporaryName.data();  // a literal, so it ends in NUL

enum class Kind { kAbsent, kFile, kFolder };

// The place of a path: a name in an existing folder.
struct TreeEntry {
  Descriptor folder;
  std::string name;  // as the folder spells it; as requested if it does not exist
  Kind kind = Kind::kAbsent;
};

Result<Kind> KindOf(int folder, const std::string& name, const std::string& where) {
  struct stat info{};
  if (fstatat(folder, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0)
    return SystemError("cannot inspect the path", where);
  if (S_ISREG(info.st_mode)) return Kind::kFile;
  if (S_ISDIR(info.st_mode)) return Kind::kFolder;
  return Fail(Code::kLink, "is a link, a reparse point or a device: only files and folders are used in an image",
              where);
}

// The name in `folder` that Windows takes as `name`.
Result<std::optional<std::string>> Spelling(int folder, const std::string& name, const std::string& where) {
  Descriptor own(openat(folder, ".", kOpenFolder));  // a descriptor with its own read position
  if (!own) return SystemError("cannot open the folder", where);
  const std::unique_ptr<DIR, int (*)(DIR*)> list(fdopendir(own.get()), &closedir);
  if (list == nullptr) return SystemError("cannot list the folder", where);
  own.Release();
  const NameMatcher matcher(name);
  std::optional<std::string> found;
  for (std::size_t entries = 0; entries <= kMaxEntries; ++entries) {
    errno = 0;
    const dirent* const entry = readdir(list.get());
    if (entry == nullptr && errno != 0) return SystemError("cannot list the folder", where);
    if (entry == nullptr) return found;
    if (!matcher.Matches(std::string_view(entry->d_name))) continue;
    if (found) return TwoSpellings(*found, entry->d_name, where);
    found = entry->d_name;
  }
  return Fail(Code::kTooLarge, fmt::format("is in a folder with more than {} entries", kMaxEntries), where);
}

Result<Descriptor> OpenSubfolder(int folder, const std::string& name, const std::string& where) {
  Descriptor out(openat(folder, name.c_str(), kOpenFolder));
  if (!out) return SystemError("cannot open the folder", where);
  return out;
}

// Flushes the folder, so that its present entries are durable.
Result<void> FlushOpenFolder(int folder, const std::string& where) {
  // Some file systems refuse this for folders; the change itself is done.
  if (fsync(folder) != 0 && errno != EINVAL) return SystemError("cannot flush the folder", where);
  return {};
}

// Removes what an interrupted run left.
Result<void> RemoveTemporary(int folder, const std::string& where) {
  if (unlinkat(folder, kTemporary, 0) == 0 || errno == ENOENT) return {};
  if (unlinkat(folder, kTemporary, AT_REMOVEDIR) == 0) return {};
  return SystemError(fmt::format("cannot remove the leftover {} beside it", kTemporaryName), where);
}

class FolderTree final : public ImageTree {
 public:
  FolderTree(std::string root, Descriptor folder, TreeAccess access, uid_t owner)
      : root_(std::move(root)),
        folder_(std::move(folder)),
        access_(access),
        rights_{HasDescriptors(folder_.get()), owner} {}

  std::string Name() const override { return "image " + root_; }
  // Only descriptors count: Windows ignores modes.
  bool CanProtect() const override { return rights_.has_descriptors; }
  bool WritesTogether() const override { return false; }
  Result<void> Commit() override { return {}; }

  Result<bool> IsFolder(std::string_view path) override { return Is(path, Kind::kFolder); }
  Result<bool> IsFile(std::string_view path) override { return Is(path, Kind::kFile); }
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
  enum class Missing { kLeave, kMake };

  std::string Where(std::string_view path) const { return fmt::format("{}/{}", root_, path); }

  // The place of `path`. nullopt: a folder above it does not exist.
  Result<std::optional<TreeEntry>> Find(std::string_view path, Missing missing = Missing::kLeave,
                                        FileUse use = FileUse::kPlain);
  Result<Descriptor> MakeFolder(int parent, const std::string& name, FileUse use, const std::string& where);
  Result<bool> Is(std::string_view path, Kind kind);
  // nullopt: there is no such folder. "" is the root.
  Result<std::optional<Descriptor>> OpenFolder(std::string_view path);
  // nullopt: the file does not exist.
  Result<std::optional<Descriptor>> OpenFile(const TreeEntry& place, std::string_view path);
  Result<std::optional<Descriptor>> OpenFile(std::string_view path);
  Result<void> Replace(const TreeEntry& place, std::string_view bytes, FileUse use, std::string_view path);

  std::string root_;
  Descriptor folder_;
  TreeAccess access_;
  Rights rights_;
};

Result<std::optional<TreeEntry>> FolderTree::Find(std::string_view path, Missing missing, FileUse use) {
  const std::vector<std::string> names = PROV_TRY(SplitTreePath(path));
  TreeEntry place{PROV_TRY(OpenSubfolder(folder_.get(), ".", root_)), "", Kind::kFolder};
  std::string where = root_;
  for (const std::string& name : names) {
    if (!place.name.empty()) {
      if (place.kind == Kind::kAbsent && missing == Missing::kLeave) return std::nullopt;
      if (place.kind == Kind::kFile) return Fail(Code::kTarget, "is a file, a folder is wanted", where);
      place.folder = PROV_TRY(place.kind == Kind::kAbsent ? MakeFolder(place.folder.get(), place.name, use, where)
                                                          : OpenSubfolder(place.folder.get(), place.name, where));
    }
    where += "/" + name;
    const auto spelling = PROV_TRY(Spelling(place.folder.get(), name, where));
    place.name = spelling.value_or(name);
    place.kind = spelling ? PROV_TRY(KindOf(place.folder.get(), place.name, where)) : Kind::kAbsent;
  }
  return place;
}

// Create it under a temporary name; rename it once its permissions are set.
Result<Descriptor> FolderTree::MakeFolder(int parent, const std::string& name, FileUse use, const std::string& where) {
  PROV_TRY(RemoveTemporary(parent, where));
  if (mkdirat(parent, kTemporary, 0700) != 0) return SystemError("cannot make the folder", where);
  const auto make = [&]() -> Result<Descriptor> {
    Descriptor folder = PROV_TRY(OpenSubfolder(parent, kTemporary, where));
    PROV_TRY(SetAttributes(folder.get(), OwnKind::kFolder, use, rights_, where));
    if (renameat(parent, kTemporary, parent, name.c_str()) != 0) return SystemError("cannot name the folder", where);
    PROV_TRY(FlushOpenFolder(parent, where));
    return folder;
  };
  Result<Descriptor> made = make();
  if (!made) unlinkat(parent, kTemporary, AT_REMOVEDIR);
  return made;
}

Result<bool> FolderTree::Is(std::string_view path, Kind kind) {
  const auto place = PROV_TRY(Find(path));
  return place && place->kind == kind;
}

Result<std::optional<Descriptor>> FolderTree::OpenFile(const TreeEntry& place, std::string_view path) {
  if (place.kind == Kind::kAbsent) return std::nullopt;
  if (place.kind == Kind::kFolder) return Fail(Code::kTarget, "is a folder, a file is wanted", Where(path));
  Descriptor file(openat(place.folder.get(), place.name.c_str(), kOpenFile));
  struct stat info{};
  if (!file || fstat(file.get(), &info) != 0) return SystemError("cannot open", Where(path));
  if (!S_ISREG(info.st_mode)) return Fail(Code::kLink, "was replaced by something that is not a file", Where(path));
  return file;
}

Result<std::optional<Descriptor>> FolderTree::OpenFile(std::string_view path) {
  const auto place = PROV_TRY(Find(path));
  if (!place) return std::nullopt;
  return OpenFile(*place, path);
}

Result<std::optional<std::string>> FolderTree::Read(std::string_view path, std::uint64_t limit) {
  const auto file = PROV_TRY(OpenFile(path));
  if (!file) return std::nullopt;
  struct stat info{};
  if (fstat(file->get(), &info) != 0) return SystemError("cannot read", Where(path));
  const auto size = static_cast<std::uint64_t>(info.st_size);
  if (size > limit) return Fail(Code::kTooLarge, fmt::format("is larger than {} bytes", limit), Where(path));
  std::string bytes = PROV_TRY(ReadAt(file->get(), 0, static_cast<std::size_t>(size), Where(path)));
  if (bytes.size() != size) return Fail(Code::kIo, "changes while it is read", Where(path));
  return bytes;
}

Result<std::optional<std::string>> FolderTree::ReadStart(std::string_view path, std::size_t most) {
  const auto file = PROV_TRY(OpenFile(path));
  if (!file) return std::nullopt;
  return PROV_TRY(ReadAt(file->get(), 0, most, Where(path)));
}

Result<std::optional<std::string>> FolderTree::Security(std::string_view path) {
  const auto place = PROV_TRY(Find(path));
  if (!place || place->kind == Kind::kAbsent || !rights_.has_descriptors) return std::nullopt;
  if (place->kind == Kind::kFolder) {
    const Descriptor folder = PROV_TRY(OpenSubfolder(place->folder.get(), place->name, Where(path)));
    return ReadDescriptor(folder.get(), Where(path));
  }
  const auto file = PROV_TRY(OpenFile(*place, path));
  return ReadDescriptor(file->get(), Where(path));
}

Result<bool> FolderTree::IsMadeFor(std::string_view path, FileUse use) {
  const auto place = PROV_TRY(Find(path));
  if (!place || place->kind == Kind::kAbsent || use == FileUse::kEdited) return true;
  if (place->kind == Kind::kFolder) {
    const Descriptor folder = PROV_TRY(OpenSubfolder(place->folder.get(), place->name, Where(path)));
    return HasAttributes(folder.get(), OwnKind::kFolder, use, rights_, Where(path));
  }
  const auto file = PROV_TRY(OpenFile(*place, path));
  return HasAttributes(file->get(), OwnKind::kFile, use, rights_, Where(path));
}

Result<void> FolderTree::SecureFolder(std::string_view path, FileUse use) {
  PROV_TRY(CheckAccess(access_, root_));
  const auto place = PROV_TRY(Find(path));
  if (!place || place->kind == Kind::kAbsent) return {};
  if (place->kind == Kind::kFile) return Fail(Code::kTarget, "is a file, a folder is wanted", Where(path));
  const Descriptor folder = PROV_TRY(OpenSubfolder(place->folder.get(), place->name, Where(path)));
  PROV_TRY(TakeOverFolder(folder.get(), use, rights_, Where(path)));
  return FlushOpenFolder(folder.get(), Where(path));
}

Result<void> FolderTree::Write(std::string_view path, std::string_view bytes, FileUse use) {
  PROV_TRY(CheckAccess(access_, root_));
  const auto place = PROV_TRY(Find(path, Missing::kMake, use));
  const int folder = place->folder.get();
  PROV_TRY(RemoveTemporary(folder, Where(path)));
  PROV_TRY(CheckSpace(bytes.size(), PROV_TRY(FreeOn(folder, Where(path))), Where(path)));
  Result<void> done = Replace(*place, bytes, use, path);
  if (!done) unlinkat(folder, kTemporary, 0);
  return done;
}

Result<void> FolderTree::Replace(const TreeEntry& place, std::string_view bytes, FileUse use, std::string_view path) {
  const std::string where = Where(path);
  const auto old = PROV_TRY(OpenFile(place, path));
  const int folder = place.folder.get();
  Descriptor file(openat(folder, kTemporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file) return SystemError("cannot make a file beside it", where);
  const bool keeps = old && use == FileUse::kEdited;
  if (!keeps) PROV_TRY(SetAttributes(file.get(), OwnKind::kFile, use, rights_, where));
  PROV_TRY(WriteAll(file.get(), bytes, where));
  // After the contents: a read-only attribute would prevent writing, and writing clears some mode bits.
  if (keeps) PROV_TRY(CopyAttributes(old->get(), file.get(), where));
  if (fsync(file.get()) != 0) return SystemError("cannot flush", where);
  if (!file.Close()) return SystemError("cannot close", where);
  if (renameat(folder, kTemporary, folder, place.name.c_str()) != 0) return SystemError("cannot replace", where);
  return FlushOpenFolder(folder, where);
}

Result<void> FolderTree::Remove(std::string_view path) {
  PROV_TRY(CheckAccess(access_, root_));
  const auto place = PROV_TRY(Find(path));
  if (!place || place->kind == Kind::kAbsent) return {};
  if (place->kind == Kind::kFolder) return Fail(Code::kTarget, "is a folder, a file is wanted", Where(path));
  PROV_TRY(RemoveTemporary(place->folder.get(), Where(path)));
  if (unlinkat(place->folder.get(), place->name.c_str(), 0) != 0) return SystemError("cannot remove", Where(path));
  return FlushOpenFolder(place->folder.get(), Where(path));
}

Result<void> FolderTree::RemoveFolderIfEmpty(std::string_view path) {
  PROV_TRY(CheckAccess(access_, root_));
  const auto place = PROV_TRY(Find(path));
  if (!place || place->kind != Kind::kFolder) return {};
  {
    const Descriptor folder = PROV_TRY(OpenSubfolder(place->folder.get(), place->name, Where(path)));
    PROV_TRY(RemoveTemporary(folder.get(), Where(path)));
  }
  if (unlinkat(place->folder.get(), place->name.c_str(), AT_REMOVEDIR) == 0) {
    return FlushOpenFolder(place->folder.get(), Where(path));
  }
  if (errno == ENOTEMPTY || errno == EEXIST) return {};
  return SystemError("cannot remove the folder", Where(path));
}

Result<std::optional<Descriptor>> FolderTree::OpenFolder(std::string_view path) {
  if (path.empty()) return PROV_TRY(OpenSubfolder(folder_.get(), ".", root_));
  const auto place = PROV_TRY(Find(path));
  if (!place || place->kind != Kind::kFolder) return std::nullopt;
  return PROV_TRY(OpenSubfolder(place->folder.get(), place->name, Where(path)));
}

Result<bool> FolderTree::RemoveLeftover(std::string_view folder) {
  PROV_TRY(CheckAccess(access_, root_));
  const auto opened = PROV_TRY(OpenFolder(folder));
  struct stat info{};
  if (!opened || fstatat(opened->get(), kTemporary, &info, AT_SYMLINK_NOFOLLOW) != 0) return false;
  PROV_TRY(RemoveTemporary(opened->get(), Where(folder)));
  PROV_TRY(FlushOpenFolder(opened->get(), Where(folder)));
  return true;
}

// A plan is possible on a read-only mount: the image may be mounted differently later.
Result<void> CheckVolume(int root, TreeAccess access, const std::string& where) {
  struct statvfs info{};
  if (fstatvfs(root, &info) != 0) return SystemError("cannot look at the volume", where);
  if (access == TreeAccess::kWrite && (info.f_flag & ST_RDONLY) != 0) {
    return Fail(Code::kTarget,
                "is mounted read-only: mount it for writing (NTFS can't be when its Windows is hibernated or was not "
                "shut down)",
                where);
  }
  struct statfs kind{};
  if (fstatfs(root, &kind) != 0) return SystemError("cannot look at the volume", where);
  return RefuseFat(static_cast<std::uint64_t>(kind.f_type), where);
}

}  // namespace

Result<std::unique_ptr<ImageTree>> OpenFolderTree(const std::string& root, TreeAccess access) {
  // The path of the root itself may contain links.
  Descriptor folder(open(root.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder && (errno == ENOENT || errno == ENOTDIR)) {
    return Fail(Code::kTarget, "the folder does not exist; give the one that contains Windows", root);
  }
  if (!folder) return SystemError("cannot open the folder", root);
  struct stat info{};
  if (fstat(folder.get(), &info) != 0) return SystemError("cannot look at the folder", root);
  if (access != TreeAccess::kRead) PROV_TRY(CheckVolume(folder.get(), access, root));
  // The folder itself: a lock file would stay in the image.
  if (access == TreeAccess::kWrite)
    PROV_TRY(LockForWriting(folder.get(), "another run works on this image: wait until it has ended", root));
  auto tree = std::make_unique<FolderTree>(root, std::move(folder), access, info.st_uid);
  PROV_TRY(RequireWindows(*tree));
  return tree;
}

}  // namespace prov::images
