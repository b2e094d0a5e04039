#include "provisioner/payload/controller_image.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

namespace prov::payload {
namespace {

// A header of POSIX' ustar: where its fields are.
constexpr std::size_t kBlock = 512;
constexpr std::size_t kNameSize = 100;
constexpr std::size_t kSizeAt = 124;
constexpr std::size_t kSizeSize = 12;
constexpr std::size_t kTypeAt = 156;
constexpr std::size_t kMagicAt = 257;

std::string_view TextAt(std::string_view header, std::size_t at, std::size_t size) {
  const std::string_view field = header.substr(at, size);
  return field.substr(0, field.find('\0'));
}

// nullopt: not an octal number. A size of 8 GiB or more, which has another form, is none either.
std::optional<std::size_t> SizeOf(std::string_view header) {
  std::string_view text = TextAt(header, kSizeAt, kSizeSize);
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  std::size_t out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out, 8);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return out;
}

}  // namespace

Result<std::string_view> FileInTar(std::string_view tar, std::string_view path, const std::string& where) {
  while (tar.size() >= kBlock && tar.front() != '\0') {
    const std::string_view header = tar.substr(0, kBlock);
    const std::optional<std::size_t> size = SizeOf(header);
    if (!header.substr(kMagicAt).starts_with("ustar") || !size || *size > tar.size() - kBlock)
      return Fail(Code::kKind, "is not an uncompressed tar archive, or is truncated", where);
    std::string_view name = TextAt(header, 0, kNameSize);
    if (name.starts_with("./")) name.remove_prefix(2);
    if (name == path && (header[kTypeAt] == '0' || header[kTypeAt] == '\0')) return tar.substr(kBlock, *size);
    tar.remove_prefix(std::min(tar.size(), kBlock + (*size + kBlock - 1) / kBlock * kBlock));
  }
  if (tar.size() < kBlock) return Fail(Code::kKind, "is not an uncompressed tar archive, or is truncated", where);
  return Fail(Code::kNotFound, fmt::format("has no file {}", path), where);
}

Result<OciImage> MakeControllerImage(std::string tree, std::string_view program, const std::string& version,
                                     const std::map<std::string, std::string>& annotations, const std::string& where,
                                     std::int64_t time_unix) {
  if (PROV_TRY(FileInTar(tree, kControllerProgram.substr(1), where)) != program) {
    return Fail(Code::kKind,
                fmt::format("has another program as {} than the one that runs: run the provisioner of that version",
                            kControllerProgram),
                where);
  }
  std::string digest = DigestOf(tree);
  return MakeOciImage({.os = "linux",
                       .architecture = std::string(kControllerArchitecture),
                       .version = version,
                       .entrypoint = std::string(kControllerProgram),
                       .user = std::string(kControllerUser),
                       .annotations = annotations},
                      {.media_type = "application/vnd.oci.image.layer.v1.tar",
                       .bytes = std::move(tree),
                       .tar_digest = std::move(digest)},
                      time_unix);
}

}  // namespace prov::payload
