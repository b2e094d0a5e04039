#include "provisioner/machine/image_state_folder.h"

#include <fmt/format.h>

#include "provisioner/machine/folder_security.h"

namespace prov::machine {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{64} << 20U;

std::string PathOf(std::string_view name) { return fmt::format("{}/{}", kImageStateFolder, name); }

}  // namespace

Result<void> ImageStateFolder::CheckSecurity(std::string_view path) {
  return CheckImageSecurity(PROV_TRY(tree_.Security(path)), PathUse::kSecrets,
                            fmt::format("{}: {}", tree_.Name(), path), AccountForAdministrators());
}

Result<void> ImageStateFolder::CheckFolder() {
  // Where the medium has no descriptors (a folder on a Unix file system), there is nothing to check.
  if (folder_is_checked_ || !tree_.CanProtect() || !PROV_TRY(tree_.IsFolder(kImageStateFolder))) return {};
  PROV_TRY(CheckSecurity(kImageStateFolder));
  folder_is_checked_ = true;
  return {};
}

Result<void> ImageStateFolder::CheckFile(std::string_view path) {
  PROV_TRY(CheckFolder());
  if (!tree_.CanProtect() || !PROV_TRY(tree_.IsFile(path))) return {};
  return CheckSecurity(path);
}

Result<void> ImageStateFolder::CloseFolder() {
  if (folder_is_closed_) return {};
  if (!PROV_TRY(tree_.IsMadeFor(kImageStateFolder, images::FileUse::kSecret))) {
    PROV_TRY(tree_.SecureFolder(kImageStateFolder, images::FileUse::kSecret));
  }
  folder_is_closed_ = true;
  return {};
}

Result<std::optional<std::string>> ImageStateFolder::Read(std::string_view name) {
  PROV_TRY(CheckFile(PathOf(name)));
  return tree_.Read(PathOf(name), kMostBytes);
}

Result<void> ImageStateFolder::Write(std::string_view name, std::string_view bytes) {
  PROV_TRY(CheckFile(PathOf(name)));
  PROV_TRY(CloseFolder());
  return tree_.Write(PathOf(name), bytes, images::FileUse::kSecret);
}

Result<void> ImageStateFolder::Remove(std::string_view name) {
  PROV_TRY(CheckFolder());
  return tree_.Remove(PathOf(name));
}

}  // namespace prov::machine
