#include "provisioner/payload/program_file.h"

#include <fmt/format.h>

#include <utility>

#include "images/registry/hive_format.h"
#include "provisioner/base/file.h"
#include "provisioner/base/text.h"

namespace prov::payload {
namespace {

using images::regf::Load16;
using images::regf::Load32;

// The architecture in the PE headers; "" if the file is no Windows program. Offsets and numbers: Microsoft, "PE
// Format".
std::string_view ArchitectureOf(std::string_view file) {
  constexpr std::size_t kPeOffsetAt = 0x3C;
  constexpr std::string_view kSignature("PE\0\0", 4);
  constexpr std::size_t kMachineEnd = 6;
  if (!file.starts_with("MZ") || file.size() < kPeOffsetAt + 4) return "";
  const std::size_t pe = Load32(file, kPeOffsetAt);
  if (pe > file.size() || file.size() - pe < kMachineEnd || !file.substr(pe).starts_with(kSignature)) return "";
  switch (Load16(file, pe + kSignature.size())) {
    case 0x8664:
      return "amd64";
    case 0xAA64:
      return "arm64";
    case 0x014C:
      return "x86";
    default:
      return "unknown";
  }
}

// The version resource, found by the name of its outermost block (VS_VERSIONINFO), which follows the block's size and
// two more numbers. "" if there is none, or only a part.
std::string_view VersionResource(std::string_view file) {
  constexpr std::size_t kNameAt = 6;
  const std::size_t name = file.find(ToUtf16Le("VS_VERSION_INFO"));
  if (name == std::string_view::npos || name < kNameAt) return "";
  const std::string_view block = file.substr(name - kNameAt);
  const std::size_t size = Load16(block, 0);
  return size <= block.size() ? block.substr(0, size) : "";
}

// A text of the resource, such as ProductName; "" if it has none. The text follows its name, both end in a NUL, and one
// more aligns it.
std::string VersionText(std::string_view resource, std::string_view name) {
  constexpr std::string_view kNul("\0\0", 2);
  const std::string key = ToUtf16Le(name).append(kNul);
  const std::size_t at = resource.find(key);
  if (at == std::string_view::npos) return "";
  std::string_view text = resource.substr(at + key.size());
  if (text.starts_with(kNul)) text.remove_prefix(kNul.size());
  std::size_t end = 0;
  while (end + 1 < text.size() && text.substr(end, 2) != kNul) end += 2;
  return FromUtf16Le(text.substr(0, end)).value_or("");
}

constexpr std::string_view kRemedy =
    "; give the provisioner.exe that the windows preset builds (cmake --build --preset windows)";

}  // namespace

Result<ProgramFile> ReadProgramFile(std::string bytes, const std::string& where) {
  ProgramFile out;
  out.architecture = ArchitectureOf(bytes);
  if (out.architecture.empty()) {
    const bool elf = bytes.starts_with(
        "\x7F"
        "ELF");
    return Fail(
        Code::kKind,
        fmt::format("{}{}", elf ? "is a program for Linux, not for Windows" : "is not a Windows program", kRemedy),
        where);
  }
  const std::string_view resource = VersionResource(bytes);
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
