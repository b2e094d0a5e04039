#include "provisioner/node/image_record.h"

#include "provisioner/base/base64.h"
#include "provisioner/base/json_reader.h"
#include "provisioner/base/json_writer.h"
#include "provisioner/node/records.h"

namespace prov::node {
namespace {

Result<ImageRecord> ParseImageRecord(const JsonNode& root) {
  ImageRecord out;
  out.complete = PROV_TRY(root.Get("complete", &JsonNode::Bool));
  for (const JsonNode& node : PROV_TRY(root.Get("files", &JsonNode::Items))) {
    out.files.push_back({PROV_TRY(node.Get("path", &JsonNode::Text)), PROV_TRY(node.Get("sha256", &JsonNode::Text))});
  }
  // Parts of users' files are in base64, because their encoding is unknown.
  out.setup_complete_added = PROV_TRY(root.Find("setupCompleteAdded", &JsonNode::Bytes));
  for (const JsonNode& node : PROV_TRY(root.Get("answerFiles", &JsonNode::Items))) {
    out.answer_files.push_back({PROV_TRY(node.Get("path", &JsonNode::Text)),
                                PROV_TRY(node.Get("made", &JsonNode::Bool)),
                                PROV_TRY(node.Get("record", &JsonNode::Bytes))});
  }
  out.setup_folder_made = PROV_TRY(root.Find("setupFolderMade", &JsonNode::Bool)).value_or(false);
  return out;
}

}  // namespace

Result<std::optional<ImageRecord>> LoadImageRecord(machine::StateRecord& state) {
  const auto section = PROV_TRY(state.Read(kImageSection));
  if (!section) return std::nullopt;
  return PROV_TRY(ParseImageRecord(*section));
}

Result<void> SaveImageRecord(machine::StateRecord& state, const ImageRecord& record) {
  JsonWriter json;
  json.BeginObject().Member("complete", record.complete).Key("files").BeginArray();
  for (const ImageRecord::File& file : record.files) {
    json.BeginObject().Member("path", file.path).Member("sha256", file.sha256).EndObject();
  }
  json.EndArray();
  if (record.setup_complete_added) json.Member("setupCompleteAdded", EncodeBase64(*record.setup_complete_added));
  json.Key("answerFiles").BeginArray();
  for (const ImageRecord::AnswerFile& file : record.answer_files) {
    json.BeginObject().Member("path", file.path).Member("made", file.made);
    json.Member("record", EncodeBase64(file.record)).EndObject();
  }
  json.EndArray();
  if (record.setup_folder_made) json.Member("setupFolderMade", true);
  return Remember(state, kImageSection, json.EndObject().Text());
}

}  // namespace prov::node
