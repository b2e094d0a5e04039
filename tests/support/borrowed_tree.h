// A tree that a test keeps while an ImageHost owns this stand-in for it.
#pragma once

#include "images/tree/image_tree.h"

namespace prov::testing_support {

class BorrowedTree final : public images::ImageTree {
 public:
  explicit BorrowedTree(images::ImageTree& tree) : tree_(tree) {}

  std::string Name() const override { return tree_.Name(); }
  bool CanProtect() const override { return tree_.CanProtect(); }
  Result<bool> IsFolder(std::string_view path) override { return tree_.IsFolder(path); }
  Result<bool> IsFile(std::string_view path) override { return tree_.IsFile(path); }
  Result<std::optional<std::string>> Read(std::string_view path, std::uint64_t limit) override {
    return tree_.Read(path, limit);
  }
  Result<std::optional<std::string>> ReadStart(std::string_view path, std::size_t most) override {
    return tree_.ReadStart(path, most);
  }
  Result<std::optional<std::string>> Security(std::string_view path) override { return tree_.Security(path); }
  Result<bool> IsMadeFor(std::string_view path, images::FileUse use) override { return tree_.IsMadeFor(path, use); }
  Result<void> Write(std::string_view path, std::string_view bytes, images::FileUse use) override {
    return tree_.Write(path, bytes, use);
  }
  Result<void> SecureFolder(std::string_view path, images::FileUse use) override {
    return tree_.SecureFolder(path, use);
  }
  Result<void> Remove(std::string_view path) override { return tree_.Remove(path); }
  Result<void> RemoveFolderIfEmpty(std::string_view path) override { return tree_.RemoveFolderIfEmpty(path); }
  Result<bool> RemoveLeftover(std::string_view folder) override { return tree_.RemoveLeftover(folder); }
  bool WritesTogether() const override { return tree_.WritesTogether(); }
  Result<void> Commit() override { return tree_.Commit(); }

 private:
  images::ImageTree& tree_;
};

}  // namespace prov::testing_support
