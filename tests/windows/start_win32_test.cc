#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstring>

#include "provisioner/base/windows_api.h"

extern "C" void* __stack_chk_guard;  // NOLINT(bugprone-reserved-identifier): its name for the compiler

namespace prov {
namespace {

using Bytes = std::array<char, 16>;

// The compiler must not see how many there are.
volatile std::size_t too_many = 64;

[[gnu::noinline]] int OverwriteTheStack() {
  Bytes bytes{};
  volatile char* at = bytes.data();
  for (std::size_t i = 0; i < too_many; ++i) at[i] = 'x';
  return bytes[3];
}

[[gnu::noinline]] int CopyTooMuch(const char* from) {
  Bytes bytes{};
  std::memcpy(bytes.data(), from, too_many);
  return bytes[3];
}

TEST(StartDeathTest, AnOverwrittenStackEndsTheProgramAsADefect) {
  EXPECT_EXIT(OverwriteTheStack(), testing::ExitedWithCode(20), "the stack was overwritten");
}

TEST(StartDeathTest, ACopyThatIsTooLargeEndsTheProgramAsADefect) {
  const std::array<char, 64> from{};
  EXPECT_EXIT(CopyTooMuch(from.data()), testing::ExitedWithCode(20), "a copy was larger than its place");
}

TEST(StartTest, TheStackIsCheckedWithANumberThatEndsStrings) {
  const auto number = reinterpret_cast<std::uintptr_t>(__stack_chk_guard);
  EXPECT_NE(number, 0U);
  EXPECT_EQ(number & 0xffU, 0U);
}

// Beside the program, where Windows looks first unless it is told otherwise.
TEST(StartTest, ALibraryBesideTheProgramIsNotTakenForOneOfWindows) {
  const HMODULE taken = LoadLibraryW(L"planted.dll");
  EXPECT_EQ(taken, nullptr);
  EXPECT_EQ(GetLastError(), static_cast<DWORD>(ERROR_MOD_NOT_FOUND));
  // It is one that could be loaded.
  const HMODULE asked = LoadLibraryExW(L"planted.dll", nullptr, LOAD_LIBRARY_SEARCH_APPLICATION_DIR);
  ASSERT_NE(asked, nullptr) << win32::MessageOf(GetLastError());
  EXPECT_NE(GetProcAddress(asked, "PlantedAnswer"), nullptr);
  FreeLibrary(asked);
}

}  // namespace
}  // namespace prov
