// Runs before everything else in provisioner.exe: restricts the search for libraries to System32, and gives the stack
// protector a random value. It is linked as an object of the program and replaces GCC's libssp, which would load a
// library that an attacker could put beside the program.
#include "provisioner/base/windows_api.h"
// clang-format off: it needs the one above
#include <delayimp.h>
// clang-format on

#include <bit>
#include <cstdint>
#include <string_view>

// NOLINTBEGIN(bugprone-reserved-identifier): the names by which compiled code and the run time know them
extern "C" {
void* __stack_chk_guard = nullptr;
[[gnu::noreturn]] void __stack_chk_fail();
[[gnu::noreturn]] void __chk_fail();
}
// NOLINTEND(bugprone-reserved-identifier)

namespace {

void Say(std::string_view text) {
  DWORD written = 0;
  WriteFile(GetStdHandle(STD_ERROR_HANDLE), text.data(), static_cast<DWORD>(text.size()), &written, nullptr);
}

// Memory is corrupt, so neither the C library nor other code of ours may run after this.
[[noreturn]] void End(std::string_view said) {
  Say(said);
  TerminateProcess(GetCurrentProcess(), 20);  // the exit code of Code::kInternal
  for (;;) Sleep(INFINITE);
}

// RtlGenRandom, which has no import library. It forwards to a library that is not one of Windows' KnownDLLs, so it must
// be looked up after the search is restricted, and not be imported.
using RandomBytes = BOOLEAN(WINAPI*)(void*, ULONG);
RandomBytes FindRandomBytes() {
  const HMODULE library = GetModuleHandleW(L"advapi32.dll");
  if (library == nullptr) return nullptr;
  return std::bit_cast<RandomBytes>(GetProcAddress(library, "SystemFunction036"));
}

// Runs before every other constructor. It changes the value that the stack protector checks, so it must not be checked
// itself.
[[gnu::constructor(101), gnu::no_stack_protector, gnu::noinline]] void StartSafely() {
  SetDefaultDllDirectories(LOAD_LIBRARY_SEARCH_SYSTEM32);
  LARGE_INTEGER counter{};
  QueryPerformanceCounter(&counter);
  std::uintptr_t number = 0;
  const RandomBytes random = FindRandomBytes();
  if (random == nullptr || random(&number, sizeof number) == 0)
    number = reinterpret_cast<std::uintptr_t>(&number) << 16U;
  number ^= static_cast<std::uintptr_t>(counter.QuadPart);
  // Its first byte in memory is 0, so that string functions can't read or write across it.
  number &= ~std::uintptr_t{0xff};
  __stack_chk_guard = reinterpret_cast<void*>(number);
}

// Loads the libraries that scripts/cmake/hardening.cmake delay-loads.
FARPROC WINAPI LoadFromSystem32(unsigned notice, DelayLoadInfo* info) {
  if (notice != dliNotePreLoadLibrary) return nullptr;
  return reinterpret_cast<FARPROC>(LoadLibraryExA(info->szDll, nullptr, LOAD_LIBRARY_SEARCH_SYSTEM32));
}

FARPROC WINAPI EndWithoutLibrary(unsigned /*notice*/, DelayLoadInfo* info) {
  Say("provisioner: error [internal]: this Windows has no ");
  if (info->dlp.fImportByName != 0) {
    Say(info->dlp.szProcName);
    Say(" in ");
  }
  Say(info->szDll);
  End(" of System32, which Windows 10 and Server 2016 have; repair Windows (sfc /scannow)\n");
}

}  // namespace

// NOLINTBEGIN(bugprone-reserved-identifier)
extern "C" {
PfnDliHook __pfnDliNotifyHook2 = LoadFromSystem32;
PfnDliHook __pfnDliFailureHook2 = EndWithoutLibrary;

void __stack_chk_fail() {
  End("provisioner: error [internal]: the stack was overwritten; the program met a defect in itself and stopped\n");
}

void __chk_fail() {
  End("provisioner: error [internal]: a copy was larger than its place; the program met a defect in itself and "
      "stopped\n");
}
}
// NOLINTEND(bugprone-reserved-identifier)
