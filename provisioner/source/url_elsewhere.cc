#include "provisioner/source/url_elsewhere.h"

#include <fmt/format.h>

#include <algorithm>

#include "provisioner/base/text.h"
#include "provisioner/egress/environment_assignments.h"
#include "provisioner/egress/script_assignment.h"
#include "provisioner/source/source_members.h"

namespace prov::source {
namespace {

constexpr auto kUrlVariables = std::span(egress::kProxyVariables).first<2>();

// In any case.
bool IsNamed(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::any_of(names, [&](std::string_view one) { return EqualsIgnoreAsciiCase(one, name); });
}

bool IsAssigned(std::string_view name, const egress::EgressConfig& config) {
  return (name == "HTTP_PROXY" && config.http_proxy) || (name == "HTTPS_PROXY" && config.https_proxy) ||
         (name == "NO_PROXY" && config.no_proxy);
}

}  // namespace

const egress::Assignment* UrlInOtherCase(std::span<const egress::Assignment> assignments,
                                         const egress::EgressConfig& config) {
  if (egress::HasUrl(config)) return nullptr;
  const auto found = std::ranges::find_if(assignments, [](const egress::Assignment& one) {
    return !one.value.empty() && IsNamed(kUrlVariables, one.name) && one.name != AsciiUpper(one.name);
  });
  return found == assignments.end() ? nullptr : &*found;
}

Result<void> RefuseUrlInOtherCase(std::string_view text, std::span<const egress::Assignment> assignments,
                                  const std::string& where, const egress::EgressConfig& config) {
  const egress::Assignment* found = UrlInOtherCase(assignments, config);
  if (found == nullptr) return {};
  return Fail(Code::kKind, fmt::format("{} sets no proxy: {}", text, egress::DescribeLowerCase(found->name)),
              egress::AtLine(where, found->line));
}

Result<void> RefuseScriptLines(std::string_view text, const std::string& where, const egress::EgressConfig& config) {
  if (egress::HasUrl(config)) return {};
  const bool none = !config.http_proxy && !config.https_proxy && !config.no_proxy;
  std::size_t number = 0;
  for (const std::string_view line : Split(text, '\n')) {
    ++number;
    const auto found = egress::ReadScriptAssignment(line);
    if (!found) continue;
    const bool url = found->has_value && IsNamed(kUrlVariables, found->name);
    if (!url && !(none && IsNamed(egress::kProxyVariables, found->name))) continue;
    return Fail(Code::kKind,
                fmt::format("the environment file sets no proxy: {}", egress::DescribeScriptAssignment(*found)),
                egress::AtLine(where, number));
  }
  return {};
}

Result<void> ReadOtherUnitLines(std::string_view unit, const std::string& where, egress::EgressConfig& config) {
  const egress::UnitNames names = egress::ReadUnitNames(unit);
  for (const egress::UnitNames::Name& one : names.unset) {
    if (std::ranges::find(egress::kProxyVariables, one.name) == egress::kProxyVariables.end()) continue;
    return Fail(
        Code::kInvalidConfig,
        fmt::format("{0} takes {1} away from the service; remove {1} there, and write it empty if there is none",
                    one.line, one.name),
        egress::AtLine(where, one.number));
  }
  for (const egress::UnitNames::Name& one : names.passed) {
    if (!AsciiLower(one.name).ends_with("_proxy") || IsAssigned(one.name, config)) continue;
    ReportNotRead(Subject::kProxy, one.line + std::string(Shorten(one.name)), "its value is that of systemd itself",
                  egress::AtLine(where, one.number), config);
  }
  for (const egress::UnitNames::Name& one : names.elsewhere) {
    if (!AsciiLower(one.name).ends_with("_proxy")) continue;
    ReportNotRead(Subject::kProxy, fmt::format("{} of {}", Shorten(one.name), one.line),
                  "only that in [Service] counts", egress::AtLine(where, one.number), config);
  }
  return {};
}

}  // namespace prov::source
