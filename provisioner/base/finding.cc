#include "provisioner/base/finding.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "provisioner/base/finding_table.h"

namespace prov {

std::string_view NameOf(Severity severity) {
  constexpr std::array<std::string_view, 3> kNames = {"info", "warning", "error"};
  return kNames[static_cast<std::size_t>(severity)];
}

bool IsLimit(const Finding& finding) {
  const FindingInfo* const info = InfoOf(finding.code);
  return finding.severity != Severity::kError && info != nullptr && (info->severities & FindingInfo::kLimit) != 0;
}

std::vector<std::string_view> LimitsIn(const Findings& findings) {
  std::vector<std::string_view> out;
  for (const Finding& f : findings) {
    if (IsLimit(f) && std::ranges::find(out, f.code) == out.end()) out.push_back(f.code);
  }
  return out;
}

std::string_view RemedyOf(const Finding& finding) { return InfoOf(finding.code)->remedy; }

bool HasFinding(const Findings& findings, FindingCode code) {
  return std::ranges::find(findings, code.name(), &Finding::code) != findings.end();
}

void DropFindings(Findings& findings, FindingCode code) {
  std::erase_if(findings, [code](const Finding& finding) { return finding.code == code.name(); });
}

void CappedFindings::Add(Severity severity, FindingCode code, std::string message, std::string where) {
  auto kind = std::ranges::find(kinds_, code.name(), [](const Kind& known) { return known.code.name(); });
  if (kind == kinds_.end()) kind = kinds_.insert(kinds_.end(), Kind{code, severity, 0});
  kind->severity = std::max(kind->severity, severity);
  if (++kind->count <= kMost) out_.emplace_back(severity, code, std::move(message), std::move(where));
}

CappedFindings::~CappedFindings() {
  for (const Kind& kind : kinds_) {
    if (kind.count <= kMost) continue;
    out_.emplace_back(kind.severity, kind.code, fmt::format("and {} more of the same kind", kind.count - kMost),
                      std::string(where_));
  }
}

}  // namespace prov
