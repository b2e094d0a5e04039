#include "provisioner/reconcile/followed_variables.h"

#include <fmt/format.h>

#include <algorithm>

#include "provisioner/egress/egress_config.h"

namespace prov::reconcile {
namespace {

// The value as it is written to a service. Errors: proxy-url, no-proxy.
Result<Secret> Checked(std::string_view name, const Secret& value, bool with_credentials) {
  egress::EgressConfig config;
  if (name == "NO_PROXY") {
    config.no_proxy = value.Reveal();
  } else {
    (name == "HTTP_PROXY" ? config.http_proxy : config.https_proxy).emplace(value);
  }
  Findings ignored;  // the operator is responsible for its own values
  const egress::ProxySettings settings = PROV_TRY(egress::ParseProxySettings(config, ignored));
  const std::optional<egress::ProxyUrl>& url = name == "HTTP_PROXY" ? settings.http : settings.https;
  return url && !with_credentials ? url->WithoutCredentials() : value;
}

}  // namespace

Result<OperatorVariables> FollowedVariables(Planner& planner) {
  OperatorVariables out;
  if (!planner.options().yield_environment) return out;
  const bool with_credentials = planner.desired().credentials != CredentialPolicy::kNone;
  for (auto& [name, value] : PROV_TRY(ReadOperatorVariables(planner.machine(), planner.ledger()))) {
    if (!value) {
      out[name] = std::nullopt;
      continue;
    }
    Result<Secret> checked = Checked(name, *value, with_credentials);
    if (checked) {
      out[name] = *std::move(checked);
      continue;
    }
    planner.Note({Severity::kWarning, "operator-value",
                  fmt::format("what the Windows Machine Config Operator's daemon has set can't be used ({}); services "
                              "get what the settings say",
                              checked.error().message),
                  name});
  }
  return out;
}

std::vector<EnvironmentVariable> Overridden(const std::vector<EnvironmentVariable>& settings,
                                            const OperatorVariables& followed) {
  std::vector<EnvironmentVariable> out;
  for (const std::string_view name : egress::kProxyVariables) {
    if (const auto found = followed.find(name); found != followed.end()) {
      if (found->second) out.push_back({std::string(name), *found->second});
      continue;
    }
    const auto said = std::ranges::find(settings, name, &EnvironmentVariable::name);
    if (said != settings.end()) out.push_back(*said);
  }
  return out;
}

}  // namespace prov::reconcile
