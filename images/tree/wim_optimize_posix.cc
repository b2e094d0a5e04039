// Rewrites a WIM file without the data that nothing refers to: a copy beside it, flushed, then renamed.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <system_error>

#include "images/registry/hive_format.h"
#include "images/tree/file_attributes_posix.h"
#include "images/tree/wim_file_posix.h"
#include "provisioner/base/file.h"

namespace prov::images::wim {
namespace {

constexpr std::string_view kSuffix = ".provisioner-new.tmp";
constexpr std::size_t kCopyBytes = 1U << 20U;

using MayAdvance = std::function<Result<void>(std::uint64_t more)>;

// Of what is to be renamed: a link to the file must not become the file.
Result<std::string> RealPath(const std::string& path, int fd) {
  std::error_code error;
  std::string out = std::filesystem::canonical(path, error).string();
  struct stat named{};
  struct stat held{};
  if (error || stat(out.c_str(), &named) != 0 || fstat(fd, &held) != 0)
    return SystemError("cannot find the file", path);
  if (named.st_dev == held.st_dev && named.st_ino == held.st_ino) return out;
  return Fail(Code::kTarget, "another file has taken its place meanwhile: run this again", path);
}

std::string FolderOf(const std::string& path) { return path.substr(0, path.rfind('/') + 1); }

// A new file, with the lock that the old one has. What a killed run left is taken away first.
Result<Descriptor> MakeBeside(const std::string& path) {
  if (unlink(path.c_str()) != 0 && errno != ENOENT) return SystemError("cannot remove what an earlier run left", path);
  Descriptor out(open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!out) return SystemError("cannot make a file beside the WIM", path);
  if (flock(out.get(), LOCK_EX | LOCK_NB) != 0) return SystemError("cannot lock the file", path);
  return out;
}

Result<void> Copy(int from, std::uint64_t at, int to, std::uint64_t new_at, std::uint64_t size,
                  const std::string& where, const MayAdvance& advance) {
  while (size > 0) {
    const auto step = static_cast<std::size_t>(std::min<std::uint64_t>(size, kCopyBytes));
    const std::string bytes = PROV_TRY(ReadAt(from, at, step, where));
    if (bytes.size() != step) return Damaged("its end is missing", where);
    PROV_TRY(WriteAt(to, new_at, bytes, where));
    at += step;
    new_at += step;
    size -= step;
    PROV_TRY(advance(step));
  }
  return {};
}

// Where it lies in the copy.
void Move(Resource& resource, const std::map<std::uint64_t, std::uint64_t>& places) {
  const auto found = places.find(resource.offset);
  if (resource.stored != 0 && found != places.end()) resource.offset = found->second;
}

}  // namespace

void RemoveUnfinishedCopy(const std::string& path, int fd) {
  if (const auto real = RealPath(path, fd)) unlink((*real + std::string(kSuffix)).c_str());
}

// In the order in which they lie; without those that are written anew.
std::vector<Resource> Store::ResourcesInUse() const {
  std::vector<Resource> out;
  out.reserve(blobs_.size() + 1);
  for (const Blob& blob : blobs_) out.push_back(blob.resource);
  out.push_back(header_.boot);
  std::erase_if(out, [](const Resource& resource) { return resource.stored == 0; });
  std::ranges::sort(out, {}, [](const Resource& resource) { return std::pair(resource.offset, resource.stored); });
  const auto same = std::ranges::unique(out, {}, [](const Resource& r) { return std::pair(r.offset, r.stored); });
  out.erase(same.begin(), same.end());
  return out;
}

Result<std::uint64_t> Store::UnusedBytes() const {
  struct stat info{};
  if (fstat(file_.get(), &info) != 0) return SystemError("cannot read", path_);
  std::vector<Resource> used = ResourcesInUse();
  for (const Resource& part : {header_.table, header_.xml, header_.integrity}) used.push_back(part);
  std::ranges::sort(used, {}, &Resource::offset);
  std::uint64_t end = kHeaderBytes;
  std::uint64_t out = 0;
  for (const Resource& part : used) {
    if (part.stored == 0) continue;
    if (part.offset > end) out += part.offset - end;
    end = std::max(end, part.End());
  }
  const auto size = static_cast<std::uint64_t>(info.st_size);
  return out + (size > end ? size - end : 0);
}

Result<void> Store::CheckReplaceable() const {
  struct stat info{};
  struct statvfs volume{};
  if (fstat(file_.get(), &info) != 0 || fstatvfs(file_.get(), &volume) != 0) return SystemError("cannot read", path_);
  if (info.st_nlink != 1) {
    return Fail(Code::kTarget,
                fmt::format("has {} names (hard links), of which the others would keep the old file: remove them first",
                            info.st_nlink),
                path_);
  }
  const std::uint64_t needed = static_cast<std::uint64_t>(info.st_size) - PROV_TRY(UnusedBytes());
  const std::uint64_t there = std::uint64_t{geteuid() == 0 ? volume.f_bfree : volume.f_bavail} * volume.f_frsize;
  if (there >= needed) return {};
  return Fail(Code::kTarget,
              fmt::format("needs {} bytes on its volume to be rewritten, there are {}: make room", needed, there),
              path_);
}

// Overlapping resources are another name for damage: the copy must not be larger than the file.
Result<void> Store::CopyResources(int to, Append& copy, std::map<std::uint64_t, std::uint64_t>& places) const {
  const std::vector<Resource> used = ResourcesInUse();
  std::uint64_t end = kHeaderBytes;
  for (const Resource& resource : used) {
    if (resource.offset < end) return Damaged("two of its parts lie over each other", path_);
    end = resource.End();
    copy.total += resource.stored;
  }
  const auto advance = [&copy](std::uint64_t more) { return copy.Advance(more); };
  for (const Resource& resource : used) {
    PROV_TRY(Copy(file_.get(), resource.offset, to, copy.at, resource.stored, path_, advance));
    places.emplace(resource.offset, copy.at);
    copy.at += resource.stored;
  }
  return {};
}

Result<void> Store::WriteCopy(int to, const WimProgress& progress) {
  Append copy{.at = kHeaderBytes, .header = header_, .progress = progress, .blobs = blobs_};
  std::map<std::uint64_t, std::uint64_t> places;
  PROV_TRY(CopyResources(to, copy, places));
  for (Blob& blob : copy.blobs) Move(blob.resource, places);
  Move(copy.header.boot, places);
  const auto write = [&](std::string_view bytes, std::uint8_t flags) -> Result<Resource> {
    const Resource out{bytes.size(), flags, copy.at, bytes.size()};
    PROV_TRY(WriteAt(to, copy.at, bytes, path_));
    copy.at += bytes.size();
    return out;
  };
  copy.header.table = PROV_TRY(write(WriteTable(copy.blobs), kMetadata));
  copy.header.xml = PROV_TRY(write(SetTotalBytes(xml_, copy.at), kMetadata));
  if (header_.integrity.stored != 0) {
    const std::string head = PROV_TRY(ReadAt(file_.get(), header_.integrity.offset + 8, 4, path_));
    if (head.size() != 4) return Damaged("its table of digests", path_);
    copy.header.integrity =
        PROV_TRY(write(PROV_TRY(MakeIntegrityTable(to, copy.header.table.End(), regf::Load32(head, 0), {}, path_)), 0));
  }
  return WriteAt(to, 0, WriteHeader(copy.header), path_);
}

Result<void> Store::Optimize(const WimProgress& progress) {
  if (std::ranges::any_of(open_, [](const auto& image) { return image.second.changed; })) {
    return Fail(Code::kInternal, "a WIM was to be rewritten before its changes were", path_);
  }
  PROV_TRY(CheckReplaceable());
  PROV_TRY(CheckIntegrity());
  const std::string real = PROV_TRY(RealPath(path_, file_.get()));
  const std::string beside = real + std::string(kSuffix);
  Descriptor copy = PROV_TRY(MakeBeside(beside));
  const auto write_and_rename = [&]() -> Result<void> {
    PROV_TRY(WriteCopy(copy.get(), progress));
    PROV_TRY(CopyAttributes(file_.get(), copy.get(), path_));
    PROV_TRY(Flush(copy.get(), path_));
    if (rename(beside.c_str(), real.c_str()) != 0) return SystemError("cannot rename into place", path_);
    return FlushFolder(FolderOf(real));
  };
  const Result<void> done = write_and_rename();
  if (!done) {
    unlink(beside.c_str());
    return done;
  }
  file_ = std::move(copy);
  return Load();
}

}  // namespace prov::images::wim
