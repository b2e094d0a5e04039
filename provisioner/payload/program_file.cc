#include "provisioner/payload/program_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "provisioner/base/file.h"
#include "provisioner/base/text.h"

namespace prov::payload {
namespace {

// PE/COFF. Offsets are from Microsoft's specification "PE Format".
constexpr std::size_t kPeOffsetAt = 0x3C;
constexpr std::size_t kCoffHeaderBytes = 24;  // the signature included
constexpr std::size_t kSectionBytes = 40;
constexpr std::size_t kResourceDirectory = 2;  // index in the data directories
constexpr std::uint32_t kVersionType = 16;     // RT_VERSION
constexpr std::uint32_t kSubdirectory = 0x8000'0000;

struct Machine {
  std::uint32_t number;
  std::string_view architecture;
};
constexpr std::array<Machine, 3> kMachines = {{{0x8664, "amd64"}, {0xAA64, "arm64"}, {0x014C, "x86"}}};

// Reads numbers from a file; nullopt beyond its end.
class FileBytes {
 public:
  explicit FileBytes(std::string_view bytes) : bytes_(bytes) {}

  std::optional<std::uint32_t> Number(std::size_t at, std::size_t size) const {
    if (at > bytes_.size() || bytes_.size() - at < size) return std::nullopt;
    std::uint32_t out = 0;
    for (std::size_t i = size; i-- > 0;) out = (out << 8U) | static_cast<unsigned char>(bytes_[at + i]);
    return out;
  }
  std::optional<std::string_view> Range(std::size_t at, std::size_t size) const {
    if (at > bytes_.size() || bytes_.size() - at < size) return std::nullopt;
    return bytes_.substr(at, size);
  }

 private:
  std::string_view bytes_;
};

// The parts of a PE file that are needed here.
struct Image {
  FileBytes bytes;
  std::string_view architecture;
  std::size_t sections = 0;  // offset of the section table
  std::uint32_t section_count = 0;
  std::uint32_t resources = 0;  // address of the resources; 0: none

  // The file offset of the byte that is loaded at this address.
  std::optional<std::size_t> Offset(std::uint32_t address) const {
    for (std::uint32_t i = 0; i < section_count; ++i) {
      const std::size_t at = sections + i * kSectionBytes;
      const auto start = bytes.Number(at + 12, 4);
      const auto size = bytes.Number(at + 16, 4);
      const auto offset = bytes.Number(at + 20, 4);
      if (!start || !size || !offset) return std::nullopt;
      if (address >= *start && address - *start < *size) return std::size_t{*offset} + (address - *start);
    }
    return std::nullopt;
  }
};

std::optional<Image> ReadHeaders(std::string_view file) {
  const FileBytes bytes(file);
  const auto pe = bytes.Number(kPeOffsetAt, 4);
  if (!file.starts_with("MZ") || !pe || bytes.Range(*pe, 4) != std::string_view("PE\0\0", 4)) return std::nullopt;
  const auto machine = bytes.Number(*pe + 4, 2);
  const auto count = bytes.Number(*pe + 6, 2);
  const auto optional_bytes = bytes.Number(*pe + 20, 2);
  const std::size_t optional = *pe + kCoffHeaderBytes;
  const auto magic = bytes.Number(optional, 2);
  if (!machine || !count || !optional_bytes || !magic) return std::nullopt;
  const auto* const known = std::ranges::find(kMachines, *machine, &Machine::number);
  Image out{bytes, known == kMachines.end() ? std::string_view("unknown") : known->architecture,
            optional + *optional_bytes, *count, 0};
  const bool wide = *magic == 0x20B;
  if (!wide && *magic != 0x10B) return std::nullopt;
  const auto directories = bytes.Number(optional + (wide ? 108 : 92), 4);
  if (directories && *directories > kResourceDirectory) {
    out.resources = bytes.Number(optional + (wide ? 112 : 96) + kResourceDirectory * 8, 4).value_or(0);
  }
  return out;
}

// The target of a resource directory's entry, relative to the resources. The entry is the one with this ID, or the
// first.
std::optional<std::uint32_t> ResourceEntry(const FileBytes& bytes, std::size_t directory,
                                           std::optional<std::uint32_t> id) {
  const auto named = bytes.Number(directory + 12, 2);
  const auto numbered = bytes.Number(directory + 14, 2);
  if (!named || !numbered) return std::nullopt;
  for (std::size_t i = 0; i < std::size_t{*named} + *numbered; ++i) {
    const auto entry_id = bytes.Number(directory + 16 + i * 8, 4);
    if (!entry_id) return std::nullopt;
    if (!id || *entry_id == *id) return bytes.Number(directory + 20 + i * 8, 4);
  }
  return std::nullopt;
}

// The version resource: the first of its type, in its first language.
std::optional<std::string_view> VersionResource(const Image& image) {
  const auto root = image.resources == 0 ? std::nullopt : image.Offset(image.resources);
  if (!root) return std::nullopt;
  std::size_t directory = *root;
  for (const auto id : {std::optional(kVersionType), std::optional<std::uint32_t>()}) {
    const auto next = ResourceEntry(image.bytes, directory, id);
    if (!next || (*next & kSubdirectory) == 0) return std::nullopt;
    directory = *root + (*next & ~kSubdirectory);
  }
  const auto data = ResourceEntry(image.bytes, directory, std::nullopt);
  if (!data || (*data & kSubdirectory) != 0) return std::nullopt;
  const auto address = image.bytes.Number(*root + *data, 4);
  const auto size = image.bytes.Number(*root + *data + 4, 4);
  const auto offset = address ? image.Offset(*address) : std::nullopt;
  if (!offset || !size) return std::nullopt;
  return image.bytes.Range(*offset, *size);
}

// A block of a version resource: its name and what follows the name. VS_VERSIONINFO and its children share one form.
struct Block {
  std::string name;
  std::string_view value;     // from its value to its end
  std::size_t value_bytes{};  // for blocks of binary values
};

constexpr std::size_t Aligned(std::size_t at) { return (at + 3) / 4 * 4; }

// UTF-16LE text, up to a NUL.
std::string_view Terminated(std::string_view text) {
  std::size_t end = 0;
  while (end + 1 < text.size() && (text[end] != 0 || text[end + 1] != 0)) end += 2;
  return text.substr(0, end);
}

// Removes and returns the first block of `bytes`; nullopt at the end or if it is damaged.
std::optional<Block> ReadBlock(std::string_view& bytes) {
  constexpr std::size_t kHeaderBytes = 6;
  const FileBytes numbers(bytes);
  const auto size = numbers.Number(0, 2);
  const auto value_size = numbers.Number(2, 2);
  if (!size || !value_size || *size < kHeaderBytes || *size > bytes.size()) return std::nullopt;
  const std::string_view block = bytes.substr(0, *size);
  bytes.remove_prefix(std::min(bytes.size(), Aligned(*size)));
  const std::string_view name = Terminated(block.substr(kHeaderBytes));
  const std::size_t value = Aligned(kHeaderBytes + name.size() + 2);
  return Block{FromUtf16Le(name).value_or(""), value < block.size() ? block.substr(value) : std::string_view(),
               *value_size};
}

// A text of the resource's first string table, such as ProductName; "" if it has none.
std::string VersionText(std::string_view resource, std::string_view name) {
  const auto root = ReadBlock(resource);
  if (!root || root->name != "VS_VERSION_INFO" || root->value_bytes > root->value.size()) return "";
  std::string_view children = root->value.substr(std::min(root->value.size(), Aligned(root->value_bytes)));
  while (auto child = ReadBlock(children)) {
    if (child->name != "StringFileInfo") continue;
    auto table = ReadBlock(child->value);
    if (!table) return "";
    while (const auto text = ReadBlock(table->value)) {
      if (text->name == name) return FromUtf16Le(Terminated(text->value)).value_or("");
    }
  }
  return "";
}

constexpr std::string_view kRemedy =
    "; give the provisioner.exe that the windows preset builds (cmake --build --preset windows)";

}  // namespace

Result<ProgramFile> ReadProgramFile(std::string bytes, const std::string& where) {
  const auto image = ReadHeaders(bytes);
  if (!image) {
    const bool elf = bytes.starts_with(
        "\x7F"
        "ELF");
    return Fail(
        Code::kKind,
        fmt::format("{}{}", elf ? "is a program for Linux, not for Windows" : "is not a Windows program", kRemedy),
        where);
  }
  ProgramFile out;
  out.architecture = image->architecture;
  const std::string_view resource = VersionResource(*image).value_or("");
  if (const std::string product = VersionText(resource, "ProductName"); product != "provisioner") {
    return Fail(Code::kKind,
                fmt::format("is a Windows program, but not provisioner ({}){}",
                            product.empty() ? "it names no product" : "its product is " + product, kRemedy),
                where);
  }
  out.version = VersionText(resource, "ProductVersion");
  out.bytes = std::move(bytes);
  return out;
}

Result<ProgramFile> LoadProgramFile(const std::string& path) {
  return ReadProgramFile(PROV_TRY(ReadFile(path, kProgramSizeLimit)), path);
}

Result<void> CheckArchitecture(const ProgramFile& program, std::string_view architecture, const std::string& where) {
  if (architecture.empty() || program.architecture == AsciiLower(architecture)) return {};
  return Fail(Code::kKind,
              fmt::format("is a program for {}, but the image or answer file is for {}; provisioner.exe is built for "
                          "amd64 only: leave --exe out, and the payload's script does the work there",
                          program.architecture, AsciiLower(architecture)),
              where);
}

}  // namespace prov::payload
