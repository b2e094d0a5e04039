#include "provisioner/payload/program_file.h"

#include <fmt/format.h>

#include <utility>

#include "images/registry/hive_format.h"
#include "provisioner/base/file.h"
#include "provisioner/base/text.h"
#include "provisioner/machine/program_version.h"

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
  if (const std::string product = machine::ProgramTextOf(bytes, "ProductName"); product != "provisioner") {
    return Fail(Code::kKind,
                fmt::format("is a Windows program, but not provisioner ({}){}",
                            product.empty() ? "it names no product" : "its product is " + product, kRemedy),
                where);
  }
  out.version = machine::ProgramTextOf(bytes, "ProductVersion");
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
