// JSON documents: parsed in place, with limits, and with positions for messages. YAML becomes the same tree
// (ignition/yaml.h).
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "provisioner/base/rapidjson.h"
#include "provisioner/base/result.h"

namespace prov {

using JsonValue = rapidjson::Value;

// Limits of a document's cost, and the reader's strictness.
struct JsonLimits {
  std::uint64_t input = 256ULL << 20U;  // bytes of the document itself
  unsigned depth = 1000;                // nesting
  std::uint64_t values = 8'000'000;     // keys included; each takes at least 16 bytes of memory
  bool repeated_keys = true;            // whether a key may be repeated in an object; only for JSON
};

// Spare bytes after the text: the parser reads ahead in blocks.
constexpr std::size_t kJsonPadding = 64;

// Documents must be smaller than this whatever the limits say, because the DOM uses 32-bit sizes.
constexpr std::uint64_t kMostJsonBytes = 0xFFFF0000;

// A parsed document. String values are views into `buffer` (JSON) or belong to `dom` (YAML) or to `parts`, so none may
// be changed or moved without the others.
class JsonDocument {
 public:
  JsonDocument() = default;
  JsonDocument(const JsonDocument&) = delete;
  JsonDocument& operator=(const JsonDocument&) = delete;

  const JsonValue& root() const { return dom; }

  std::string buffer;
  rapidjson::Document dom;
  std::uint64_t values = 0;  // number of values
  bool several = false;      // the root is an array of several documents
  // With `several` and read from several files: where each of the documents is, as a path; otherwise empty.
  std::vector<std::string> places;
  std::vector<std::unique_ptr<JsonDocument>> parts;  // own values of the root

  // The path of one of several documents, for messages: its place, or "$[2]".
  std::string PlaceOf(rapidjson::SizeType index) const;
};

// Parses strict JSON (RFC 8259): no BOM, comments, trailing commas or bytes after the value. Works in place and
// iteratively. If a key may be repeated, both members are kept, and JsonMember() finds the last. Errors: json, with
// "line L, column C" (from 1, in characters) in `where`; too-large (bytes, values).
Result<std::unique_ptr<JsonDocument>> ParseJson(std::string bytes, const JsonLimits& limits);

// Values of a text, parsed one after the other and in place into the root of one document, an array.
class JsonStream {
 public:
  // Errors: those of ParseJson for the text as a whole.
  static Result<JsonStream> Of(std::string bytes, const JsonLimits& limits);

  // The text. What is before the end of the last value may have been changed by parsing.
  std::string_view text() const { return std::string_view(document_->buffer).substr(0, size_); }
  std::string PlaceAt(std::size_t offset) const;  // "line 3, column 7" in the text as it was given
  JsonDocument& document() { return *document_; }
  // What is left of the limits.
  const JsonLimits& left() const { return left_; }

  // Parses the value that begins at `at`, and appends it. Returns the offset behind it. Errors: those of ParseJson.
  Result<std::size_t> Append(std::size_t at);
  // Appends a value that belongs to the document's allocator, and counts its values.
  void Take(JsonValue value, std::uint64_t values);
  // The document: several values, or the only one. At least one must have been appended.
  std::unique_ptr<JsonDocument> Release() &&;

 private:
  JsonStream(std::string text, bool is_plain, const JsonLimits& limits);

  std::size_t size_;
  std::string original_;  // "": one line of ASCII, whose columns are offsets
  JsonLimits left_;
  std::unique_ptr<JsonDocument> document_;
};

// Writes the value as a document, its members in order: in one line, or each on its own line, indented by `indent`
// spaces and with a final line end. Escapes characters that a terminal must not see.
std::string WriteJson(const JsonValue& value, unsigned indent);

// The name of a repeated member of an object; of several, the first in byte order.
std::optional<std::string_view> RepeatedMember(const JsonValue& object);

// The member of an object, the last one of that name; nullptr if it is absent or null, or if `object` is null. `object`
// must be an object otherwise.
const JsonValue* JsonMember(const JsonValue* object, std::string_view name);

// The value at a path of members; nullptr if one is absent or null, or belongs to something other than an object.
const JsonValue* JsonAt(const JsonValue& root, std::initializer_list<std::string_view> path);

// The text there; "" if there is none.
std::string_view JsonTextAt(const JsonValue& root, std::initializer_list<std::string_view> path);

// The text of a string value, with embedded NULs.
inline std::string_view JsonTextOf(const JsonValue& value) { return {value.GetString(), value.GetStringLength()}; }

// "an object", "a string", … for messages.
std::string_view JsonTypeName(const JsonValue& value);

// The error type: "expected an object, found a string".
std::unexpected<Error> WrongJsonType(const JsonValue& value, std::string_view expected, std::string where);

// A SAX handler that limits nesting and the number of values before it calls another handler.
template <class Handler>
class BoundedHandler {
 public:
  enum class Stop { kNone, kDepth, kValues };
  using Ch = char;

  BoundedHandler(Handler& next, const JsonLimits& limits)
      : next_(next), depth_left_(limits.depth), values_left_(limits.values) {}

  bool Null() { return Count() && next_.Null(); }
  bool Bool(bool b) { return Count() && next_.Bool(b); }
  bool Int(int i) { return Count() && next_.Int(i); }
  bool Uint(unsigned u) { return Count() && next_.Uint(u); }
  bool Int64(std::int64_t i) { return Count() && next_.Int64(i); }
  bool Uint64(std::uint64_t u) { return Count() && next_.Uint64(u); }
  bool Double(double d) { return Count() && next_.Double(d); }
  bool RawNumber(const char* s, rapidjson::SizeType n, bool copy) { return Count() && next_.RawNumber(s, n, copy); }
  bool String(const char* s, rapidjson::SizeType n, bool copy) { return Count() && next_.String(s, n, copy); }
  bool Key(const char* s, rapidjson::SizeType n, bool copy) { return Count() && next_.Key(s, n, copy); }
  bool StartObject() { return Enter() && next_.StartObject(); }
  bool EndObject(rapidjson::SizeType n) { return Leave() && next_.EndObject(n); }
  bool StartArray() { return Enter() && next_.StartArray(); }
  bool EndArray(rapidjson::SizeType n) { return Leave() && next_.EndArray(n); }

  Stop stop() const { return stop_; }
  std::uint64_t values_left() const { return values_left_; }

 private:
  bool Count() {
    if (values_left_ == 0) {
      stop_ = Stop::kValues;
      return false;
    }
    --values_left_;
    return true;
  }
  bool Enter() {
    if (depth_left_ == 0) {
      stop_ = Stop::kDepth;
      return false;
    }
    --depth_left_;
    return Count();
  }
  bool Leave() {
    ++depth_left_;
    return true;
  }

  Handler& next_;
  std::uint64_t depth_left_;
  std::uint64_t values_left_;
  Stop stop_ = Stop::kNone;
};

}  // namespace prov
