#include "provisioner/node/service_restarts.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "provisioner/base/json_reader.h"
#include "provisioner/base/json_writer.h"
#include "provisioner/node/records.h"
#include "provisioner/reconcile/items.h"

namespace prov::node {
namespace {

using reconcile::Action;
using reconcile::Change;
using reconcile::ItemKind;
using reconcile::RunReport;
using reconcile::Sections;

struct Restarts {
  std::string boot;  // a later boot has started every service with the new environment
  std::vector<std::string> services;
};

std::string RestartsJson(const Restarts& pending) {
  JsonWriter json;
  return json.BeginObject().Member("boot", pending.boot).Strings("services", pending.services).EndObject().Text();
}

Result<Restarts> LoadRestarts(OpenNode& node) {
  Restarts out;
  const auto section = PROV_TRY(node.machine.state.Read(kRestartSection));
  if (!section) return out;
  out.boot = PROV_TRY(section->Get("boot", &JsonNode::Text));
  if (out.boot != PROV_TRY(node.machine.system.BootId())) return Restarts{};
  out.services = PROV_TRY(section->Get("services", &JsonNode::Texts));
  return out;
}

bool ChangesService(const Change& change) {
  return change.kind == ItemKind::kServiceEnvironment &&
         (change.action == Action::kCreate || change.action == Action::kUpdate || change.action == Action::kDelete);
}

bool Holds(const Restarts& pending, const std::string& service) {
  return std::ranges::find(pending.services, service) != pending.services.end();
}

// The services whose environment is changed.
std::set<std::string> ChangedServices(const std::vector<Change>& changes) {
  std::set<std::string> out;
  for (const Change& change : changes) {
    if (ChangesService(change)) out.emplace(reconcile::ServiceOf(change.name));
  }
  return out;
}

Result<bool> IsRunning(OpenNode& node, std::string_view service) {
  const auto state = PROV_TRY(node.host.services().Query(service));
  return state && state->running;
}

void Restart(OpenNode& node, const std::string& service, Findings& findings) {
  if (const auto restarted = node.host.services().Restart(service); restarted) {
    AddInfo(findings, "service-restarted", "was restarted with its new environment", service);
  } else {
    AddWarning(findings, "service-restart",
               fmt::format("its environment is written, but it could not be restarted: {}", restarted.error().message),
               service);
  }
}

}  // namespace

Result<void> PlanRestarts(OpenNode& node, const reconcile::Plan& plan, Sections& sections) {
  Restarts pending = PROV_TRY(LoadRestarts(node));
  for (const std::string& service : ChangedServices(plan.changes)) {
    if (!Holds(pending, service) && PROV_TRY(IsRunning(node, service))) pending.services.push_back(service);
  }
  if (pending.services.empty()) return {};
  pending.boot = PROV_TRY(node.machine.system.BootId());
  sections[std::string(kRestartSection)] = RestartsJson(pending);
  return {};
}

Result<void> RestartOrReportServices(OpenNode& node, bool restart, RunReport& report) {
  Restarts pending = PROV_TRY(LoadRestarts(node));
  for (const std::string& service : ChangedServices(report.changes)) {
    if (Holds(pending, service) || !PROV_TRY(IsRunning(node, service))) continue;
    if (restart) {
      pending.services.push_back(service);
    } else {
      AddInfo(report.findings, "service-runs-on",
              "runs with the environment it started with until it starts again; --restart-services restarts it",
              service);
    }
  }
  while (!pending.services.empty()) {
    const std::string service = std::move(pending.services.front());
    pending.services.erase(pending.services.begin());
    if (PROV_TRY(IsRunning(node, service))) Restart(node, service, report.findings);
    // Record each restart at once, so that an interrupted run does not restart a service twice.
    if (!pending.services.empty() && !pending.boot.empty()) {
      PROV_TRY(Remember(node.machine.state, kRestartSection, RestartsJson(pending)));
    }
  }
  return Forget(node.machine.state, kRestartSection);
}

}  // namespace prov::node
