#include "provisioner/node/records.h"

#include "provisioner/base/json_reader.h"
#include "provisioner/base/json_writer.h"

namespace prov::node {
namespace {

template <class T, class Parse>
Result<std::optional<T>> Load(machine::StateFolder& state, std::string_view file, Parse parse) {
  const auto text = PROV_TRY(reconcile::ReadRecord(state, file));
  if (!text) return std::nullopt;
  return PROV_TRY(parse(*text, file));
}

Result<std::string> TextOf(const JsonNode& node, std::string_view name) { return PROV_TRY(node.Get(name)).Text(); }

Result<std::vector<std::string>> TextsOf(const JsonNode& node, std::string_view name) {
  std::vector<std::string> out;
  for (const JsonNode& item : PROV_TRY(PROV_TRY(node.Get(name)).Items())) out.push_back(PROV_TRY(item.Text()));
  return out;
}

void WriteTexts(JsonWriter& json, std::string_view name, const std::vector<std::string>& texts) {
  json.Key(name).BeginArray();
  for (const std::string& text : texts) json.String(text);
  json.EndArray();
}

void WriteApplied(JsonWriter& json, const Applied& applied) {
  json.Member("digest", applied.digest).Member("since", applied.since).Member("source", applied.source);
  json.Key("generation");
  if (applied.generation) {
    json.Int(*applied.generation);
  } else {
    json.Null();
  }
  if (!applied.payload.empty()) json.Member("payload", applied.payload);
  if (!applied.signer.empty()) json.Member("signer", applied.signer);
}

Result<std::string> TextOrNone(const JsonNode& node, std::string_view name) {
  const auto found = PROV_TRY(node.Find(name));
  return found ? found->Text() : std::string();
}

Result<Applied> ReadApplied(const JsonNode& node) {
  Applied out;
  out.digest = PROV_TRY(TextOf(node, "digest"));
  out.since = PROV_TRY(PROV_TRY(node.Get("since")).Integer());
  out.source = PROV_TRY(TextOf(node, "source"));
  if (const auto generation = PROV_TRY(node.Find("generation"))) out.generation = PROV_TRY(generation->Integer());
  out.payload = PROV_TRY(TextOrNone(node, "payload"));
  out.signer = PROV_TRY(TextOrNone(node, "signer"));
  return out;
}

Result<Floor> ParseFloor(std::string_view text, std::string_view where) {
  const JsonNode root = PROV_TRY(ParseSchemaOne(text, where));
  return Floor{PROV_TRY(TextOf(root, "signer")), PROV_TRY(PROV_TRY(root.Get("generation")).Integer()),
               PROV_TRY(TextOf(root, "payload"))};
}

Result<StoredSource> ParseSource(std::string_view text, std::string_view where) {
  const JsonNode root = PROV_TRY(ParseSchemaOne(text, where));
  return StoredSource{PROV_TRY(TextsOf(root, "words")), PROV_TRY(PROV_TRY(root.Get("follow")).Bool()),
                      PROV_TRY(PROV_TRY(root.Get("adopt")).Bool())};
}

Result<std::string> ParseHold(std::string_view text, std::string_view where) {
  return TextOf(PROV_TRY(ParseSchemaOne(text, where)), "digest");
}

Result<Trial> ParseTrial(std::string_view text, std::string_view where) {
  const JsonNode root = PROV_TRY(ParseSchemaOne(text, where));
  return Trial{PROV_TRY(PROV_TRY(root.Get("until")).Integer()), PROV_TRY(TextOf(root, "boot")),
               PROV_TRY(ReadApplied(PROV_TRY(root.Get("applied"))))};
}

Result<Boots> ParseBoots(std::string_view text, std::string_view where) {
  const JsonNode root = PROV_TRY(ParseSchemaOne(text, where));
  return Boots{PROV_TRY(TextOf(root, "change")), PROV_TRY(TextsOf(root, "boots"))};
}

Result<Applied> ParseApplied(std::string_view text, std::string_view where) {
  return ReadApplied(PROV_TRY(ParseSchemaOne(text, where)));
}

}  // namespace

Result<void> Remember(machine::StateFolder& state, std::string_view file, std::string_view text) {
  const auto now = PROV_TRY(state.Read(file));
  return now && *now == text ? Result<void>() : state.Write(file, text);
}

Result<void> Forget(machine::StateFolder& state, std::string_view file) {
  return PROV_TRY(state.Read(file)) ? state.Remove(file) : Result<void>();
}

Result<std::optional<StoredSource>> LoadSource(machine::StateFolder& state) {
  return Load<StoredSource>(state, kSourceFile, ParseSource);
}

std::string SourceJson(const StoredSource& source) {
  JsonWriter json;
  json.BeginObject().Member("schema", 1).Member("follow", source.follow).Member("adopt", source.adopt);
  WriteTexts(json, "words", source.words);
  return json.EndObject().Take();
}

Result<void> SaveSource(machine::StateFolder& state, const StoredSource& source) {
  return reconcile::CommitRecords(state, {{std::string(kSourceFile), SourceJson(source)}});
}

Result<std::optional<Applied>> LoadApplied(machine::StateFolder& state) {
  return Load<Applied>(state, kAppliedFile, ParseApplied);
}

std::string AppliedJson(const Applied& applied) {
  JsonWriter json;
  json.BeginObject().Member("schema", 1);
  WriteApplied(json, applied);
  return json.EndObject().Take();
}

Result<std::optional<Floor>> LoadFloor(machine::StateFolder& state) {
  return Load<Floor>(state, kFloorFile, ParseFloor);
}

std::string FloorJson(const Floor& floor) {
  JsonWriter json;
  json.BeginObject().Member("schema", 1).Member("signer", floor.signer).Member("generation", floor.generation);
  return json.Member("payload", floor.payload).EndObject().Take();
}

Result<std::optional<std::string>> LoadHold(machine::StateFolder& state) {
  return Load<std::string>(state, kHoldFile, ParseHold);
}

std::string HoldJson(std::string_view digest) {
  JsonWriter json;
  return json.BeginObject().Member("schema", 1).Member("digest", digest).EndObject().Take();
}

Result<std::optional<Trial>> LoadTrial(machine::StateFolder& state) {
  return Load<Trial>(state, kTrialFile, ParseTrial);
}

std::string TrialJson(const Trial& trial) {
  JsonWriter json;
  json.BeginObject().Member("schema", 1).Member("until", trial.until).Member("boot", trial.boot);
  json.Key("applied").BeginObject();
  WriteApplied(json, trial.applied);
  return json.EndObject().EndObject().Take();
}

Result<std::optional<Boots>> LoadBoots(machine::StateFolder& state) {
  return Load<Boots>(state, kBootsFile, ParseBoots);
}

Result<void> SaveBoots(machine::StateFolder& state, const Boots& boots) {
  JsonWriter json;
  json.BeginObject().Member("schema", 1).Member("change", boots.change);
  WriteTexts(json, "boots", boots.ids);
  return Remember(state, kBootsFile, json.EndObject().Take());
}

}  // namespace prov::node
