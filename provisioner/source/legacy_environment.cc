#include "provisioner/source/legacy_environment.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace prov::source {
namespace {

// kubelet first: it is the service whose environment matters most, and the one that all releases configure.
constexpr std::array<std::string_view, 4> kUnits = {"kubelet.service", "crio.service",
                                                    "machine-config-daemon-host.service", "pivot.service"};
constexpr std::array<std::string_view, 2> kDropIns = {"10-mco-default-env.conf", "10-default-env.conf"};
constexpr std::array<std::string_view, 3> kVariables = {"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"};

struct Place {
  std::string path;
  std::string text;
  unsigned mode = 0644;
};

Result<std::vector<Place>> FilePlaces(const ignition::Config& config) {
  std::vector<Place> places;
  for (const std::string_view unit : kUnits) {
    for (const std::string_view drop_in : kDropIns) {
      const std::string path = fmt::format("/etc/systemd/system/{}.d/{}", unit, drop_in);
      if (auto file = PROV_TRY(config.Read(path))) places.push_back({path, std::move(file->bytes), file->mode});
    }
  }
  return places;
}

std::vector<Place> UnitPlaces(const std::vector<ignition::Unit>& units) {
  std::vector<Place> drop_ins;
  std::vector<Place> contents;
  for (const std::string_view name : kUnits) {
    for (const ignition::Unit& unit : units) {
      if (unit.name != name) continue;
      for (const ignition::DropIn& drop_in : unit.drop_ins) {
        if (std::ranges::find(kDropIns, drop_in.name) != kDropIns.end()) {
          drop_ins.push_back({unit.name + "/" + drop_in.name, drop_in.contents});
        }
      }
      if (!unit.contents.empty()) contents.push_back({unit.name, unit.contents});
    }
  }
  drop_ins.insert(drop_ins.end(), contents.begin(), contents.end());
  return drop_ins;
}

std::vector<egress::Assignment> ProxyVariables(const Place& place, Findings& findings) {
  std::vector<egress::Assignment> all = egress::ParseUnitEnvironment(place.text, place.path, findings);
  std::erase_if(all,
                [](const egress::Assignment& a) { return std::ranges::find(kVariables, a.name) == kVariables.end(); });
  return all;
}

bool Same(const std::vector<egress::Assignment>& a, const std::vector<egress::Assignment>& b) {
  return std::ranges::equal(a, b, [](const auto& x, const auto& y) { return x.name == y.name && x.value == y.value; });
}

}  // namespace

Result<std::optional<LegacyEnvironment>> ReadLegacyEnvironment(const ignition::Config& config, Findings& findings) {
  std::vector<Place> places = PROV_TRY(FilePlaces(config));
  std::vector<Place> unit_places = UnitPlaces(PROV_TRY(config.Units()));
  std::ranges::move(unit_places, std::back_inserter(places));
  std::optional<LegacyEnvironment> taken;
  for (Place& place : places) {
    // Later releases only point to proxy.env from here.
    if (place.text.find("EnvironmentFile=") != std::string::npos) continue;
    PROV_TRY(egress::CheckEnvironmentSize(place.text, place.path));
    Findings own;
    std::vector<egress::Assignment> variables = ProxyVariables(place, own);
    const bool drop_in = place.path.find("default-env.conf") != std::string::npos;
    if (variables.empty() && !drop_in) continue;  // a unit without proxy lines says nothing
    if (!taken) {
      findings.insert(findings.end(), own.begin(), own.end());
      taken = LegacyEnvironment{std::move(place.path), std::move(place.text), place.mode, std::move(variables)};
    } else if (!Same(taken->assignments, variables)) {
      AddWarning(findings, "legacy-differs",
                 fmt::format("its proxy settings differ from those of {}, which were taken", taken->path), place.path);
    }
  }
  return taken;
}

}  // namespace prov::source
