#include "provisioner/source/rancher_source.h"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "provisioner/base/text.h"
#include "provisioner/source/source_members.h"

namespace prov::source {
namespace {

struct AgentValue {
  std::string_view text;  // "" also without a `value`: Rancher leaves the variable out then
  std::string where;
};

// Of one of the three variables.
struct AgentVariable {
  std::optional<AgentValue> upper, lower;
};
using AgentVariables = std::array<AgentVariable, egress::kProxyVariables.size()>;

Result<void> PutValue(std::string_view name, AgentValue value, std::optional<AgentValue>& place) {
  if (place && place->text != value.text) {
    return Fail(
        Code::kInvalidConfig,
        fmt::format("{} is there twice with different values, the first at {}; leave one", Shorten(name), place->where),
        value.where);
  }
  if (!place) place = std::move(value);
  return {};
}

// Only a value in the entry itself is read: an entry with anything else is no "none".
Result<void> CheckMembers(const ObjectView& entry, std::string_view name, egress::EgressConfig& config) {
  if (entry.Find("valueFrom") != nullptr) {
    return Fail(Code::kInvalidConfig,
                fmt::format("{} is taken from another object (valueFrom), which Rancher does not read; write its value",
                            Shorten(name)),
                entry.At("valueFrom"));
  }
  for (const std::string_view member : entry.Names()) {
    if (member == "name" || member == "value" || entry.IsNull(member)) continue;
    ReportNotRead(Subject::kProxy, fmt::format("{} of {}", Shorten(member), Shorten(name)),
                  "an entry has a name and a value only", entry.At(member), config);
  }
  return {};
}

Result<AgentVariables> ReadAgentVariables(std::span<const ObjectView> entries, egress::EgressConfig& config) {
  AgentVariables out;
  for (const ObjectView& entry : entries) {
    const std::string_view name = PROV_TRY(entry.TextOr("name", ""));
    std::string_view text = PROV_TRY(entry.TextOr("value", ""));
    while (text.ends_with('\n') || text.ends_with('\r')) text.remove_suffix(1);  // as Rancher does
    ReportOtherVariables(std::span(&name, 1), entry.path(), config);
    for (std::size_t i = 0; i < out.size(); ++i) {
      if (!EqualsIgnoreAsciiCase(name, egress::kProxyVariables[i])) continue;
      PROV_TRY(CheckMembers(entry, name, config));
      const bool is_upper = name == egress::kProxyVariables[i];
      PROV_TRY(PutValue(name, {text, entry.At("value")}, is_upper ? out[i].upper : out[i].lower));
    }
  }
  return out;
}

// The value that counts; nullopt: the list says nothing of this variable.
std::optional<std::string> Chosen(const AgentVariable& variable, std::string_view name, Findings& findings) {
  const auto& [upper, lower] = variable;
  if (!upper && !lower) return std::nullopt;
  if (!upper || upper->text.empty()) return std::string(lower ? lower->text : "");
  if (lower && !lower->text.empty() && lower->text != upper->text) {
    AddWarning(findings, "env-lower-case",
               fmt::format("{} differs from {}, which was taken; a node of Windows has one variable for both",
                           AsciiLower(name), name),
               lower->where);
  }
  return std::string(upper->text);
}

}  // namespace

bool IsRancherCluster(const JsonValue& object, std::string_view kind) {
  return kind == "Cluster" && GroupOf(object) == "provisioning.cattle.io";
}

Result<Reading> ReadRancherCluster(const ObjectView& object) {
  Reading out;
  egress::EgressConfig& config = out.config;
  config.source = {"RancherCluster", std::string(PROV_TRY(ObjectName(object))), ""};
  const auto spec = PROV_TRY(object.Object("spec"));
  const std::vector<ObjectView> entries = spec ? PROV_TRY(spec->Objects("agentEnvVars")) : std::vector<ObjectView>();
  const AgentVariables variables = PROV_TRY(ReadAgentVariables(entries, config));
  const auto value = [&](std::size_t i) { return Chosen(variables[i], egress::kProxyVariables[i], config.findings); };
  if (auto http = value(0)) config.http_proxy = Secret(*std::move(http));
  if (auto https = value(1)) config.https_proxy = Secret(*std::move(https));
  config.no_proxy = value(2);
  const std::string where = spec ? spec->At("agentEnvVars") : object.At("spec");
  if (!config.http_proxy && !config.https_proxy && !config.no_proxy) {
    return Fail(Code::kKind,
                "the Cluster of Rancher makes no statement about the proxy: its spec.agentEnvVars name none of "
                "HTTP_PROXY, HTTPS_PROXY and NO_PROXY; to state that there is none, name one without a value",
                where);
  }
  StateProxy(config, where);
  ReportOtherMembers("RancherCluster", object, config);
  return out;
}

}  // namespace prov::source
