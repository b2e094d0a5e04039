#include "provisioner/payload/operations.h"

#include "provisioner/payload/egress_json.h"
#include "provisioner/reconcile/environment.h"
#include "provisioner/reconcile/kind.h"
#include "provisioner/reconcile/script_writer.h"

namespace prov::payload {

std::string OperationsJson(const egress::EgressConfig& config, const reconcile::DesiredState& state,
                           std::int64_t generation) {
  JsonWriter json;
  json.BeginObject().Member("schema", 1).Member("generation", generation);
  WriteScopeOfScript(json, state);
  WriteOperations(json, config, state, {});
  return json.EndObject().Text();
}

void WriteScopeOfScript(JsonWriter& json, const reconcile::DesiredState& state) {
  reconcile::Scope scope = state.scope;
  if (state.only_adds_certificates) scope.certificates = false;
  json.Strings("scope", scope.Names());
  reconcile::Scope left_out = state.left_out;
  left_out.win_inet = left_out.registries = left_out.hns = false;  // only the program sets these
  if (left_out != reconcile::Scope::None()) json.Strings("leftOut", left_out.Names());
}

void WriteOperations(JsonWriter& json, const egress::EgressConfig& config, const reconcile::DesiredState& state,
                     const OperationChoices& choices) {
  reconcile::ScriptWriter out(json, [&](const reconcile::EnvironmentVariable& variable) {
    const bool equal = choices.equal_as_null && ProxyValue(config, state, variable.name) == variable.value.Reveal();
    return equal || reconcile::IsSecret(variable);
  });
  json.Key("operations").BeginArray();
  for (const reconcile::Kind* kind : reconcile::Kinds()) {
    if (choices.certificates || kind != &reconcile::CertificateKind()) kind->WriteForScript(state, out);
  }
  json.EndArray();
}

}  // namespace prov::payload
