// A file that looks like provisioner.exe: PE headers and a version resource, and nothing that runs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace prov::testing_support {

struct FakeProgram {
  std::uint32_t machine = 0x8664;  // of the COFF header
  std::string_view product = "provisioner";
  std::string_view version = "0.1.0";
  std::string_view rest = {};  // any bytes that follow
};
std::string MakeProgram(const FakeProgram& program = {});

}  // namespace prov::testing_support
