#include "provisioner/machine/service_key.h"

namespace prov::machine {
namespace {

using images::EncodeDword;
using images::EncodeSz;
using images::RegType;

constexpr std::uint32_t kOwnProcess = 0x10;  // SERVICE_WIN32_OWN_PROCESS
constexpr std::uint32_t kAutoStart = 2;      // SERVICE_AUTO_START
constexpr std::uint32_t kErrorNormal = 1;    // SERVICE_ERROR_NORMAL
constexpr std::uint32_t kRestart = 1;        // SC_ACTION_RESTART
constexpr std::uint32_t kDaySeconds = 86'400;

// SERVICE_FAILURE_ACTIONS as 32-bit Windows had it in memory: the period, two absent strings, the number of actions,
// the offset of the first; then the actions with their pauses in milliseconds.
std::string FailureActions() {
  std::string out = EncodeDword(kDaySeconds) + EncodeDword(0) + EncodeDword(0) + EncodeDword(3) + EncodeDword(20);
  for (const std::uint32_t milliseconds : {5'000U, 30'000U, 60'000U}) {
    out += EncodeDword(kRestart) + EncodeDword(milliseconds);
  }
  return out;
}

}  // namespace

std::string ServiceDefinitionKey(std::string_view name) {
  return R"(SYSTEM\CurrentControlSet\Services\)" + std::string(name);
}

std::vector<images::RegValue> ServiceValues(const ServiceDefinition& definition) {
  return {{"Type", RegType::kDword, EncodeDword(kOwnProcess)},
          {"Start", RegType::kDword, EncodeDword(kAutoStart)},
          {"ErrorControl", RegType::kDword, EncodeDword(kErrorNormal)},
          {"ImagePath", RegType::kExpandSz, EncodeSz(definition.command_line)},
          {"DisplayName", RegType::kSz, EncodeSz(definition.display_name)},
          {"ObjectName", RegType::kSz, EncodeSz("LocalSystem")},
          {"Description", RegType::kSz, EncodeSz(definition.description)},
          {"FailureActions", RegType::kBinary, FailureActions()}};
}

}  // namespace prov::machine
