// Settings and a host for the tests of what happens on a node.
#pragma once

#include <gmock/gmock.h>

#include "provisioner/node/apply.h"
#include "provisioner/node/first_boot.h"
#include "provisioner/node/removal.h"
#include "provisioner/node/rollback.h"
#include "provisioner/node/trial.h"
#include "provisioner/reconcile/report.h"
#include "tests/reconcile/engine_helpers.h"
#include "tests/support/finding_codes.h"
#include "tests/support/memory_host.h"

namespace prov::node {

inline Settings SampleSettings(std::optional<std::int64_t> generation = 1) {
  Settings out;
  out.config = testing_support::SampleConfig();
  out.options.services = {"containerd"};
  out.generation = generation;
  return out;
}

// The same source with another proxy.
inline Settings OtherSettings(std::optional<std::int64_t> generation = 2) {
  Settings out = SampleSettings(generation);
  out.config.http_proxy = Secret("http://other.example.com:8080");
  out.config.https_proxy = out.config.http_proxy;
  return out;
}

// This source, read without any option.
inline SettingsSpec SpecOf(std::string source) { return {.source = {.source = std::move(source)}}; }

// The functions of a run with settings that nobody derived yet, and for which no run was begun.
inline Result<reconcile::RunReport> PlanSettings(OpenNode& node, const Settings& settings,
                                                 const ApplyOptions& options) {
  return PlanSettings(node, PROV_TRY(Derive(settings)), options);
}
inline Result<reconcile::RunReport> ApplySettings(OpenNode& node, const Settings& settings,
                                                  const ApplyOptions& options) {
  return ApplySettings(node, PROV_TRY(BeginRun(node)), PROV_TRY(Derive(settings)), options);
}
inline Result<reconcile::RunReport> TrySettings(OpenNode& node, const Settings& settings, const ApplyOptions& options,
                                                std::int64_t seconds) {
  return TrySettings(node, PROV_TRY(BeginRun(node)), PROV_TRY(Derive(settings)), options, seconds);
}
inline Result<reconcile::RunReport> ConfirmTrial(OpenNode& node) {
  return ConfirmTrial(node, PROV_TRY(BeginRun(node)));
}
inline Result<reconcile::RunReport> Rollback(OpenNode& node) { return Rollback(node, PROV_TRY(BeginRun(node))); }
inline Result<reconcile::RunReport> RemoveSettings(OpenNode& node) {
  return RemoveSettings(node, PROV_TRY(BeginRemoval(node)));
}
inline Result<reconcile::RunReport> FirstBoot(OpenNode& node, const Settings& settings, const Delivery& delivery,
                                              const ApplyOptions& options) {
  return FirstBoot(node, PROV_TRY(BeginRun(node)), PROV_TRY(Derive(settings)), delivery, options);
}

inline OpenNode NodeOn(testing_support::MemoryHost& host) { return {host, host.memory.Ports()}; }

class NodeTest : public ::testing::Test {
 protected:
  NodeTest() { reconcile::PutWindows(host_.memory); }

  OpenNode node() { return NodeOn(host_); }
  std::optional<std::string> Variable(std::string_view name) {
    return reconcile::TextAt(host_.memory, reconcile::kEnv, name);
  }
  bool HasFile(std::string_view name) { return host_.memory.files().contains(std::string(name)); }
  bool HasSection(std::string_view name) { return host_.memory.Section(name).has_value(); }
  static std::vector<std::string> Codes(const Findings& findings) { return testing_support::CodesOf(findings); }

  testing_support::MemoryHost host_;
};

// A node that reads `source_` at each round.
class RoundTest : public NodeTest {
 protected:
  SettingsReader Reader() {
    return [this](const SettingsSpec& spec) {
      asked_.push_back(spec);
      return source_;
    };
  }
  void FirstBootFrom(const Settings& settings, bool follow = true) {
    source_ = settings;
    OpenNode n = node();
    const auto report = FirstBoot(n, settings, {SpecOf("payload"), follow, {}}, {});
    ASSERT_TRUE(report) << report.error().message;
  }

  Result<Settings> source_ = SampleSettings();
  std::vector<SettingsSpec> asked_;
};

}  // namespace prov::node
