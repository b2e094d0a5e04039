// The services of an image (image_ports.h).
#include <vector>

#include "images/registry/registry_key.h"
#include "provisioner/machine/image_ports.h"

namespace prov::machine {
namespace {

using images::EncodeDword;
using images::EncodeSz;
using images::RegType;
using images::RegValue;

constexpr std::uint32_t kOwnProcess = 0x10;  // SERVICE_WIN32_OWN_PROCESS
constexpr std::uint32_t kAutoStart = 2;      // SERVICE_AUTO_START
constexpr std::uint32_t kErrorNormal = 1;    // SERVICE_ERROR_NORMAL
constexpr std::uint32_t kRestart = 1;        // SC_ACTION_RESTART
constexpr std::uint32_t kFailureResetSeconds = 86'400;

// SERVICE_FAILURE_ACTIONS in the memory layout of 32-bit Windows: the period, two absent strings, the number of
// actions, the offset of the first; then the actions with their pauses in milliseconds.
std::string FailureActions() {
  std::string out =
      EncodeDword(kFailureResetSeconds) + EncodeDword(0) + EncodeDword(0) + EncodeDword(3) + EncodeDword(20);
  for (const std::uint32_t milliseconds : {5'000U, 30'000U, 60'000U}) {
    out += EncodeDword(kRestart) + EncodeDword(milliseconds);
  }
  return out;
}

// Defines a service with its own process, as LocalSystem, started at each boot, restarted after 5, 30 and 60 seconds
// when it fails.
std::vector<RegValue> ServiceValues(const ServiceDefinition& definition) {
  return {{"Type", RegType::kDword, EncodeDword(kOwnProcess)},
          {"Start", RegType::kDword, EncodeDword(kAutoStart)},
          {"ErrorControl", RegType::kDword, EncodeDword(kErrorNormal)},
          {"ImagePath", RegType::kExpandSz, EncodeSz(definition.command_line)},
          {"DisplayName", RegType::kSz, EncodeSz(definition.display_name)},
          {"ObjectName", RegType::kSz, EncodeSz("LocalSystem")},
          {"Description", RegType::kSz, EncodeSz(definition.description)},
          {"FailureActions", RegType::kBinary, FailureActions()}};
}

}  // namespace

Result<std::optional<ServiceState>> ImageServices::Query(std::string_view name) {
  if (!PROV_TRY(registry_.KeyExists(ServiceKeyPath(name)))) return std::nullopt;
  return ServiceState{};
}

Result<bool> ImageServices::Install(const ServiceDefinition& definition) {
  const std::string key = ServiceKeyPath(definition.name);
  bool wrote = false;
  for (const RegValue& value : ServiceValues(definition)) {
    wrote = PROV_TRY(SetIfDifferent(registry_, key, value)) || wrote;
  }
  return wrote;
}

Result<bool> ImageServices::Remove(std::string_view name) {
  const std::string key = ServiceKeyPath(name);
  if (!PROV_TRY(registry_.KeyExists(key))) return false;
  if (!PROV_TRY(registry_.Subkeys(key)).empty()) {
    return Fail(Code::kTarget,
                "has subkeys that provisioner did not write, because the image has run: remove the service on a node",
                key);
  }
  for (const RegValue& value : ServiceValues({.name = {}, .display_name = {}, .description = {}, .command_line = {}})) {
    PROV_TRY(registry_.DeleteValue(key, value.name));
  }
  PROV_TRY(registry_.DeleteKeyIfEmpty(key));
  return true;
}

Result<std::vector<std::string>> ImageServices::EnvironmentOf(std::uint32_t /*process_id*/) {
  return NothingRuns("an environment block");
}

}  // namespace prov::machine
