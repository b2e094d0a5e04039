#include "ignition/yaml.h"

#include <fmt/format.h>
#include <yaml.h>

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_set>
#include <utility>
#include <vector>

#include "ignition/yaml_scalar.h"
#include "provisioner/base/text.h"
#include "provisioner/base/text_place.h"

namespace prov::ignition {
namespace {

using Handler = BoundedHandler<rapidjson::Document>;

// For every token, libyaml scans all open flow collections, so their cost is their depth times their length.
constexpr unsigned kMostFlowDepth = 40;

constexpr std::string_view kBlanks = " \t\r\n";
constexpr std::string_view kMark = "\xEF\xBB\xBF";  // the byte order mark in UTF-8

std::string Say(const yaml_mark_t& mark) { return DescribePlace({.line = mark.line + 1, .column = mark.column + 1}); }

class EventParser {
 public:
  explicit EventParser(std::string_view text) : ready_(yaml_parser_initialize(&parser_) == 1) {
    if (ready_)
      yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(text.data()), text.size());
  }
  EventParser(const EventParser&) = delete;
  EventParser& operator=(const EventParser&) = delete;
  ~EventParser() {
    if (ready_) yaml_parser_delete(&parser_);
  }

  bool ready() const { return ready_; }
  yaml_parser_t& parser() { return parser_; }

 private:
  yaml_parser_t parser_{};
  bool ready_;
};

class Event {
 public:
  Event() = default;
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event() { yaml_event_delete(&event_); }

  yaml_event_t& get() { return event_; }

 private:
  yaml_event_t event_{};
};

// An open mapping or sequence.
struct Frame {
  bool mapping = false;
  bool flow = false;      // with [ ] or { }
  bool key_next = false;  // in a mapping: the next node is a key
  rapidjson::SizeType children = 0;
  std::unordered_set<std::string> keys;
};

// Turns libyaml's events into the SAX events that build the DOM.
class YamlEvents {
 public:
  YamlEvents(std::string_view text, const JsonLimits& limits, Documents documents)
      : text_(text), limits_(limits), several_(documents == Documents::kSeveral), events_(text) {}

  // Builds an array of the documents.
  bool operator()(rapidjson::Document& document) {
    Handler handler(document, limits_);
    if (!events_.ready()) return Refuse(Code::kInternal, "libyaml cannot start", "");
    document.StartArray();
    for (;;) {
      Event event;
      if (yaml_parser_parse(&events_.parser(), &event.get()) == 0) return RefuseSyntax();
      if (event.get().type == YAML_STREAM_END_EVENT) break;
      if (!HandleEvent(event.get(), handler)) {
        if (!error_) RefuseBounds(handler, event.get());
        return false;
      }
    }
    values_ = limits_.values - handler.values_left();
    if (roots_ == 0) return Refuse(Code::kYaml, "the document is empty", "line 1, column 1");
    return document.EndArray(roots_);
  }

  std::optional<Error>& error() { return error_; }
  std::uint64_t values() const { return values_; }

 private:
  bool Refuse(Code code, std::string message, std::string where) {
    error_ = Error{code, std::move(message), std::move(where)};
    return false;
  }
  bool RefuseAt(const yaml_event_t& event, std::string message) {
    return Refuse(Code::kYaml, std::move(message), Say(event.start_mark));
  }

  bool RefuseSyntax() {
    const yaml_parser_t& parser = events_.parser();
    const std::string problem = parser.problem != nullptr ? parser.problem : "unknown problem";
    const bool reader = parser.error == YAML_READER_ERROR;
    const std::string where = reader ? DescribePlace(text_, parser.problem_offset) : Say(parser.problem_mark);
    return Refuse(parser.error == YAML_MEMORY_ERROR ? Code::kTooLarge : Code::kYaml,
                  fmt::format("not YAML: {}", problem), where);
  }

  void RefuseBounds(const Handler& handler, const yaml_event_t& event) {
    if (handler.stop() == Handler::Stop::kDepth) {
      RefuseAt(event, fmt::format("the document is nested deeper than {} levels", limits_.depth));
    } else {
      Refuse(Code::kTooLarge, fmt::format("the document has more than {} values", limits_.values),
             Say(event.start_mark));
    }
  }

  bool HandleEvent(const yaml_event_t& event, Handler& handler) {
    switch (event.type) {
      case YAML_ALIAS_EVENT:
        return RefuseAt(event, "aliases (*name) are not accepted; write the value out");
      case YAML_SCALAR_EVENT:
        return Scalar(event, handler);
      case YAML_MAPPING_START_EVENT:
        return Start(event, event.data.mapping_start.anchor, event.data.mapping_start.tag, true) &&
               handler.StartObject();
      case YAML_SEQUENCE_START_EVENT:
        return Start(event, event.data.sequence_start.anchor, event.data.sequence_start.tag, false) &&
               handler.StartArray();
      case YAML_MAPPING_END_EVENT:
      case YAML_SEQUENCE_END_EVENT:
        return End(handler);
      default:
        return true;  // stream and document boundaries
    }
  }

  // The rules for the start of any value, which is every node but a mapping key.
  bool Value(const yaml_event_t& event, const unsigned char* anchor, const unsigned char* tag) {
    if (anchor != nullptr) return RefuseAt(event, "anchors (&name) are not accepted; write the value out");
    if (tag != nullptr) return RefuseAt(event, "explicit tags (!type) are not accepted; quote the value instead");
    if (frames_.empty()) {
      if (roots_ > 0 && !several_)
        return RefuseAt(event, "several YAML documents; give one, or a List of MachineConfigs");
      ++roots_;
      return true;
    }
    Frame& frame = frames_.back();
    if (!frame.mapping) {
      ++frame.children;
    } else if (frame.key_next) {
      return RefuseAt(event, "a mapping key must be a string");
    } else {
      frame.key_next = true;
    }
    return true;
  }

  bool Start(const yaml_event_t& event, const unsigned char* anchor, const unsigned char* tag, bool mapping) {
    if (!Value(event, anchor, tag)) return false;
    const bool flow = mapping ? event.data.mapping_start.style == YAML_FLOW_MAPPING_STYLE
                              : event.data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE;
    if (flow && ++flow_depth_ > kMostFlowDepth) {
      return RefuseAt(event, fmt::format("[ ] and {{ }} are nested deeper than {} levels; write JSON, or blocks by "
                                         "indentation",
                                         kMostFlowDepth));
    }
    frames_.emplace_back();
    frames_.back().mapping = mapping;
    frames_.back().flow = flow;
    frames_.back().key_next = mapping;
    return true;
  }

  bool End(Handler& handler) {
    const bool mapping = frames_.back().mapping;
    const rapidjson::SizeType children = frames_.back().children;
    if (frames_.back().flow) --flow_depth_;
    frames_.pop_back();
    return mapping ? handler.EndObject(children) : handler.EndArray(children);
  }

  bool Scalar(const yaml_event_t& event, Handler& handler) {
    const auto& scalar = event.data.scalar;
    const std::string_view text(reinterpret_cast<const char*>(scalar.value), scalar.length);
    const bool plain = scalar.style == YAML_PLAIN_SCALAR_STYLE;
    // "---" at the end of a file begins an empty document.
    if (frames_.empty() && plain && text.empty() && scalar.anchor == nullptr && scalar.tag == nullptr) return true;
    if (!frames_.empty() && frames_.back().mapping && frames_.back().key_next) return Key(event, text, plain, handler);
    if (!Value(event, scalar.anchor, scalar.tag)) return false;
    const auto size = static_cast<rapidjson::SizeType>(text.size());
    if (!plain) return handler.String(text.data(), size, true);
    const PlainScalar value = ResolvePlainScalar(text);
    switch (value.kind) {
      case PlainScalar::Kind::kNull:
        return handler.Null();
      case PlainScalar::Kind::kBool:
        return handler.Bool(value.boolean);
      case PlainScalar::Kind::kInt:
        return handler.Int64(value.integer);
      case PlainScalar::Kind::kUint:
        return handler.Uint64(value.unsigned_integer);
      case PlainScalar::Kind::kDouble:
        return handler.Double(value.number);
      case PlainScalar::Kind::kNotFinite:
        return RefuseAt(event, "infinity and NaN have no JSON form; quote the value if it is text");
      case PlainScalar::Kind::kString:
        break;
    }
    return handler.String(text.data(), size, true);
  }

  bool Key(const yaml_event_t& event, std::string_view text, bool plain, Handler& handler) {
    const auto& scalar = event.data.scalar;
    if (scalar.anchor != nullptr) return RefuseAt(event, "anchors (&name) are not accepted; write the value out");
    if (scalar.tag != nullptr)
      return RefuseAt(event, "explicit tags (!type) are not accepted; quote the value instead");
    if (plain && text == "<<") return RefuseAt(event, "merge keys (<<) are not accepted; write the members out");
    if (plain && text.empty()) return RefuseAt(event, "a mapping key must be a string");
    // Kubernetes' reader turns a boolean key into a name.
    const PlainScalar value = plain ? ResolvePlainScalar(text) : PlainScalar();
    if (value.kind == PlainScalar::Kind::kBool) text = value.boolean ? "true" : "false";
    Frame& frame = frames_.back();
    if (!frame.keys.emplace(text).second) {
      const bool object = frames_.size() == 1 && several_ && (text == "apiVersion" || text == "kind");
      return RefuseAt(event, fmt::format("the key \"{}\" occurs twice in one mapping{}", Shorten(text),
                                         object ? "; if another object begins here, write a line --- before it" : ""));
    }
    frame.key_next = false;
    ++frame.children;
    return handler.Key(text.data(), static_cast<rapidjson::SizeType>(text.size()), true);
  }

  std::string_view text_;
  const JsonLimits& limits_;
  bool several_;
  EventParser events_;
  std::vector<Frame> frames_;
  std::optional<Error> error_;
  unsigned flow_depth_ = 0;
  rapidjson::SizeType roots_ = 0;
  std::uint64_t values_ = 0;
};

// libyaml compares each %TAG directive with all earlier ones, so a megabyte of them takes seconds. Counting the text
// anywhere is enough: no config and no data URL contains it many times.
Result<void> CheckTagDirectives(std::string_view text) {
  constexpr std::string_view kDirective = "%TAG";
  constexpr std::size_t kMost = 1000;
  std::size_t count = 0;
  for (std::size_t at = text.find(kDirective); at != std::string_view::npos; at = text.find(kDirective, at + 1)) {
    if (++count > kMost)
      return Fail(Code::kYaml, fmt::format("more than {} %TAG directives", kMost), DescribePlace(text, at));
  }
  return {};
}

// Whether the text begins with a comment of JSONC, as no YAML document does.
bool BeginsAsJsonc(std::string_view bytes) {
  bytes.remove_prefix(std::min(bytes.find_first_not_of(kBlanks), bytes.size()));
  return bytes.starts_with("//") || bytes.starts_with("/*");
}

// Makes an array of the documents, and returns the number of values in it.
Result<std::uint64_t> Populate(rapidjson::Document& to, std::string_view text, const JsonLimits& limits,
                               Documents documents) {
  YamlEvents generator(text, limits, documents);
  to.Populate(generator);
  if (generator.error()) return std::unexpected(*std::move(generator.error()));
  return generator.values();
}

// The line at the start of a text, without its end.
std::string_view FirstLine(std::string_view text) { return text.substr(0, text.find('\n')); }

bool IsSeparator(std::string_view line) {
  constexpr std::string_view kDashes = "---";
  return line.starts_with(kDashes) && TrimBlanks(line.substr(kDashes.size())).empty();
}

std::string_view BehindMark(std::string_view line) {
  return line.starts_with(kMark) ? line.substr(kMark.size()) : line;
}

bool OpensJson(std::string_view line) { return line.starts_with('{') || line.starts_with('['); }

// Whether a line other than the first begins as JSON does.
bool HasJsonLine(std::string_view text) {
  return std::ranges::any_of(std::array{"\n{", "\n[", "\n\xEF\xBB\xBF{", "\n\xEF\xBB\xBF["},
                             [&](const char* line) { return text.find(line) != std::string_view::npos; });
}

// Reads JSON and YAML from one text.
class MixedReader {
 public:
  explicit MixedReader(JsonStream& stream) : stream_(stream), text_(stream.text()) {}

  Result<void> Run() {
    while (PassBlanks()) {
      if (OpensJson(text_.substr(at_))) {
        at_ = PROV_TRY(stream_.Append(at_));
        after_json_ = true;
      } else if (after_json_ && !MayBeYaml()) {
        return Fail(Code::kJson,
                    fmt::format("not JSON: {}", JsonErrorText(rapidjson::kParseErrorDocumentRootNotSingular)),
                    stream_.PlaceAt(at_));
      } else {
        PROV_TRY(ReadYaml());
        after_json_ = false;
      }
    }
    return {};
  }

 private:
  // Passes blanks, the marks of files that were joined and, at the start of a line, separators. Returns false at the
  // end.
  bool PassBlanks() {
    for (;;) {
      at_ = std::min(text_.find_first_not_of(kBlanks, at_), text_.size());
      if (text_.substr(at_).starts_with(kMark)) {
        at_ += kMark.size();
        continue;
      }
      if (!BeginsLine(at_) || !text_.substr(at_).starts_with("---")) return at_ < text_.size();
      const std::string_view line = FirstLine(text_.substr(at_));  // not for each value: they may be in one line
      if (!IsSeparator(line)) return true;
      at_ += line.size();
    }
  }

  bool BeginsLine(std::size_t at) const {
    if (text_.substr(0, at).ends_with(kMark)) at -= kMark.size();
    return at == 0 || text_[at - 1] == '\n';
  }

  // The start of the line, before its indentation.
  std::size_t StartOfLine() const {
    std::size_t start = at_;
    while (start > 0 && text_[start - 1] == ' ') --start;
    return BeginsLine(start) ? start : at_;
  }

  // YAML begins a line. What else follows JSON is a fault of the JSON, such as a bracket too many.
  bool MayBeYaml() const {
    const char c = text_[at_];
    if (!BeginsLine(StartOfLine())) return false;
    return IsLetter(c) || c == '_' || c == '"' || c == '\'' || c == '#' || c == '-' || c == '%';
  }

  // The YAML goes to the line at which JSON begins, and may be several documents.
  std::size_t EndOfYaml() const {
    std::size_t end = at_;
    while (end < text_.size() && !OpensJson(BehindMark(text_.substr(end)))) {
      const std::size_t line_end = text_.find('\n', end);
      end = line_end == std::string_view::npos ? text_.size() : line_end + 1;
    }
    return end;
  }

  Result<void> ReadYaml() {
    const std::size_t end = EndOfYaml();
    at_ = StartOfLine();
    const std::string_view yaml = text_.substr(at_, end - at_);
    if (IsOnlyComments(yaml)) {
      at_ = end;
      return {};
    }
    PROV_TRY(CheckTagDirectives(yaml));
    rapidjson::Document part(&stream_.document().dom.GetAllocator());
    auto values = Populate(part, yaml, stream_.left(), Documents::kSeveral);
    if (!values) return InText(std::move(values).error(), yaml);
    for (rapidjson::SizeType i = 0; i < part.Size(); ++i) {
      if (!part[i].IsObject() && !part[i].IsArray() && !part[i].IsNull()) {
        return Fail(Code::kYaml, fmt::format("beside JSON an object is expected, found {}", JsonTypeName(part[i])),
                    stream_.PlaceAt(at_));
      }
      stream_.Take(std::move(part[i]), i == 0 ? *values : 0);
    }
    at_ = end;
    return {};
  }

  // Comments and separators, of which libyaml makes no document.
  static bool IsOnlyComments(std::string_view yaml) {
    return std::ranges::all_of(Split(yaml, '\n'), [](std::string_view line) {
      const std::string_view trimmed = TrimBlanks(line);
      return trimmed.empty() || trimmed.starts_with('#') || IsSeparator(line);
    });
  }

  // The error with its place in the whole text: the part is parsed again behind as many line ends.
  Result<void> InText(Error error, std::string_view yaml) const {
    std::string padded(static_cast<std::size_t>(std::ranges::count(text_.substr(0, at_), '\n')), '\n');
    padded += yaml;
    rapidjson::Document again;
    auto failed = Populate(again, padded, stream_.left(), Documents::kSeveral);
    return std::unexpected(failed ? std::move(error) : std::move(failed).error());
  }

  JsonStream& stream_;
  std::string_view text_;
  std::size_t at_ = 0;
  bool after_json_ = false;
};

Result<std::unique_ptr<JsonDocument>> ParseMixed(std::string bytes, const JsonLimits& limits) {
  JsonStream stream = PROV_TRY(JsonStream::Of(std::move(bytes), limits));
  PROV_TRY(MixedReader(stream).Run());
  return std::move(stream).Release();
}

}  // namespace

Result<std::unique_ptr<JsonDocument>> ParseYaml(std::string bytes, const JsonLimits& limits, Documents documents) {
  const std::uint64_t limit = std::min<std::uint64_t>(limits.input, kMostJsonBytes);
  if (bytes.size() > limit) {
    return Fail(Code::kTooLarge, fmt::format("the document has {} bytes, more than {}", bytes.size(), limit));
  }
  if (const std::size_t bad = FindInvalidUtf8(bytes); bad != std::string_view::npos) {
    return Fail(Code::kYaml, fmt::format("invalid UTF-8 (byte 0x{:02x})", static_cast<unsigned char>(bytes[bad])),
                DescribePlace(bytes, bad));
  }
  PROV_TRY(CheckTagDirectives(bytes));
  auto document = std::make_unique<JsonDocument>();
  document->values = PROV_TRY(Populate(document->dom, bytes, limits, documents));
  document->several = document->dom.Size() > 1;
  if (!document->several) {
    JsonValue root = std::move(document->dom[0]);
    static_cast<JsonValue&>(document->dom) = std::move(root);
  }
  return document;
}

Result<std::unique_ptr<JsonDocument>> ParseJsonOrYaml(std::string bytes, const JsonLimits& limits,
                                                      Documents documents) {
  if (!DecodeMarked(bytes)) {
    return Fail(Code::kJson,
                "the document is UTF-16 (a PowerShell redirection?) and cut short or damaged; save it again",
                "line 1, column 1");
  }
  if (bytes.find_first_not_of(kBlanks) == std::string::npos)
    return Fail(Code::kJson, "the document is empty", "line 1, column 1");
  const bool json = BeginsAsJson(bytes);
  if (BeginsAsJsonc(bytes) || (json && documents == Documents::kOne)) return ParseJson(std::move(bytes), limits);
  if (json) return ParseMixed(std::move(bytes), limits);
  if (documents == Documents::kOne || !HasJsonLine(bytes)) return ParseYaml(std::move(bytes), limits, documents);
  // Flow collections of YAML may begin a line, too.
  auto yaml = ParseYaml(bytes, limits, documents);
  if (yaml || yaml.error().code != Code::kYaml) return yaml;
  return ParseMixed(std::move(bytes), limits);
}

bool BeginsAsJson(std::string_view bytes) {
  const std::size_t first = bytes.find_first_not_of(kBlanks);
  return first != std::string_view::npos && (bytes[first] == '{' || bytes[first] == '[');
}

}  // namespace prov::ignition
