#include "provisioner/node/service_restart.h"

#include <fmt/format.h>

#include <algorithm>

#include "provisioner/base/json_reader.h"
#include "provisioner/base/json_writer.h"

namespace prov::node {
namespace {

using reconcile::Action;
using reconcile::Change;
using reconcile::ItemKind;
using reconcile::SessionReport;

struct Pending {
  std::string boot;  // a later one starts every service anew
  std::vector<std::string> services;
};

std::string PendingJson(const Pending& pending) {
  JsonWriter json;
  json.BeginObject().Member("boot", pending.boot).Key("services").BeginArray();
  for (const std::string& service : pending.services) json.String(service);
  return json.EndArray().EndObject().Take();
}

Result<Pending> LoadPending(Node& node) {
  Pending out;
  const auto section = PROV_TRY(reconcile::ReadSection(node.machine.state, kRestartSection));
  if (!section) return out;
  out.boot = PROV_TRY(PROV_TRY(section->Get("boot")).Text());
  if (out.boot != PROV_TRY(node.machine.system.BootId())) return Pending{};
  for (const JsonNode& service : PROV_TRY(PROV_TRY(section->Get("services")).Items())) {
    out.services.push_back(PROV_TRY(service.Text()));
  }
  return out;
}

bool IsChange(const Change& change) {
  return change.kind == ItemKind::kServiceEnvironment &&
         (change.action == Action::kCreate || change.action == Action::kUpdate || change.action == Action::kDelete);
}

bool Holds(const Pending& pending, const Change& change) {
  return std::ranges::find(pending.services, change.name) != pending.services.end();
}

Result<bool> IsRunning(Node& node, std::string_view service) {
  const auto state = PROV_TRY(node.host.services().Query(service));
  return state && state->running;
}

void Restart(Node& node, const std::string& service, Findings& findings) {
  if (const auto restarted = node.host.services().Restart(service); restarted) {
    AddInfo(findings, "service-restarted", "was restarted with its new environment", service);
  } else {
    AddWarning(findings, "service-restart",
               fmt::format("its environment is written, but it could not be restarted: {}", restarted.error().message),
               service);
  }
}

}  // namespace

Result<void> PlanRestarts(Node& node, const reconcile::Plan& plan, reconcile::Sections& sections) {
  Pending pending = PROV_TRY(LoadPending(node));
  for (const Change& change : plan.changes) {
    if (!IsChange(change) || Holds(pending, change)) continue;
    if (PROV_TRY(IsRunning(node, change.name))) pending.services.push_back(change.name);
  }
  if (pending.services.empty()) return {};
  pending.boot = PROV_TRY(node.machine.system.BootId());
  sections[std::string(kRestartSection)] = PendingJson(pending);
  return {};
}

Result<void> TellServices(Node& node, bool restart, SessionReport& report) {
  Pending pending = PROV_TRY(LoadPending(node));
  for (const Change& change : report.changes) {
    if (!IsChange(change) || Holds(pending, change)) continue;
    if (!PROV_TRY(IsRunning(node, change.name))) continue;
    if (restart) {
      pending.services.push_back(change.name);
    } else {
      AddInfo(report.findings, "service-runs-on",
              "runs with the environment it started with until it starts again; --restart-services restarts it",
              change.name);
    }
  }
  while (!pending.services.empty()) {
    const std::string service = std::move(pending.services.front());
    pending.services.erase(pending.services.begin());
    if (PROV_TRY(IsRunning(node, service))) Restart(node, service, report.findings);
    // One that was restarted is not restarted again, whatever ends this run.
    if (!pending.services.empty() && !pending.boot.empty()) {
      PROV_TRY(Remember(node.machine.state, kRestartSection, PendingJson(pending)));
    }
  }
  return Forget(node.machine.state, kRestartSection);
}

}  // namespace prov::node
