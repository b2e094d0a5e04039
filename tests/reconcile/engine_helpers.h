// Desired states and starting points for the tests of the engine.
#pragma once

#include <gtest/gtest.h>

#include "provisioner/base/text.h"
#include "provisioner/reconcile/desired_state.h"
#include "provisioner/reconcile/machine_record.h"
#include "provisioner/reconcile/observe.h"
#include "provisioner/reconcile/plan.h"
#include "provisioner/reconcile/report.h"
#include "provisioner/reconcile/transaction.h"
#include "tests/support/memory_machine.h"
#include "tests/support/result.h"
#include "tests/support/sample.h"

namespace prov::reconcile {

inline constexpr std::string_view kEnv = R"(SYSTEM\CurrentControlSet\Control\Session Manager\Environment)";
inline constexpr std::string_view kContainerd = R"(SYSTEM\CurrentControlSet\Services\containerd)";
inline constexpr std::string_view kDaemonKey = R"(SYSTEM\CurrentControlSet\Services\windows-instance-config-daemon)";
inline constexpr std::string_view kConnections =
    R"(SOFTWARE\Microsoft\Windows\CurrentVersion\Internet Settings\Connections)";

inline images::RegValue Sz(std::string_view name, std::string_view text) {
  return {std::string(name), images::RegType::kSz, images::EncodeSz(text)};
}
inline images::RegValue ServiceList(const std::vector<std::string>& entries) {
  return EncodeServiceEnvironment(entries);
}

inline DesiredState Desired(const egress::EgressConfig& config = testing_support::SampleConfig(),
                            std::vector<std::string> services = {"containerd", "kubelet"}) {
  DesiredOptions options;
  options.services = std::move(services);
  return Must(MakeDesiredState(config, options));
}

// A Windows with some settings of others.
inline void PutWindows(testing_support::MemoryMachine& machine) {
  machine.Put(kEnv, {"Path", images::RegType::kExpandSz, images::EncodeSz("%SystemRoot%")});
  machine.Put(kEnv, Sz("NUMBER_OF_PROCESSORS", "2"));
  machine.Put(R"(SYSTEM\CurrentControlSet\Services\containerd)", Sz("ImagePath", "containerd.exe"));
  machine.PutKey(R"(SYSTEM\CurrentControlSet\Services\kubelet)");
  machine.Put(R"(SYSTEM\CurrentControlSet\Services\EventLog\Application)", Sz("File", "Application.evtx"));
  machine.PutKey(R"(SOFTWARE\WOW6432Node\Microsoft)");
  machine.PutKey(R"(SOFTWARE\Microsoft\Windows\CurrentVersion\Internet Settings)");
}

inline std::optional<std::string> TextAt(const testing_support::MemoryMachine& machine, std::string_view key,
                                         std::string_view name) {
  const auto value = machine.At(key, name);
  if (!value) return std::nullopt;
  std::string text = FromUtf16Le(value->data).value_or("?");
  while (text.ends_with('\0')) text.pop_back();
  return text;
}

// What commands do, without what a node remembers besides the engine's own. First each ends what is open; true: that
// took something back.
inline Result<bool> EndWhatIsOpen(machine::Machine& machine, Findings& findings) {
  const Unfinished unfinished = PROV_TRY(Finish(machine, findings));
  if (unfinished.trial) {
    const RunReport back = PROV_TRY(CarryOut(machine, PROV_TRY(PlanBack(machine, *unfinished.trial)), Sections()));
    findings.insert(findings.end(), back.findings.begin(), back.findings.end());
  }
  return unfinished.trial || unfinished.rollback;
}

inline Result<RunReport> ApplyOn(machine::Machine& machine, const DesiredState& desired,
                                 const PlanOptions& options = {}, bool trial = false) {
  Findings findings;
  PROV_TRY(EndWhatIsOpen(machine, findings));
  PROV_TRY(AdoptScriptState(machine, findings));
  Plan plan = PROV_TRY(MakePlan(machine, desired, PROV_TRY(LoadLedger(machine.state)), options));
  RunReport report =
      PROV_TRY(CarryOut(machine, std::move(plan), {}, trial ? std::optional<std::string>("{}\n") : std::nullopt));
  report.findings.insert(report.findings.begin(), findings.begin(), findings.end());
  return report;
}

// False: there was nothing to take back.
inline Result<bool> Rollback(machine::Machine& machine, Findings& findings) {
  if (PROV_TRY(EndWhatIsOpen(machine, findings))) return true;
  std::optional<Plan> plan = PROV_TRY(PlanBackFromLast(machine));
  if (!plan) return false;
  const Sections once = {{std::string(kLastSection), std::nullopt}};
  const RunReport back = PROV_TRY(CarryOut(machine, *std::move(plan), once));
  findings.insert(findings.end(), back.findings.begin(), back.findings.end());
  return true;
}

// There must be something to take back.
inline Findings MustRollBack(testing_support::MemoryMachine& memory) {
  machine::Machine machine = memory.Ports();
  Findings findings;
  EXPECT_EQ(Rollback(machine, findings), true);
  return findings;
}

// False: no trial was open.
inline Result<bool> Confirm(machine::Machine& machine, Findings& findings) {
  std::optional<Transaction> trial = PROV_TRY(Finish(machine, findings)).trial;
  if (!trial) return false;
  const RunReport report = PROV_TRY(Confirm(machine, *std::move(trial), Sections()));
  findings.insert(findings.end(), report.findings.begin(), report.findings.end());
  return true;
}

// ApplyOn, for what the plan says: returns it.
inline Result<Plan> ApplyTo(testing_support::MemoryMachine& memory, const DesiredState& desired,
                            const PlanOptions& options = {}, bool trial = false) {
  machine::Machine machine = memory.Ports();
  Findings findings;
  PROV_TRY(EndWhatIsOpen(machine, findings));
  Plan plan = PROV_TRY(MakePlan(machine, desired, PROV_TRY(LoadLedger(machine.state)), options));
  const RunReport report =
      PROV_TRY(CarryOut(machine, plan, {}, trial ? std::optional<std::string>("{}\n") : std::nullopt));
  plan.findings = report.findings;
  return plan;
}

inline Plan MustApply(testing_support::MemoryMachine& memory, const DesiredState& desired,
                      const PlanOptions& options = {}) {
  return Must(ApplyTo(memory, desired, options));
}

// "env HTTP_PROXY changed" for each item of ours that others removed or changed.
inline std::vector<std::string> DriftOf(testing_support::MemoryMachine& memory) {
  machine::Machine machine = memory.Ports();
  std::vector<std::string> out;
  const auto drift = FindDrift(machine, LoadLedger(machine.state).value());
  EXPECT_TRUE(drift) << drift.error().message;
  for (const Drift& one : drift.value_or(std::vector<Drift>())) {
    out.push_back(std::string(NameOf(one.kind)) + " " + one.name + (one.missing ? " missing" : " changed"));
  }
  return out;
}

// "create env HTTP_PROXY" for each change that is one.
inline std::vector<std::string> ChangesOf(const Plan& plan) {
  std::vector<std::string> out;
  for (const Change& change : plan.changes) {
    if (change.action == Action::kNone) continue;
    out.push_back(std::string(NameOf(change.action)) + " " + std::string(NameOf(change.kind)) + " " + change.name);
  }
  return out;
}

}  // namespace prov::reconcile
