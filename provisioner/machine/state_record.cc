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

Result<StateContent> ParseState(std::string_view text, std::string_view where) {
  const JsonNode root = PROV_TRY(ParseSchemaOne(text, where));
  PROV_TRY(CheckSeal(text, where));
  StateContent out;
  for (auto& [name, node] : PROV_TRY(PROV_TRY(root.Get(kSections)).Members())) out.sections.emplace(name, node);
  out.earlier_files = PROV_TRY(root.Find(kEarlierFiles)).has_value();
  return out;
}

std::string StateText(const StateContent& content) {
  JsonWriter json;
  json.BeginObject().Member("schema", 1).Member(kSealMember, kNoSeal);
  if (content.earlier_files) json.Member(kEarlierFiles, true);
  json.Key(kSections).BeginObject();
  for (const auto& [name, node] : content.sections) json.Key(name).Json(node.Json());
  return Seal(json.EndObject().EndObject().Text());
}

// The file may have been replaced since: by another process, before this one held the lock.
Result<void> StateRecord::Load() {
  auto text = PROV_TRY(folder_->Read(kStateFile));
  if (is_loaded_ && text == text_) return {};
  StateContent content;
  Sections earlier;
  if (!text) {
    earlier = PROV_TRY(ReadEarlierState(*folder_));
    text = PROV_TRY(folder_->Read(kStateFile));  // another process may have put them into it meanwhile
  }
  if (text) {
    content = PROV_TRY(ParseState(*text, kStateFile));
  } else {
    content.earlier_files = !earlier.empty();
    for (const auto& [name, section] : earlier) {
      content.sections.emplace(name, PROV_TRY(ParseJsonDocument(*section, name)));
    }
  }
  content_ = std::move(content);
  text_ = std::move(text);
  is_loaded_ = true;
  return {};
}

Result<std::optional<JsonNode>> StateRecord::Read(std::string_view section) {
  PROV_TRY(Load());
  const auto found = content_.sections.find(section);
  return found == content_.sections.end() ? std::nullopt : std::optional(found->second);
}

Result<void> StateRecord::Write(bool earlier_files) {
  content_.earlier_files = earlier_files;
  std::string text = StateText(content_);
  is_loaded_ = false;  // until it is written, this says neither the old nor the new
  // The copy comes before: where the disk is full nothing has happened yet. But for the very first one, as a copy alone
  // says that the record was deleted. With earlier files there is one more write to come.
  const bool is_first = !text_;
  if (!earlier_files && !is_first) PROV_TRY(folder_->Write(kStatePreviousFile, text));
  PROV_TRY(folder_->Write(kStateFile, text));
  if (!earlier_files && is_first) PROV_TRY(folder_->Write(kStatePreviousFile, text));
  text_ = std::move(text);
  is_loaded_ = true;
  return {};
}

Result<void> StateRecord::KeepCopy() {
  if (!text_ || PROV_TRY(folder_->Read(kStatePreviousFile))) return {};
  return folder_->Write(kStatePreviousFile, *text_);
}

Result<void> StateRecord::Commit(const Sections& changes) {
  PROV_TRY(Load());
  auto next = content_.sections;
  bool differs = text_ && content_.earlier_files;  // a run ended before it had removed them
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
  if (!differs) return KeepCopy();
  content_.sections = std::move(next);
  const bool earlier_files = content_.earlier_files;
  PROV_TRY(Write(earlier_files));
  if (!earlier_files) return {};
  PROV_TRY(RemoveEarlierState(*folder_));
  return Write(false);
}

}  // namespace prov::machine
