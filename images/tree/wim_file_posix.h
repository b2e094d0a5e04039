// An open WIM file: its header, its blobs, the metadata of its images, and the writing of changes.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "images/registry/hive_format.h"
#include "images/tree/descriptor_posix.h"
#include "images/tree/wim_format.h"
#include "images/tree/wim_metadata.h"
#include "images/tree/wim_tree.h"

namespace prov::images::wim {

struct HashOfHash {
  std::size_t operator()(const Hash& hash) const {
    return static_cast<std::size_t>(regf::Load64({hash.data(), hash.size()}, 0));
  }
};

// The metadata of an image, and what has changed in it since the last commit.
struct OpenImage {
  Metadata metadata;
  ImageChange change;
  bool changed = false;
};

class Store final : public WimFile, public std::enable_shared_from_this<Store> {
 public:
  // `now`: the time of changes, as FILETIME.
  Store(std::string path, Descriptor file, TreeAccess access, std::uint64_t now)
      : path_(std::move(path)), file_(std::move(file)), access_(access), now_(now) {}

  Result<void> Load();

  const std::string& path() const { return path_; }
  TreeAccess access() const { return access_; }
  std::uint64_t now() const { return now_; }
  const std::vector<WimImage>& Images() const override { return images_; }
  Result<std::unique_ptr<ImageTree>> Tree(int index) override;

  // Read on first use.
  Result<OpenImage*> Image(int index);

  // The first `most` bytes of a file's contents. Errors: too-large if it has more than `limit`.
  Result<std::string> Contents(const Hash& hash, std::uint64_t limit, std::uint64_t most, const std::string& where);
  std::uint64_t SizeOf(const Hash& hash) const;
  Result<std::uint64_t> FreeBytes() const { return FreeOn(file_.get(), path_); }

  // Adds or removes one reference to a blob.
  void Use(const Hash& hash, std::string_view bytes);
  void Drop(const Hash& hash);

  Result<void> CheckIntegrity() override;
  Result<void> Commit(const WimProgress& progress) override;
  Result<std::uint64_t> UnusedBytes() const override;

 private:
  // Where to write new bytes, and the header that will refer to them.
  struct Append {
    std::uint64_t at;
    Header header;
    WimProgress progress;
    std::vector<Blob> blobs{};
    std::uint64_t done = 0, total = 0;

    Result<void> Advance(std::uint64_t more) {
      done += more;
      return progress ? progress(done, total) : Result<void>();
    }
  };

  Result<std::string> ReadResource(const Resource& resource, std::uint64_t limit, std::uint64_t most,
                                   const std::string& where);
  Result<void> CheckEnds() const;
  std::uint64_t UsedBytes() const;
  Result<void> CheckSpace(const Append& append) const;
  Result<bool> IsReferred(const Hash& hash);
  Result<void> DropUnused(Append& append);
  Result<Resource> WriteBytes(Append& append, std::string_view bytes, std::uint8_t flags);
  Result<Resource> WriteBlob(Append& append, std::string_view bytes, std::uint8_t flags);
  Result<void> WriteNew(Append& append);
  Result<void> WriteBlobs(Append& append);
  Result<void> WriteMetadata(Append& append);
  Result<void> WriteEnd(Append& append);
  Result<std::string> IntegrityTable(std::uint64_t table_end);
  Result<void> WriteHeaderLast(const Append& append);

  std::string path_;
  Descriptor file_;
  TreeAccess access_;
  std::uint64_t now_;
  Header header_;
  std::vector<Blob> blobs_;
  std::unordered_map<Hash, std::size_t, HashOfHash> by_hash_;  // of files; indices in blobs_
  std::vector<std::size_t> metadata_;                          // in the order of the images; indices in blobs_
  std::string xml_;
  std::vector<WimImage> images_;
  std::map<int, OpenImage> open_;
  std::unordered_map<Hash, std::string, HashOfHash> new_;  // contents that are not in the file yet
  std::unordered_set<Hash, HashOfHash> dropped_;           // blobs with fewer references than when the file was opened
  std::unique_ptr<Codec> codec_;                           // null: nothing is compressed
};

}  // namespace prov::images::wim
