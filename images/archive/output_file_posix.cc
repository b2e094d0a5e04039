#include "images/archive/output_file_posix.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <utility>

#include "provisioner/base/file.h"

namespace prov::images {
namespace {

namespace fs = std::filesystem;
using posix::Descriptor;

std::unexpected<Error> OutputFailure(std::string_view what, const std::string& path) {
  return posix::Failure(Code::kIo, what, path);
}

}  // namespace

Result<MadeParents> MadeParents::Make(const fs::path& folder) {
  std::vector<fs::path> missing;
  std::error_code error;
  for (fs::path at = folder; !at.empty() && !fs::exists(fs::symlink_status(at, error)); at = at.parent_path())
    missing.push_back(at);
  MadeParents out(std::move(missing));
  if (!folder.empty()) fs::create_directories(folder, error);
  if (error && !folder.empty())
    return posix::Failure(Code::kTarget, "cannot make the parent folder", folder, error.value());
  return out;
}

MadeParents::~MadeParents() {
  std::error_code ignored;
  for (const fs::path& folder : made_) fs::remove(folder, ignored);
}

Result<void> SetTime(const fs::path& path, std::int64_t time_unix) {
  const timespec time{.tv_sec = static_cast<time_t>(time_unix), .tv_nsec = 0};
  const timespec times[2] = {time, time};
  if (utimensat(AT_FDCWD, path.c_str(), times, 0) != 0) return OutputFailure("cannot set the time", path);
  return {};
}

Result<void> SetModeAndTime(const fs::path& path, unsigned mode, std::int64_t time_unix) {
  if (chmod(path.c_str(), OutputMode(mode)) != 0) return OutputFailure("cannot set the mode", path);
  return SetTime(path, time_unix);
}

Result<void> CheckReplaceable(const std::string& path, std::size_t head,
                              const std::function<bool(std::string_view)>& ours) {
  if (path.empty() || path.ends_with('/')) return Fail(Code::kUsage, "is not a name for a file", path);
  struct stat there{};
  if (lstat(path.c_str(), &there) != 0) return {};
  std::string found(head, '\0');
  const Descriptor fd(S_ISREG(there.st_mode) ? open(path.c_str(), O_RDONLY | O_CLOEXEC) : -1);
  const ssize_t size = fd ? pread(fd.get(), found.data(), found.size(), 0) : -1;
  if (size >= 0 && ours(std::string_view(found).substr(0, static_cast<std::size_t>(size)))) return {};
  const bool folder = S_ISDIR(there.st_mode);
  const bool payload = folder && access((path + "/manifest.json").c_str(), F_OK) == 0;
  return Fail(Code::kTarget,
              payload  ? "is a folder with a manifest.json, as an earlier --format dir wrote it, and this form is one "
                         "file; choose another path or delete it"
              : folder ? "is a folder, and this form is one file; choose another path or delete it"
                       : "already exists and is no earlier output of this form; choose another path or delete it",
              path);
}

OutputFile::OutputFile(std::string path, std::string temporary, Descriptor file, MadeParents parents)
    : path_(std::move(path)), temporary_(std::move(temporary)), file_(std::move(file)), parents_(std::move(parents)) {}

Result<std::unique_ptr<OutputFile>> OutputFile::Create(const std::string& path, Beside beside) {
  MadeParents parents = PROV_TRY(MadeParents::Make(fs::path(path).parent_path()));
  std::string temporary;
  Descriptor file = beside == Beside::kNothing ? MakeFileInNewFolder(path, temporary) : MakeFileBeside(path, temporary);
  if (!file) return posix::Failure(Code::kTarget, "cannot make a file here", path);
  return std::unique_ptr<OutputFile>(new OutputFile(path, std::move(temporary), std::move(file), std::move(parents)));
}

OutputFile::~OutputFile() {
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

Result<void> OutputFile::Write(std::string_view bytes) {
  if (!posix::WriteAll(file_.get(), bytes)) return OutputFailure("cannot write", path_);
  return {};
}

Result<void> OutputFile::Edit(const std::function<Result<void>(std::span<char>)>& change) {
  struct stat info{};
  if (fstat(file_.get(), &info) != 0) return OutputFailure("cannot read", path_);
  const auto size = static_cast<std::size_t>(info.st_size);
  void* mapped = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file_.get(), 0);
  if (mapped == MAP_FAILED) return OutputFailure("cannot map", path_);
  Result<void> done = change({static_cast<char*>(mapped), size});
  munmap(mapped, size);
  return done;
}

Result<void> OutputFile::Keep(unsigned mode, bool flush) {
  PROV_TRY(FinishFile(file_, mode, flush, path_));
  Result<void> done = MoveInPlace(temporary_, path_, flush);
  if (temporary_.empty()) parents_.Keep();
  return done;
}

}  // namespace prov::images
