// The kind of machine variables: REG_SZ, compared as text, NO_PROXY as a set.
#include <algorithm>

#include "provisioner/egress/egress_config.h"
#include "provisioner/reconcile/items.h"
#include "provisioner/reconcile/script_writer.h"
#include "provisioner/reconcile/value_kind.h"

namespace prov::reconcile {
namespace {

using images::RegType;
using images::RegValue;

std::vector<ValuePlace> VariablePlaces() {
  std::vector<ValuePlace> out;
  for (const std::string_view variable : egress::kProxyVariables) {
    const std::string name(variable);
    out.push_back({name, name, EnvironmentKeyPath(), name});
  }
  return out;
}

class Environment final : public ValueKind {
 public:
  Environment() : ValueKind(ItemKind::kEnvironment, kEnvironmentItem) {}

  bool IsInScope(const Scope& scope) const override { return scope.machine; }
  bool Yields(const PlanOptions& options) const override { return options.yield_environment; }
  bool NeedsReboot() const override { return true; }

  void WriteForScript(const DesiredState& desired, ScriptWriter& out) const override {
    for (const EnvironmentVariable& variable : desired.environment) {
      JsonWriter& json = out.Begin(ItemKey(kEnvironmentItem, variable.name)).Key("value");
      out.Value(variable);
      json.EndObject();
    }
  }
  std::optional<ScriptPlace> PlaceInScript(std::string_view item) const override { return ScriptPlaceOf(item); }

 protected:
  const std::vector<ValuePlace>& Places() const override {
    static const std::vector<ValuePlace> places = VariablePlaces();
    return places;
  }
  std::optional<RegValue> Wanted(const DesiredState& desired, const ValuePlace& place,
                                 const std::optional<RegValue>& /*now*/) const override {
    const auto found = std::ranges::find(desired.environment, place.id, &EnvironmentVariable::name);
    return found == desired.environment.end() ? std::nullopt : std::optional(EncodeVariable(*found));
  }
  bool Same(const ValuePlace& place, const RegValue& a, const RegValue& b) const override {
    return SameVariable(place.id, a, b);
  }
  std::string Show(const ValuePlace& place, const RegValue& value) const override {
    const auto text = StringOf(value);
    if (!text) return "(not text)";
    return ShowVariable(place.id, *text) + (value.type == RegType::kSz ? "" : " (of another type than REG_SZ)");
  }
  ValueParts PartsOf(const ValuePlace& place, const RegValue& value) const override {
    const auto text = StringOf(value);
    if (!text) return {{place.id, Secret(Show(place, value))}};
    return {VariablePart(place.id, *text)};
  }
};

}  // namespace

const Kind& EnvironmentKind() {
  static const Environment kind;
  return kind;
}

}  // namespace prov::reconcile
