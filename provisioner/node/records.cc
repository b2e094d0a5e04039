#include "provisioner/node/records.h"

#include "provisioner/base/json_writer.h"
#include "provisioner/base/sentence.h"

namespace prov::node {
namespace {

template <class T, class Parse>
Result<std::optional<T>> Load(machine::StateRecord& state, std::string_view section, Parse parse) {
  const auto node = PROV_TRY(state.Read(section));
  if (!node) return std::nullopt;
  return PROV_TRY(parse(*node));
}

Result<MinimumPayload> ParseMinimum(const JsonNode& root) {
  return MinimumPayload{PROV_TRY(root.Get("signer", &JsonNode::Text)),
                        PROV_TRY(root.Get("generation", &JsonNode::Integer)),
                        PROV_TRY(root.Get("payload", &JsonNode::Text))};
}

// As members of the open object.
JsonWriter& WriteSpec(JsonWriter& json, const SettingsSpec& spec) {
  source::WriteSourceSpec(json.Key("spec"), spec.source);
  WriteChoices(json.Key("choices"), spec.choices);
  return json;
}

Result<SettingsSpec> ReadSpec(const JsonNode& node) {
  return SettingsSpec{PROV_TRY(node.Get("spec", source::ReadSourceSpec)), PROV_TRY(node.Get("choices", ReadChoices))};
}

Result<StoredSource> ParseSource(const JsonNode& root) {
  return StoredSource{PROV_TRY(ReadSpec(root)), PROV_TRY(root.Get("follow", &JsonNode::Bool)),
                      PROV_TRY(root.Get("adopt", &JsonNode::Bool))};
}

Result<std::string> ParseHold(const JsonNode& root) { return root.Get("digest", &JsonNode::Text); }

Result<std::int64_t> ParseRemoved(const JsonNode& root) { return PROV_TRY(root.Get("at")).Integer(); }

Result<Boots> ParseBoots(const JsonNode& root) {
  return Boots{PROV_TRY(root.Get("change", &JsonNode::Text)), PROV_TRY(root.Get("boots", &JsonNode::Texts))};
}

Result<ServiceRecord> ParseService(const JsonNode& root) {
  return ServiceRecord{PROV_TRY(root.Find("interval", &JsonNode::Integer)).value_or(0),
                       PROV_TRY(root.Find("reporting", ReadNodeReporting)).value_or(NodeReporting())};
}

}  // namespace

Result<void> Remember(machine::StateRecord& state, std::string_view section, std::string json) {
  return state.Commit({{std::string(section), std::move(json)}});
}

Result<void> Forget(machine::StateRecord& state, std::string_view section) {
  return state.Commit({{std::string(section), std::nullopt}});
}

Result<std::optional<StoredSource>> LoadSource(machine::StateRecord& state) {
  return Load<StoredSource>(state, kSourceSection, ParseSource);
}

std::string SourceJson(const StoredSource& source) {
  JsonWriter json;
  json.BeginObject().Member("follow", source.follow).Member("adopt", source.adopt);
  return WriteSpec(json, source.spec).EndObject().Text();
}

Result<void> SaveSource(machine::StateRecord& state, const StoredSource& source) {
  return Remember(state, kSourceSection, SourceJson(source));
}

Result<std::optional<Applied>> LoadApplied(machine::StateRecord& state) {
  return Load<Applied>(state, kAppliedSection, ReadApplied);
}

std::string AppliedJson(const Applied& applied) {
  JsonWriter json;
  json.BeginObject().Member("digest", applied.digest).Member("since", applied.since).Member("source", applied.source);
  json.Member("generation", applied.generation);
  if (!applied.payload.empty()) json.Member("payload", applied.payload);
  if (!applied.signer.empty()) json.Member("signer", applied.signer);
  if (!applied.source_digest.empty()) json.Member("sourceDigest", applied.source_digest);
  if (applied.given) WriteSpec(json.Key("given").BeginObject(), *applied.given).EndObject();
  if (!applied.found.empty()) json.Strings("found", applied.found);
  return json.EndObject().Text();
}

Result<Applied> ReadApplied(const JsonNode& node) {
  Applied out;
  out.digest = PROV_TRY(node.Get("digest", &JsonNode::Text));
  out.since = PROV_TRY(node.Get("since", &JsonNode::Integer));
  out.source = PROV_TRY(node.Get("source", &JsonNode::Text));
  out.generation = PROV_TRY(node.Find("generation", &JsonNode::Integer));
  out.payload = PROV_TRY(node.Find("payload", &JsonNode::Text)).value_or("");
  out.signer = PROV_TRY(node.Find("signer", &JsonNode::Text)).value_or("");
  out.source_digest = PROV_TRY(node.Find("sourceDigest", &JsonNode::Text)).value_or("");
  out.given = PROV_TRY(node.Find("given", ReadSpec));
  out.found = PROV_TRY(node.Find("found", &JsonNode::Texts)).value_or(std::vector<std::string>());
  return out;
}

Result<std::optional<MinimumPayload>> LoadMinimum(machine::StateRecord& state) {
  return Load<MinimumPayload>(state, kFloorSection, ParseMinimum);
}

std::string MinimumJson(const MinimumPayload& minimum) {
  JsonWriter json;
  json.BeginObject().Member("signer", minimum.signer).Member("generation", minimum.generation);
  return json.Member("payload", minimum.payload).EndObject().Text();
}

Result<std::optional<std::string>> LoadHold(machine::StateRecord& state) {
  return Load<std::string>(state, kHoldSection, ParseHold);
}

std::string HoldJson(std::string_view digest) {
  JsonWriter json;
  return json.BeginObject().Member("digest", digest).EndObject().Text();
}

Result<std::optional<std::int64_t>> LoadRemoved(machine::StateRecord& state) {
  return Load<std::int64_t>(state, kRemovedSection, ParseRemoved);
}

std::string RemovedJson(std::int64_t at) {
  JsonWriter json;
  return json.BeginObject().Member("at", at).EndObject().Text();
}

Result<std::optional<Boots>> LoadBoots(machine::StateRecord& state) {
  return Load<Boots>(state, kBootsSection, ParseBoots);
}

Result<void> SaveBoots(machine::StateRecord& state, const Boots& boots) {
  JsonWriter json;
  json.BeginObject().Member("change", boots.change);
  json.Strings("boots", boots.ids);
  return Remember(state, kBootsSection, json.EndObject().Text());
}

Result<std::optional<ServiceRecord>> LoadService(machine::StateRecord& state) {
  return Load<ServiceRecord>(state, kServiceSection, ParseService);
}

std::string ServiceJson(const ServiceRecord& service) {
  JsonWriter json;
  json.BeginObject();
  if (service.interval_seconds != 0) json.Member("interval", service.interval_seconds);
  if (!service.reporting.IsNothing()) WriteNodeReporting(json.Key("reporting"), service.reporting);
  return json.EndObject().Text();
}

Result<void> SaveFailure(machine::StateRecord& state, const Error& error) {
  JsonWriter json;
  json.BeginObject().Member("code", InfoOf(error.code).name).Member("message", error.message);
  json.Member("where", PlaceOf(error));
  return Remember(state, kFailureSection, json.EndObject().Text());
}

Result<std::optional<BootFailure>> LoadFailure(machine::StateRecord& state) {
  const auto failure = PROV_TRY(state.Read(kFailureSection));
  if (!failure) return std::nullopt;
  return BootFailure{PROV_TRY(failure->Get("code", &JsonNode::Text)),
                     SentenceWithPlace(PROV_TRY(failure->Get("message", &JsonNode::Text)),
                                       PROV_TRY(failure->Get("where", &JsonNode::Text)))};
}

}  // namespace prov::node
