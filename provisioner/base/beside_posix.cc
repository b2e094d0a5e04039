#include "provisioner/base/beside_posix.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string_view>
#include <vector>

#include "provisioner/base/file.h"

namespace prov {
namespace {

using posix::Descriptor;

constexpr std::string_view kRandom = "XXXXXX";
constexpr int kTries = 100;

// The temporary names beside a path.
struct Siblings {
  std::string folder;
  std::string prefix;  // of temporary names for it
};

Siblings SiblingsOf(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  const std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
  std::string folder = slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
  return {std::move(folder), BesidePrefix(name.substr(0, kMostOfName))};
}

std::vector<std::string> Leftovers(const Siblings& siblings, Leftover which) {
  std::vector<std::string> out;
  const std::unique_ptr<DIR, int (*)(DIR*)> list(opendir(siblings.folder.c_str()), &closedir);
  if (list == nullptr) return out;
  while (const dirent* entry = readdir(list.get())) {
    if (IsLeftover(entry->d_name, siblings.prefix, kRandom.size(), which))
      out.emplace_back(siblings.folder + "/" + entry->d_name);
  }
  return out;
}

// Best effort: the next run tries again.
void Remove(const Siblings& siblings, Leftover which) {
  for (const std::string& path : Leftovers(siblings, which)) {
    const Descriptor found(open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    struct stat info{};
    if (!found || fstat(found.get(), &info) != 0 || info.st_uid != geteuid() || !Hold(found)) continue;
    std::error_code ignored;
    if (S_ISDIR(info.st_mode)) std::filesystem::remove_all(path, ignored);
    if (S_ISREG(info.st_mode)) unlink(path.c_str());
  }
}

bool IsThere(int fd) {
  struct stat info{};
  return fstat(fd, &info) == 0 && info.st_nlink > 0;
}

enum class Kind { kFile, kFolder };

// -1: failure, see errno. errno is 0 if another run took the new folder for a leftover.
int MakeOnce(std::string& name, Kind kind) {
  if (kind == Kind::kFile) return mkostemp(name.data(), O_CLOEXEC);
  if (mkdtemp(name.data()) == nullptr) return -1;
  const int fd = open(name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0 && errno == ENOENT) errno = 0;
  return fd;
}

// Tries again if another run takes the new file or folder for a leftover before it is held.
Descriptor Make(const Siblings& siblings, std::string& made, Kind kind) {
  const std::string folder = siblings.folder == "." ? "" : siblings.folder == "/" ? "/" : siblings.folder + "/";
  for (int i = 0; i < kTries; ++i) {
    made = folder + siblings.prefix + std::string(kRandom);
    Descriptor out(MakeOnce(made, kind));
    if (!out && errno != 0) return out;
    if (out && Hold(out) && IsThere(out.get())) return out;
  }
  errno = EBUSY;
  return {};
}

}  // namespace

// A file system without locks counts as success: no other run could detect one.
bool Hold(const Descriptor& opened) {
  return flock(opened.get(), LOCK_EX | LOCK_NB) == 0 || errno == ENOLCK || errno == EOPNOTSUPP;
}

Descriptor MakeFileBeside(const std::string& path, std::string& made) {
  const Siblings siblings = SiblingsOf(path);
  Remove(siblings, Leftover::kUnfinished);
  return Make(siblings, made, Kind::kFile);
}

Descriptor MakeFolderBeside(const std::string& path, std::string& made) {
  const Siblings siblings = SiblingsOf(path);
  Remove(siblings, Leftover::kUnfinished);
  return Make(siblings, made, Kind::kFolder);
}

Descriptor MakeFileInNewFolder(const std::string& path, std::string& made) {
  return Make(SiblingsOf(path), made, Kind::kFile);
}

Result<void> FinishFile(Descriptor& file, unsigned mode, bool flush, const std::string& path) {
  if (fchmod(file.get(), OutputMode(mode)) != 0) return posix::Failure(Code::kIo, "cannot set the mode", path);
  if (flush && fsync(file.get()) != 0) return posix::Failure(Code::kIo, "cannot flush", path);
  if (!file.Close()) return posix::Failure(Code::kIo, "cannot close", path);
  return {};
}

Result<void> MoveInPlace(std::string& made, const std::string& path, bool flush) {
  if (rename(made.c_str(), path.c_str()) != 0) return posix::Failure(Code::kIo, "cannot rename into place", path);
  made.clear();
  return flush ? FlushFolder(SiblingsOf(path).folder) : Result<void>();
}

void RemoveReplaced(const std::string& path) { Remove(SiblingsOf(path), Leftover::kReplaced); }

}  // namespace prov
