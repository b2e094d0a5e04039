// Commits changes to a WIM file: writes all new data after its end and flushes it, then writes the header in one write.
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>

#include "images/registry/hive_format.h"
#include "images/tree/wim_file_posix.h"
#include "images/tree/windows_tree.h"
#include "provisioner/base/hash.h"

namespace prov::images::wim {
namespace {

constexpr std::size_t kIntegrityHeadBytes = 12;  // size of the table, number of digests, bytes covered by each
constexpr std::size_t kDigestBytes = 20;
constexpr std::uint32_t kIntegrityChunk = 10U << 20U;
constexpr std::uint32_t kMaxIntegrityChunk = 1U << 27U;

// SHA-1 of each `chunk` bytes between the header and the end of the table of blobs. `known`: the digests of the first
// ones.
Result<std::string> MakeIntegrityTable(int fd, std::uint64_t table_end, std::uint32_t chunk, std::string_view known,
                                       const std::string& where) {
  std::string out = std::string(kIntegrityHeadBytes, '\0').append(known);
  for (std::uint64_t at = kHeaderBytes + known.size() / kDigestBytes * chunk; at < table_end; at += chunk) {
    const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(chunk, table_end - at));
    out += Sha1(PROV_TRY(ReadAt(fd, at, size, where)));
  }
  regf::Store32(out.data(), static_cast<std::uint32_t>(out.size()));
  regf::Store32(&out[4], static_cast<std::uint32_t>((out.size() - kIntegrityHeadBytes) / kDigestBytes));
  regf::Store32(&out[8], chunk);
  return out;
}

}  // namespace

// Whether any image refers to a blob. The table's counts come from other programs, so check all images before a blob is
// dropped.
Result<bool> Store::IsReferred(const Hash& hash) {
  for (const WimImage& image : images_) {
    const OpenImage* const open = PROV_TRY(Image(image.index));
    if (open->metadata.bytes().find(std::string_view(hash.data(), hash.size())) != std::string::npos) return true;
  }
  return false;
}

Result<void> Store::DropUnused(Append& append) {
  for (const Blob& blob : blobs_) {
    const bool suspect = blob.references == 0 && dropped_.contains(blob.hash);
    if (suspect && !PROV_TRY(IsReferred(blob.hash))) continue;
    append.blobs.push_back(blob);
    if (suspect) append.blobs.back().references = 1;
    if (new_.contains(blob.hash)) append.total += blob.resource.size;
  }
  return {};
}

Result<void> Store::CheckSpace(const Append& append) const {
  struct stat file{};
  if (fstat(file_.get(), &file) != 0) return SystemError("cannot read", path_);
  constexpr std::uint64_t kSmallParts = 65536;  // XML's growth, digests
  const std::uint64_t end =
      append.at + append.total + WriteTable(append.blobs).size() + xml_.size() + header_.integrity.stored + kSmallParts;
  const std::uint64_t needed = end - std::min(end, static_cast<std::uint64_t>(file.st_size));
  return images::CheckSpace(needed, PROV_TRY(FreeBytes()), path_);
}

Result<Resource> Store::WriteBytes(Append& append, std::string_view bytes, std::uint8_t flags) {
  const Resource out{bytes.size(), flags, append.at, bytes.size()};
  PROV_TRY(WriteAt(file_.get(), append.at, bytes, path_));
  append.at += bytes.size();
  return out;
}

Result<Resource> Store::WriteBlob(Append& append, std::string_view bytes, std::uint8_t flags) {
  Result<void> advanced;
  const auto advance = [&](std::size_t more) {
    if (advanced) advanced = append.Advance(more);
  };
  const std::string packed = codec_ == nullptr ? std::string() : Pack(*codec_, header_.chunk, bytes, advance);
  if (codec_ == nullptr) advance(bytes.size());
  PROV_TRY(std::move(advanced));
  if (packed.empty()) return WriteBytes(append, bytes, flags);
  Resource out = PROV_TRY(WriteBytes(append, packed, flags | kCompressed));
  out.size = bytes.size();
  return out;
}

Result<void> Store::WriteBlobs(Append& append) {
  for (Blob& blob : append.blobs) {
    const auto added = new_.find(blob.hash);
    if (added == new_.end() || (blob.resource.flags & kMetadata) != 0) continue;
    blob.resource = PROV_TRY(WriteBlob(append, added->second, 0));
  }
  return {};
}

Result<void> Store::WriteMetadata(Append& append) {
  int index = 0;
  for (Blob& blob : append.blobs) {
    if ((blob.resource.flags & kMetadata) == 0) continue;
    const auto image = open_.find(++index);
    if (image == open_.end() || !image->second.changed) continue;
    const std::string& bytes = image->second.metadata.bytes();
    blob.resource = PROV_TRY(WriteBlob(append, bytes, kMetadata));
    blob.hash = HashOf(bytes);
    if (static_cast<int>(append.header.boot_index) == index) append.header.boot = blob.resource;
  }
  return {};
}

// A damaged file must not get a table of digests that makes it look intact.
Result<void> Store::CheckIntegrity() {
  if (header_.integrity.stored == 0) return {};
  if (header_.integrity.stored > kMaxTableBytes) return Damaged("its table of digests", path_);
  const std::string table = PROV_TRY(
      ReadAt(file_.get(), header_.integrity.offset, static_cast<std::size_t>(header_.integrity.stored), path_));
  if (table.size() < kIntegrityHeadBytes) return Damaged("its table of digests", path_);
  const std::uint32_t count = regf::Load32(table, 4);
  const std::uint32_t chunk = regf::Load32(table, 8);
  const std::uint64_t bytes = std::max<std::uint64_t>(header_.table.End(), kHeaderBytes) - kHeaderBytes;
  if (chunk == 0 || chunk > kMaxIntegrityChunk || count != (bytes + chunk - 1) / chunk ||
      table.size() != kIntegrityHeadBytes + std::size_t{count} * kDigestBytes) {
    return Damaged("its table of digests", path_);
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint64_t at = std::uint64_t{i} * chunk;
    const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(chunk, bytes - at));
    const std::string digest = Sha1(PROV_TRY(ReadAt(file_.get(), kHeaderBytes + at, size, path_)));
    if (table.compare(kIntegrityHeadBytes + std::size_t{i} * kDigestBytes, kDigestBytes, digest) != 0) {
      return Fail(Code::kTarget,
                  fmt::format("is damaged: bytes {} to {} differ from its own table of digests; get the file again "
                              "(`wimlib-imagex verify FILE` checks it)",
                              kHeaderBytes + at, kHeaderBytes + at + size),
                  path_);
    }
  }
  return {};
}

Result<std::string> Store::IntegrityTable(std::uint64_t table_end) {
  const std::uint64_t old_bytes = header_.integrity.stored;
  if (old_bytes > kMaxTableBytes) return Damaged("its table of digests", path_);
  const std::string old =
      PROV_TRY(ReadAt(file_.get(), header_.integrity.offset, static_cast<std::size_t>(old_bytes), path_));
  if (old.size() < kIntegrityHeadBytes) return Damaged("its table of digests", path_);
  const std::uint32_t chunk = regf::Load32(old, 8);
  const std::uint64_t kept =
      (std::max<std::uint64_t>(header_.table.End(), kHeaderBytes) - kHeaderBytes) / std::max(chunk, 1U);
  if (chunk == 0 || chunk > kMaxIntegrityChunk || kept > (old.size() - kIntegrityHeadBytes) / kDigestBytes) {
    return MakeIntegrityTable(file_.get(), table_end, kIntegrityChunk, {}, path_);
  }
  const std::string_view digests = std::string_view(old).substr(kIntegrityHeadBytes);
  return MakeIntegrityTable(file_.get(), table_end, chunk,
                            digests.substr(0, static_cast<std::size_t>(kept) * kDigestBytes), path_);
}

Result<void> Store::WriteEnd(Append& append) {
  append.header.table = PROV_TRY(WriteBytes(append, WriteTable(append.blobs), kMetadata));
  std::string xml = SetTotalBytes(xml_, append.at);
  for (const auto& [index, image] : open_) {
    if (image.changed) xml = ChangeImage(xml, image.change);
  }
  append.header.xml = PROV_TRY(WriteBytes(append, xml, kMetadata));
  if (header_.integrity.stored == 0) return {};
  append.header.integrity = PROV_TRY(WriteBytes(append, PROV_TRY(IntegrityTable(append.header.table.End())), 0));
  return {};
}

Result<void> Store::WriteHeaderLast(const Append& append) {
  PROV_TRY(Flush(file_.get(), path_));
  PROV_TRY(WriteAt(file_.get(), 0, WriteHeader(append.header), path_));
  PROV_TRY(Flush(file_.get(), path_));
  // Remove what an interrupted run left further behind.
  if (ftruncate(file_.get(), static_cast<off_t>(append.at)) != 0) return SystemError("cannot cut its end off", path_);
  return {};
}

// Writes everything but the header, after the used part of the file. Bytes there are unreferenced; they may hold
// credentials.
Result<void> Store::WriteNew(Append& append) {
  const auto write = [&]() -> Result<void> {
    PROV_TRY(WriteBlobs(append));
    PROV_TRY(WriteMetadata(append));
    return WriteEnd(append);
  };
  const auto used = static_cast<off_t>(append.at);
  Result<void> done = write();
  if (!done && ftruncate(file_.get(), used) != 0) done.error().message += "; nor could what was written be cut off";
  return done;
}

Result<void> Store::Commit(const WimProgress& progress) {
  if (std::ranges::none_of(open_, [](const auto& image) { return image.second.changed; })) return {};
  PROV_TRY(CheckIntegrity());
  Append append{.at = UsedBytes(), .header = header_, .progress = progress};
  PROV_TRY(DropUnused(append));
  for (const auto& [index, image] : open_) append.total += image.changed ? image.metadata.bytes().size() : 0;
  PROV_TRY(CheckSpace(append));
  PROV_TRY(WriteNew(append));
  PROV_TRY(WriteHeaderLast(append));
  // The state of a newly opened file; but open images stay, because trees refer to them.
  new_.clear();
  dropped_.clear();
  for (auto& [index, image] : open_) image.change = {.index = index}, image.changed = false;
  return Load();
}

}  // namespace prov::images::wim
