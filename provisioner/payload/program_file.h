// provisioner.exe as a file for payloads and images: checks that the file is this program for Windows.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "provisioner/base/result.h"

namespace prov::payload {

inline constexpr std::uint64_t kProgramSizeLimit = std::uint64_t{256} << 20U;

struct ProgramFile {
  std::string bytes;
  std::string architecture;  // as answer files name it: amd64, arm64 or x86
  std::string version;       // of its version resource, e.g. "0.1.0"
};

// Reads the architecture and the version resource. `where` names the file in errors.
// Errors: kind (no Windows program, another program, damaged).
Result<ProgramFile> ReadProgramFile(std::string bytes, const std::string& where);
// Loads the file and reads it as above. Errors: also those of ReadFile.
Result<ProgramFile> LoadProgramFile(const std::string& path);

// Refuses a program that a Windows of this architecture ("AMD64", in any case) can't start. "" is an unknown
// architecture: nothing is refused. Errors: kind.
Result<void> CheckArchitecture(const ProgramFile& program, std::string_view architecture, const std::string& where);

}  // namespace prov::payload
