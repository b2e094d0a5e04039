#include "tests/support/memory_tree.h"

#include "images/tree/file_security.h"
#include "images/tree/folder_tree.h"
#include "provisioner/base/text.h"

namespace prov::testing_support {

using images::FileUse;

namespace {

std::string LeftoverIn(std::string_view folder) {
  return std::string(folder) + (folder.empty() ? "" : "/") + std::string(images::kTemporaryName);
}

}  // namespace

template <class Effect>
auto MemoryTree::Call(const std::string& what, bool writes, Effect effect) -> decltype(effect()) {
  if (calls == fail_at) {
    ++calls;
    return Fail(Code::kIo, "an injected failure", what);
  }
  return Step([&] {
    if (writes) log.push_back(what);
    return effect();
  });
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
  now_.descriptors.erase(AsciiLower(path));
  committed_ = now_;
}

void MemoryTree::SetSecurity(std::string_view path, std::string_view descriptor) {
  now_.descriptors[AsciiLower(path)] = descriptor;
  committed_ = now_;
}

std::optional<std::string> MemoryTree::At(std::string_view path) const {
  const auto found = now_.files.find(AsciiLower(path));
  return found == now_.files.end() ? std::nullopt : std::optional(found->second.bytes);
}

void MemoryTree::Reopen() {
  if (durable_ == Durable::kTogether) now_ = committed_;
  GoOn();
}

std::optional<std::string> MemoryTree::DescriptorAt(const std::string& lower_case_path) const {
  if (const auto own = now_.descriptors.find(lower_case_path); own != now_.descriptors.end()) return own->second;
  if (const auto file = now_.files.find(lower_case_path); file != now_.files.end()) {
    return images::FileDescriptor(file->second.use);
  }
  const auto folder = now_.folders.find(lower_case_path);
  return folder == now_.folders.end() ? std::nullopt : std::optional(images::FolderDescriptor(folder->second));
}

Result<bool> MemoryTree::IsFolder(std::string_view path) {
  return Call("IsFolder", false, [&]() -> Result<bool> { return now_.folders.contains(AsciiLower(path)); });
}

Result<bool> MemoryTree::IsFile(std::string_view path) {
  return Call("IsFile", false, [&]() -> Result<bool> { return now_.files.contains(AsciiLower(path)); });
}

Result<std::optional<std::string>> MemoryTree::Read(std::string_view path, std::uint64_t limit) {
  return Call("Read " + std::string(path), false, [&]() -> Result<std::optional<std::string>> {
    if (now_.folders.contains(AsciiLower(path)))
      return Fail(Code::kTarget, "is a folder, a file is wanted", std::string(path));
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
  return Call("Security " + std::string(path), false,
              [&]() -> Result<std::optional<std::string>> { return DescriptorAt(AsciiLower(path)); });
}

Result<bool> MemoryTree::IsMadeFor(std::string_view path, FileUse use) {
  return Call("IsMadeFor " + std::string(path), false, [&]() -> Result<bool> {
    const std::string name = AsciiLower(path);
    const auto descriptor = DescriptorAt(name);
    if (!descriptor || use == FileUse::kEdited) return true;
    const bool folder = now_.folders.contains(name);
    return images::HasSameAccess(*descriptor, folder ? images::FolderDescriptor(use) : images::FileDescriptor(use));
  });
}

Result<void> MemoryTree::Write(std::string_view path, std::string_view bytes, FileUse use) {
  return Call("Write " + std::string(path), true, [&]() -> Result<void> {
    MakeFolders(path, use);
    const auto [file, made] = now_.files.try_emplace(AsciiLower(path), std::string(path), "", use);
    file->second.bytes = bytes;
    if (!made && use != FileUse::kEdited) {
      file->second.use = use;
      now_.descriptors.erase(AsciiLower(path));
    }
    return {};
  });
}

Result<void> MemoryTree::SecureFolder(std::string_view path, FileUse use) {
  return Call("SecureFolder " + std::string(path), true, [&]() -> Result<void> {
    const auto folder = now_.folders.find(AsciiLower(path));
    if (folder == now_.folders.end()) return {};
    folder->second = use;
    now_.descriptors.erase(folder->first);
    return {};
  });
}

Result<void> MemoryTree::Remove(std::string_view path) {
  return Call("Remove " + std::string(path), true, [&]() -> Result<void> {
    now_.files.erase(AsciiLower(path));
    now_.descriptors.erase(AsciiLower(path));
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
    if (holds(now_.files) || holds(now_.folders)) return {};
    now_.folders.erase(folder);
    now_.descriptors.erase(folder);
    return {};
  });
}

// It is a file like others here.
Result<bool> MemoryTree::RemoveLeftover(std::string_view folder) {
  const std::string path = LeftoverIn(folder);
  if (!At(path)) return false;
  PROV_TRY(Remove(path));
  return true;
}

Result<void> MemoryTree::Commit() {
  return Call("Commit", true, [&]() -> Result<void> {
    committed_ = now_;
    return {};
  });
}

}  // namespace prov::testing_support
