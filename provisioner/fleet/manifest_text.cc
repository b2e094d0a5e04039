#include "provisioner/fleet/manifest_text.h"

#include <fmt/format.h>

#include "provisioner/base/json_writer.h"
#include "provisioner/base/text.h"
#include "templates/templates.h"

namespace prov::fleet {
namespace {

constexpr std::string_view kMark = "# deploy: ";

// Replaces the default in "KEY: DEFAULT  # deploy: NAME", and replaces a line with only a mark by the lines of its
// value.
std::string Rendered(std::string_view line, const ManifestValues& values) {
  const std::size_t mark = line.find(kMark);
  if (mark == std::string_view::npos) return std::string(line) + "\n";
  const auto found = values.find(line.substr(mark + kMark.size()));
  const std::string_view before = TrimBlanks(line.substr(0, mark));
  if (before.empty()) return found == values.end() ? "" : found->second;
  if (found == values.end()) return fmt::format("{}{}\n", std::string(line.find_first_not_of(' '), ' '), before);
  return fmt::format("{}: {}\n", line.substr(0, line.find(':')), found->second);
}

}  // namespace

// A JSON string is also a YAML string.
std::string YamlText(std::string_view text) {
  JsonWriter json;
  return std::string(TrimBlanks(json.String(text).Text()));
}

std::string YamlName(std::string_view name) {
  const bool is_text = name.find('-') != std::string_view::npos && name.front() >= 'a' && name.front() <= 'z';
  return is_text ? std::string(name) : YamlText(name);
}

std::string YamlList(const std::vector<std::string>& texts) {
  std::string out;
  for (const std::string& text : texts) out += (out.empty() ? "" : ", ") + YamlText(text);
  return fmt::format("[{}]", out);
}

void AppendManifest(std::string_view manifest, const ManifestValues& values, std::string& out) {
  if (!out.empty()) out += "---\n";
  while (!manifest.empty()) {
    const std::size_t end = manifest.find("\r\n");
    out += Rendered(manifest.substr(0, end), values);
    manifest.remove_prefix(end == std::string_view::npos ? manifest.size() : end + 2);
  }
}

void AppendTrustRights(const source::KubeTarget& source, ManifestValues values, std::string& out) {
  const bool is_map = source.kind == source::KubeKind::kConfigMap;
  if (is_map) values["source-namespace"] = YamlName(source.name_space);
  values["source-name"] = YamlList({source.name});
  AppendManifest(is_map ? templates::ConfigMapRoleYaml() : templates::TrustBundleRoleYaml(), values, out);
}

ManifestValues CommonValues(const ManifestOptions& options) {
  ManifestValues out = {{"image", YamlText(options.image)},
                        {"namespace", YamlName(options.name_space)},
                        {"version", options.version},
                        {"pod-security", "privileged"}};
  if (!options.api_host.empty()) {
    out["environment"] = fmt::format(
        "        - name: KUBERNETES_SERVICE_HOST\n          value: {}\n"
        "        - name: KUBERNETES_SERVICE_PORT\n          value: {}\n",
        YamlText(options.api_host), YamlText(options.api_port));
  }
  if (!options.pull_secret.empty())
    out["pull-secret"] = fmt::format("      imagePullSecrets:\n      - name: {}\n", YamlText(options.pull_secret));
  return out;
}

}  // namespace prov::fleet
