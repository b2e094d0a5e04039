#include "provisioner/publish/yaml_writer.h"

#include <fmt/format.h>
#include <yaml.h>

#include <algorithm>
#include <array>
#include <new>
#include <string_view>

#include "ignition/yaml_scalar.h"
#include "provisioner/base/text.h"

namespace prov::publish {
namespace {

// Words that are booleans in YAML 1.1 but not in 1.2.
bool IsOldBoolean(std::string_view text) {
  constexpr std::array<std::string_view, 6> kWords = {"y", "n", "yes", "no", "on", "off"};
  return std::ranges::any_of(kWords, [&](std::string_view word) { return EqualsIgnoreAsciiCase(text, word); });
}

// Whether some reader may take the text as a number, a time or a date: it begins like one and has no other characters.
bool LooksNumeric(std::string_view text) {
  const char first = text.front();
  if (!IsDigit(first) && first != '.' && first != '+' && first != '-') return false;
  return text.find_first_not_of("0123456789abcdefABCDEFxXoOtTzZ_.:+- ") == std::string_view::npos;
}

bool IsPlain(std::string_view text) {
  if (text.empty() || text.back() == ' ' || text.back() == ':') return false;
  const char first = text.front();
  if (!IsLetter(first) && !IsDigit(first) && first != '.' && first != '/' && first != '_') return false;
  for (const char c : text) {
    if (!IsLetter(c) && !IsDigit(c) && std::string_view(" /_.:@%+=,~-$;()").find(c) == std::string_view::npos)
      return false;
  }
  if (text.find(": ") != std::string_view::npos || IsOldBoolean(text) || LooksNumeric(text)) return false;
  return ignition::ResolvePlainScalar(text).kind == ignition::PlainScalar::Kind::kString;
}

// Whether the text can be a literal block: it has lines, and needs no escapes. libyaml quotes it all the same if a line
// ends with a blank or contains a tab.
bool IsBlock(std::string_view text) {
  if (text.find('\n') == std::string_view::npos || text.find_first_not_of(" \n") == std::string_view::npos)
    return false;
  return std::ranges::all_of(Split(text, '\n'), [](std::string_view line) { return Printable(line) == line; });
}

yaml_scalar_style_t StyleOf(std::string_view text, bool is_key) {
  if (IsPlain(text)) return YAML_PLAIN_SCALAR_STYLE;
  return !is_key && IsBlock(text) ? YAML_LITERAL_SCALAR_STYLE : YAML_DOUBLE_QUOTED_SCALAR_STYLE;
}

// A float in a form that is also a float in YAML 1.1.
std::string Double(double number) {
  std::string out = fmt::format("{}", number);
  if (out.find('.') != std::string::npos) return out;
  out.insert(std::min(out.find('e'), out.size()), ".0");
  return out;
}

// null, a boolean or a number.
std::string Word(const JsonValue& value) {
  if (value.IsNull()) return "null";
  if (value.IsBool()) return value.GetBool() ? "true" : "false";
  if (value.IsInt64()) return std::to_string(value.GetInt64());
  return value.IsUint64() ? std::to_string(value.GetUint64()) : Double(value.GetDouble());
}

// Writes one document with libyaml's emitter. Its functions fail only for lack of memory, because the events nest and
// texts are UTF-8.
class Emitter {
 public:
  Emitter() {
    Check(yaml_emitter_initialize(&emitter_));
    yaml_emitter_set_output(&emitter_, &Append, &out_);
    yaml_emitter_set_width(&emitter_, -1);  // does not fold lines
    yaml_emitter_set_unicode(&emitter_, 1);
  }
  Emitter(const Emitter&) = delete;
  Emitter& operator=(const Emitter&) = delete;
  ~Emitter() { yaml_emitter_delete(&emitter_); }

  std::string Document(const JsonValue& value) {
    Emit(yaml_stream_start_event_initialize, YAML_UTF8_ENCODING);
    Emit(yaml_document_start_event_initialize, nullptr, nullptr, nullptr, 1);
    Value(value);
    Emit(yaml_document_end_event_initialize, 1);
    Emit(yaml_stream_end_event_initialize);
    // Characters that change the direction of text occur only in double quotes, whose escapes are those of JSON.
    return PrintableJson(std::move(out_));
  }

 private:
  static void Check(int done) {
    if (done == 0) throw std::bad_alloc();
  }
  static int Append(void* out, unsigned char* bytes, std::size_t size) {
    static_cast<std::string*>(out)->append(reinterpret_cast<const char*>(bytes), size);
    return 1;
  }

  template <class Initialize, class... Arguments>
  void Emit(Initialize initialize, Arguments... arguments) {
    yaml_event_t event{};
    Check(initialize(&event, arguments...));
    Check(yaml_emitter_emit(&emitter_, &event));
  }

  void Scalar(std::string_view text, yaml_scalar_style_t style) {
    Emit(yaml_scalar_event_initialize, nullptr, nullptr, reinterpret_cast<const unsigned char*>(text.data()),
         static_cast<int>(text.size()), 1, 1, style);
  }

  void Text(const JsonValue& value, bool is_key) {
    const std::string text = ReplaceMalformed(JsonTextOf(value));
    Scalar(text, StyleOf(text, is_key));
  }

  // kObjectLimits limits the nesting.
  void Value(const JsonValue& value) {
    if (value.IsObject()) {
      Emit(yaml_mapping_start_event_initialize, nullptr, nullptr, 1, YAML_BLOCK_MAPPING_STYLE);
      for (const auto& member : value.GetObject()) {
        Text(member.name, true);
        Value(member.value);
      }
      Emit(yaml_mapping_end_event_initialize);
    } else if (value.IsArray()) {
      Emit(yaml_sequence_start_event_initialize, nullptr, nullptr, 1, YAML_BLOCK_SEQUENCE_STYLE);
      for (const JsonValue& item : value.GetArray()) Value(item);
      Emit(yaml_sequence_end_event_initialize);
    } else if (value.IsString()) {
      Text(value, false);
    } else {
      Scalar(Word(value), YAML_PLAIN_SCALAR_STYLE);
    }
  }

  yaml_emitter_t emitter_{};
  std::string out_;
};

}  // namespace

std::string WriteYaml(const JsonValue& value) { return Emitter().Document(value); }

std::string WriteManifest(const Object& object) {
  if (!object.several) return WriteYaml(*object.root);
  std::string out;
  for (const JsonValue& document : object.root->GetArray()) out += "---\n" + WriteYaml(document);
  return out;
}

}  // namespace prov::publish
