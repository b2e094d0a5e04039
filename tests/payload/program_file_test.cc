#include "provisioner/payload/program_file.h"

#include <gmock/gmock.h>

#include <random>

#include "tests/support/program_file.h"
#include "tests/support/result.h"

namespace prov::payload {
namespace {

using testing::HasSubstr;
using testing_support::FakeProgram;
using testing_support::MakeProgram;

TEST(ProgramFile, ReadsArchitectureAndVersion) {
  struct Case {
    std::uint32_t machine;
    const char* architecture;
  };
  for (const Case& c : {Case{0x8664, "amd64"}, Case{0xAA64, "arm64"}, Case{0x014C, "x86"}, Case{0x0200, "unknown"}}) {
    const std::string bytes = MakeProgram({.machine = c.machine, .version = "1.2.3"});
    const auto read = Must(ReadProgramFile(bytes, "p.exe"));
    EXPECT_EQ(read.architecture, c.architecture);
    EXPECT_EQ(read.version, "1.2.3");
    EXPECT_EQ(read.bytes, bytes);
  }
}

TEST(ProgramFile, OtherFilesAreRefusedAndSaidWhatTheyAre) {
  struct Case {
    std::string bytes;
    const char* said;
  };
  const Case cases[] = {
      {"", "is not a Windows program"},
      {"MZ", "is not a Windows program"},
      {"#!/bin/sh\n", "is not a Windows program"},
      {std::string("\x7F") + "ELF" + std::string(100, '\0'), "is a program for Linux, not for Windows"},
      {MakeProgram({.product = "Notepad"}), "is a Windows program, but not provisioner (its product is Notepad)"},
      {MakeProgram().substr(0, 512), "is a Windows program, but not provisioner (it names no product)"},
  };
  for (const Case& c : cases) {
    const auto read = ReadProgramFile(c.bytes, "C:\\x.exe");
    ASSERT_FALSE(read) << c.said;
    EXPECT_EQ(read.error().code, Code::kKind);
    EXPECT_EQ(read.error().where, "C:\\x.exe");
    EXPECT_THAT(read.error().message, HasSubstr(c.said));
    EXPECT_THAT(read.error().message, HasSubstr("cmake --build --preset windows"));
  }
}

TEST(ProgramFile, NoCutAndNoDamageReadsBeyondTheEnd) {
  const std::string whole = MakeProgram();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(ReadProgramFile(whole.substr(0, size), "p")) << size;
  }
  constexpr std::uint32_t kSeed = 20261122;
  std::printf("seed %u\n", kSeed);
  std::mt19937 random(kSeed);
  int refused = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string damaged = whole;
    for (std::uint32_t changes = 1 + static_cast<std::uint32_t>(random() % 3); changes > 0; --changes) {
      damaged[random() % damaged.size()] = static_cast<char>(random());
    }
    if (!ReadProgramFile(std::move(damaged), "p")) ++refused;
  }
  EXPECT_GT(refused, 1000);
}

TEST(ProgramFile, TheArchitectureMustBeThatOfWindows) {
  const ProgramFile program = ReadProgramFile(MakeProgram(), "p.exe").value();
  EXPECT_TRUE(CheckArchitecture(program, "AMD64", "--exe"));
  EXPECT_TRUE(CheckArchitecture(program, "", "--exe"));
  const Error refused = ErrorIn(CheckArchitecture(program, "x86", "--exe"));
  EXPECT_EQ(refused.code, Code::kKind);
  EXPECT_EQ(
      refused.message,
      "is a program for amd64, but the image or answer file is for x86; provisioner.exe is built for amd64 only: leave "
      "--exe out, and the payload's script does the work there");
}

}  // namespace
}  // namespace prov::payload
