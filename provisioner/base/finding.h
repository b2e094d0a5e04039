// Findings: what a person should know about an input that is nevertheless usable. They travel beside values, never
// instead of an Error.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace prov {

enum class Severity { kInfo, kWarning, kError };

std::string_view NameOf(Severity severity);  // "info", "warning", "error"

// `code` is a stable kebab-case word; `message` and `where` follow the rules of Error (no secrets, may hold input
// bytes).
struct Finding {
  Severity severity = Severity::kWarning;
  std::string code;
  std::string message;
  std::string where;

  bool operator==(const Finding&) const = default;
};

using Findings = std::vector<Finding>;

inline void AddInfo(Findings& out, std::string code, std::string message, std::string where = {}) {
  out.push_back({Severity::kInfo, std::move(code), std::move(message), std::move(where)});
}
inline void AddWarning(Findings& out, std::string code, std::string message, std::string where = {}) {
  out.push_back({Severity::kWarning, std::move(code), std::move(message), std::move(where)});
}
inline void AddError(Findings& out, std::string code, std::string message, std::string where = {}) {
  out.push_back({Severity::kError, std::move(code), std::move(message), std::move(where)});
}

}  // namespace prov
