// Writes one JSON document, indented by two spaces, with members in the given order: the same calls give the same
// bytes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "provisioner/base/finding.h"
#include "provisioner/base/result.h"

namespace prov {

// Calls must nest as JSON does. Malformed bytes in strings become U+FFFD, so that the document is always UTF-8.
class JsonWriter {
 public:
  JsonWriter();
  JsonWriter(const JsonWriter&) = delete;
  JsonWriter& operator=(const JsonWriter&) = delete;
  ~JsonWriter();

  JsonWriter& BeginObject();
  JsonWriter& EndObject();
  JsonWriter& BeginArray();
  JsonWriter& EndArray();
  JsonWriter& Key(std::string_view name);
  JsonWriter& String(std::string_view text);
  JsonWriter& Int(std::int64_t value);
  JsonWriter& Bool(bool value);
  JsonWriter& Null();
  // Writes a complete JSON document as the next value, indented to its place. Invalid JSON is a defect.
  JsonWriter& Json(std::string_view document);

  JsonWriter& Member(std::string_view key, std::string_view text) { return Key(key).String(text); }
  JsonWriter& Member(std::string_view key, const char* text) { return Key(key).String(text); }
  JsonWriter& Member(std::string_view key, bool value) { return Key(key).Bool(value); }
  JsonWriter& Member(std::string_view key, int value) { return Key(key).Int(value); }
  JsonWriter& Member(std::string_view key, std::int64_t value) { return Key(key).Int(value); }
  JsonWriter& Member(std::string_view key, std::size_t value) { return Key(key).Int(static_cast<std::int64_t>(value)); }

  // null for nullopt.
  template <class T>
  JsonWriter& Member(std::string_view key, const std::optional<T>& value) {
    return value ? Member(key, *value) : Key(key).Null();
  }

  // A member that is an array of these strings.
  template <class Range>
  JsonWriter& Strings(std::string_view key, const Range& texts) {
    Key(key).BeginArray();
    for (const auto& text : texts) String(text);
    return EndArray();
  }

  // The finished document with a final line feed.
  std::string Text();
  // The finished document without line ends and indentation.
  std::string OneLine();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// `"findings": [{"severity","code","message","where"}]` as a member of the open object.
void WriteFindings(JsonWriter& json, const Findings& findings);

// `{"schema":1,"error":{"code","message","where","file"?}}`
std::string ErrorDocument(const Error& error);

}  // namespace prov
