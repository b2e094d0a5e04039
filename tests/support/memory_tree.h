// An image in memory: it logs each call, and can fail or stop at any of them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "images/tree/image_tree.h"
#include "tests/support/stoppable_calls.h"

namespace prov::testing_support {

class MemoryTree final : public images::ImageTree, public StoppableCalls {
 public:
  // Whether writes become durable together, in Commit, as in a WIM.
  enum class Durable { kEach, kTogether };

  explicit MemoryTree(Durable durable = Durable::kEach) : durable_(durable) {}

  struct File {
    std::string spelling;
    std::string bytes;
    images::FileUse use = images::FileUse::kPlain;
    bool operator==(const File&) const = default;
  };
  struct Content {
    std::map<std::string, File> files;               // by lower-case path
    std::map<std::string, images::FileUse> folders;  // by lower-case path
    std::map<std::string, std::string> descriptors;  // by lower-case path: other ones than those of the uses
    bool operator==(const Content&) const = default;
  };

  // Setting up and looking at the image: not logged, durable.
  void Put(std::string_view path, std::string_view bytes);
  void PutFolder(std::string_view path);
  void Erase(std::string_view path);
  // Another descriptor than that of its use; not logged, durable.
  void SetSecurity(std::string_view path, std::string_view descriptor);
  std::optional<std::string> At(std::string_view path) const;  // as reads see it
  const Content& content() const { return now_; }
  const Content& durable() const { return durable_ == Durable::kEach ? now_ : committed_; }

  void set_can_protect(bool can) { can_protect_ = can; }

  std::vector<std::string> log;  // "Write Windows/x", "Commit": the calls that write, in order

  // After a power failure: opens the image anew, with what was durable; nothing fails or stops from here on.
  void Reopen();

  // images::ImageTree
  std::string Name() const override { return "image in memory"; }
  bool CanProtect() const override { return can_protect_; }
  Result<bool> IsFolder(std::string_view path) override;
  Result<bool> IsFile(std::string_view path) override;
  Result<std::optional<std::string>> Read(std::string_view path, std::uint64_t limit) override;
  Result<std::optional<std::string>> ReadStart(std::string_view path, std::size_t most) override;
  Result<std::optional<std::string>> Security(std::string_view path) override;
  Result<bool> IsMadeFor(std::string_view path, images::FileUse use) override;
  Result<void> Write(std::string_view path, std::string_view bytes, images::FileUse use) override;
  Result<void> SecureFolder(std::string_view path, images::FileUse use) override;
  Result<void> Remove(std::string_view path) override;
  Result<void> RemoveFolderIfEmpty(std::string_view path) override;
  Result<bool> RemoveLeftover(std::string_view folder) override;
  bool WritesTogether() const override { return durable_ == Durable::kTogether; }
  Result<void> Commit() override;

 private:
  // Runs `effect`, which returns a Result, as the next call.
  template <class Effect>
  auto Call(const std::string& what, bool writes, Effect effect) -> decltype(effect());
  void MakeFolders(std::string_view path, images::FileUse use);  // those above `path`
  std::optional<std::string> DescriptorAt(const std::string& lower_case_path) const;

  Durable durable_;
  bool can_protect_ = true;
  Content now_, committed_;
};

}  // namespace prov::testing_support
