#include "provisioner/machine/state_record.h"

#include <fmt/format.h>

#include "provisioner/base/json_writer.h"
#include "provisioner/base/seal.h"

namespace prov::machine {
namespace {

constexpr std::string_view kSections = "sections";

}  // namespace

Result<StateContent> ParseState(std::string_view text, std::string_view where) {
  const JsonNode root = PROV_TRY(ParseSchemaOne(text, where));
  PROV_TRY(CheckSeal(text, where));
  StateContent out;
  for (auto& [name, node] : PROV_TRY(root.Get(kSections, &JsonNode::Members))) out.emplace(name, node);
  return out;
}

std::string StateText(const StateContent& content) {
  JsonWriter json;
  json.BeginObject().Member("schema", 1).Member(kSealMember, kNoSeal);
  json.Key(kSections).BeginObject();
  for (const auto& [name, node] : content) json.Key(name).Json(node.Json());
  return Seal(json.EndObject().EndObject().Text());
}

// Reads the file again: another process may have replaced it before this one held the lock.
Result<void> StateRecord::Load() {
  auto text = PROV_TRY(folder_->Read(kStateFile));
  if (is_loaded_ && text == text_) return {};
  content_ = text ? PROV_TRY(ParseState(*text, kStateFile)) : StateContent();
  text_ = std::move(text);
  is_loaded_ = true;
  return {};
}

Result<std::optional<JsonNode>> StateRecord::Read(std::string_view section) {
  PROV_TRY(Load());
  const auto found = content_.find(section);
  return found == content_.end() ? std::nullopt : std::optional(found->second);
}

Result<void> StateRecord::Write() {
  std::string text = StateText(content_);
  is_loaded_ = false;  // until the write succeeds, it is unknown which text the file has
  // Write the copy first: if the disk is full, nothing has changed yet. The very first time, write it last, because a
  // copy alone means that the record was deleted.
  const bool is_first = !text_;
  if (!is_first) PROV_TRY(folder_->Write(kStatePreviousFile, text));
  PROV_TRY(folder_->Write(kStateFile, text));
  if (is_first) PROV_TRY(folder_->Write(kStatePreviousFile, text));
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
  auto next = content_;
  bool differs = false;
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
  content_ = std::move(next);
  return Write();
}

}  // namespace prov::machine
