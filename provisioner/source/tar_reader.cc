#include "provisioner/source/tar_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "provisioner/base/text.h"

namespace prov::source {
namespace {

constexpr std::size_t kBlock = kTarHeaderBytes;
constexpr std::uint64_t kMostExtensionBytes = 1U << 20U;
constexpr int kMostExtensions = 8;  // before one entry

// A field of a header.
struct Field {
  std::size_t at;
  std::size_t size;

  std::string_view In(std::string_view header) const { return header.substr(at, size); }
};
constexpr Field kName = {0, 100};
constexpr Field kSize = {124, 12};
constexpr Field kSum = {148, 8};
constexpr std::size_t kType = 156;
constexpr Field kMagic = {257, 6};  // "ustar" and NUL for POSIX, and a blank for GNU
constexpr Field kPrefix = {345, 155};

std::string_view TextOf(std::string_view field) { return field.substr(0, field.find('\0')); }

// An octal number, or GNU's binary one; nullopt if it is malformed or above 63 bits.
std::optional<std::uint64_t> NumberOf(std::string_view field) {
  constexpr unsigned kBits = 63;
  const auto first = static_cast<unsigned char>(field.front());
  std::uint64_t out = 0;
  if ((first & 0x80U) != 0) {
    if (first != 0x80) return std::nullopt;  // negative, or more than the other bytes hold
    for (const char c : field.substr(1)) {
      if (out >> (kBits - 8) != 0) return std::nullopt;
      out = out << 8U | static_cast<unsigned char>(c);
    }
    return out;
  }
  field = TrimBlanks(TextOf(field));
  for (const char c : field) {
    if (c < '0' || c > '7' || out >> (kBits - 3) != 0) return std::nullopt;
    out = out << 3U | static_cast<unsigned>(c - '0');
  }
  return out;
}

// The sum of the bytes, those of the sum itself as blanks. Old writers added signed bytes.
bool HasItsSum(std::string_view header) {
  const auto stated = NumberOf(kSum.In(header));
  std::uint64_t plain = 0;
  std::int64_t as_signed = 0;
  for (std::size_t i = 0; i < header.size(); ++i) {
    const char c = i >= kSum.at && i < kSum.at + kSum.size ? ' ' : header[i];
    plain += static_cast<unsigned char>(c);
    as_signed += static_cast<signed char>(c);
  }
  return stated && (*stated == plain || (as_signed >= 0 && *stated == static_cast<std::uint64_t>(as_signed)));
}

bool IsZero(std::string_view bytes) { return bytes.find_first_not_of('\0') == std::string_view::npos; }

TarKind KindOf(char type, std::string_view path) {
  switch (type) {
    case '0':
    case '7':
      return TarKind::kFile;
    case '\0':  // before POSIX a slash at the end marked a folder
      return path.ends_with('/') ? TarKind::kFolder : TarKind::kFile;
    case '1':
    case '2':
      return TarKind::kLink;
    case '5':
      return TarKind::kFolder;
    default:
      return TarKind::kOther;
  }
}

}  // namespace

// What the headers before an entry say of it.
struct TarReader::Extension {
  std::optional<std::string> path;
  std::optional<std::uint64_t> size;
  bool is_sparse = false;
};

bool LooksLikeTar(std::string_view bytes) {
  return bytes.size() >= kBlock && kMagic.In(bytes).starts_with("ustar") && HasItsSum(bytes.substr(0, kBlock));
}

std::unexpected<Error> TarReader::Refuse(std::string_view fault) const {
  return Fail(Code::kKind, fmt::format("is no complete tar archive: {}", fault), where_);
}

Result<void> TarReader::ReadAll(char* to, std::size_t size) {
  while (size > 0) {
    const std::size_t piece = PROV_TRY(from_(to, size));
    if (piece == 0) return Refuse("it is cut short");
    to += piece;
    size -= piece;
  }
  return {};
}

Result<void> TarReader::Pass(std::uint64_t size) {
  std::array<char, 64 * kBlock> chunk;
  while (size > 0) {
    const auto piece = static_cast<std::size_t>(std::min<std::uint64_t>(size, chunk.size()));
    PROV_TRY(ReadAll(chunk.data(), piece));
    size -= piece;
  }
  return {};
}

Result<void> TarReader::PassRest() {
  PROV_TRY(Pass(std::exchange(left_, 0)));
  return Pass(std::exchange(padding_, 0));
}

// Only zeros are behind the end. Reading them also checks the sum of a gzip stream.
Result<void> TarReader::CheckEnd() {
  std::array<char, 64 * kBlock> chunk;
  for (;;) {
    const std::size_t piece = PROV_TRY(from_(chunk.data(), chunk.size()));
    if (piece == 0) return {};
    if (!IsZero({chunk.data(), piece})) return Refuse("bytes follow its end");
  }
}

Result<void> TarReader::ReadExtension(char type, std::uint64_t size, Extension& out) {
  if (size > kMostExtensionBytes) {
    return Fail(Code::kTooLarge, fmt::format("a name or header has {} bytes, more than {}", size, kMostExtensionBytes),
                where_);
  }
  std::string bytes(static_cast<std::size_t>(size), '\0');
  PROV_TRY(ReadAll(bytes.data(), bytes.size()));
  PROV_TRY(Pass((kBlock - size % kBlock) % kBlock));
  if (type == 'L') out.path = TextOf(bytes);
  if (type != 'x') return {};  // 'K' is a link's target, 'g' counts for all entries and names no file
  for (std::string_view rest = bytes; !rest.empty();) {
    // "LENGTH NAME=VALUE\n", where the length counts all of it.
    const std::size_t blank = rest.find(' ');
    const auto length = blank == std::string_view::npos || blank == 0
                            ? std::nullopt
                            : ParseDecimal(rest.substr(0, blank), kMostExtensionBytes);
    if (!length || *length > rest.size() || *length < blank + 2 || rest[*length - 1] != '\n')
      return Refuse("a header of pax is malformed");
    const std::string_view record = rest.substr(blank + 1, *length - blank - 2);
    rest.remove_prefix(*length);
    const std::size_t equals = record.find('=');
    if (equals == std::string_view::npos) return Refuse("a header of pax is malformed");
    const std::string_view name = record.substr(0, equals);
    const std::string_view value = record.substr(equals + 1);
    if (name == "path") out.path = value;
    if (name.starts_with("GNU.sparse.")) out.is_sparse = true;
    if (name != "size") continue;
    out.size = ParseDecimal(value, std::uint64_t{1} << 62U);
    if (!out.size || value.empty()) return Refuse("a header of pax has a malformed size");
  }
  return {};
}

Result<TarEntry> TarReader::EntryOf(std::string_view header, const Extension& extension) {
  TarEntry out;
  out.path = TextOf(kName.In(header));
  const std::string_view prefix = TextOf(kPrefix.In(header));
  if (kMagic.In(header) == std::string_view("ustar\0", 6) && !prefix.empty())
    out.path = fmt::format("{}/{}", prefix, out.path);
  if (extension.path) out.path = *extension.path;
  if (out.path.find('\0') != std::string::npos) return Refuse("a name holds a NUL");
  const char type = header[kType];
  out.kind = extension.is_sparse ? TarKind::kOther : KindOf(type, out.path);
  const auto size = extension.size ? extension.size : NumberOf(kSize.In(header));
  if (!size || *size > std::uint64_t{1} << 62U) return Refuse("an entry has a malformed size");
  // These have no contents, whatever their size says.
  constexpr std::string_view kWithout = "23456";
  left_ = kWithout.find(type) == std::string_view::npos ? *size : 0;
  padding_ = (kBlock - left_ % kBlock) % kBlock;
  out.size = out.kind == TarKind::kFile ? left_ : 0;
  return out;
}

Result<std::optional<TarEntry>> TarReader::Next() {
  PROV_TRY(PassRest());
  Extension extension;
  for (int extensions = 0;; ++extensions) {
    std::array<char, kBlock> block;
    PROV_TRY(ReadAll(block.data(), block.size()));
    const std::string_view header(block.data(), block.size());
    if (IsZero(header)) {
      if (extensions > 0) return Refuse("an entry is missing behind its headers");
      PROV_TRY(CheckEnd());
      return std::nullopt;
    }
    if (!HasItsSum(header)) return Refuse("a header is damaged");
    const char type = header[kType];
    if (std::string_view("xgLK").find(type) == std::string_view::npos) return PROV_TRY(EntryOf(header, extension));
    if (extensions == kMostExtensions) return Refuse("too many headers precede one entry");
    const auto size = NumberOf(kSize.In(header));
    if (!size) return Refuse("an entry has a malformed size");
    PROV_TRY(ReadExtension(type, *size, extension));
  }
}

Result<std::string> TarReader::Contents(std::uint64_t limit) {
  if (left_ > limit) return Fail(Code::kTooLarge, fmt::format("has {} bytes, more than {}", left_, limit), where_);
  std::string out;
  std::array<char, 64 * kBlock> chunk;
  while (left_ > 0) {  // no memory is taken for what is not there
    const auto piece = static_cast<std::size_t>(std::min<std::uint64_t>(left_, chunk.size()));
    PROV_TRY(ReadAll(chunk.data(), piece));
    out.append(chunk.data(), piece);
    left_ -= piece;
  }
  return out;
}

}  // namespace prov::source
