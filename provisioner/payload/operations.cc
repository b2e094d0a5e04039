#include "provisioner/payload/operations.h"

#include <string_view>

#include "provisioner/base/base64.h"
#include "provisioner/payload/egress_json.h"
#include "provisioner/reconcile/environment.h"
#include "provisioner/reconcile/items.h"
#include "provisioner/reconcile/service_name.h"

namespace prov::payload {
namespace {

using reconcile::DesiredState;
using reconcile::EnvironmentVariable;

// Splits an item's key, such as "env:HTTP_PROXY", into the members `kind` and `key`.
JsonWriter& BeginOperation(JsonWriter& json, std::string_view item) {
  const std::size_t colon = item.find(':');
  return json.BeginObject().Member("kind", item.substr(0, colon)).Member("key", item.substr(colon + 1));
}

bool HoldsCredentials(const EnvironmentVariable& variable) {
  return reconcile::HoldsCredentials(reconcile::ServiceEnvironment{{}, {variable}});
}

class Writer {
 public:
  Writer(JsonWriter& json, const egress::EgressConfig& config, const DesiredState& state,
         const OperationChoices& choices)
      : json_(json), config_(config), state_(state), choices_(choices) {}

  void Write() {
    json_.Key("operations").BeginArray();
    if (choices_.certificates) WriteCertificates();
    for (const EnvironmentVariable& variable : state_.environment) {
      BeginOperation(json_, std::string(reconcile::kEnvironmentItem) + variable.name).Key("value");
      WriteValue(variable);
      json_.EndObject();
    }
    if (state_.win_http) WriteWinHttp(*state_.win_http);
    for (const reconcile::ServiceEnvironment& service : state_.services) WriteService(service);
    json_.EndArray();
  }

 private:
  void WriteCertificates() {
    for (const reconcile::CertificateItem& item : state_.certificates) {
      BeginOperation(json_, reconcile::CertificateItemName(item.store, item.certificate.sha1));
      json_.Member("value", EncodeBase64(item.certificate.der)).EndObject();
    }
  }

  void WriteValue(const EnvironmentVariable& variable) {
    const std::string& text = variable.value.Reveal();
    const bool equal = choices_.equal_as_null && ProxyValue(config_, state_, variable.name) == text;
    if (equal || HoldsCredentials(variable)) {
      json_.Null();
    } else {
      json_.String(text);
    }
  }

  void WriteWinHttp(const egress::WinHttpProxy& proxy) {
    for (const auto& view : reconcile::kWinHttpViews) {
      BeginOperation(json_, std::string(reconcile::kWinHttpItem).append(view.bits)).Key("value").BeginObject();
      json_.Member("proxy", proxy.proxy).Member("bypass", proxy.bypass).EndObject().EndObject();
    }
  }

  // Closes the key before the operation that writes a secret into it.
  void WriteService(const reconcile::ServiceEnvironment& service) {
    if (service.variables.empty()) return;
    const std::string name = reconcile::ServiceNameKey(service.service);
    if (reconcile::HoldsCredentials(service)) {
      BeginOperation(json_, std::string(reconcile::kServiceSecurityItem) + name).EndObject();
    }
    BeginOperation(json_, std::string(reconcile::kServiceItem) + name).Key("value").BeginObject();
    for (const EnvironmentVariable& variable : service.variables) {
      json_.Key(variable.name);
      WriteValue(variable);
    }
    json_.EndObject().EndObject();
  }

  JsonWriter& json_;
  const egress::EgressConfig& config_;
  const DesiredState& state_;
  const OperationChoices& choices_;
};

}  // namespace

std::string OperationsJson(const egress::EgressConfig& config, const DesiredState& state, std::int64_t generation) {
  JsonWriter json;
  json.BeginObject().Member("schema", 1).Member("generation", generation);
  json.Strings("scope", state.scope.Names());
  WriteOperations(json, config, state, {});
  return json.EndObject().Text();
}

void WriteOperations(JsonWriter& json, const egress::EgressConfig& config, const DesiredState& state,
                     const OperationChoices& choices) {
  Writer(json, config, state, choices).Write();
}

}  // namespace prov::payload
