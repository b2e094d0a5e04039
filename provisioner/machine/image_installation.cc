// The installed program, its pin and its state in an image (image_ports.h).
#include <fmt/format.h>

#include <algorithm>

#include "provisioner/machine/image_ports.h"

namespace prov::machine {
namespace {

constexpr std::uint64_t kMaxPinBytes = std::uint64_t{1} << 20U;

std::string Folder(std::string_view path) { return std::string(path.substr(0, path.rfind('/'))); }

std::string WithBackslashes(std::string_view path) {
  std::string out(path);
  std::ranges::replace(out, '/', '\\');
  return out;
}

}  // namespace

Result<std::string> SystemDriveOf(Registry& registry) {
  const std::string root =
      PROV_TRY(ReadText(registry, R"(SOFTWARE\Microsoft\Windows NT\CurrentVersion)", "SystemRoot"));
  const bool drive = root.size() > 2 && root[1] == ':' && root[2] == '\\';
  return drive ? root.substr(0, 2) : "C:";
}

Result<std::string> ImageInstallation::ProgramPath() {
  return fmt::format("{}\\{}", PROV_TRY(SystemDriveOf(registry_)), WithBackslashes(kImageProgram));
}

Result<bool> ImageInstallation::RemoveProgram() {
  const bool there = PROV_TRY(tree_.IsFile(kImageProgram));
  if (there) PROV_TRY(tree_.Remove(kImageProgram));
  PROV_TRY(tree_.Remove(kImagePin));
  PROV_TRY(tree_.RemoveFolderIfEmpty(Folder(kImageProgram)));
  return there;
}

// The file's owner is checked when the image runs. Here, a pin can only make a payload be refused.
Result<std::optional<std::string>> ImageInstallation::ReadPin() { return tree_.Read(kImagePin, kMaxPinBytes); }

Result<std::string> ImageInstallation::SetupScriptsFolder() {
  return fmt::format("{}\\Windows\\Setup\\Scripts", PROV_TRY(SystemDriveOf(registry_)));
}

Result<std::string> ImageInstallation::ReadFollowed(std::string_view /*path*/, std::uint64_t /*limit*/,
                                                    Shares /*shares*/) {
  return NothingRuns("a source that is followed");
}

Result<void> ImageInstallation::RemoveState() {
  // Remove the record last: until then it says what was done here.
  for (const std::string_view file :
       {kJournalPreviousFile, kJournalFile, std::string_view("provisioner.log"), std::string_view("provisioner.log.1"),
        kLockFile, kScriptStateFile, kStatePreviousFile, kStateFile}) {
    // An interrupted run on a node may have left the second and the third.
    for (const std::string_view suffix : {"", ".new", ".old"}) {
      PROV_TRY(tree_.Remove(fmt::format("{}/{}{}", kImageStateFolder, file, suffix)));
    }
  }
  return tree_.RemoveFolderIfEmpty(kImageStateFolder);
}

}  // namespace prov::machine
