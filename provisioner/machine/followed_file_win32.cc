#include <utility>

#include "provisioner/base/opened_file.h"
#include "provisioner/machine/followed_file.h"
#include "provisioner/machine/windows_file.h"

namespace prov::machine {
namespace {

class WindowsPath final : public OpenedPath {
 public:
  WindowsPath(FileHandle handle, std::string path) : handle_(std::move(handle)), path_(std::move(path)) {}

  Result<void> Check(const FollowedStep& step) override {
    return CheckTrusted(handle_, step.use, step.path, step.shares);
  }

  Result<std::string> Read(std::uint64_t limit) override {
    BY_HANDLE_FILE_INFORMATION information{};
    if (GetFileInformationByHandle(handle_.get(), &information) == 0) {
      return win32::Failure(Code::kIo, "cannot read", path_);
    }
    if ((information.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0) {
      return Fail(Code::kIo, "is a folder, a file is wanted", path_);
    }
    return ReadOpened(reinterpret_cast<NativeFile>(handle_.get()), path_, limit);
  }

 private:
  FileHandle handle_;
  std::string path_;
};

// Opens folders without FILE_SHARE_DELETE, so that they can't be renamed or removed: a path through them leads where it
// led when it was checked. Opens the file without FILE_SHARE_WRITE: a program that opened it while its rights were
// weaker could otherwise change it while it is read.
class WindowsPaths final : public PathOpener {
 public:
  Result<std::unique_ptr<OpenedPath>> Open(const FollowedStep& step, bool last) override {
    const DWORD access = READ_CONTROL | (last ? GENERIC_READ : FILE_LIST_DIRECTORY);
    const DWORD share = last ? FILE_SHARE_READ | FILE_SHARE_DELETE : FILE_SHARE_READ | FILE_SHARE_WRITE;
    FileHandle handle(CreateFileW(win32::Path(step.path).c_str(), access, share, nullptr, OPEN_EXISTING,
                                  FILE_FLAG_BACKUP_SEMANTICS | FILE_FLAG_OPEN_REPARSE_POINT, nullptr));
    if (handle) return std::make_unique<WindowsPath>(std::move(handle), step.path);
    const DWORD error = GetLastError();
    if (win32::MeansMissing(error)) return Fail(Code::kNotFound, "is not there", step.path);
    if (error == ERROR_SHARING_VIOLATION) {
      return Fail(Code::kIo, "cannot open: another program changes it just now; the next round reads it", step.path);
    }
    return win32::Failure(Code::kIo, "cannot open", step.path, error);
  }
};

}  // namespace

PathOpener& LivePaths() {
  static WindowsPaths paths;
  return paths;
}

}  // namespace prov::machine
