#include "provisioner/base/beside_win32.h"

#include <fmt/format.h>

#include <random>

#include "provisioner/base/windows_api.h"

namespace prov::win32 {
namespace {

constexpr std::size_t kRandom = 8;  // as BesideOf writes them

// The temporary names beside a path.
struct Siblings {
  std::string folder;  // with its final separator
  std::string prefix;  // of temporary names for it
};

Siblings SiblingsOf(const std::string& path) {
  const std::size_t slash = path.find_last_of("\\/:");
  const std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
  return {slash == std::string::npos ? "" : path.substr(0, slash + 1),
          BesidePrefix(Narrow(Wide(name).substr(0, kMostOfName)))};
}

}  // namespace

std::string BesideOf(const std::string& path) {
  const Siblings siblings = SiblingsOf(path);
  std::random_device random;
  return fmt::format("{}{}{:08x}", siblings.folder, siblings.prefix, random());
}

std::vector<std::string> LeftoversOf(const std::string& path, Leftover which) {
  std::vector<std::string> out;
  const Siblings siblings = SiblingsOf(path);
  FolderSearch search(Path((siblings.folder.empty() ? ".\\" : siblings.folder) + "*"));
  for (; search.Has(); search.Next()) {
    const std::string name = Narrow(search.entry().cFileName);
    const bool link = (search.entry().dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0;
    if (!link && IsLeftover(name, siblings.prefix, kRandom, which)) out.push_back(siblings.folder + name);
  }
  return out;
}

}  // namespace prov::win32
