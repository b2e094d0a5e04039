#include "provisioner/machine/state_record.h"

#include <fmt/format.h>

#include "provisioner/base/json_writer.h"
#include "provisioner/base/seal.h"
#include "provisioner/machine/earlier_state.h"

namespace prov::machine {
namespace {

constexpr std::string_view kSections = "sections";
// True while files of earlier versions may lie beside this one, which counts alone.
constexpr std::string_view kEarlierFiles = "earlierFiles";

}  // namespace

// The file may have been replaced since: by another process, before this one held the lock.
Result<void> StateRecord::Load() {
  auto text = PROV_TRY(folder_->Read(kStateFile));
  if (is_loaded_ && text == text_) return {};
  Nodes sections;
  bool earlier_files = false;
  Sections earlier;
  if (!text) {
    earlier = PROV_TRY(ReadEarlierState(*folder_));
    text = PROV_TRY(folder_->Read(kStateFile));  // another process may have put them into it meanwhile
  }
  if (text) {
    const JsonNode root = PROV_TRY(ParseSchemaOne(*text, kStateFile));
    PROV_TRY(CheckSeal(*text, kStateFile));
    for (auto& [name, node] : PROV_TRY(PROV_TRY(root.Get(kSections)).Members())) sections.emplace(name, node);
    earlier_files = PROV_TRY(root.Find(kEarlierFiles)).has_value();
  } else {
    earlier_files = !earlier.empty();
    for (const auto& [name, section] : earlier) sections.emplace(name, PROV_TRY(ParseJsonDocument(*section, name)));
  }
  sections_ = std::move(sections);
  earlier_files_ = earlier_files;
  text_ = std::move(text);
  is_loaded_ = true;
  return {};
}

Result<std::optional<JsonNode>> StateRecord::Read(std::string_view section) {
  PROV_TRY(Load());
  const auto found = sections_.find(section);
  return found == sections_.end() ? std::nullopt : std::optional(found->second);
}

Result<void> StateRecord::Write(bool earlier_files) {
  JsonWriter json;
  json.BeginObject().Member("schema", 1).Member(kSealMember, kNoSeal);
  if (earlier_files) json.Member(kEarlierFiles, true);
  json.Key(kSections).BeginObject();
  for (const auto& [name, node] : sections_) json.Key(name).Json(node.Json());
  std::string text = Seal(json.EndObject().EndObject().Text());
  is_loaded_ = false;  // until it is written, this says neither the old nor the new
  PROV_TRY(folder_->Write(kStateFile, text));
  text_ = std::move(text);
  earlier_files_ = earlier_files;
  is_loaded_ = true;
  return {};
}

Result<void> StateRecord::Commit(const Sections& changes) {
  PROV_TRY(Load());
  Nodes next = sections_;
  bool differs = text_ && earlier_files_;  // a run ended before it had removed them
  for (const auto& [name, section] : changes) {
    const auto now = next.find(name);
    if (!section) {
      differs = differs || now != next.end();
      if (now != next.end()) next.erase(now);
      continue;
    }
    JsonNode wanted = PROV_TRY(ParseJsonDocument(*section, name));
    if (now != next.end() && now->second.Json() == wanted.Json()) continue;
    differs = true;
    next.insert_or_assign(name, std::move(wanted));
  }
  if (!differs) return {};
  sections_ = std::move(next);
  const bool earlier_files = earlier_files_;
  PROV_TRY(Write(earlier_files));
  if (!earlier_files) return {};
  PROV_TRY(RemoveEarlierState(*folder_));
  return Write(false);
}

}  // namespace prov::machine
