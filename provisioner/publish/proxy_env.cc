#include "provisioner/publish/proxy_env.h"

#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "provisioner/egress/environment_file.h"

namespace prov::publish {
namespace {

// The operator's own comment. It is part of the format, because nodes' files are compared by their digests.
constexpr std::string_view kEnvHeader =
    "# Proxy environment variables will be populated in this file. Properly\n"
    "# url encoded passwords with special characters will use '%<HEX><HEX>'.\n"
    "# Systemd requires that any % used in a password be represented as\n"
    "# %% in a unit file since % is a prefix for macros; this restriction does not\n"
    "# apply for environment files. Templates that need the proxy set should use\n"
    "# 'EnvironmentFile=/etc/mco/proxy.env'.\n";

}  // namespace

std::string RenderProxyEnv(const ProxyValues& status) {
  std::string out(kEnvHeader);
  for (const auto& [name, value] : status.Variables()) {
    if (!value.empty()) out += fmt::format("{}={}\n", name, value);
  }
  return out;
}

void ReviewProxyEnv(const std::string& bytes, const ProxyValues& status, Findings& findings) {
  Findings ignored;
  const auto read = egress::ParseEnvironmentFile(bytes, "proxy.env", ignored);
  for (const auto& [name, value] : status.Variables()) {
    std::string seen;
    for (const egress::Assignment& assignment : read ? *read : std::vector<egress::Assignment>()) {
      if (assignment.name == name) seen = assignment.value.Reveal();
    }
    if (seen == value) continue;
    AddWarning(findings, "env-differs",
               fmt::format("services on nodes will not see the {} that the status holds, because proxy.env can't carry "
                           "it: it has blanks at its ends, a line end, a quote at its start or a backslash",
                           name),
               "proxy.env");
  }
}

}  // namespace prov::publish
