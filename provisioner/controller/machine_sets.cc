#include "provisioner/controller/machine_sets.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "provisioner/base/json_reader.h"
#include "provisioner/base/text.h"

namespace prov::controller {
namespace {

constexpr std::string_view kPageQuery = "limit=100";

source::KubeObject MachineSetsIn(std::string name_space) {
  return {.group = "machine.openshift.io",
          .resource = "machinesets",
          .name_space = std::move(name_space),
          .name = {},
          .version = "v1beta1"};
}

// The member behind these names; nullopt if one of them is absent.
Result<std::optional<JsonNode>> At(JsonNode node, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    auto next = PROV_TRY(node.Find(name));
    if (!next) return std::nullopt;
    node = *std::move(next);
  }
  return node;
}

Result<bool> IsForWindows(const JsonNode& machine_set) {
  constexpr std::string_view kLabel = "machine.openshift.io/os-id";
  const auto labels = PROV_TRY(At(machine_set, {"spec", "template", "metadata", "labels"}));
  if (!labels) return false;
  return EqualsIgnoreAsciiCase(PROV_TRY(labels->Find(kLabel, &JsonNode::Text)).value_or(""), "Windows");
}

std::string_view MeaningOf(KeptHolds holds) {
  switch (holds) {
    case KeptHolds::kNothing:
      return "which is empty, so its new Machines do not become nodes";
    case KeptHolds::kForeign:
      return "whose user data is not this program's, so its new Machines do not get these egress settings";
    case KeptHolds::kMissing:
      return "which does not exist, so its new Machines can't be made";
    case KeptHolds::kEarlier:
    case KeptHolds::kUnknown:
      break;
  }
  return "whose user data is not current, so its new Machines get earlier settings";
}

// What is wrong for Machines of a MachineSet that names this Secret; "": nothing.
std::string FaultOf(const std::string& named, const OurSecret& ours) {
  if (std::ranges::find(ours.others, named) != ours.others.end()) return {};
  if (named != ours.object.name) {
    return fmt::format(
        "{}, so its new Machines do not get these egress settings: set userDataSecret.name to {}{}",
        named.empty() ? "names no Secret with user data" : fmt::format("names the Secret {}", Shorten(named)),
        ours.object.name, ours.failure.empty() ? "" : " when that is current");
  }
  if (ours.failure.empty()) return {};
  return fmt::format("names {}, {}: {}", named, MeaningOf(ours.holds), ours.failure);
}

Result<void> Review(const JsonNode& machine_set, const OurSecret& ours, std::vector<MachineSetFault>& out) {
  if (!PROV_TRY(IsForWindows(machine_set))) return {};
  const JsonNode metadata = PROV_TRY(machine_set.Get("metadata"));
  std::string name = PROV_TRY(metadata.Get("name", &JsonNode::Text));
  std::string uid = PROV_TRY(metadata.Find("uid", &JsonNode::Text)).value_or("");
  const auto secret =
      PROV_TRY(At(machine_set, {"spec", "template", "spec", "providerSpec", "value", "userDataSecret", "name"}));
  const std::string named = secret ? PROV_TRY(secret->Text()) : "";
  std::string fault = FaultOf(named, ours);
  if (fault.empty()) return {};
  const auto holds = named == ours.object.name ? std::optional(ours.holds) : std::nullopt;
  out.push_back({std::move(name), std::move(fault), std::move(uid), holds});
  return {};
}

}  // namespace

Result<std::vector<MachineSetFault>> ReviewMachineSets(source::KubeClient& client, const OurSecret& ours) {
  const source::KubeObject all = MachineSetsIn(ours.object.name_space);
  std::vector<MachineSetFault> out;
  PROV_TRY(client.ListPages(all, std::string(kPageQuery), source::KubeDetail::kWhole,
                            [&](const std::string& page) -> Result<void> {
                              const JsonNode root = PROV_TRY(ParseJsonDocument(page, all.Path()));
                              for (const JsonNode& item : PROV_TRY(root.Get("items", &JsonNode::Items)))
                                PROV_TRY(Review(item, ours, out));
                              return {};
                            }));
  return out;
}

}  // namespace prov::controller
