#include "provisioner/base/finding.h"

#include <fmt/format.h>

#include <algorithm>

namespace prov {

std::string_view NameOf(Severity severity) {
  switch (severity) {
    case Severity::kInfo:
      return "info";
    case Severity::kWarning:
      return "warning";
    case Severity::kError:
      return "error";
  }
  return "error";
}

void CappedFindings::Add(Severity severity, std::string_view code, std::string message, std::string where) {
  auto kind = std::ranges::find(kinds_, code, &Kind::code);
  if (kind == kinds_.end()) kind = kinds_.insert(kinds_.end(), Kind{code, severity, 0});
  kind->severity = std::max(kind->severity, severity);
  if (++kind->count <= kMost) out_.push_back({severity, std::string(code), std::move(message), std::move(where)});
}

CappedFindings::~CappedFindings() {
  for (const Kind& kind : kinds_) {
    if (kind.count <= kMost) continue;
    out_.push_back({kind.severity, std::string(kind.code),
                    fmt::format("and {} more of the same kind", kind.count - kMost), std::string(where_)});
  }
}

}  // namespace prov
