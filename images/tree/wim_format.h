// The WIM format ("Windows Imaging File Format", Microsoft, 2007, and later additions): the header, the table of blobs,
// compressed resources, and the XML that describes the images. A blob is a file's contents or the metadata of an image;
// a resource is the place of its bytes. Full description: provisioner/docs/formats/wim.md.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "provisioner/base/result.h"

namespace prov::images::wim {

inline constexpr std::size_t kHeaderBytes = 208;
inline constexpr std::uint64_t kMaxTableBytes = 1U << 29U;
inline constexpr std::uint64_t kMaxXmlBytes = 1U << 24U;
inline constexpr std::uint64_t kMaxMetadataBytes = 1U << 30U;

// Flags of the header.
inline constexpr std::uint32_t kReadOnly = 0x04, kSpanned = 0x08, kResourcesOnly = 0x10, kUnfinished = 0x40;

// Flags of a resource.
inline constexpr std::uint8_t kFree = 0x01, kMetadata = 0x02, kCompressed = 0x04, kSplit = 0x08, kSolid = 0x10;

enum class Compression { kNone, kXpress, kLzx, kLzms };

struct Resource {
  std::uint64_t stored = 0;  // bytes in the file
  std::uint8_t flags = 0;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;  // bytes uncompressed

  bool operator==(const Resource&) const = default;
  std::uint64_t End() const { return offset + stored; }
};

using Hash = std::array<char, 20>;  // SHA-1; all zeros: no bytes
inline constexpr Hash kNoHash{};
Hash HashOf(std::string_view bytes);

struct Header {
  std::uint32_t flags = 0;
  Compression compression = Compression::kNone;
  std::uint32_t chunk = 0;  // bytes; 0: not compressed
  std::uint32_t images = 0;
  Resource table, xml, boot, integrity;
  std::uint32_t boot_index = 0;
  std::string bytes;  // all of it
};

// Refuses (target) other files, and kinds of WIM that are not supported: parts of a split one, solid, pipable.
Result<Header> ReadHeader(std::string_view bytes, const std::string& where);
std::string WriteHeader(const Header& header);

struct Blob {
  Resource resource;
  std::uint16_t part = 1;
  std::uint32_t references = 0;
  Hash hash{};
};

// Errors: target (damaged, solid).
Result<std::vector<Blob>> ReadTable(std::string_view bytes, const std::string& where);
std::string WriteTable(const std::vector<Blob>& blobs);

// The error for a damaged WIM.
std::unexpected<Error> Damaged(std::string_view what, const std::string& where);

// Compression in WIM files, one chunk at a time.
class Codec {
 public:
  virtual ~Codec() = default;
  // Writes exactly `size` bytes; returns false if the chunk is damaged.
  virtual bool Decompress(std::string_view chunk, char* to, std::size_t size) = 0;
  // Writes fewer bytes than the chunk has and returns their number; 0 if it does not shrink.
  virtual std::size_t Compress(std::string_view chunk, char* to) = 0;
};

// The codec of libwim. Linux loads the library when a compressed WIM is opened: no other command needs it. Errors:
// target (it can't be loaded).
Result<std::unique_ptr<Codec>> MakeCodec(Compression compression, std::uint32_t chunk);

// The first `wanted` bytes of a compressed resource of `size` bytes. Errors: target (damaged).
Result<std::string> Unpack(Codec& codec, std::uint32_t chunk, std::string_view stored, std::uint64_t size,
                           std::uint64_t wanted, const std::string& where);

// A compressed resource; "" if it would not be smaller. Calls `progress` with the number of bytes of each step.
std::string Pack(Codec& codec, std::uint32_t chunk, std::string_view bytes,
                 const std::function<void(std::size_t)>& progress);

// The changes of an image, for its statistics.
struct ImageChange {
  int index = 0;
  std::int64_t folders = 0, files = 0, bytes = 0;  // difference from before
  std::uint64_t time = 0;                          // FILETIME
};

// The name of an image; "" if it has none.
std::string ImageName(std::string_view xml_utf16, int index);

// The XML with the present counts and times. Leaves unknown parts as they are: only listings depend on them.
std::string ChangeImage(std::string_view xml_utf16, const ImageChange& change);
std::string SetTotalBytes(std::string_view xml_utf16, std::uint64_t bytes);

}  // namespace prov::images::wim
