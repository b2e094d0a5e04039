// Findings: what a person should know about an input that is nevertheless usable. They travel beside values, never
// instead of an Error.
#pragma once

#include <cstddef>
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

// Adds findings to `out`, at most 20 of a code one by one: a hostile input must not fill memory and screen with them.
// When it goes, one more finding per code counts the rest, with `where` as its place.
class CappedFindings {
 public:
  static constexpr std::size_t kMost = 20;

  CappedFindings(Findings& out, std::string_view where) : out_(out), where_(where) {}
  CappedFindings(const CappedFindings&) = delete;
  CappedFindings& operator=(const CappedFindings&) = delete;
  ~CappedFindings();

  // `code` must outlive this: a literal.
  void Add(Severity severity, std::string_view code, std::string message, std::string where);
  void Warn(std::string_view code, std::string message, std::string where) {
    Add(Severity::kWarning, code, std::move(message), std::move(where));
  }

 private:
  struct Kind {
    std::string_view code;
    Severity severity = Severity::kInfo;
    std::size_t count = 0;
  };

  Findings& out_;
  std::string_view where_;
  std::vector<Kind> kinds_;
};

}  // namespace prov
