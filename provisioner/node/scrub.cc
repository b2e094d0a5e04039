#include "provisioner/node/scrub.h"

#include <fmt/format.h>

#include <algorithm>

#include "provisioner/base/json_reader.h"
#include "provisioner/base/json_writer.h"
#include "provisioner/node/records.h"

namespace prov::node {
namespace {

constexpr std::string_view kScrubSection = "scrub";  // of the state record

std::string ListJson(const std::vector<std::string>& paths) {
  JsonWriter json;
  return json.BeginObject().Strings("files", paths).EndObject().Text();
}

}  // namespace

Result<bool> SetupIsRunning(machine::Registry& registry) {
  const auto value = PROV_TRY(registry.Read(R"(SYSTEM\Setup)", "SystemSetupInProgress"));
  return value && std::ranges::any_of(value->data, [](char c) { return c != 0; });
}

void RememberSecretFiles(const std::vector<std::string>& paths, reconcile::Sections& sections) {
  if (!paths.empty()) sections[std::string(kScrubSection)] = ListJson(paths);
}

Result<void> ScrubSecretFiles(OpenNode& node, Findings& findings) {
  const auto section = PROV_TRY(node.machine.state.Read(kScrubSection));
  if (!section || PROV_TRY(SetupIsRunning(node.machine.registry))) return {};
  std::vector<std::string> left;
  for (const JsonNode& item : PROV_TRY(section->Get("files", &JsonNode::Items))) {
    std::string path = PROV_TRY(item.Text());
    const auto removed = node.host.installation().RemoveFile(path);
    if (removed) continue;
    AddWarning(findings, "secret-file",
               fmt::format("holds credentials and could not be removed: {}", removed.error().message), path);
    left.push_back(std::move(path));
  }
  return left.empty() ? Forget(node.machine.state, kScrubSection)
                      : Remember(node.machine.state, kScrubSection, ListJson(left));
}

}  // namespace prov::node
