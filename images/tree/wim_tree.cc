#include "images/tree/wim_tree.h"

namespace prov::images {
namespace {

// A tree that owns its file.
class OwningTree final : public ImageTree {
 public:
  OwningTree(std::unique_ptr<WimFile> file, std::unique_ptr<ImageTree> tree)
      : file_(std::move(file)), tree_(std::move(tree)) {}

  std::string Name() const override { return tree_->Name(); }
  bool CanProtect() const override { return tree_->CanProtect(); }
  Result<bool> IsFolder(std::string_view path) override { return tree_->IsFolder(path); }
  Result<bool> IsFile(std::string_view path) override { return tree_->IsFile(path); }
  Result<std::optional<std::string>> Read(std::string_view path, std::uint64_t limit) override {
    return tree_->Read(path, limit);
  }
  Result<std::optional<std::string>> ReadStart(std::string_view path, std::size_t most) override {
    return tree_->ReadStart(path, most);
  }
  Result<std::optional<std::string>> Security(std::string_view path) override { return tree_->Security(path); }
  Result<bool> IsMadeFor(std::string_view path, FileUse use) override { return tree_->IsMadeFor(path, use); }
  Result<void> SecureFolder(std::string_view path, FileUse use) override { return tree_->SecureFolder(path, use); }
  Result<void> Write(std::string_view path, std::string_view bytes, FileUse use) override {
    return tree_->Write(path, bytes, use);
  }
  Result<void> Remove(std::string_view path) override { return tree_->Remove(path); }
  Result<void> RemoveFolderIfEmpty(std::string_view path) override { return tree_->RemoveFolderIfEmpty(path); }
  Result<std::optional<std::uint64_t>> Leftover(std::string_view folder) override { return tree_->Leftover(folder); }
  Result<void> RemoveLeftover(std::string_view folder) override { return tree_->RemoveLeftover(folder); }
  Result<std::uint64_t> FreeBytes() override { return tree_->FreeBytes(); }
  bool WritesTogether() const override { return tree_->WritesTogether(); }
  Result<void> Commit() override { return tree_->Commit(); }

 private:
  std::unique_ptr<WimFile> file_;  // must outlive the tree
  std::unique_ptr<ImageTree> tree_;
};

}  // namespace

Result<std::unique_ptr<ImageTree>> OpenWimTree(const std::string& file, int index, TreeAccess access) {
  std::unique_ptr<WimFile> wim = PROV_TRY(WimFile::Open(file, access));
  std::unique_ptr<ImageTree> tree = PROV_TRY(wim->Tree(index));
  return std::make_unique<OwningTree>(std::move(wim), std::move(tree));
}

}  // namespace prov::images
