#include "provisioner/node/event_source.h"

#include <algorithm>
#include <array>

#include "images/registry/registry_key.h"

namespace prov::node {
namespace {

using images::RegType;
using images::RegValue;

constexpr std::string_view kKey = R"(SYSTEM\CurrentControlSet\Services\EventLog\Application\Provisioner)";

Result<std::array<RegValue, 2>> Wanted(Node& node) {
  // EVENTLOG_ERROR_TYPE, EVENTLOG_WARNING_TYPE and EVENTLOG_INFORMATION_TYPE.
  constexpr std::string_view kAllTypes("\x07\0\0\0", 4);
  return std::array<RegValue, 2>{
      RegValue{"EventMessageFile", RegType::kSz, images::EncodeSz(PROV_TRY(node.host.installation().ProgramPath()))},
      RegValue{"TypesSupported", RegType::kDword, std::string(kAllTypes)}};
}

}  // namespace

Result<bool> RegisterEventSource(Node& node) {
  bool wrote = false;
  for (const RegValue& value : PROV_TRY(Wanted(node))) {
    const auto now = PROV_TRY(node.machine.registry.Read(kKey, value.name));
    if (now && now->type == value.type && now->data == value.data) continue;
    PROV_TRY(node.machine.registry.Set(kKey, value));
    wrote = true;
  }
  return wrote;
}

Result<void> UnregisterEventSource(Node& node) {
  for (const RegValue& value : PROV_TRY(Wanted(node))) {
    PROV_TRY(node.machine.registry.DeleteValue(kKey, value.name));
  }
  return node.machine.registry.DeleteKeyIfEmpty(kKey);
}

}  // namespace prov::node
