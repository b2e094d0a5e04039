#include "images/tree/wim_file_posix.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>

namespace prov::images::wim {

Result<void> Store::Load() {
  header_ = PROV_TRY(ReadHeader(PROV_TRY(ReadAt(file_.get(), 0, kHeaderBytes, path_)), path_));
  if (access_ != TreeAccess::kRead && (header_.flags & kReadOnly) != 0) {
    return Fail(Code::kTarget,
                "is marked read-only: make a copy that is not with `wimlib-imagex export FILE all NEW.wim`", path_);
  }
  if (access_ != TreeAccess::kRead && (header_.flags & kUnfinished) != 0) {
    return Fail(Code::kTarget,
                "another program is changing this WIM, or was stopped while it did: wait for it, or make the file good "
                "with `wimlib-imagex optimize FILE`",
                path_);
  }
  if (header_.compression != Compression::kNone) codec_ = PROV_TRY(MakeCodec(header_.compression, header_.chunk));
  blobs_ = PROV_TRY(ReadTable(PROV_TRY(ReadResource(header_.table, kMaxTableBytes, kMaxTableBytes, path_)), path_));
  by_hash_.clear();
  by_hash_.reserve(blobs_.size());
  metadata_.clear();
  for (std::size_t i = 0; i < blobs_.size(); ++i) {
    if ((blobs_[i].resource.flags & kMetadata) != 0) {
      metadata_.push_back(i);
    } else if ((blobs_[i].resource.flags & kFree) == 0) {
      by_hash_.emplace(blobs_[i].hash, i);
    }
  }
  if (metadata_.size() != header_.images) return Damaged("it has images without metadata", path_);
  PROV_TRY(CheckEnds());
  xml_ = PROV_TRY(ReadResource(header_.xml, kMaxXmlBytes, kMaxXmlBytes, path_));
  images_.clear();
  for (int i = 1; i <= static_cast<int>(metadata_.size()); ++i) images_.push_back({i, ImageName(xml_, i)});
  return {};
}

std::uint64_t Store::UsedBytes() const {
  std::uint64_t end = kHeaderBytes;
  for (const Resource* part : {&header_.table, &header_.xml, &header_.boot, &header_.integrity}) {
    end = std::max(end, part->End());
  }
  for (const Blob& blob : blobs_) end = std::max(end, blob.resource.End());
  return end;
}

// Checks where the used bytes end: new bytes are written after them.
Result<void> Store::CheckEnds() const {
  struct stat info{};
  if (fstat(file_.get(), &info) != 0) return SystemError("cannot read", path_);
  const auto size = static_cast<std::uint64_t>(info.st_size);
  const auto lies_within = [&](const Resource& part) {
    return part.offset <= size && part.stored <= size - part.offset;
  };
  const bool whole = lies_within(header_.table) && lies_within(header_.xml) && lies_within(header_.boot) &&
                     lies_within(header_.integrity) &&
                     std::ranges::all_of(blobs_, lies_within, [](const Blob& blob) { return blob.resource; });
  return whole ? Result<void>() : Damaged("its end is missing", path_);
}

Result<std::uint64_t> Store::UnusedBytes() const {
  struct stat info{};
  if (fstat(file_.get(), &info) != 0) return SystemError("cannot read", path_);
  std::vector<Resource> used = {header_.boot, header_.table, header_.xml, header_.integrity};
  for (const Blob& blob : blobs_) used.push_back(blob.resource);
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

Result<std::string> Store::ReadResource(const Resource& resource, std::uint64_t limit, std::uint64_t most,
                                        const std::string& where) {
  const bool compressed = (resource.flags & kCompressed) != 0;
  if (resource.size > limit) return Fail(Code::kTooLarge, fmt::format("is larger than {} bytes", limit), where);
  // Chunks that do not shrink are stored as they are, so only their table can be added.
  if (resource.stored > resource.size + resource.size / 512 + 8 || (compressed && codec_ == nullptr)) {
    return Damaged("a size in it", where);
  }
  const std::uint64_t wanted = std::min(most, resource.size);
  const std::uint64_t stored = compressed ? resource.stored : wanted;
  std::string bytes = PROV_TRY(ReadAt(file_.get(), resource.offset, static_cast<std::size_t>(stored), where));
  if (bytes.size() != stored) return Damaged("its end is missing", where);
  if (!compressed || resource.size == 0) return bytes;
  return Unpack(*codec_, header_.chunk, bytes, resource.size, wanted, where);
}

Result<OpenImage*> Store::Image(int index) {
  if (index < 1 || index > static_cast<int>(images_.size())) {
    std::string names;
    for (const WimImage& image : images_)
      names += fmt::format("{}{}: {}", names.empty() ? "" : ", ", image.index, image.name);
    return Fail(Code::kTarget, fmt::format("has no image {}; it has {} ({})", index, images_.size(), names), path_);
  }
  const auto found = open_.find(index);
  if (found != open_.end()) return &found->second;
  const std::string where = fmt::format("{}:{}", path_, index);
  const Blob& blob = blobs_[metadata_[static_cast<std::size_t>(index - 1)]];
  std::string bytes = PROV_TRY(ReadResource(blob.resource, kMaxMetadataBytes, kMaxMetadataBytes, where));
  if (HashOf(bytes) != blob.hash) return Damaged("the digest of an image's metadata differs", where);
  OpenImage image{PROV_TRY(Metadata::Read(std::move(bytes), where)), {.index = index}, false};
  return &open_.emplace(index, std::move(image)).first->second;
}

Result<std::string> Store::Contents(const Hash& hash, std::uint64_t limit, std::uint64_t most,
                                    const std::string& where) {
  if (hash == kNoHash) return std::string();
  if (const auto added = new_.find(hash); added != new_.end()) {
    if (added->second.size() <= limit) return added->second.substr(0, static_cast<std::size_t>(most));
    return Fail(Code::kTooLarge, fmt::format("is larger than {} bytes", limit), where);
  }
  const auto found = by_hash_.find(hash);
  if (found == by_hash_.end()) {
    return Fail(
        Code::kTarget,
        "the contents of this file are not in the WIM: it is a delta WIM, or damaged; make a whole one of a delta "
        "WIM with `wimlib-imagex export DELTA.wim all WHOLE.wim --ref=BASE.wim`",
        where);
  }
  const Resource& resource = blobs_[found->second].resource;
  std::string bytes = PROV_TRY(ReadResource(resource, limit, most, where));
  if (bytes.size() == resource.size && HashOf(bytes) != hash) {
    return Damaged("the digest of this file's contents differs", where);
  }
  return bytes;
}

std::uint64_t Store::SizeOf(const Hash& hash) const {
  const auto added = new_.find(hash);
  if (added != new_.end()) return added->second.size();
  const auto found = by_hash_.find(hash);
  return found == by_hash_.end() ? 0 : blobs_[found->second].resource.size;
}

void Store::Use(const Hash& hash, std::string_view bytes) {
  if (hash == kNoHash) return;
  const auto [found, is_new] = by_hash_.try_emplace(hash, blobs_.size());
  if (is_new) {
    blobs_.push_back({.resource = {.size = bytes.size()}, .hash = hash});
    new_.emplace(hash, bytes);
  }
  ++blobs_[found->second].references;
}

void Store::Drop(const Hash& hash) {
  const auto found = by_hash_.find(hash);
  if (found == by_hash_.end()) return;
  std::uint32_t& references = blobs_[found->second].references;
  if (references > 0) --references;
  dropped_.insert(hash);
}

}  // namespace prov::images::wim
