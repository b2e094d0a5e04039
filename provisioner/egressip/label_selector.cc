#include "provisioner/egressip/label_selector.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "provisioner/base/text.h"

namespace prov::egressip {

using source::ObjectView;

namespace {

Result<Labels> ReadLabelMap(const ObjectView& object) {
  Labels out;
  for (const std::string_view name : object.Names())
    out.emplace(std::string(name), std::string(PROV_TRY(object.TextOr(name, ""))));
  return out;
}

}  // namespace

Result<Labels> ReadLabels(const ObjectView& metadata) {
  const auto labels = PROV_TRY(metadata.Object("labels"));
  return labels ? ReadLabelMap(*labels) : Labels();
}

Result<LabelSelector::Requirement> LabelSelector::ReadExpression(const ObjectView& expression) {
  constexpr std::pair<std::string_view, Operator> kOperators[] = {{"In", Operator::kIn},
                                                                  {"NotIn", Operator::kNotIn},
                                                                  {"Exists", Operator::kExists},
                                                                  {"DoesNotExist", Operator::kDoesNotExist}};
  Requirement out{std::string(PROV_TRY(expression.TextOr("key", ""))), Operator::kIn, {}};
  const std::string_view name = PROV_TRY(expression.TextOr("operator", ""));
  const auto* const found = std::ranges::find(kOperators, name, &std::pair<std::string_view, Operator>::first);
  if (found == std::end(kOperators)) {
    return Fail(Code::kInvalidConfig,
                fmt::format("the operator is In, NotIn, Exists or DoesNotExist, not \"{}\"", Shorten(name)),
                expression.At("operator"));
  }
  out.what = found->second;
  const auto values = PROV_TRY(expression.Texts("values"));
  if (values) out.values.assign(values->begin(), values->end());
  const bool takes_values = out.what == Operator::kIn || out.what == Operator::kNotIn;
  if (takes_values == out.values.empty()) {
    return Fail(Code::kInvalidConfig,
                fmt::format("the operator {} {}", name, takes_values ? "needs values" : "takes no values"),
                expression.At("values"));
  }
  return out;
}

Result<LabelSelector> LabelSelector::Read(const ObjectView& selector) {
  LabelSelector out;
  if (const auto labels = PROV_TRY(selector.Object("matchLabels"))) {
    const Labels wanted = PROV_TRY(ReadLabelMap(*labels));
    for (const auto& [key, value] : wanted) out.requirements_.push_back({key, Operator::kIn, {value}});
  }
  const std::vector<ObjectView> expressions = PROV_TRY(selector.Objects("matchExpressions"));
  for (const ObjectView& expression : expressions) out.requirements_.push_back(PROV_TRY(ReadExpression(expression)));
  return out;
}

bool LabelSelector::Holds(const Requirement& requirement, const Labels& labels) {
  const auto label = labels.find(requirement.key);
  const bool there = label != labels.end();
  const bool listed = there && std::ranges::find(requirement.values, label->second) != requirement.values.end();
  switch (requirement.what) {
    case Operator::kIn:
      return listed;
    case Operator::kNotIn:
      return !listed;
    case Operator::kExists:
      return there;
    case Operator::kDoesNotExist:
      return !there;
  }
  return false;
}

bool LabelSelector::Matches(const Labels& labels) const {
  return std::ranges::all_of(requirements_, [&](const Requirement& one) { return Holds(one, labels); });
}

bool LabelSelector::Implies(const Requirement& one, const Requirement& other) {
  if (one.key != other.key) return false;
  const auto listed = [&](const std::string& value) {
    return std::ranges::find(other.values, value) != other.values.end();
  };
  switch (other.what) {
    case Operator::kIn:
      return one.what == Operator::kIn && std::ranges::all_of(one.values, listed);
    case Operator::kExists:
      return one.what == Operator::kIn || one.what == Operator::kExists;
    case Operator::kDoesNotExist:
      return one.what == Operator::kDoesNotExist;
    case Operator::kNotIn:
      if (one.what == Operator::kIn) return std::ranges::none_of(one.values, listed);
      return one.what == Operator::kDoesNotExist || (one.what == Operator::kNotIn && one.values == other.values);
  }
  return false;
}

bool LabelSelector::Implies(const LabelSelector& other) const {
  return std::ranges::all_of(other.requirements_, [&](const Requirement& wanted) {
    return std::ranges::any_of(requirements_, [&](const Requirement& one) { return Implies(one, wanted); });
  });
}

bool LabelSelector::HasOnlyKey(std::string_view key) const {
  return std::ranges::all_of(requirements_, [&](const Requirement& one) { return one.key == key; });
}

std::string LabelSelector::Text(const Requirement& requirement) {
  const std::string values = fmt::format("{}", fmt::join(requirement.values, ","));
  switch (requirement.what) {
    case Operator::kIn:
      if (requirement.values.size() == 1) return fmt::format("{}={}", requirement.key, values);
      return fmt::format("{} in ({})", requirement.key, values);
    case Operator::kNotIn:
      return fmt::format("{} not in ({})", requirement.key, values);
    case Operator::kExists:
      return requirement.key;
    case Operator::kDoesNotExist:
      return "!" + requirement.key;
  }
  return {};
}

std::string LabelSelector::ToString() const {
  if (IsEmpty()) return "everything";
  std::vector<std::string> parts;
  parts.reserve(requirements_.size());
  for (const Requirement& one : requirements_) parts.push_back(Text(one));
  return fmt::format("{}", fmt::join(parts, ","));
}

}  // namespace prov::egressip
