#include "images/tree/windows_tree.h"

#include <fmt/format.h>

#include "provisioner/base/text.h"

namespace prov::images {
namespace {

constexpr std::string_view kHives = "Windows/System32/config";
constexpr std::string_view kHibernation = "hiberfil.sys";

}  // namespace

Result<void> CheckAccess(TreeAccess access, const std::string& where) {
  if (access == TreeAccess::kWrite) return {};
  return Fail(Code::kInternal, "an image that is only read was to be written", where);
}

Result<void> CheckSpace(std::uint64_t needed, std::uint64_t there, const std::string& where) {
  if (there >= needed) return {};
  return Fail(Code::kTarget, fmt::format("needs {} bytes on its volume, there are {}: make room", needed, there),
              where);
}

Result<void> RequireWindows(ImageTree& tree) {
  if (PROV_TRY(tree.IsFolder(kHives))) return {};
  return Fail(Code::kTarget,
              "not a Windows folder: Windows/System32/config not found; pass the folder that contains Windows",
              tree.Name());
}

Result<bool> IsHibernated(ImageTree& tree) {
  const auto start = PROV_TRY(tree.ReadStart(kHibernation, 4));
  if (!start) return false;
  // "wake" is written while Windows resumes. After that the file is zeroed, or begins with "rstr" or "link": its
  // contents are not used again.
  const std::string word = AsciiLower(*start);
  return word == "hibr" || word == "wake";
}

Result<void> RefuseHibernated(ImageTree& tree) {
  if (!PROV_TRY(IsHibernated(tree))) return {};
  return Fail(
      Code::kDirtyHive,
      "this Windows is hibernated (or was shut down with fast startup) and would overwrite what is changed now; "
      "start it and shut it down fully with `shutdown /s /f /t 0`, or switch hibernation off there with "
      "`powercfg /h off`",
      tree.Name() + ": " + std::string(kHibernation));
}

}  // namespace prov::images
