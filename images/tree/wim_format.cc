#include "images/tree/wim_format.h"

#include <fmt/format.h>

#include <algorithm>

#include "images/registry/hive_format.h"
#include "provisioner/base/hash.h"

namespace prov::images::wim {
namespace {

using regf::Load16;
using regf::Load32;
using regf::Load64;
using regf::Store16;
using regf::Store32;
using regf::Store64;

constexpr std::string_view kMagic("MSWIM\0\0\0", 8);
constexpr std::string_view kPipableMagic("WLPWM\0\0\0", 8);
constexpr std::uint32_t kVersion = 0x10D00, kVersionOfLzms = 0xE00;
constexpr std::size_t kBlobBytes = 50;
constexpr std::uint64_t kSizeMask = (std::uint64_t{1} << 56U) - 1;
constexpr std::uint32_t kMinChunk = 4096, kMaxChunk = 1U << 26U;

// Places in the header.
constexpr std::size_t kVersionAt = 12, kFlagsAt = 16, kChunkAt = 20, kPartAt = 40, kPartsAt = 42, kImagesAt = 44,
                      kTableAt = 48, kXmlAt = 72, kBootAt = 96, kBootIndexAt = 120, kIntegrityAt = 124;

Resource LoadResource(std::string_view bytes, std::size_t at) {
  const std::uint64_t stored = Load64(bytes, at);
  return {stored & kSizeMask, static_cast<std::uint8_t>(stored >> 56U), Load64(bytes, at + 8), Load64(bytes, at + 16)};
}

void StoreResource(char* to, const Resource& resource) {
  Store64(to, resource.stored | std::uint64_t{resource.flags} << 56U);
  Store64(to + 8, resource.offset);
  Store64(to + 16, resource.size);
}

Result<Compression> CompressionOf(std::uint32_t flags, const std::string& where) {
  constexpr std::uint32_t kIsCompressed = 0x02, kIsXpress = 0x20000, kIsLzx = 0x40000, kIsLzms = 0x80000,
                          kIsXpress2 = 0x200000;
  if ((flags & kIsCompressed) == 0) return Compression::kNone;
  if ((flags & (kIsXpress | kIsXpress2)) != 0) return Compression::kXpress;
  if ((flags & kIsLzx) != 0) return Compression::kLzx;
  if ((flags & kIsLzms) != 0) return Compression::kLzms;
  return Damaged("it is compressed in an unknown way", where);
}

}  // namespace

std::unexpected<Error> Damaged(std::string_view what, const std::string& where) {
  return Fail(Code::kTarget, fmt::format("the WIM file is damaged: {}; verify it, or make it again", what), where);
}

Hash HashOf(std::string_view bytes) {
  Hash out{};
  if (!bytes.empty()) std::ranges::copy(Sha1(bytes), out.begin());
  return out;
}

Result<Header> ReadHeader(std::string_view bytes, const std::string& where) {
  if (bytes.starts_with(kPipableMagic)) {
    return Fail(Code::kTarget, "is a pipable WIM: make a plain one with `wimlib-imagex optimize --not-pipable`", where);
  }
  if (bytes.size() < kHeaderBytes || !bytes.starts_with(kMagic)) return Fail(Code::kTarget, "is no WIM file", where);
  const std::uint32_t version = Load32(bytes, kVersionAt);
  if (version != kVersion && version != kVersionOfLzms) {
    return Fail(Code::kTarget, fmt::format("is a WIM of unknown version {:#x}", version), where);
  }
  Header out;
  out.bytes = bytes.substr(0, kHeaderBytes);
  out.flags = Load32(bytes, kFlagsAt);
  if (Load16(bytes, kPartAt) != 1 || Load16(bytes, kPartsAt) != 1 || (out.flags & (kSpanned | kResourcesOnly)) != 0) {
    return Fail(Code::kTarget, "is a part of a split WIM: put it together with `wimlib-imagex join`", where);
  }
  out.compression = PROV_TRY(CompressionOf(out.flags, where));
  out.chunk = Load32(bytes, kChunkAt);
  const bool is_power = (out.chunk & (out.chunk - 1)) == 0;
  if (out.compression != Compression::kNone && (!is_power || out.chunk < kMinChunk || out.chunk > kMaxChunk)) {
    return Damaged("the size of its chunks is none", where);
  }
  out.images = Load32(bytes, kImagesAt);
  out.table = LoadResource(bytes, kTableAt);
  out.xml = LoadResource(bytes, kXmlAt);
  out.boot = LoadResource(bytes, kBootAt);
  out.boot_index = Load32(bytes, kBootIndexAt);
  out.integrity = LoadResource(bytes, kIntegrityAt);
  return out;
}

std::string WriteHeader(const Header& header) {
  std::string out = header.bytes;
  StoreResource(&out[kTableAt], header.table);
  StoreResource(&out[kXmlAt], header.xml);
  StoreResource(&out[kBootAt], header.boot);
  StoreResource(&out[kIntegrityAt], header.integrity);
  return out;
}

Result<std::vector<Blob>> ReadTable(std::string_view bytes, const std::string& where) {
  std::vector<Blob> out;
  out.reserve(bytes.size() / kBlobBytes);
  for (; bytes.size() >= kBlobBytes; bytes.remove_prefix(kBlobBytes)) {
    Blob& blob = out.emplace_back();
    blob.resource = LoadResource(bytes, 0);
    blob.part = Load16(bytes, 24);
    blob.references = Load32(bytes, 26);
    bytes.copy(blob.hash.data(), blob.hash.size(), 30);
    if ((blob.resource.flags & (kSolid | kSplit)) != 0) {
      return Fail(Code::kTarget,
                  "is a solid WIM (ESD), in which no single file can be replaced: export its image to a plain one with "
                  "`wimlib-imagex export FILE INDEX NEW.wim --compress=LZX`",
                  where);
    }
  }
  if (!bytes.empty()) return Damaged("its table of files ends within an entry", where);
  return out;
}

std::string WriteTable(const std::vector<Blob>& blobs) {
  std::string out(blobs.size() * kBlobBytes, '\0');
  char* to = out.data();
  for (const Blob& blob : blobs) {
    StoreResource(to, blob.resource);
    Store16(to + 24, blob.part);
    Store32(to + 26, blob.references);
    std::ranges::copy(blob.hash, to + 30);
    to += kBlobBytes;
  }
  return out;
}

}  // namespace prov::images::wim
