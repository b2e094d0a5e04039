#include "provisioner/fleet/manifests.h"

#include <fmt/format.h>

#include <map>
#include <string_view>

#include "provisioner/base/json_writer.h"
#include "provisioner/base/text.h"
#include "templates/templates.h"

namespace prov::fleet {
namespace {

constexpr std::string_view kMark = "# deploy: ";

using Values = std::map<std::string_view, std::string>;  // by the name in a mark

// A JSON string is also a YAML string.
std::string Quoted(std::string_view text) {
  JsonWriter json;
  return std::string(TrimBlanks(json.String(text).Text()));
}

std::string QuotedList(const std::vector<std::string>& texts) {
  std::string out;
  for (const std::string& text : texts) out += (out.empty() ? "" : ", ") + Quoted(text);
  return fmt::format("[{}]", out);
}

// Replaces the default in "KEY: DEFAULT  # deploy: NAME", and replaces a line with only a mark by the lines of its
// value.
std::string Rendered(std::string_view line, const Values& values) {
  const std::size_t mark = line.find(kMark);
  if (mark == std::string_view::npos) return std::string(line) + "\n";
  const auto found = values.find(line.substr(mark + kMark.size()));
  std::string value = found == values.end() ? "" : found->second;
  if (TrimBlanks(line.substr(0, mark)).empty()) return value;
  return fmt::format("{}: {}\n", line.substr(0, line.find(':')), value);
}

void Append(std::string_view manifest, const Values& values, std::string& out) {
  if (!out.empty()) out += "---\n";
  while (!manifest.empty()) {
    const std::size_t end = manifest.find("\r\n");
    out += Rendered(manifest.substr(0, end), values);
    manifest.remove_prefix(end == std::string_view::npos ? manifest.size() : end + 2);
  }
}

std::string Environment(const Deployment& deployment) {
  if (deployment.api_host.empty()) return {};
  return fmt::format(
      "        - name: KUBERNETES_SERVICE_HOST\n          value: {}\n"
      "        - name: KUBERNETES_SERVICE_PORT\n          value: {}\n",
      Quoted(deployment.api_host), Quoted(deployment.api_port));
}

}  // namespace

std::string Manifests(const Deployment& deployment) {
  Values values = {{"image", Quoted(deployment.image)},
                   {"args", QuotedList(deployment.args)},
                   {"environment", Environment(deployment)}};
  std::string out;
  for (const std::string_view manifest :
       {templates::NamespaceYaml(), templates::ServiceAccountYaml(), templates::NodeRoleYaml()})
    Append(manifest, values, out);
  if (deployment.source) {
    const bool is_proxy = deployment.source->kind == source::KubeKind::kProxy;
    values["pool"] = QuotedList({deployment.source->name});
    Append(is_proxy ? templates::ProxyRoleYaml() : templates::PoolRoleYaml(), values, out);
    Append(templates::SourceBindingYaml(), values, out);
  }
  for (const std::string_view manifest :
       {templates::SecurityContextConstraintsYaml(), templates::AdmissionPolicyYaml(), templates::DaemonSetYaml()})
    Append(manifest, values, out);
  return out;
}

}  // namespace prov::fleet
