#include "provisioner/node/generation_guard.h"

#include <fmt/format.h>

#include <string>

namespace prov::node {
namespace {

Result<void> Compare(const Settings& settings, std::int64_t generation, const std::string& payload) {
  const std::string where = NameOf(settings.config.source);
  const std::int64_t offered = *settings.generation;
  if (offered < generation) {
    return Fail(Code::kDowngrade,
                fmt::format("the payload has generation {}, and {} was applied here already: bake it with a higher "
                            "--generation, or give --allow-downgrade",
                            offered, generation),
                where);
  }
  // Settings that were kept of a payload, and records of earlier versions, don't know which one it was.
  const bool other =
      offered == generation && !settings.payload.empty() && !payload.empty() && settings.payload != payload;
  if (!other || (settings.signer.empty() && offered <= kDefaultGeneration)) return {};
  return Fail(Code::kDowngrade,
              fmt::format("another payload of generation {} was applied here already, and which of the two is newer "
                          "can't be told: bake it with a higher --generation, or give --allow-downgrade",
                          offered),
              where);
}

}  // namespace

Result<void> GuardAgainstDowngrade(machine::StateRecord& state, const Settings& settings) {
  if (!settings.generation) return {};
  const auto applied = PROV_TRY(LoadApplied(state));
  if (applied && applied->generation) PROV_TRY(Compare(settings, *applied->generation, applied->payload));
  if (settings.signer.empty()) return {};
  const auto floor = PROV_TRY(LoadFloor(state));
  return floor && floor->signer == settings.signer ? Compare(settings, floor->generation, floor->payload)
                                                   : Result<void>();
}

void RaiseFloor(const Applied& applied, reconcile::Sections& sections) {
  if (applied.signer.empty() || !applied.generation) return;
  sections[std::string(kFloorSection)] = FloorJson({applied.signer, *applied.generation, applied.payload});
}

}  // namespace prov::node
