// WinINET's machine-wide settings; a view that the machine does not have is left out.
#include "provisioner/reconcile/items.h"
#include "provisioner/reconcile/planner.h"

namespace prov::reconcile {
namespace {

using images::RegValue;

Result<void> PlanPlace(Planner& planner, const WinInetPlace& place) {
  ValueItem item;
  item.kind = ItemKind::kWinInet;
  item.item = std::string(kWinInetItem) + place.item;
  item.name = "WinINET, " + place.label;
  item.key = WinInetKeyPath(place);
  item.value = place.value;
  item.equivalent = [&place](const RegValue& a, const RegValue& b) { return SameWinInet(place, a, b); };
  item.show = [&place](const RegValue& value) { return ShowWinInet(place, value); };
  if (const auto& wanted = planner.desired().win_inet) {
    item.desired = EncodeWinInetValue(place, *wanted, PROV_TRY(planner.machine().registry.Read(item.key, item.value)));
  }
  PROV_TRY(PlanValue(planner, item));
  return {};
}

}  // namespace

Result<void> PlanWinInet(Planner& planner) {
  const bool wow = PROV_TRY(planner.machine().registry.KeyExists(R"(SOFTWARE\WOW6432Node)"));
  for (const WinInetPlace& place : WinInetPlaces()) {
    if (!place.wow || wow) PROV_TRY(PlanPlace(planner, place));
  }
  return {};
}

}  // namespace prov::reconcile
