#include "provisioner/base/json_writer.h"

#include "provisioner/base/json.h"
#include "provisioner/base/rapidjson.h"
#include "provisioner/base/sentence.h"
#include "provisioner/base/text.h"

namespace prov {

struct JsonWriter::Impl {
  rapidjson::StringBuffer buffer;
  rapidjson::PrettyWriter<rapidjson::StringBuffer> writer{buffer};
};

JsonWriter::JsonWriter() : impl_(std::make_unique<Impl>()) { impl_->writer.SetIndent(' ', 2); }
JsonWriter::~JsonWriter() = default;

JsonWriter& JsonWriter::BeginObject() {
  impl_->writer.StartObject();
  return *this;
}
JsonWriter& JsonWriter::EndObject() {
  impl_->writer.EndObject();
  return *this;
}
JsonWriter& JsonWriter::BeginArray() {
  impl_->writer.StartArray();
  return *this;
}
JsonWriter& JsonWriter::EndArray() {
  impl_->writer.EndArray();
  return *this;
}
JsonWriter& JsonWriter::Key(std::string_view name) { return String(name); }

JsonWriter& JsonWriter::String(std::string_view text) {
  if (IsUtf8(text)) {
    impl_->writer.String(text.data(), static_cast<rapidjson::SizeType>(text.size()));
  } else {
    const std::string clean = ReplaceMalformed(text);
    impl_->writer.String(clean.data(), static_cast<rapidjson::SizeType>(clean.size()));
  }
  return *this;
}

JsonWriter& JsonWriter::Int(std::int64_t value) {
  impl_->writer.Int64(value);
  return *this;
}
JsonWriter& JsonWriter::Bool(bool value) {
  impl_->writer.Bool(value);
  return *this;
}
JsonWriter& JsonWriter::Null() {
  impl_->writer.Null();
  return *this;
}

JsonWriter& JsonWriter::Json(std::string_view document) {
  rapidjson::MemoryStream stream(document.data(), document.size());
  const auto parsed = rapidjson::Reader().Parse<rapidjson::kParseIterativeFlag>(stream, impl_->writer);
  RAPIDJSON_ASSERT(!parsed.IsError());
  return *this;
}

std::string JsonWriter::Text() {
  return PrintableJson(std::string(impl_->buffer.GetString(), impl_->buffer.GetSize()) + "\n");
}

std::string JsonWriter::OneLine() {
  rapidjson::Document document;
  document.Parse<rapidjson::kParseIterativeFlag>(impl_->buffer.GetString(), impl_->buffer.GetSize());
  return WriteJson(document, 0);
}

void WriteFindings(JsonWriter& json, const Findings& findings) {
  json.Key("findings").BeginArray();
  for (const Finding& f : findings) {
    json.BeginObject().Member("severity", NameOf(f.severity)).Member("code", f.code);
    json.Member("message", Sentence(f.message, f.where)).Member("where", f.where).EndObject();
  }
  json.EndArray();
}

std::string ErrorDocument(const Error& error) {
  JsonWriter json;
  json.BeginObject().Member("schema", 1).Key("error").BeginObject();
  json.Member("code", InfoOf(error.code).name).Member("message", Sentence(error.message, PlaceOf(error)));
  json.Member("where", error.where);
  if (!error.file.empty()) json.Member("file", error.file);
  return json.EndObject().EndObject().Text();
}

}  // namespace prov
