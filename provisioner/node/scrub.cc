#include "provisioner/node/scrub.h"

#include <fmt/format.h>

#include <algorithm>

#include "provisioner/base/json_reader.h"
#include "provisioner/base/json_writer.h"

namespace prov::node {
namespace {

constexpr std::string_view kScrubFile = "scrub.json";

std::string ListJson(const std::vector<std::string>& paths) {
  JsonWriter json;
  json.BeginObject().Member("schema", 1).Key("files").BeginArray();
  for (const std::string& path : paths) json.String(path);
  return json.EndArray().EndObject().Take();
}

}  // namespace

Result<bool> SetupIsRunning(machine::Registry& registry) {
  const auto value = PROV_TRY(registry.Read(R"(SYSTEM\Setup)", "SystemSetupInProgress"));
  return value && std::ranges::any_of(value->data, [](char c) { return c != 0; });
}

void RememberSecretFiles(const std::vector<std::string>& paths, reconcile::Records& records) {
  if (!paths.empty()) records[std::string(kScrubFile)] = ListJson(paths);
}

Result<void> ScrubSecretFiles(Node& node, Findings& findings) {
  const auto text = PROV_TRY(node.machine.state.Read(kScrubFile));
  if (!text || PROV_TRY(SetupIsRunning(node.machine.registry))) return {};
  std::vector<std::string> left;
  for (const JsonNode& item : PROV_TRY(PROV_TRY(PROV_TRY(ParseSchemaOne(*text, kScrubFile)).Get("files")).Items())) {
    std::string path = PROV_TRY(item.Text());
    const auto removed = node.host.installation().RemoveFile(path);
    if (removed) continue;
    AddWarning(findings, "secret-file",
               fmt::format("holds credentials and could not be removed: {}", removed.error().message), path);
    left.push_back(std::move(path));
  }
  return left.empty() ? Forget(node.machine.state, kScrubFile)
                      : Remember(node.machine.state, kScrubFile, ListJson(left));
}

}  // namespace prov::node
