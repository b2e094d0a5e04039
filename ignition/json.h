// JSON documents for the Ignition reader: parsed in place, with limits, and with positions for messages.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "ignition/limits.h"
#include "provisioner/base/rapidjson.h"
#include "provisioner/base/result.h"

namespace prov::ignition {

using JsonValue = rapidjson::Value;

// Spare bytes behind the text: the parser looks ahead in blocks.
constexpr std::size_t kJsonPadding = 64;

// Documents must be smaller than this whatever the limits say, because the DOM uses 32-bit sizes.
constexpr std::uint64_t kMostBytes = 0xFFFF0000;

// A parsed document. String values are views into `buffer` (JSON) or belong to `dom` (YAML), so neither may be changed
// or moved without the other.
class JsonDocument {
 public:
  JsonDocument() = default;
  JsonDocument(const JsonDocument&) = delete;
  JsonDocument& operator=(const JsonDocument&) = delete;

  const JsonValue& root() const { return dom; }

  std::string buffer;
  rapidjson::Document dom;
  std::uint64_t values = 0;  // how many it holds
  bool several = false;      // YAML: the root is an array of several documents
};

// Whether a text may hold more than one YAML document.
enum class Documents { kOne, kSeveral };

// Strict JSON (RFC 8259): no BOM, comments, trailing commas or bytes after the value. Parsed in place, iteratively.
// Errors: json with "line L, column C" (from 1, in characters) in `where`, too-large (bytes, values). Where a key
// occurs twice, both are kept: Member() finds the last.
Result<std::unique_ptr<JsonDocument>> ParseJson(std::string bytes, const Limits& limits);

// JSON or YAML, told apart by the first character that is not blank ('{' or '[' is JSON), in UTF-8 or, by its byte
// order mark, UTF-16.
Result<std::unique_ptr<JsonDocument>> ParseJsonOrYaml(std::string bytes, const Limits& limits,
                                                      Documents documents = Documents::kOne);

// Whether the first character that is not blank is '{' or '['.
bool BeginsAsJson(std::string_view bytes);

// The name of an object's members that occurs more than once; if there are several such names, the first in byte order.
std::optional<std::string_view> RepeatedMember(const JsonValue& object);

// The member of an object, the last one of that name; null if it is absent or null, or if `object` is null. `object`
// must be an object.
const JsonValue* Member(const JsonValue* object, std::string_view name);

// The text of a string value, embedded NULs included.
inline std::string_view TextOf(const JsonValue& value) { return {value.GetString(), value.GetStringLength()}; }

// "an object", "a string", … for messages.
std::string_view TypeName(const JsonValue& value);

// The error type: "expected an object, found a string".
std::unexpected<Error> WrongType(const JsonValue& value, std::string_view expected, std::string where);

// A SAX handler in front of another that bounds nesting and the number of values.
template <class Handler>
class BoundedHandler {
 public:
  enum class Stop { kNone, kDepth, kValues };
  using Ch = char;

  BoundedHandler(Handler& next, const Limits& limits)
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

}  // namespace prov::ignition
