// Label selectors of Kubernetes: select the objects that a rule applies to.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "provisioner/base/result.h"
#include "provisioner/source/object_view.h"

namespace prov::egressip {

using Labels = std::map<std::string, std::string, std::less<>>;

// The labels in an object's metadata; empty without any. Errors: type, invalid-config.
Result<Labels> ReadLabels(const source::ObjectView& metadata);

// matchLabels and matchExpressions, all of which must match. A selector without any selects everything.
class LabelSelector {
 public:
  // Errors: type, invalid-config (an unknown operator, missing or unexpected values).
  static Result<LabelSelector> Read(const source::ObjectView& selector);

  bool Matches(const Labels& labels) const;
  // Whether `other` matches all that this one matches, as far as single requirements show.
  bool Implies(const LabelSelector& other) const;
  bool IsEmpty() const { return requirements_.empty(); }
  bool HasOnlyKey(std::string_view key) const;  // no requirement is about another label
  std::string ToString() const;                 // "env=prod,tier in (a,b),!canary"; "everything" for an empty one

 private:
  enum class Operator { kIn, kNotIn, kExists, kDoesNotExist };
  struct Requirement {
    std::string key;
    Operator what;
    std::vector<std::string> values;
  };
  static Result<Requirement> ReadExpression(const source::ObjectView& expression);
  static bool Implies(const Requirement& one, const Requirement& other);
  static bool Holds(const Requirement& requirement, const Labels& labels);
  static std::string Text(const Requirement& requirement);

  std::vector<Requirement> requirements_;
};

}  // namespace prov::egressip
