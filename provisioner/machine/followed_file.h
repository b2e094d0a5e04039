// Files that a node reads again and again and acts on as SYSTEM. The path is walked from its root: each folder is
// opened below the one before, not through links, and asked for its owner and its rights; then the file is. The handle
// that was asked is the one that is read, so nobody can put another file in its place between the two.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "provisioner/base/result.h"
#include "provisioner/machine/folder_security.h"

namespace prov::machine {

enum class PathStyle { kUnix, kWindows };

// One name on the way: the whole path as far as it, and what it is to the file at the end.
struct FollowedStep {
  std::string path;
  PathUse use = PathUse::kPassage;

  bool operator==(const FollowedStep&) const = default;
};

// From the root (a volume's, a share's) to the file, each "." and ".." taken out, as links on the way are refused
// anyway. Errors: usage for what is no absolute path, names a device or a stream.
Result<std::vector<FollowedStep>> FollowedSteps(std::string_view path, PathStyle style);

// What is open.
class OpenedPath {
 public:
  virtual ~OpenedPath() = default;
  // Whether it is no link, and in nobody's hands but administrators'. Errors: owner, io.
  virtual Result<void> Check(const FollowedStep& step) = 0;
  // Errors: io (a folder, a device), too-large.
  virtual Result<std::string> Read(std::uint64_t limit) = 0;
};

// Port: the file system as a walk needs it.
class PathOpener {
 public:
  virtual ~PathOpener() = default;
  virtual PathStyle style() const = 0;
  // Opens a link itself rather than what it leads to. `above` is the folder that it is in, open and checked; null for
  // the root. While a folder is open, what stands at its path stays there, or is of no consequence for what is opened
  // below it. `last`: it is what is asked for. Errors: not-found, io.
  virtual Result<std::unique_ptr<OpenedPath>> Open(OpenedPath* above, const FollowedStep& step, bool last) = 0;
};

// The file's bytes. Errors: those of FollowedSteps, of opening, checking and reading.
Result<std::string> ReadFollowed(PathOpener& paths, std::string_view path, std::uint64_t limit);

// Whether a file, or a folder with the one that it is in, may be followed; an absent one is no error here.
Result<void> CheckFollowed(PathOpener& paths, std::string_view path);

// Those of this system.
PathOpener& LivePaths();

}  // namespace prov::machine
