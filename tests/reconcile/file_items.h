// Settings with hosts.toml files, and a machine whose containerd reads them.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/reconcile/engine_helpers.h"
#include "tests/registries/sources.h"
#include "tests/support/result.h"

namespace prov::reconcile {

inline constexpr std::string_view kFolder = R"(C:\certs.d)";
inline constexpr std::string_view kQuay = R"(C:\certs.d\quay.io\hosts.toml)";
inline constexpr std::string_view kQuayCa = R"(C:\certs.d\quay.io\m.example.pem)";
inline constexpr std::string_view kConfigToml = R"(C:\Program Files\containerd\config.toml)";

inline egress::EgressConfig ConfigWith(std::vector<registries::Registry> list, bool ca = true) {
  egress::EgressConfig config = testing_support::SampleConfig();
  config.mirrors = registries::Cluster(std::move(list));
  config.mirrors.states_no_cas = !ca;
  if (ca) config.mirrors.cas = {{"m.example", {testing_support::SampleCertificates().at(0).der}}};
  return config;
}

inline DesiredState DesiredFiles(const egress::EgressConfig& config, std::string folder = std::string(kFolder)) {
  DesiredOptions options;
  options.scope = Scope::None();
  options.scope.registries = true;
  options.registry_folder = std::move(folder);
  return Must(MakeDesiredState(config, options));
}
inline DesiredState DesiredFiles() {
  return DesiredFiles(ConfigWith({registries::Source("quay.io", {registries::ForAll("m.example/quay")})}));
}

// With a proxy for the machine, as most settings have.
inline DesiredState WithProxy(DesiredState state) {
  state.scope.machine = true;
  state.environment = Desired(testing_support::SampleConfig()).environment;
  return state;
}

inline void PutContainerd(testing_support::MemoryMachine& memory,
                          std::string_view config = R"([plugins."io.containerd.grpc.v1.cri".registry]
config_path = 'c:\certs.d'
)") {
  PutWindows(memory);
  memory.Put(kContainerd, Sz("ImagePath", R"("C:\Program Files\containerd\containerd.exe" --run-service)"));
  if (!config.empty()) memory.PutFileOf(kConfigToml, config);
  memory.MakeDurable();
}

}  // namespace prov::reconcile
