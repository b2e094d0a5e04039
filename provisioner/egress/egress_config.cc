#include "provisioner/egress/egress_config.h"

namespace prov::egress {
namespace {

std::string At(const EgressConfig& config, std::string_view variable) {
  return config.proxy_file.path.empty() ? std::string(variable) : config.proxy_file.path + ": " + std::string(variable);
}

Result<std::optional<ProxyUrl>> ParseOne(const EgressConfig& config, const std::optional<Secret>& text,
                                         ProxyVariable variable, std::string_view name, Findings& findings) {
  if (!text || text->empty()) return std::nullopt;
  return PROV_TRY(ParseProxyUrl(*text, variable, At(config, name), findings));
}

}  // namespace

bool HasUrl(const EgressConfig& config) {
  const auto holds = [](const std::optional<Secret>& url) { return url && !url->empty(); };
  return holds(config.http_proxy) || holds(config.https_proxy);
}

bool StatesProxy(const EgressConfig& config) {
  return config.proxy_file.present && (HasUrl(config) || !config.not_read.proxy);
}

Result<ProxySettings> ParseProxySettings(const EgressConfig& config, Findings& findings) {
  ProxySettings settings;
  settings.http = PROV_TRY(ParseOne(config, config.http_proxy, ProxyVariable::kHttp, "HTTP_PROXY", findings));
  settings.https = PROV_TRY(ParseOne(config, config.https_proxy, ProxyVariable::kHttps, "HTTPS_PROXY", findings));
  if (config.no_proxy && !config.no_proxy->empty()) {
    settings.no_proxy = PROV_TRY(NoProxy::Parse(*config.no_proxy, At(config, "NO_PROXY")));
  }
  return settings;
}

}  // namespace prov::egress
