#include "images/tree/wim_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "images/registry/hive_format.h"
#include "provisioner/base/hash.h"
#include "provisioner/base/text.h"

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

// Offsets in the header.
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
  if (bytes.size() < kHeaderBytes || !bytes.starts_with(kMagic))
    return Fail(Code::kTarget, "not a WIM file; pass one such as sources/install.wim", where);
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
    return Damaged("the size of its chunks is not valid", where);
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

namespace {

// The size of an entry in the table at the start of a resource. The table has the offsets of its chunks except the
// first, from the end of the table.
std::size_t EntryBytes(std::uint64_t size) { return size > 0xFFFFFFFFU ? 8 : 4; }

std::uint64_t ChunksOf(std::uint64_t size, std::uint32_t chunk) { return (size + chunk - 1) / chunk; }

}  // namespace

Result<std::string> Unpack(Codec& codec, std::uint32_t chunk, std::string_view stored, std::uint64_t size,
                           std::uint64_t wanted, const std::string& where) {
  const std::uint64_t chunks = ChunksOf(size, chunk);
  const std::size_t entry = EntryBytes(size);
  if (chunks == 0 || (chunks - 1) > stored.size() / entry) return Damaged("compressed bytes are missing", where);
  const std::string_view table = stored.substr(0, static_cast<std::size_t>(chunks - 1) * entry);
  const std::string_view data = stored.substr(table.size());
  const auto start_of = [&](std::uint64_t i) -> std::uint64_t {
    if (i == 0) return 0;
    if (i == chunks) return data.size();
    const std::size_t at = static_cast<std::size_t>(i - 1) * entry;
    return entry == 8 ? regf::Load64(table, at) : regf::Load32(table, at);
  };
  const std::uint64_t needed = ChunksOf(std::min(wanted, size), chunk);
  std::string out(static_cast<std::size_t>(std::min(needed * chunk, size)), '\0');
  for (std::uint64_t i = 0; i < needed; ++i) {
    const std::uint64_t begin = start_of(i), end = start_of(i + 1);
    if (begin > end || end > data.size()) return Damaged("a chunk lies outside of its file", where);
    const std::string_view from = data.substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
    char* const to = &out[static_cast<std::size_t>(i * chunk)];
    const auto bytes = static_cast<std::size_t>(std::min<std::uint64_t>(chunk, size - i * chunk));
    if (from.size() == bytes) {
      from.copy(to, bytes);  // stored uncompressed
    } else if (from.size() > bytes || !codec.Decompress(from, to, bytes)) {
      return Damaged("compressed bytes are not valid", where);
    }
  }
  out.resize(static_cast<std::size_t>(std::min(wanted, size)));
  return out;
}

std::string Pack(Codec& codec, std::uint32_t chunk, std::string_view bytes,
                 const std::function<void(std::size_t)>& progress) {
  const std::size_t entry = EntryBytes(bytes.size());
  const auto table = static_cast<std::size_t>(ChunksOf(bytes.size(), chunk) - 1) * entry;
  std::string out(table, '\0');
  std::vector<char> packed(chunk);
  for (std::size_t at = 0; at < bytes.size(); at += chunk) {
    if (at != 0) {
      char* const to = &out[(at / chunk - 1) * entry];
      const std::uint64_t start = out.size() - table;
      entry == 8 ? regf::Store64(to, start) : regf::Store32(to, static_cast<std::uint32_t>(start));
    }
    const std::string_view from = bytes.substr(at, chunk);
    const std::size_t size = codec.Compress(from, packed.data());
    out += size == 0 ? from : std::string_view(packed.data(), size);
    progress(from.size());
  }
  return out.size() < bytes.size() ? out : std::string();
}

namespace {

// A range of the text, from `begin` to before `end`.
struct Span {
  std::size_t begin = 0, end = 0;
};

std::optional<Span> ImageIn(std::string_view xml, int index) {
  const std::size_t begin = xml.find(fmt::format("<IMAGE INDEX=\"{}\"", index));
  if (begin == std::string_view::npos) return std::nullopt;
  const std::size_t end = xml.find("</IMAGE>", begin);
  return end == std::string_view::npos ? std::nullopt : std::optional(Span{begin, end});
}

// The text of the first element with that name.
std::optional<Span> ElementIn(std::string_view xml, Span within, std::string_view name) {
  const std::string start = fmt::format("<{}>", name);
  const std::size_t begin = xml.find(start, within.begin);
  if (begin == std::string_view::npos || begin >= within.end) return std::nullopt;
  const std::size_t end = xml.find("</", begin);
  return end == std::string_view::npos ? std::nullopt : std::optional(Span{begin + start.size(), end});
}

void SetElement(std::string& xml, std::string_view within, int index, std::string_view name, const std::string& text) {
  const auto image = ImageIn(xml, index);
  if (!image) return;
  const auto outer = within.empty() ? std::optional(Span{image->begin, image->end}) : ElementIn(xml, *image, within);
  if (!outer) return;
  // An element with inner elements ends later than at its first `</`; the image's end limits it.
  const auto element = ElementIn(xml, Span{outer->begin, image->end}, name);
  if (element) xml.replace(element->begin, element->end - element->begin, text);
}

void AddToNumber(std::string& xml, int index, std::string_view name, std::int64_t more) {
  const auto image = ImageIn(xml, index);
  const auto element = image ? ElementIn(xml, *image, name) : std::nullopt;
  if (!element) return;
  std::int64_t value = 0, sum = 0;
  const char* const begin = xml.data() + element->begin;
  if (std::from_chars(begin, xml.data() + element->end, value).ec != std::errc()) return;
  if (__builtin_add_overflow(value, more, &sum)) return;
  SetElement(xml, "", index, name, std::to_string(std::max<std::int64_t>(0, sum)));
}

std::string Unescaped(std::string_view text) {
  static constexpr std::pair<std::string_view, char> kEntities[] = {
      {"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}};
  std::string out;
  while (!text.empty()) {
    const auto* const entity =
        std::ranges::find_if(kEntities, [&](const auto& e) { return text.starts_with(e.first); });
    out += entity == std::end(kEntities) ? text.front() : entity->second;
    text.remove_prefix(entity == std::end(kEntities) ? 1 : entity->first.size());
  }
  return out;
}

}  // namespace

std::string ImageName(std::string_view xml_utf16, int index) {
  const std::string xml = FromUtf16Le(xml_utf16).value_or("");
  const auto image = ImageIn(xml, index);
  const auto name = image ? ElementIn(xml, *image, "NAME") : std::nullopt;
  return name ? Unescaped(std::string_view(xml).substr(name->begin, name->end - name->begin)) : "";
}

std::string ChangeImage(std::string_view xml_utf16, const ImageChange& change) {
  auto xml = FromUtf16Le(xml_utf16);
  if (!xml) return std::string(xml_utf16);
  AddToNumber(*xml, change.index, "DIRCOUNT", change.folders);
  AddToNumber(*xml, change.index, "FILECOUNT", change.files);
  AddToNumber(*xml, change.index, "TOTALBYTES", change.bytes);
  const auto half = [&](unsigned shift) { return fmt::format("0x{:08X}", change.time >> shift & 0xFFFFFFFFU); };
  SetElement(*xml, "LASTMODIFICATIONTIME", change.index, "HIGHPART", half(32));
  SetElement(*xml, "LASTMODIFICATIONTIME", change.index, "LOWPART", half(0));
  return ToUtf16Le(*xml);
}

std::string SetTotalBytes(std::string_view xml_utf16, std::uint64_t bytes) {
  auto xml = FromUtf16Le(xml_utf16);
  if (!xml) return std::string(xml_utf16);
  // Search after the images, which have such an element, too.
  const std::size_t last = xml->rfind("</IMAGE>");
  const std::size_t from = last == std::string::npos ? 0 : last;
  const auto element = ElementIn(*xml, {from, xml->size()}, "TOTALBYTES");
  if (element) xml->replace(element->begin, element->end - element->begin, std::to_string(bytes));
  return ToUtf16Le(*xml);
}

}  // namespace prov::images::wim
