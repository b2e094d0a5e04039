#include "provisioner/node/settings.h"

#include "provisioner/base/base64.h"
#include "provisioner/base/hash.h"
#include "provisioner/base/json_reader.h"
#include "provisioner/base/json_writer.h"
#include "provisioner/base/text.h"
#include "provisioner/payload/egress_json.h"

namespace prov::node {
namespace {

constexpr std::string_view kEgressJson = "egress.json";

}  // namespace

std::string SettingsJson(const Settings& settings, const reconcile::DesiredState& state) {
  JsonWriter json;
  json.BeginObject().Member("schema", 1).Member("payload", settings.generation.has_value());
  json.Key("files").BeginArray();
  const auto add = [&json](std::string_view path, std::string_view bytes) {
    json.BeginObject().Member("path", path).Member("data", EncodeBase64(bytes)).EndObject();
  };
  add(kEgressJson, payload::EgressJson(settings.config, state, settings.generation.value_or(0)));
  for (const reconcile::CertificateItem& item : state.certificates) {
    add(payload::CertificatePath(item), item.certificate.der);
  }
  return json.EndArray().EndObject().Text();
}

Result<DerivedSettings> Derive(Settings settings) {
  DerivedSettings out;
  out.desired = PROV_TRY(reconcile::MakeDesiredState(settings.config, settings.options));
  out.json = SettingsJson(settings, out.desired);
  out.digest = ToHex(Sha256(out.json));
  out.settings = std::move(settings);
  return out;
}

Result<Settings> ParseSettings(std::string_view text, std::string_view where) {
  const JsonNode root = PROV_TRY(ParseSchemaOne(text, where));
  payload::PayloadBytes files;
  for (const JsonNode& node : PROV_TRY(root.Get("files", &JsonNode::Items))) {
    files[PROV_TRY(node.Get("path", &JsonNode::Text))] = PROV_TRY(node.Get("data", &JsonNode::Bytes));
  }
  payload::EgressDocument document = PROV_TRY(payload::ReadEgressJson(files, where));
  Settings out{std::move(document.config), std::move(document.options), {}, {}};
  if (PROV_TRY(root.Get("payload", &JsonNode::Bool))) out.generation = document.generation;
  return out;
}

Result<void> CheckSourceFiles(machine::Installation& installation, const SettingsSpec& spec) {
  for (const std::string& file : spec.source.Files()) {
    // A payload may be on a share if it is signed. Reading it decides.
    const bool is_source = file == spec.source.source;
    PROV_TRY(installation.CheckSource(file, is_source ? Shares::kSigned : Shares::kRefused));
  }
  for (const std::string& file : spec.choices.Files()) PROV_TRY(installation.CheckSource(file, Shares::kRefused));
  return {};
}

std::string NameOf(const egress::SourceInfo& source) {
  return source.name.empty() ? source.kind : source.kind + " " + source.name;
}

}  // namespace prov::node
