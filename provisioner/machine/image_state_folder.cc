// The state folder of an image (image_ports.h).
#include <fmt/format.h>

#include "provisioner/machine/folder_security.h"
#include "provisioner/machine/image_ports.h"

namespace prov::machine {
namespace {

constexpr std::uint64_t kMostStateBytes = std::uint64_t{64} << 20U;

std::string PathInImage(std::string_view name) { return fmt::format("{}/{}", kImageStateFolder, name); }

}  // namespace

Result<void> ImageStateFolder::CheckSecurity(std::string_view path) {
  return CheckImageSecurity(PROV_TRY(tree_.Security(path)), PathUse::kSecrets,
                            fmt::format("{}: {}", tree_.Name(), path), AccountForAdministrators());
}

Result<void> ImageStateFolder::CheckFolder() {
  // A medium without descriptors, such as a folder on a Unix file system, has nothing to check.
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
  PROV_TRY(CheckFile(PathInImage(name)));
  return tree_.Read(PathInImage(name), kMostStateBytes);
}

Result<void> ImageStateFolder::Write(std::string_view name, std::string_view bytes) {
  PROV_TRY(CheckFile(PathInImage(name)));
  PROV_TRY(CloseFolder());
  return tree_.Write(PathInImage(name), bytes, images::FileUse::kSecret);
}

Result<void> ImageStateFolder::Remove(std::string_view name) {
  PROV_TRY(CheckFolder());
  return tree_.Remove(PathInImage(name));
}

std::string ImageStateFolder::PathOf(std::string_view name) const {
  return fmt::format("{}, {}", tree_.Name(), PathInImage(name));
}

}  // namespace prov::machine
