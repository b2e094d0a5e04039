#include "provisioner/reconcile/changes.h"

#include <algorithm>

#include "provisioner/base/hash.h"
#include "provisioner/base/text.h"
#include "provisioner/reconcile/items.h"
#include "provisioner/reconcile/planner.h"

namespace prov::reconcile {
namespace {

Action ActionOf(bool before, bool after) {
  if (before && after) return Action::kUpdate;
  return after ? Action::kCreate : Action::kDelete;
}

std::string ShowText(const std::string& name, const std::optional<images::RegValue>& value) {
  if (!value) return {};
  const auto text = StringOf(*value);
  return text ? ShowVariable(name, *text) : "(not text)";
}

const WinInetPlace* WinInetPlaceOf(const RegistryWrite& write) {
  const auto& places = WinInetPlaces();
  const auto found = std::ranges::find_if(places, [&](const WinInetPlace& place) {
    return EqualsIgnoreAsciiCase(write.key, WinInetKeyPath(place)) && EqualsIgnoreAsciiCase(write.name, place.value);
  });
  return found == places.end() ? nullptr : &*found;
}

Change ChangeOf(const RegistryWrite& write) {
  Change out;
  out.action = ActionOf(write.before.has_value(), write.after.has_value());
  const std::string services = ServiceKeyPath("");
  if (EqualsIgnoreAsciiCase(write.key, EnvironmentKeyPath())) {
    out.kind = ItemKind::kEnvironment;
    out.name = write.name;
    out.before = ShowText(write.name, write.before);
    out.after = ShowText(write.name, write.after);
  } else if (EqualsIgnoreAsciiCase(write.key.substr(0, services.size()), services)) {
    out.kind = ItemKind::kServiceEnvironment;
    out.name = write.key.substr(services.size());
  } else if (const WinInetPlace* place = WinInetPlaceOf(write)) {
    out.kind = ItemKind::kWinInet;
    out.name = place->label;
    out.before = write.before ? ShowWinInet(*place, *write.before) : "";
    out.after = write.after ? ShowWinInet(*place, *write.after) : "";
  } else {
    out.kind = ItemKind::kWinHttp;
    const bool wide = EqualsIgnoreAsciiCase(write.key, WinHttpKeyPath(0));
    out.name = std::string(kWinHttpViews[wide ? 0 : 1]) + "-bit";
  }
  return out;
}

Change ChangeOf(const CertificateWrite& write) {
  Change out;
  out.kind = ItemKind::kCertificate;
  out.action = ActionOf(!write.add, write.add);
  out.name = std::string(NameOf(write.store)) + " " + AsciiUpper(ToHex(Sha1(write.der)));
  return out;
}

Change ChangeOf(const SecurityWrite& write) {
  Change out;
  out.kind = ItemKind::kService;
  out.action = Action::kUpdate;
  out.name = write.key.substr(std::min(write.key.size(), ServiceKeyPath("").size()));
  out.before = ShowDescriptor(write.before);
  out.after = ShowDescriptor(write.after);
  return out;
}

}  // namespace

std::vector<Change> ChangesOf(const Transaction& transaction) {
  std::vector<Change> out;
  out.reserve(transaction.operations.size());
  for (const Operation& operation : transaction.operations) {
    out.push_back(std::visit([](const auto& write) { return ChangeOf(write); }, operation));
  }
  return out;
}

}  // namespace prov::reconcile
