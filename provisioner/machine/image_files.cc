// Files in an image that other programs read (image_ports.h).
#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "provisioner/base/text.h"
#include "provisioner/machine/folder_security.h"
#include "provisioner/machine/image_ports.h"

namespace prov::machine {

Result<std::string> ImageFiles::PathInImage(std::string_view path) {
  const std::string drive = PROV_TRY(SystemDriveOf(registry_));
  const bool full = path.size() > 3 && path[1] == ':' && path[2] == '\\';
  if (!full || !EqualsIgnoreAsciiCase(path.substr(0, 2), drive)) {
    return Fail(Code::kTarget, fmt::format("is not on the drive of this Windows, which is {}", drive),
                std::string(path));
  }
  std::string out(path.substr(3));
  std::ranges::replace(out, '\\', '/');
  return out;
}

// A user of the captured machine may have made a folder or a file on the way.
Result<void> ImageFiles::CheckWay(const std::string& path) {
  if (!tree_.CanProtect()) return {};
  const std::string drive = PROV_TRY(SystemDriveOf(registry_));
  std::vector<Error> found;
  const auto check = [&](const std::string& at, PathUse use) -> Result<void> {
    auto checked = CheckImageSecurity(PROV_TRY(tree_.Security(at)), use, fmt::format("{}: {}", tree_.Name(), at),
                                      AccountForAdministrators());
    if (checked) return {};
    if (checked.error().code != Code::kOwner) return checked;
    std::string file = fmt::format("{}\\{}", drive, at);
    std::ranges::replace(file, '/', '\\');
    found.push_back(std::move(checked).error());
    found.back().message += fmt::format(
        ", or give it to administrators alone before the image is captured (icacls "
        "\"{0}\" /setowner *S-1-5-32-544, then icacls \"{0}\" /inheritance:r /grant:r "
        "*S-1-5-18:{1}F *S-1-5-32-544:{1}F *S-1-5-32-545:{1}RX)",
        file, at == path ? "" : "(OI)(CI)");
    return {};
  };
  const std::size_t last = path.rfind('/');
  bool is_there = true;
  for (std::size_t end = path.find('/'); end != std::string::npos; end = path.find('/', end + 1)) {
    const std::string folder = path.substr(0, end);
    is_there = PROV_TRY(tree_.IsFolder(folder));
    if (!is_there) break;
    PROV_TRY(check(folder, end == last ? PathUse::kFollowed : PathUse::kPassage));
  }
  if (is_there && PROV_TRY(tree_.IsFile(path))) PROV_TRY(check(path, PathUse::kFollowed));
  return found.empty() ? Result<void>() : RefuseWay(found);
}

Result<std::optional<std::string>> ImageFiles::ReadFile(std::string_view path, std::uint64_t limit) {
  const std::string at = PROV_TRY(PathInImage(path));
  PROV_TRY(CheckWay(at));
  return tree_.Read(at, limit);
}

// A tree without descriptors tells of a mode only whether it is that of our files.
Result<bool> ImageFiles::IsOpen(const std::string& path) {
  if (!PROV_TRY(tree_.IsFile(path))) return false;
  if (const auto descriptor = PROV_TRY(tree_.Security(path))) return EverybodyReads(*descriptor);
  return tree_.IsMadeFor(path, images::FileUse::kPlain);
}

Result<bool> ImageFiles::IsForEverybody(std::string_view path) {
  const std::string at = PROV_TRY(PathInImage(path));
  PROV_TRY(CheckWay(at));
  return IsOpen(at);
}

Result<void> ImageFiles::PutFile(std::string_view path, std::string_view bytes, FileAccess access) {
  const std::string at = PROV_TRY(PathInImage(path));
  PROV_TRY(CheckWay(at));
  const auto is_closed = [&]() -> Result<bool> {
    return PROV_TRY(tree_.IsFile(at)) && PROV_TRY(tree_.Security(at)) && !PROV_TRY(IsOpen(at));
  };
  const bool keeps = access == FileAccess::kKept || PROV_TRY(is_closed());
  return tree_.Write(at, bytes, keeps ? images::FileUse::kEdited : images::FileUse::kSecret);
}

Result<void> ImageFiles::RemoveFile(std::string_view path) {
  const std::string at = PROV_TRY(PathInImage(path));
  PROV_TRY(CheckWay(at));
  return tree_.Remove(at);
}

Result<bool> ImageFiles::FolderExists(std::string_view path) { return tree_.IsFolder(PROV_TRY(PathInImage(path))); }

Result<void> ImageFiles::RemoveFolderIfEmpty(std::string_view path) {
  const std::string at = PROV_TRY(PathInImage(path));
  // A write that was cut short may have left its temporary file.
  PROV_TRY(tree_.RemoveLeftover(at));
  return tree_.RemoveFolderIfEmpty(at);
}

}  // namespace prov::machine
