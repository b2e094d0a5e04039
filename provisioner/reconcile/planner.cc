#include "provisioner/reconcile/planner.h"

#include <algorithm>

#include "images/registry/descriptor.h"
#include "provisioner/base/text.h"
#include "provisioner/egress/proxy_url.h"

namespace prov::reconcile {
namespace {

using images::RegValue;

// LocalService, NetworkService, or an account of a machine or a domain; groups that Windows itself has are neither.
bool IsSingleAccount(std::string_view sid) {
  return sid == "S-1-5-19" || sid == "S-1-5-20" || sid.starts_with("S-1-5-21-");
}

}  // namespace

const LedgerEntry* Planner::Find(std::string_view item) const {
  const auto found = plan_.ledger_before.find(item);
  return found == plan_.ledger_before.end() ? nullptr : &found->second;
}

void Planner::Note(Severity severity, FindingCode code, std::string message, std::string where) {
  plan_.findings.emplace_back(severity, code, std::move(message), std::move(where));
}

Plan Planner::Finish() && {
  std::ranges::reverse(takes_);
  plan_.operations = std::move(gives_);
  plan_.operations.insert(plan_.operations.end(), takes_.begin(), takes_.end());
  return std::move(plan_);
}

std::string ShowVariable(std::string_view name, std::string_view value) {
  return EqualsIgnoreAsciiCase(name, "NO_PROXY") ? std::string(value) : egress::RedactUrl(value);
}

std::string ShowDescriptor(std::string_view descriptor) {
  if (descriptor.empty()) return {};
  const images::Sids others = images::OthersGranted(descriptor);
  std::string out = "SYSTEM and Administrators";
  for (const std::string& sid : others) {
    const std::string text = images::SidText(sid);
    if (!IsSingleAccount(text)) return "others, too";
    out += ", " + text;
  }
  return images::IsForAdministratorsOnly(descriptor, others) ? out : "others, too";
}

std::optional<std::string> StringOf(const RegValue& value) {
  std::string_view data = value.data;
  constexpr std::string_view kNul("\0\0", 2);
  if (data.size() % 2 == 0 && data.ends_with(kNul)) data.remove_suffix(2);
  return FromUtf16Le(data);
}

}  // namespace prov::reconcile
