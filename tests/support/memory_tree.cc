#include "tests/support/memory_tree.h"

#include "images/tree/file_security.h"
#include "provisioner/base/text.h"

namespace prov::testing_support {

using images::FileUse;

template <class Effect>
auto MemoryTree::Call(const std::string& what, bool writes, Effect effect) -> decltype(effect()) {
  const std::size_t number = calls++;
  if (number == stop_before) throw PowerFailure();
  if (number == fail_at) return Fail(Code::kIo, "an injected failure", what);
  if (writes) log.push_back(what);
  auto result = effect();
  if (number == stop_after) throw PowerFailure();
  return result;
}

void MemoryTree::MakeFolders(std::string_view path, FileUse use) {
  for (std::size_t slash = path.find('/'); slash != std::string_view::npos; slash = path.find('/', slash + 1)) {
    now_.folders.try_emplace(AsciiLower(path.substr(0, slash)), use);
  }
}

void MemoryTree::Put(std::string_view path, std::string_view bytes) {
  MakeFolders(path, FileUse::kPlain);
  now_.files[AsciiLower(path)] = {std::string(path), std::string(bytes), FileUse::kPlain};
  committed_ = now_;
}

void MemoryTree::PutFolder(std::string_view path) {
  MakeFolders(std::string(path) + "/", FileUse::kPlain);
  committed_ = now_;
}

void MemoryTree::Erase(std::string_view path) {
  now_.files.erase(AsciiLower(path));
  now_.folders.erase(AsciiLower(path));
  committed_ = now_;
}

void MemoryTree::SetSecurity(std::string_view path, std::string_view descriptor) {
  descriptors_[AsciiLower(path)] = descriptor;
}

std::optional<std::string> MemoryTree::At(std::string_view path) const {
  const auto found = now_.files.find(AsciiLower(path));
  return found == now_.files.end() ? std::nullopt : std::optional(found->second.bytes);
}

void MemoryTree::Reopen() {
  if (durable_ == Durable::kTogether) now_ = committed_;
  fail_at = stop_before = stop_after = kNever;
}

Result<bool> MemoryTree::IsFolder(std::string_view path) {
  return Call("IsFolder", false, [&]() -> Result<bool> { return now_.folders.contains(AsciiLower(path)); });
}

Result<bool> MemoryTree::IsFile(std::string_view path) {
  return Call("IsFile", false, [&]() -> Result<bool> { return now_.files.contains(AsciiLower(path)); });
}

Result<std::optional<std::string>> MemoryTree::Read(std::string_view path, std::uint64_t limit) {
  return Call("Read " + std::string(path), false, [&]() -> Result<std::optional<std::string>> {
    std::optional<std::string> bytes = At(path);
    if (bytes && bytes->size() > limit) return Fail(Code::kTooLarge, "is too large", std::string(path));
    return bytes;
  });
}

Result<std::optional<std::string>> MemoryTree::ReadStart(std::string_view path, std::size_t most) {
  return Call("ReadStart " + std::string(path), false, [&]() -> Result<std::optional<std::string>> {
    const std::optional<std::string> bytes = At(path);
    if (!bytes) return std::nullopt;
    return bytes->substr(0, most);
  });
}

Result<std::optional<std::string>> MemoryTree::Security(std::string_view path) {
  return Call("Security " + std::string(path), false, [&]() -> Result<std::optional<std::string>> {
    const std::string name = AsciiLower(path);
    if (const auto own = descriptors_.find(name); own != descriptors_.end()) return own->second;
    if (const auto file = now_.files.find(name); file != now_.files.end()) {
      return images::FileDescriptor(file->second.use);
    }
    if (const auto folder = now_.folders.find(name); folder != now_.folders.end()) {
      return images::FolderDescriptor(folder->second);
    }
    return std::nullopt;
  });
}

Result<void> MemoryTree::Write(std::string_view path, std::string_view bytes, FileUse use) {
  return Call("Write " + std::string(path), true, [&]() -> Result<void> {
    MakeFolders(path, use);
    const auto [file, made] = now_.files.try_emplace(AsciiLower(path), std::string(path), "", use);
    file->second.bytes = bytes;
    return {};
  });
}

Result<void> MemoryTree::Remove(std::string_view path) {
  return Call("Remove " + std::string(path), true, [&]() -> Result<void> {
    now_.files.erase(AsciiLower(path));
    return {};
  });
}

Result<void> MemoryTree::RemoveFolderIfEmpty(std::string_view path) {
  return Call("RemoveFolderIfEmpty " + std::string(path), true, [&]() -> Result<void> {
    const std::string folder = AsciiLower(path);
    const auto holds = [&](const auto& map) {
      const auto next = map.lower_bound(folder + "/");
      return next != map.end() && next->first.starts_with(folder + "/");
    };
    if (!holds(now_.files) && !holds(now_.folders)) now_.folders.erase(folder);
    return {};
  });
}

Result<void> MemoryTree::Commit() {
  return Call("Commit", true, [&]() -> Result<void> {
    committed_ = now_;
    return {};
  });
}

}  // namespace prov::testing_support
