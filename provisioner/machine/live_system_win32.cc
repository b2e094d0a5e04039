// LiveSystem: MachineGuid, the boot by its time, accounts, and the broadcast that the environment changed.
#include <fmt/format.h>

#include "provisioner/machine/live_machine.h"
#include "provisioner/machine/windows_calls.h"

namespace prov::machine {
namespace {

constexpr std::string_view kCryptography = R"(SOFTWARE\Microsoft\Cryptography)";
constexpr std::string_view kMachineGuid = "MachineGuid";

// SYSTEM_TIMEOFDAY_INFORMATION, whose members winternl.h does not declare.
struct TimeOfDay {
  std::int64_t boot_time;
  std::int64_t current_time;
  std::int64_t time_zone_bias;
  std::uint32_t time_zone_id;
  std::uint32_t reserved;
  std::int64_t boot_time_bias;
  std::int64_t sleep_time_bias;
};
static_assert(sizeof(TimeOfDay) == 48);
constexpr auto kTimeOfDay = static_cast<SYSTEM_INFORMATION_CLASS>(3);

// KUSER_SHARED_DATA.BootId, in a page that every process can read; 0 if the system has no boot counter.
std::uint32_t BootCounter() {
  constexpr std::uintptr_t kAddress = 0x7FFE0000 + 0x2C4;
  return *reinterpret_cast<const volatile std::uint32_t*>(kAddress);
}

}  // namespace

Result<std::string> LiveSystem::MachineId() {
  std::string id = PROV_TRY(ReadText(registry_, kCryptography, kMachineGuid));
  if (!id.empty()) return id;
  return Fail(Code::kTarget, "this machine has no MachineGuid, so its state can't be told from that of a clone",
              fmt::format("HKEY_LOCAL_MACHINE\\{}\\{}", kCryptography, kMachineGuid));
}

// Identifies the boot by its boot time minus its bias: when the clock is set, the kernel moves both by the same step,
// so the difference stays. The counter distinguishes boots whose clocks began at the same time.
Result<std::string> LiveSystem::BootId() {
  TimeOfDay times{};
  const NTSTATUS status = NtQuerySystemInformation(kTimeOfDay, &times, sizeof times, nullptr);
  if (status < 0) {
    return Fail(Code::kIo, fmt::format("cannot tell this boot from others: NtQuerySystemInformation gives 0x{:08x}",
                                       static_cast<std::uint32_t>(status)));
  }
  return fmt::format("{:016x}-{}", static_cast<std::uint64_t>(times.boot_time - times.boot_time_bias), BootCounter());
}

void LiveSystem::AnnounceEnvironment() {
  constexpr UINT kMostMilliseconds = 5000;  // for each window
  DWORD_PTR result = 0;
  SendMessageTimeoutW(HWND_BROADCAST, WM_SETTINGCHANGE, 0, reinterpret_cast<LPARAM>(L"Environment"), SMTO_ABORTIFHUNG,
                      kMostMilliseconds, &result);
}

// A local account is written with a dot, which LookupAccountName does not accept.
std::optional<std::string> LiveSystem::AccountSid(std::string_view account) {
  std::wstring name = Wide(account);
  if (name.starts_with(L".\\")) {
    std::wstring computer(MAX_COMPUTERNAME_LENGTH + 1, L'\0');
    auto units = static_cast<DWORD>(computer.size());
    if (GetComputerNameW(computer.data(), &units) == 0) return std::nullopt;
    name.replace(0, 1, computer, 0, units);
  }
  std::string sid(SECURITY_MAX_SID_SIZE, '\0');
  auto sid_bytes = static_cast<DWORD>(sid.size());
  std::wstring domain(256, L'\0');
  auto domain_units = static_cast<DWORD>(domain.size());
  SID_NAME_USE use = SidTypeUnknown;
  if (LookupAccountNameW(nullptr, name.c_str(), sid.data(), &sid_bytes, domain.data(), &domain_units, &use) == 0) {
    return std::nullopt;
  }
  sid.resize(GetLengthSid(sid.data()));
  return sid;
}

}  // namespace prov::machine
