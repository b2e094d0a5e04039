// The kind of WinINET's machine-wide settings; a view that the machine does not have is left out.
#include <algorithm>

#include "provisioner/reconcile/items.h"
#include "provisioner/reconcile/value_kind.h"

namespace prov::reconcile {
namespace {

using images::RegValue;

std::vector<ValuePlace> WinInetValuePlaces() {
  std::vector<ValuePlace> out;
  for (const WinInetPlace& place : WinInetPlaces()) {
    out.push_back({place.item, "WinINET, " + place.label, place.label, WinInetKeyPath(place), std::string(place.value),
                   place.wow});
  }
  return out;
}

const WinInetPlace& WinInetPlaceOf(const ValuePlace& place) {
  return *std::ranges::find(WinInetPlaces(), place.id, &WinInetPlace::item);
}

class WinInet final : public ValueKind {
 public:
  WinInet() : ValueKind(ItemKind::kWinInet, kWinInetItem) {}

  bool IsInScope(const Scope& scope) const override { return scope.win_inet; }

  void Bake(const DesiredState& desired, bool /*closed*/, BakedRegistry& out) const override {
    if (!desired.win_inet) return;
    for (const WinInetPlace& place : WinInetPlaces()) {
      images::KeyAt(out.software, place.key)
          .values.push_back(EncodeWinInetValue(place, *desired.win_inet, std::nullopt));
    }
  }

 protected:
  const std::vector<ValuePlace>& Places() const override {
    static const std::vector<ValuePlace> places = WinInetValuePlaces();
    return places;
  }
  std::optional<RegValue> Wanted(const DesiredState& desired, const ValuePlace& place,
                                 const std::optional<RegValue>& now) const override {
    if (!desired.win_inet) return std::nullopt;
    return EncodeWinInetValue(WinInetPlaceOf(place), *desired.win_inet, now);
  }
  bool Same(const ValuePlace& place, const RegValue& a, const RegValue& b) const override {
    return SameWinInet(WinInetPlaceOf(place), a, b);
  }
  std::string Show(const ValuePlace& place, const RegValue& value) const override {
    return ShowWinInet(WinInetPlaceOf(place), value);
  }
};

}  // namespace

const Kind& WinInetKind() {
  static const WinInet kind;
  return kind;
}

}  // namespace prov::reconcile
