// What holds for every document that ReadConfig accepts or refuses, JSON and YAML alike.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ignition/document.h"
#include "ignition/schema.h"
#include "tests/fuzz/check.h"

namespace prov::fuzz {

inline constexpr std::string_view kProxyEnv = "/etc/mco/proxy.env";
inline constexpr std::string_view kBundle = "/etc/pki/ca-trust/source/anchors/openshift-config-user-ca-bundle.crt";

// Small, so that inputs of a few kilobytes reach them.
inline ignition::Limits SmallLimits() {
  ignition::Limits limits;
  limits.input = 1 << 20;
  limits.file = 1 << 16;
  limits.depth = 200;
  limits.values = 20000;
  limits.merge_depth = 4;
  limits.merged_configs = 16;
  limits.merged_configs_total = 1 << 18;
  return limits;
}

// Answers without a network: a config where the URL says so, else a short text.
class FakeFetcher : public ignition::Fetcher {
 public:
  Result<std::string> Fetch(const ignition::FetchOrder& order) override {
    const std::string& url = order.url;
    if (Holds(url, "gone")) return Fail(Code::kNetwork, "nobody answers", "fetch");
    if (Holds(url, "config")) {
      return R"({"ignition":{"version":"3.1.0"},"storage":{"files":[{"path":"/etc/mco/proxy.env","contents":{"source":"data:,A%3Db"}}]}})";
    }
    return "HTTP_PROXY=http://proxy.example.com:3128\n";
  }
};

using ReadFiles = std::vector<std::pair<std::string, std::optional<std::string>>>;

inline void CheckUnits(const ignition::Config& config) {
  std::set<std::string> names;
  for (const ignition::Unit& unit : config.Units()) {
    FUZZ_CHECK(names.insert(unit.name).second);
    std::set<std::string> drop_ins;
    for (const ignition::DropIn& drop_in : unit.drop_ins) FUZZ_CHECK(drop_ins.insert(drop_in.name).second);
  }
}

// The two wanted files and the first few others; errors are no files.
inline ReadFiles CheckFiles(const ignition::Config& config, const ignition::Limits& limits) {
  constexpr std::size_t kMostRead = 8;
  std::vector<std::string> paths = config.FilePaths();
  std::set<std::string> unique(paths.begin(), paths.end());
  FUZZ_CHECK(unique.size() == paths.size());
  for (const std::string& path : paths) FUZZ_CHECK(ignition::PathProblem(path) == nullptr);
  if (paths.size() > kMostRead) paths.resize(kMostRead);
  paths.emplace_back(kProxyEnv);
  paths.emplace_back(kBundle);
  paths.emplace_back("/no/such/entry");
  ReadFiles out;
  for (const std::string& path : paths) {
    const auto file = config.Read(path);
    if (!file) {
      CheckError(file.error());
      FUZZ_CHECK(file.error().where.starts_with(path + " ($"));
      continue;
    }
    FUZZ_CHECK(!*file || unique.contains(path));
    if (*file) {
      FUZZ_CHECK((*file)->path == path);
      FUZZ_CHECK((*file)->bytes.size() <= limits.file);
      FUZZ_CHECK((*file)->mode <= 07777);
      FUZZ_CHECK((*file)->where.starts_with("$"));
    }
    out.emplace_back(path, *file ? std::optional((*file)->bytes) : std::nullopt);
  }
  return out;
}

// What the document says its files hold; nullopt if it is refused.
inline std::optional<ReadFiles> CheckDocument(std::string text) {
  const ignition::Limits limits = SmallLimits();
  FakeFetcher fetcher;
  const auto document = ignition::ReadConfig(std::move(text), "input", {}, limits, &fetcher);
  if (!document) {
    CheckError(document.error());
    FUZZ_CHECK(!document.error().where.empty());
    return std::nullopt;
  }
  FUZZ_CHECK(document->kind == "MachineConfig" || document->kind == "Ignition");
  FUZZ_CHECK(!document->config.version().empty());
  CheckFindings(document->findings);
  CheckUnits(document->config);
  return CheckFiles(document->config, limits);
}

}  // namespace prov::fuzz
