#include "provisioner/node/events.h"

#include <fmt/format.h>

#include <array>

#include "images/registry/registry_key.h"
#include "provisioner/base/sentence.h"
#include "provisioner/machine/services.h"
#include "provisioner/reconcile/items.h"

namespace prov::node {
namespace {

using images::RegType;
using images::RegValue;
using machine::Event;

std::uint16_t IdOf(Event event) { return static_cast<std::uint16_t>(event); }

std::string Describe(const reconcile::RunReport& report) {
  std::string out = fmt::format("{} writes{}", report.writes, report.trial ? " on trial" : "");
  for (const reconcile::Change& change : report.changes) {
    if (change.action == reconcile::Action::kNone) continue;
    out += fmt::format("; {} {} {}", reconcile::NameOf(change.action), reconcile::NameOf(change.kind), change.name);
  }
  return out;
}

Result<std::array<RegValue, 2>> SourceValues(OpenNode& node) {
  // EVENTLOG_ERROR_TYPE, EVENTLOG_WARNING_TYPE and EVENTLOG_INFORMATION_TYPE.
  constexpr std::string_view kAllTypes("\x07\0\0\0", 4);
  return std::array<RegValue, 2>{
      RegValue{"EventMessageFile", RegType::kSz, images::EncodeSz(PROV_TRY(node.host.installation().ProgramPath()))},
      RegValue{"TypesSupported", RegType::kDword, std::string(kAllTypes)}};
}

}  // namespace

void LogEvent(machine::Host& host, Event event, Severity severity, std::string_view text) {
  host.events().Write(severity, IdOf(event), text);
}

void LogRun(machine::Host& host, const reconcile::RunReport& report, Event event) {
  if (report.writes == 0 && event == Event::kApplied) event = Event::kNothingToDo;
  LogEvent(host, event, Severity::kInfo, Describe(report));
  LogWarnings(host, report.findings, event);
  if (report.reboot_required && report.writes > 0 && !report.trial) {
    LogEvent(host, Event::kRebootRequired, Severity::kWarning,
             "a reboot is required: services and system processes see machine variables after the next boot");
  }
}

void LogWarnings(machine::Host& host, const Findings& findings, Event event) {
  for (const Finding& f : findings) {
    if (f.code == "state-damaged" || f.severity == Severity::kInfo) continue;  // logged when found
    LogEvent(host, event, f.severity, fmt::format("[{}] {}", f.code, SentenceWithPlace(f.message, f.where)));
  }
}

void LogFailure(machine::Host& host, const Error& error) {
  const int id =
      error.code == Code::kRebootLoop ? IdOf(Event::kRebootLoop) : IdOf(Event::kFailure) + InfoOf(error.code).exit;
  host.events().Write(
      Severity::kError, static_cast<std::uint16_t>(id),
      fmt::format("[{}] {}", InfoOf(error.code).name, SentenceWithPlace(error.message, PlaceOf(error))));
}

reconcile::Change EventSourceChange(reconcile::Action action) {
  constexpr std::string_view kName = R"(EventLog\Application\Provisioner)";
  return {reconcile::ItemKind::kService,
          action,
          std::string(kName),
          {},
          {},
          action == reconcile::Action::kNone ? "" : "the event source",
          reconcile::ItemKey(reconcile::kBootServiceItem, kName)};
}

Result<reconcile::Change> PlanEventSource(OpenNode& node) {
  bool differs = false;
  for (const RegValue& value : PROV_TRY(SourceValues(node)))
    differs = differs || PROV_TRY(machine::Differs(node.machine.registry, kEventSourceKey, value));
  if (!differs) return EventSourceChange(reconcile::Action::kNone);
  return EventSourceChange(reconcile::ActionOf(PROV_TRY(node.machine.registry.KeyExists(kEventSourceKey)), true));
}

Result<bool> RegisterEventSource(OpenNode& node) {
  bool wrote = false;
  for (const RegValue& value : PROV_TRY(SourceValues(node))) {
    wrote = PROV_TRY(machine::SetIfDifferent(node.machine.registry, kEventSourceKey, value)) || wrote;
  }
  return wrote;
}

Result<void> UnregisterEventSource(OpenNode& node) {
  if (!PROV_TRY(node.machine.registry.KeyExists(kEventSourceKey))) return {};
  for (const RegValue& value : PROV_TRY(SourceValues(node))) {
    PROV_TRY(node.machine.registry.DeleteValue(kEventSourceKey, value.name));
  }
  // Windows never has the keys above empty: only in an image that lacked them did ours make them.
  for (std::string_view key = kEventSourceKey; key != machine::kServicesKey; key = key.substr(0, key.rfind('\\'))) {
    if (!PROV_TRY(node.machine.registry.Subkeys(key)).empty()) break;
    PROV_TRY(node.machine.registry.DeleteKeyIfEmpty(key));
  }
  return {};
}

}  // namespace prov::node
