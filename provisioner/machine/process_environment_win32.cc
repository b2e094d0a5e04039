#include <fmt/format.h>

#include <algorithm>

#include "provisioner/machine/process_environment.h"
#include "provisioner/machine/windows_calls.h"

namespace prov::machine {
namespace {

// Offsets in 64-bit Windows since Vista: of the parameters' address in the process environment block, and of the
// environment's address in the parameters. Windows has no call for the environment of another process.
constexpr std::uintptr_t kParametersOffset = 0x20;
constexpr std::uintptr_t kEnvironmentOffset = 0x80;

class ProcessMemory {
 public:
  static Result<ProcessMemory> Open(std::uint32_t process_id) {
    const std::string where = fmt::format("process {}", process_id);
    HANDLE opened = OpenProcess(PROCESS_QUERY_INFORMATION | PROCESS_VM_READ, FALSE, process_id);
    if (opened == nullptr) {
      const DWORD error = GetLastError();
      if (error == ERROR_INVALID_PARAMETER) return Fail(Code::kIo, "the process does not exist any more", where);
      return win32::Failure(Code::kIo, "cannot look into the process", where, error);
    }
    ProcessMemory memory(FileHandle(opened), where);
    BOOL is_32_bit = FALSE;
    if (IsWow64Process(opened, &is_32_bit) == 0) return memory.Failure();
    if (is_32_bit != FALSE) {
      return Fail(Code::kIo, "is a 32-bit program, whose environment this program can't read", where);
    }
    return memory;
  }

  Result<std::vector<std::string>> Environment() {
    // A process that sets a variable may move its environment, and then the bytes that were read may be something else.
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      const std::uintptr_t before = PROV_TRY(EnvironmentAddress());
      auto variables = ReadBlock(before);
      if (PROV_TRY(EnvironmentAddress()) != before) continue;
      if (!variables) variables.error().where = where_;
      return variables;
    }
    return Fail(Code::kIo, "changes its environment all the time: run this again", where_);
  }

 private:
  static constexpr int kAttempts = 5;

  ProcessMemory(FileHandle process, std::string where) : process_(std::move(process)), where_(std::move(where)) {}

  std::unexpected<Error> Failure() const {
    return win32::Failure(Code::kIo, "cannot read the memory of the process", where_);
  }

  Result<std::uintptr_t> PointerAt(std::uintptr_t address) {
    std::uintptr_t pointer = 0;
    SIZE_T read = 0;
    if (ReadProcessMemory(process_.get(), reinterpret_cast<const void*>(address), &pointer, sizeof(pointer), &read) ==
        0) {
      return Failure();
    }
    if (pointer == 0) return Fail(Code::kIo, "is only just starting or ending: run this again", where_);
    return pointer;
  }

  Result<std::uintptr_t> EnvironmentAddress() {
    PROCESS_BASIC_INFORMATION information{};
    ULONG size = 0;
    const NTSTATUS status =
        NtQueryInformationProcess(process_.get(), ProcessBasicInformation, &information, sizeof(information), &size);
    if (status < 0) {
      return win32::Failure(Code::kIo, "cannot look into the process", where_, RtlNtStatusToDosError(status));
    }
    const auto block = reinterpret_cast<std::uintptr_t>(information.PebBaseAddress);
    return PointerAt(PROV_TRY(PointerAt(block + kParametersOffset)) + kEnvironmentOffset);
  }

  // Reads from `address` to the end of the committed memory there, up to the limit.
  Result<std::vector<std::string>> ReadBlock(std::uintptr_t address) {
    MEMORY_BASIC_INFORMATION region{};
    if (VirtualQueryEx(process_.get(), reinterpret_cast<const void*>(address), &region, sizeof(region)) == 0) {
      return Failure();
    }
    const std::size_t before = address - reinterpret_cast<std::uintptr_t>(region.BaseAddress);
    std::wstring block(std::min<std::size_t>(region.RegionSize - before, kMostEnvironmentBytes) / sizeof(wchar_t),
                       L'\0');
    SIZE_T read = 0;
    if (ReadProcessMemory(process_.get(), reinterpret_cast<const void*>(address), block.data(),
                          block.size() * sizeof(wchar_t), &read) == 0) {
      return Failure();
    }
    block.resize(read / sizeof(wchar_t));
    return ParseEnvironmentBlock(block);
  }

  FileHandle process_;
  std::string where_;
};

}  // namespace

Result<std::vector<std::string>> ParseEnvironmentBlock(std::wstring_view block) {
  std::vector<std::string> out;
  for (std::wstring_view rest = block;;) {
    const std::size_t end = rest.find(L'\0');
    if (end == 0) return out;
    if (end == std::wstring_view::npos) break;
    if (rest.front() != L'=') out.push_back(Narrow(rest.substr(0, end)));
    rest.remove_prefix(end + 1);
  }
  return Fail(Code::kIo, fmt::format("the environment of the process does not end within {} bytes", block.size() * 2));
}

Result<std::vector<std::string>> ReadProcessEnvironment(std::uint32_t process_id) {
  return PROV_TRY(ProcessMemory::Open(process_id)).Environment();
}

}  // namespace prov::machine
