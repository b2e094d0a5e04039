#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include "images/tree/file_security.h"
#include "images/tree/tree_path.h"
#include "images/tree/wim_file_posix.h"
#include "images/tree/windows_tree.h"
#include "provisioner/base/clock.h"

namespace prov::images {
namespace {

using wim::Entry;
using wim::Hash;
using wim::OpenImage;
using wim::Store;

class WimTree final : public ImageTree {
 public:
  WimTree(std::shared_ptr<Store> store, int index, OpenImage& image)
      : store_(std::move(store)), index_(index), image_(image) {}

  std::string Name() const override { return fmt::format("image {}:{}", store_->path(), index_); }
  bool CanProtect() const override { return true; }
  bool WritesTogether() const override { return true; }
  Result<void> Commit() override { return store_->Commit({}); }

  Result<bool> IsFolder(std::string_view path) override {
    const auto place = PROV_TRY(Find(path));
    return place && place->entry && place->entry->is_folder;
  }
  Result<bool> IsFile(std::string_view path) override {
    const auto place = PROV_TRY(Find(path));
    return place && place->entry && !place->entry->is_folder;
  }
  Result<std::optional<std::string>> Read(std::string_view path, std::uint64_t limit) override {
    const auto file = PROV_TRY(FindFile(path));
    if (!file) return std::nullopt;
    return PROV_TRY(store_->Contents(image_.metadata.HashOf(*file), limit, limit, Where(path)));
  }
  Result<std::optional<std::string>> ReadStart(std::string_view path, std::size_t most) override {
    const auto file = PROV_TRY(FindFile(path));
    if (!file) return std::nullopt;
    return PROV_TRY(store_->Contents(image_.metadata.HashOf(*file), UINT64_MAX, most, Where(path)));
  }
  Result<std::optional<std::string>> Security(std::string_view path) override {
    const auto place = PROV_TRY(Find(path));
    if (!place || !place->entry) return std::nullopt;
    return image_.metadata.DescriptorOf(*place->entry);
  }
  Result<bool> IsMadeFor(std::string_view path, FileUse use) override;
  Result<void> Write(std::string_view path, std::string_view bytes, FileUse use) override;
  Result<void> SecureFolder(std::string_view path, FileUse use) override;
  Result<void> Remove(std::string_view path) override;
  Result<void> RemoveFolderIfEmpty(std::string_view path) override;
  Result<bool> RemoveLeftover(std::string_view /*folder*/) override { return false; }
  // Bytes that an interrupted run left after the file's end are overwritten, so they need no removal.

 private:
  // A name in an existing folder; without `entry`, the name does not exist.
  struct NamedEntry {
    Entry folder;
    std::optional<Entry> entry;
    std::string name;
  };

  std::string Where(std::string_view path) const { return fmt::format("{}:{}/{}", store_->path(), index_, path); }

  // nullopt: a folder above it does not exist.
  Result<std::optional<NamedEntry>> Find(std::string_view path) const;
  Result<std::optional<Entry>> FindFile(std::string_view path) const;
  Result<void> MakeFolders(std::string_view path, FileUse use);
  Result<void> RemoveEntry(const NamedEntry& place);

  std::shared_ptr<Store> store_;
  int index_;
  OpenImage& image_;  // of the store
};

Result<std::optional<WimTree::NamedEntry>> WimTree::Find(std::string_view path) const {
  NamedEntry place{image_.metadata.Root(), image_.metadata.Root(), ""};
  std::string where = fmt::format("{}:{}", store_->path(), index_);
  for (const std::string& name : PROV_TRY(SplitTreePath(path))) {
    if (!place.entry) return std::nullopt;
    if (!place.entry->is_folder) return Fail(Code::kTarget, "is a file, a folder is wanted", where);
    where += "/" + name;
    place.folder = *place.entry;
    place.entry = PROV_TRY(image_.metadata.Find(place.folder, name, where));
    place.name = name;
  }
  return place;
}

Result<std::optional<Entry>> WimTree::FindFile(std::string_view path) const {
  const auto place = PROV_TRY(Find(path));
  if (!place || !place->entry) return std::nullopt;
  if (place->entry->is_folder) return Fail(Code::kTarget, "is a folder, a file is wanted", Where(path));
  return place->entry;
}

Result<void> WimTree::MakeFolders(std::string_view path, FileUse use) {
  for (std::size_t slash = path.find('/'); slash != std::string_view::npos; slash = path.find('/', slash + 1)) {
    const auto place = PROV_TRY(Find(path.substr(0, slash)));
    if (place->entry) continue;
    PROV_TRY(image_.metadata.Add(place->folder, place->name, std::nullopt, FolderDescriptor(use), store_->now()));
    ++image_.change.folders;
    image_.change.time = store_->now();
    image_.changed = true;
  }
  return {};
}

Result<bool> WimTree::IsMadeFor(std::string_view path, FileUse use) {
  const auto place = PROV_TRY(Find(path));
  if (!place || !place->entry || use == FileUse::kEdited) return true;
  const std::string wanted = place->entry->is_folder ? FolderDescriptor(use) : FileDescriptor(use);
  return HasSameAccess(image_.metadata.DescriptorOf(*place->entry).value_or(""), wanted);
}

Result<void> WimTree::SecureFolder(std::string_view path, FileUse use) {
  PROV_TRY(CheckAccess(store_->access(), store_->path()));
  const auto place = PROV_TRY(Find(path));
  if (!place || !place->entry) return {};
  if (!place->entry->is_folder) return Fail(Code::kTarget, "is a file, a folder is wanted", Where(path));
  PROV_TRY(image_.metadata.SetDescriptor(*place->entry, FolderDescriptor(use)));
  image_.changed = true;
  image_.change.time = store_->now();
  return {};
}

Result<void> WimTree::Write(std::string_view path, std::string_view bytes, FileUse use) {
  PROV_TRY(CheckAccess(store_->access(), store_->path()));
  PROV_TRY(SplitTreePath(path));
  PROV_TRY(MakeFolders(path, use));
  const auto place = PROV_TRY(Find(path));
  const Hash hash = wim::HashOf(bytes);
  const std::uint64_t now = store_->now();
  if (!place->entry) {
    PROV_TRY(image_.metadata.Add(place->folder, place->name, hash, FileDescriptor(use), now));
    ++image_.change.files;
  } else if (place->entry->is_folder) {
    return Fail(Code::kTarget, "is a folder, a file is wanted", Where(path));
  } else {
    const Hash old = image_.metadata.HashOf(*place->entry);
    PROV_TRY(image_.metadata.SetHash(*place->entry, hash, now));
    if (use != FileUse::kEdited) PROV_TRY(image_.metadata.SetDescriptor(*place->entry, FileDescriptor(use)));
    image_.change.bytes -= static_cast<std::int64_t>(store_->SizeOf(old));
    store_->Drop(old);
  }
  store_->Use(hash, bytes);
  image_.change.bytes += static_cast<std::int64_t>(bytes.size());
  image_.change.time = now;
  image_.changed = true;
  return {};
}

Result<void> WimTree::RemoveEntry(const NamedEntry& place) {
  PROV_TRY(image_.metadata.Remove(place.folder, *place.entry, [&](const Hash& hash) {
    image_.change.bytes -= static_cast<std::int64_t>(store_->SizeOf(hash));
    store_->Drop(hash);
  }));
  --(place.entry->is_folder ? image_.change.folders : image_.change.files);
  image_.changed = true;
  image_.change.time = store_->now();
  return {};
}

Result<void> WimTree::Remove(std::string_view path) {
  PROV_TRY(CheckAccess(store_->access(), store_->path()));
  const auto place = PROV_TRY(Find(path));
  if (!place || !place->entry) return {};
  if (place->entry->is_folder) return Fail(Code::kTarget, "is a folder, a file is wanted", Where(path));
  return RemoveEntry(*place);
}

Result<void> WimTree::RemoveFolderIfEmpty(std::string_view path) {
  PROV_TRY(CheckAccess(store_->access(), store_->path()));
  const auto place = PROV_TRY(Find(path));
  if (!place || !place->entry || !place->entry->is_folder) return {};
  if (!PROV_TRY(image_.metadata.IsEmpty(*place->entry))) return {};
  return RemoveEntry(*place);
}

}  // namespace

Result<std::unique_ptr<ImageTree>> wim::Store::Tree(int index) {
  auto tree = std::make_unique<WimTree>(shared_from_this(), index, *PROV_TRY(Image(index)));
  PROV_TRY(RequireWindows(*tree));
  return tree;
}

Result<std::shared_ptr<WimFile>> WimFile::Open(const std::string& file, TreeAccess access, std::int64_t now_unix) {
  const int mode = access == TreeAccess::kRead ? O_RDONLY : O_RDWR;
  Descriptor fd(open(file.c_str(), mode | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!fd && errno == ENOENT) return Fail(Code::kTarget, "the WIM file does not exist; check the path", file);
  struct stat info{};
  if (!fd || fstat(fd.get(), &info) != 0) return SystemError("cannot open", file);
  if (!S_ISREG(info.st_mode)) return Fail(Code::kTarget, "not a WIM file; pass one such as sources/install.wim", file);
  // libwim takes this lock, too.
  if (access == TreeAccess::kWrite)
    PROV_TRY(LockForWriting(fd.get(), "another program works on this WIM: wait until it has ended", file));
  auto out = std::make_shared<Store>(file, std::move(fd), access, FileTimeOf(now_unix));
  PROV_TRY(out->Load());
  return out;
}

}  // namespace prov::images
