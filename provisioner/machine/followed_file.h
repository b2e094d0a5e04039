// Reads files that a node rereads and acts on as SYSTEM. The path is walked from its root: each folder is opened below
// the one before, never through links, and its owner and rights are checked; then the file's. The file is read from the
// handle that was checked, so it can't be exchanged in between.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "provisioner/base/path_security.h"
#include "provisioner/base/result.h"

namespace prov::machine {

// One step of the walk: the path up to it, and what that path is used for.
struct FollowedStep {
  std::string path;
  PathUse use = PathUse::kPassage;
  Shares shares = Shares::kRefused;

  bool operator==(const FollowedStep&) const = default;
};

// The steps from the root (of a volume or share) of a Windows path to the file. Resolves "." and ".." by text, because
// links are refused anyway. Errors: usage if the path is not absolute, or names a device or a stream; owner if it names
// a share and may not be on one.
Result<std::vector<FollowedStep>> FollowedSteps(std::string_view path, Shares shares = Shares::kRefused);

// An open file or folder.
class OpenedPath {
 public:
  virtual ~OpenedPath() = default;
  // Checks that it is not a link, not on a share unless it may be, and that only administrators can change it. Errors:
  // owner, io.
  virtual Result<void> Check(const FollowedStep& step) = 0;
  // Errors: io (a folder, a device), too-large.
  virtual Result<std::string> Read(std::uint64_t limit) = 0;
};

// Port: the part of the file system that the walk needs.
class PathOpener {
 public:
  virtual ~PathOpener() = default;
  // Opens a link itself, not its target. While a folder is open, its path can't be redirected. `last`: this is the file
  // that was asked for. Errors: not-found, io.
  virtual Result<std::unique_ptr<OpenedPath>> Open(const FollowedStep& step, bool last) = 0;
};

// Reads the file. Errors: those of FollowedSteps, of opening, checking and reading.
Result<std::string> ReadFollowed(PathOpener& paths, std::string_view path, std::uint64_t limit,
                                 Shares shares = Shares::kRefused);

// Checks whether a file, or a folder with its parent, may be followed. An absent one passes.
Result<void> CheckFollowed(PathOpener& paths, std::string_view path, Shares shares = Shares::kRefused);

PathOpener& LivePaths();  // on Windows

}  // namespace prov::machine
