#include "provisioner/machine/followed_file.h"

#include <algorithm>

#include "provisioner/base/text.h"

namespace prov::machine {
namespace {

using Steps = std::vector<FollowedStep>;

std::unexpected<Error> Refuse(std::string_view why, std::string_view path) {
  return Fail(Code::kUsage, std::string(why), std::string(path));
}

// The root of a path, and the rest of its names.
struct Parts {
  std::string root;
  std::string_view rest;
};

// `path` must have backslashes only. The root is "" if the path has none.
Parts PartsOf(std::string_view path) {
  constexpr std::string_view kLong = R"(\\?\)";
  constexpr std::string_view kLongShare = R"(\\?\UNC\)";
  const bool long_share = path.starts_with(kLongShare);
  if (long_share) {
    path.remove_prefix(kLongShare.size());
  } else if (path.starts_with(kLong)) {
    path.remove_prefix(kLong.size());
  }
  if (path.size() >= 3 && IsLetter(path[0]) && path[1] == ':' && path[2] == '\\') {
    return {std::string(path.substr(0, 3)), path.substr(3)};
  }
  const bool share = long_share || (path.starts_with(R"(\\)") && !path.starts_with(R"(\\.\)"));
  if (!share) return {};
  if (!long_share) path.remove_prefix(2);
  const std::size_t server = path.find('\\');
  if (server == 0 || server == std::string_view::npos) return {};
  const std::size_t name = path.find('\\', server + 1);
  if (name == server + 1 || server + 1 == path.size()) return {};
  const std::string_view volume = path.substr(0, name);
  return {R"(\\)" + std::string(volume) + '\\', name == std::string_view::npos ? "" : path.substr(name + 1)};
}

std::vector<std::string_view> Names(std::string_view rest) {
  std::vector<std::string_view> out;
  for (const std::string_view name : Split(rest, '\\')) {
    if (name.empty() || name == ".") continue;
    if (name != "..") {
      out.push_back(name);
    } else if (!out.empty()) {
      out.pop_back();
    }
  }
  return out;
}

using OpenedSteps = std::vector<std::unique_ptr<OpenedPath>>;

// Keeps all folders open while the last step is read, so that the steps below them stay in place.
Result<OpenedSteps> Walk(PathOpener& paths, const Steps& steps) {
  OpenedSteps out;
  for (const FollowedStep& step : steps) {
    out.push_back(PROV_TRY(paths.Open(step, &step == &steps.back())));
    PROV_TRY(out.back()->Check(step));
  }
  return out;
}

}  // namespace

Result<Steps> FollowedSteps(std::string_view path, Shares shares) {
  std::string text(path);
  std::ranges::replace(text, '/', '\\');
  const Parts parts = PartsOf(text);
  if (parts.root.empty()) return Refuse("is not an absolute path of a file; store the source again", path);
  if (text.find('\0') != std::string::npos) return Refuse("holds a null character", path);
  if (parts.rest.find(':') != std::string_view::npos) {
    return Refuse("names a stream of a file or a device; name a file", path);
  }
  if (shares == Shares::kRefused && parts.root.starts_with('\\')) return RefuseShare(path);
  Steps out = {{parts.root, PathUse::kVolume, shares}};
  std::string so_far = parts.root;
  for (const std::string_view name : Names(parts.rest)) {
    if (out.size() > 1) so_far += '\\';
    so_far += name;
    out.push_back({so_far, PathUse::kPassage, shares});
  }
  if (out.size() > 1) out.back().use = PathUse::kFollowed;
  // The root of a volume can't be replaced, so it keeps its own use.
  if (out.size() > 2) out[out.size() - 2].use = PathUse::kFollowed;
  return out;
}

Result<std::string> ReadFollowed(PathOpener& paths, std::string_view path, std::uint64_t limit, Shares shares) {
  const Steps steps = PROV_TRY(FollowedSteps(path, shares));
  const OpenedSteps opened = PROV_TRY(Walk(paths, steps));
  return opened.back()->Read(limit);
}

Result<void> CheckFollowed(PathOpener& paths, std::string_view path, Shares shares) {
  const Steps steps = PROV_TRY(FollowedSteps(path, shares));
  const Result<OpenedSteps> opened = Walk(paths, steps);
  if (opened || opened.error().code == Code::kNotFound) return {};
  return std::unexpected(opened.error());
}

}  // namespace prov::machine
