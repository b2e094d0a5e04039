#include "provisioner/reconcile/environment.h"

#include <fmt/format.h>

#include <algorithm>

#include "provisioner/base/text.h"
#include "provisioner/egress/proxy_url.h"

namespace prov::reconcile {
namespace {

std::string Entry(const EnvironmentVariable& variable) { return variable.name + "=" + variable.value.Reveal(); }

}  // namespace

std::string_view NameOfEntry(std::string_view entry) { return entry.substr(0, entry.find('=')); }

bool IsEntryOf(std::string_view entry, std::string_view name) {
  return entry.find('=') != std::string_view::npos && EqualsIgnoreAsciiCase(NameOfEntry(entry), name);
}

Result<void> CheckLength(const EnvironmentVariable& variable) {
  const std::size_t units = ToUtf16Le(variable.name).size() / 2 + ToUtf16Le(variable.value.Reveal()).size() / 2 + 2;
  if (units <= kMaxVariableUnits) return {};
  return Fail(Code::kSizeLimit,
              fmt::format("needs {} UTF-16 units with its name, and Windows takes {}; shorten the list at its source",
                          units, kMaxVariableUnits),
              variable.name);
}

images::RegValue EncodeVariable(const EnvironmentVariable& variable) {
  return {variable.name, images::RegType::kSz, images::EncodeSz(variable.value.Reveal())};
}

std::string ServiceKey(std::string_view service) { return R"(Services\)" + std::string(service); }

bool HoldsCredentials(const ServiceEnvironment& service) {
  return std::ranges::any_of(service.variables, [](const EnvironmentVariable& variable) {
    return !EqualsIgnoreAsciiCase(variable.name, "NO_PROXY") && egress::MayHoldCredentials(variable.value.Reveal());
  });
}

std::vector<std::string> MergeServiceEnvironment(const std::vector<std::string>& existing,
                                                 const std::vector<EnvironmentVariable>& ours) {
  std::vector<std::string> merged;
  std::vector<bool> written(ours.size(), false);
  for (const std::string& entry : existing) {
    const auto found =
        std::ranges::find_if(ours, [&](const EnvironmentVariable& v) { return IsEntryOf(entry, v.name); });
    if (found == ours.end()) {
      merged.push_back(entry);
      continue;
    }
    const auto index = static_cast<std::size_t>(found - ours.begin());
    if (!written[index]) merged.push_back(Entry(*found));  // a second entry of the same name would win on Windows
    written[index] = true;
  }
  for (std::size_t i = 0; i < ours.size(); ++i) {
    if (!written[i]) merged.push_back(Entry(ours[i]));
  }
  return merged;
}

images::RegValue EncodeServiceEnvironment(const std::vector<std::string>& entries) {
  return {std::string(kServiceEnvironmentValue), images::RegType::kMultiSz, images::EncodeMultiSz(entries)};
}

}  // namespace prov::reconcile
