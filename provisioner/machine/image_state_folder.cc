#include "provisioner/machine/image_state_folder.h"

#include <fmt/format.h>

namespace prov::machine {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{64} << 20U;

std::string PathOf(std::string_view name) { return fmt::format("{}/{}", kImageStateFolder, name); }

}  // namespace

Result<std::optional<std::string>> ImageStateFolder::Read(std::string_view name) {
  return tree_.Read(PathOf(name), kMostBytes);
}

Result<void> ImageStateFolder::Write(std::string_view name, std::string_view bytes) {
  return tree_.Write(PathOf(name), bytes, images::FileUse::kSecret);
}

Result<void> ImageStateFolder::Remove(std::string_view name) { return tree_.Remove(PathOf(name)); }

}  // namespace prov::machine
