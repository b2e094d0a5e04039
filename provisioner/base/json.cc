#include "provisioner/base/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <set>
#include <utility>
#include <vector>

#include "provisioner/base/rapidjson.h"
#include "provisioner/base/text.h"
#include "provisioner/base/text_place.h"

namespace prov {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

constexpr std::string_view kCommentHint = "; a comment is JSONC, not JSON: remove comments";
constexpr std::string_view kCommaHint = "; a comma before a closing bracket is JSONC, not JSON: remove it";
constexpr std::string_view kQuoteHint = "; JSON wants double quotes (\"name\"), not single or typographic ones";
constexpr std::string_view kNoQuoteHint = "; JSON wants names in double quotes (\"name\"), which some shells remove";
constexpr std::string_view kBom = "\xEF\xBB\xBF";
constexpr unsigned kParseFlags = rapidjson::kParseInsituFlag | rapidjson::kParseIterativeFlag;

struct Kinds {
  bool beyond_ascii = false;
  bool control = false;  // other than tab, LF and CR
  bool line_feed = false;
};

// Finds which kinds of bytes occur. Most documents have neither, so one pass without branches, which the compiler
// vectorises, saves the slower ones.
Kinds KindsIn(std::string_view bytes) {
  unsigned char all = 0;
  unsigned char controls = 0;
  unsigned char line_feeds = 0;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    const bool blank = (byte == '\t') | (byte == '\n') | (byte == '\r');
    all = static_cast<unsigned char>(all | byte);
    controls = static_cast<unsigned char>(controls | static_cast<unsigned char>((byte < 0x20) & !blank));
    line_feeds = static_cast<unsigned char>(line_feeds | static_cast<unsigned char>(byte == '\n'));
  }
  return {(all & 0x80U) != 0, controls != 0, line_feeds != 0};
}

Result<void> CheckUtf8(std::string_view bytes) {
  const std::size_t bad = FindInvalidUtf8(bytes);
  if (bad == std::string_view::npos) return {};
  return Fail(Code::kJson, fmt::format("invalid UTF-8 (byte 0x{:02x})", static_cast<unsigned char>(bytes[bad])),
              DescribePlace(bytes, bad));
}

Result<void> CheckControls(std::string_view bytes) {
  if (const std::size_t nul = bytes.find('\0'); nul != std::string_view::npos) {
    return Fail(Code::kJson, "a NUL byte in the text", DescribePlace(bytes, nul));
  }
  // RapidJSON 1.1's SSE2 scan of strings finds control characters only up to 0x19. Whether it found the others would
  // depend on the string's address.
  const auto missed = std::ranges::find_if(bytes, [](char c) { return c >= 0x1A && c <= 0x1F; });
  if (missed == bytes.end()) return {};
  return Fail(Code::kJson, "a control character in the text; JSON writes it as \\u001b or the like",
              DescribePlace(bytes, static_cast<std::size_t>(missed - bytes.begin())));
}

// Checks the bytes before parsing. The parser would take a NUL as the end of the text, and does not check encodings.
Result<Kinds> CheckBytes(std::string_view bytes, const JsonLimits& limits) {
  const std::uint64_t limit = std::min<std::uint64_t>(limits.input, kMostJsonBytes);
  if (bytes.size() > limit) {
    return Fail(Code::kTooLarge, fmt::format("the document has {} bytes, more than {}", bytes.size(), limit));
  }
  if (bytes.starts_with("\xFF\xFE") || bytes.starts_with("\xFE\xFF")) {
    return Fail(Code::kJson, "the document is UTF-16 (written by a PowerShell redirection?); save it as UTF-8",
                "line 1, column 1");
  }
  if (bytes.starts_with(kBom)) {
    return Fail(Code::kJson,
                "the document begins with a byte order mark, which JSON forbids; save it as UTF-8 without BOM",
                "line 1, column 1");
  }
  const Kinds kinds = KindsIn(bytes);
  if (kinds.beyond_ascii) PROV_TRY(CheckUtf8(bytes));
  if (kinds.control) PROV_TRY(CheckControls(bytes));
  return kinds;
}

using TreeHandler = BoundedHandler<rapidjson::Document>;

// Stops at a repeated key of an object. Keys are views of the text, which is decoded in place.
class UniqueKeyHandler : public TreeHandler {
 public:
  using TreeHandler::TreeHandler;

  bool StartObject() {
    objects_.emplace_back();
    return TreeHandler::StartObject();
  }
  bool EndObject(rapidjson::SizeType members) {
    objects_.pop_back();
    return TreeHandler::EndObject(members);
  }
  bool Key(const char* text, rapidjson::SizeType size, bool copy) {
    if (objects_.back().emplace(text, size).second) return TreeHandler::Key(text, size, copy);
    repeated_ = {text, size};
    return false;
  }

  std::string_view repeated() const { return repeated_; }

 private:
  std::vector<std::set<std::string_view>> objects_;
  std::string_view repeated_;
};

// Whether a quote stands here that is not JSON's: a single one, or one that a word processor made. `text` ends with
// NUL.
bool BeginsWithOtherQuote(const char* text) {
  constexpr std::array<std::string_view, 6> kQuotes = {"'", "`", "\u2018", "\u2019", "\u201C", "\u201D"};
  return std::ranges::any_of(
      kQuotes, [text](std::string_view quote) { return std::strncmp(text, quote.data(), quote.size()) == 0; });
}

// What may follow a value: nothing, or anything.
enum class Following { kNothing, kAnything };

// The parser drives the handler of Document::Populate().
class JsonEvents {
 public:
  JsonEvents(char* text, const JsonLimits& limits, Following following = Following::kNothing)
      : text_(text), limits_(limits), following_(following) {}

  bool operator()(rapidjson::Document& document) {
    if (limits_.repeated_keys) {
      TreeHandler handler(document, limits_);
      return Parse(handler);
    }
    UniqueKeyHandler handler(document, limits_);
    const bool done = Parse(handler);
    repeated_ = handler.repeated();
    return done;
  }

  bool failed() const { return result_.IsError(); }
  std::uint64_t values() const { return values_; }
  std::size_t end() const { return end_; }  // the offset behind the value
  // The offset of the error; for a repeated key, of its opening quote.
  std::size_t offset() const {
    return repeated_.data() == nullptr ? result_.Offset() : static_cast<std::size_t>(repeated_.data() - text_) - 1;
  }

  Error Failure(std::string position) const {
    using Stop = TreeHandler::Stop;
    if (repeated_.data() != nullptr) {
      return {Code::kJson, fmt::format("the key \"{}\" occurs twice", Shorten(repeated_)), std::move(position)};
    }
    if (stop_ == Stop::kDepth) {
      return {Code::kJson, fmt::format("the document is nested deeper than {} levels", limits_.depth),
              std::move(position)};
    }
    if (stop_ == Stop::kValues) {
      return {Code::kTooLarge, fmt::format("the document has more than {} values", limits_.values),
              std::move(position)};
    }
    // RapidJSON reports a raw line break in a string as an invalid escape.
    const bool in_string = result_.Code() == rapidjson::kParseErrorStringEscapeInvalid;
    if (in_string && static_cast<unsigned char>(text_[result_.Offset()]) < 0x20) {
      return {Code::kJson, "not JSON: a control character (a line break?) within a string", std::move(position)};
    }
    return {Code::kJson, fmt::format("not JSON: {}{}", JsonErrorText(result_.Code()), Hint()), std::move(position)};
  }

 private:
  template <class Handler>
  bool Parse(Handler& handler) {
    rapidjson::Reader reader;
    rapidjson::InsituStringStream stream(text_);
    if (following_ == Following::kNothing) {
      result_ = reader.Parse<kParseFlags>(stream, handler);
    } else {
      result_ = reader.Parse < kParseFlags | rapidjson::kParseStopWhenDoneFlag > (stream, handler);
    }
    end_ = stream.Tell();
    stop_ = handler.stop();
    values_ = limits_.values - handler.values_left();
    return !result_.IsError();
  }

  // A hint about what editors allow in JSONC but JSON does not, and about quotes. The text from here on is unchanged;
  // the text before may not be.
  std::string_view Hint() const {
    const char* at = text_ + result_.Offset();
    if (at[0] == '/' && (at[1] == '/' || at[1] == '*')) return kCommentHint;
    if (BeginsWithOtherQuote(at)) return kQuoteHint;
    const bool name = result_.Code() == rapidjson::kParseErrorObjectMissName;
    if (name && (IsLetter(at[0]) || at[0] == '_')) return kNoQuoteHint;
    if (at[0] != '}' && at[0] != ']') return {};
    const std::string_view before(text_, result_.Offset());
    const std::size_t last = before.find_last_not_of(kBlanks);
    return last != std::string_view::npos && before[last] == ',' ? kCommaHint : std::string_view();
  }

  char* text_;
  const JsonLimits& limits_;
  Following following_;
  std::size_t end_ = 0;
  rapidjson::ParseResult result_;
  std::uint64_t values_ = 0;
  TreeHandler::Stop stop_ = TreeHandler::Stop::kNone;
  std::string_view repeated_;
};

}  // namespace

Result<std::unique_ptr<JsonDocument>> ParseJson(std::string bytes, const JsonLimits& limits) {
  const Kinds kinds = PROV_TRY(CheckBytes(bytes, limits));
  const bool plain = !kinds.line_feed && !kinds.beyond_ascii;  // one line of ASCII: columns are byte offsets
  const std::string original = plain ? std::string() : bytes;  // parsing overwrites `bytes`
  auto document = std::make_unique<JsonDocument>();
  document->buffer = std::move(bytes);
  document->buffer.resize(document->buffer.size() + kJsonPadding, '\0');
  JsonEvents generator(document->buffer.data(), limits);
  document->dom.Populate(generator);
  if (generator.failed()) {
    const std::size_t at = generator.offset();
    return std::unexpected(
        generator.Failure(plain ? DescribePlace({.line = 1, .column = at + 1}) : DescribePlace(original, at)));
  }
  document->values = generator.values();
  return document;
}

std::string JsonDocument::PlaceOf(rapidjson::SizeType index) const {
  return index < places.size() ? places[index] : fmt::format("$[{}]", index);
}

JsonStream::JsonStream(std::string text, bool is_plain, const JsonLimits& limits)
    : size_(text.size()),
      original_(is_plain ? std::string() : text),  // parsing overwrites the buffer
      left_(limits),
      document_(std::make_unique<JsonDocument>()) {
  document_->buffer = std::move(text);
  document_->buffer.resize(size_ + kJsonPadding, '\0');
  document_->dom.SetArray();
}

Result<JsonStream> JsonStream::Of(std::string bytes, const JsonLimits& limits) {
  const Kinds kinds = PROV_TRY(CheckBytes(bytes, limits));
  return JsonStream(std::move(bytes), !kinds.line_feed && !kinds.beyond_ascii, limits);
}

std::string JsonStream::PlaceAt(std::size_t offset) const {
  return original_.empty() ? DescribePlace({.line = 1, .column = offset + 1}) : DescribePlace(original_, offset);
}

Result<std::size_t> JsonStream::Append(std::size_t at) {
  JsonEvents generator(document_->buffer.data() + at, left_, Following::kAnything);
  rapidjson::Document part(&document_->dom.GetAllocator());
  part.Populate(generator);
  if (generator.failed()) return std::unexpected(generator.Failure(PlaceAt(at + generator.offset())));
  Take(std::move(static_cast<JsonValue&>(part)), generator.values());
  return at + generator.end();
}

void JsonStream::Take(JsonValue value, std::uint64_t values) {
  document_->dom.PushBack(value, document_->dom.GetAllocator());
  document_->values += values;
  left_.values -= std::min(values, left_.values);
}

std::unique_ptr<JsonDocument> JsonStream::Release() && {
  document_->several = document_->dom.Size() > 1;
  if (!document_->several) {
    JsonValue root = std::move(document_->dom[0]);
    static_cast<JsonValue&>(document_->dom) = std::move(root);
  }
  return std::move(document_);
}

std::string WriteJson(const JsonValue& value, unsigned indent) {
  rapidjson::StringBuffer buffer;
  if (indent == 0) {
    rapidjson::Writer<rapidjson::StringBuffer> writer(buffer);
    value.Accept(writer);
  } else {
    rapidjson::PrettyWriter<rapidjson::StringBuffer> writer(buffer);
    writer.SetIndent(' ', indent);
    value.Accept(writer);
  }
  std::string out(buffer.GetString(), buffer.GetSize());
  if (indent > 0) out += '\n';
  return PrintableJson(std::move(out));
}

std::optional<std::string_view> RepeatedMember(const JsonValue& object) {
  std::vector<std::string_view> names;
  names.reserve(object.MemberCount());
  for (auto member = object.MemberBegin(); member != object.MemberEnd(); ++member)
    names.push_back(JsonTextOf(member->name));
  std::ranges::sort(names);
  const auto twice = std::ranges::adjacent_find(names);
  return twice == names.end() ? std::nullopt : std::optional(*twice);
}

const JsonValue* JsonMember(const JsonValue* object, std::string_view name) {
  if (object == nullptr) return nullptr;
  for (auto member = object->MemberEnd(); member != object->MemberBegin();) {
    --member;
    if (JsonTextOf(member->name) == name) return member->value.IsNull() ? nullptr : &member->value;
  }
  return nullptr;
}

const JsonValue* JsonAt(const JsonValue& root, std::initializer_list<std::string_view> path) {
  const JsonValue* value = &root;
  for (const std::string_view name : path) {
    if (value == nullptr || !value->IsObject()) return nullptr;
    value = JsonMember(value, name);
  }
  return value;
}

std::string_view JsonTextAt(const JsonValue& root, std::initializer_list<std::string_view> path) {
  const JsonValue* value = JsonAt(root, path);
  return value != nullptr && value->IsString() ? JsonTextOf(*value) : std::string_view();
}

std::string_view JsonTypeName(const JsonValue& value) {
  switch (value.GetType()) {
    case rapidjson::kNullType:
      return "null";
    case rapidjson::kFalseType:
    case rapidjson::kTrueType:
      return "a boolean";
    case rapidjson::kObjectType:
      return "an object";
    case rapidjson::kArrayType:
      return "an array";
    case rapidjson::kStringType:
      return "a string";
    case rapidjson::kNumberType:
      break;
  }
  return value.IsDouble() ? "a number that is not an integer" : "an integer";
}

std::unexpected<Error> WrongJsonType(const JsonValue& value, std::string_view expected, std::string where) {
  return Fail(Code::kType, fmt::format("expected {}, found {}", expected, JsonTypeName(value)), std::move(where));
}

}  // namespace prov
