#include "provisioner/publish/yaml_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_set>
#include <utility>

#include "ignition/yaml_scalar.h"
#include "provisioner/base/text.h"

namespace prov::publish {
namespace {

constexpr std::size_t kIndent = 2;
constexpr std::size_t kMostKey = 1000;  // bytes; readers look ahead 1,024 characters for the ':'

// What YAML 1.1 makes of a plain word and 1.2 does not.
bool IsOldBoolean(std::string_view text) {
  constexpr std::array<std::string_view, 6> kWords = {"y", "n", "yes", "no", "on", "off"};
  return std::ranges::any_of(kWords, [&](std::string_view word) { return EqualsIgnoreAsciiCase(text, word); });
}

// May be a number, a time or a date to somebody: begins like one and holds nothing else.
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

// The character at the front: its length, and whether it may stand as it is in quotes and blocks. Text is UTF-8.
struct Character {
  std::size_t length = 1;
  bool visible = true;
};

Character FrontOf(std::string_view text) {
  const auto byte = static_cast<unsigned char>(text.front());
  if (byte < 0x80) return {1, byte >= 0x20 && byte != 0x7F};
  const std::size_t length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : 2;
  const std::string_view whole = text.substr(0, length);
  // C1 controls, the line ends of YAML 1.1, the byte order mark, what changes the direction of text, noncharacters.
  const bool c1 = byte == 0xC2 && static_cast<unsigned char>(whole[1]) < 0xA0;
  const bool separator = whole == "\xE2\x80\xA8" || whole == "\xE2\x80\xA9" || whole == "\xEF\xBB\xBF";
  const bool direction = Printable(whole) != whole;
  const bool noncharacter = whole == "\xEF\xBF\xBE" || whole == "\xEF\xBF\xBF";
  return {length, !c1 && !separator && !direction && !noncharacter};
}

// Whether the text can be a literal block: nothing in it needs an escape.
bool IsBlock(std::string_view text) {
  if (text.find('\n') == std::string_view::npos || text.find_first_not_of(" \n") == std::string_view::npos)
    return false;
  while (!text.empty()) {
    const Character c = FrontOf(text);
    if (!c.visible && text.front() != '\n' && text.front() != '\t') return false;
    text.remove_prefix(c.length);
  }
  return true;
}

void AppendEscape(std::string_view character, std::string& out) {
  switch (character.front()) {
    case '\n':
      out += "\\n";
      return;
    case '\t':
      out += "\\t";
      return;
    case '\r':
      out += "\\r";
      return;
    default:
      break;
  }
  // Up to 0xFFFF, as all that FrontOf() calls invisible.
  const std::string utf16 = ToUtf16Le(character);
  const unsigned unit =
      static_cast<unsigned char>(utf16[0]) | (static_cast<unsigned>(static_cast<unsigned char>(utf16[1])) << 8U);
  out += fmt::format("\\u{:04X}", unit);
}

std::string Quoted(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const Character c = FrontOf(text);
    const std::string_view character = text.substr(0, c.length);
    if (!c.visible) {
      AppendEscape(character, out);
    } else {
      if (character == "\"" || character == "\\") out += '\\';
      out += character;
    }
    text.remove_prefix(c.length);
  }
  return out + '"';
}

std::string Block(std::string_view text, std::size_t indent) {
  std::string out = "|";
  // The indentation is told where it can't be seen from the first line.
  if (text.front() == ' ' || text.front() == '\t' || text.front() == '\n') out += std::to_string(kIndent);
  if (!text.ends_with('\n')) {
    out += '-';
  } else {
    text.remove_suffix(1);
    if (text.ends_with('\n')) out += '+';
  }
  const std::string margin(indent + kIndent, ' ');
  while (true) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    out += '\n';
    if (end > 0) out.append(margin).append(text.substr(0, end));
    if (end == text.size()) return out;
    text.remove_prefix(end + 1);
  }
}

// A float is written so that YAML 1.1 reads it as one.
std::string Double(double number) {
  std::string out = fmt::format("{}", number);
  if (out.find('.') != std::string::npos) return out;
  out.insert(std::min(out.find('e'), out.size()), ".0");
  return out;
}

class Writer {
 public:
  Result<void> Value(const JsonValue& value, std::size_t indent);
  std::string Take() { return std::move(out_); }

 private:
  Result<void> Members(const JsonValue& object, std::size_t indent);
  Result<void> Items(const JsonValue& array, std::size_t indent);
  Result<void> After(const JsonValue& value, std::size_t indent);
  static std::string Scalar(const JsonValue& value, std::size_t indent);

  std::string out_;
};

bool IsNested(const JsonValue& value) {
  return (value.IsObject() && !value.ObjectEmpty()) || (value.IsArray() && !value.Empty());
}

std::string Writer::Scalar(const JsonValue& value, std::size_t indent) {
  if (value.IsString()) return YamlScalar(ignition::TextOf(value), indent);
  if (value.IsNull()) return "null";
  if (value.IsBool()) return value.GetBool() ? "true" : "false";
  if (value.IsInt64()) return std::to_string(value.GetInt64());
  if (value.IsUint64()) return std::to_string(value.GetUint64());
  if (value.IsDouble()) return Double(value.GetDouble());
  return value.IsObject() ? "{}" : "[]";
}

// A value behind "key:".
Result<void> Writer::After(const JsonValue& value, std::size_t indent) {
  if (!IsNested(value)) {
    out_ += ' ' + Scalar(value, indent) + '\n';
    return {};
  }
  out_ += '\n';
  // A sequence stands at its key's column, as `oc` prints it.
  const std::size_t inner = value.IsObject() ? indent + kIndent : indent;
  out_.append(inner, ' ');
  return Value(value, inner);
}

// All members; the cursor stands where the first one begins.
Result<void> Writer::Members(const JsonValue& object, std::size_t indent) {
  bool first = true;
  std::unordered_set<std::string_view> keys;
  for (const auto& member : object.GetObject()) {
    const std::string_view key = ignition::TextOf(member.name);
    if (!keys.insert(key).second)
      return Fail(Code::kJson, fmt::format("the key {} occurs twice", Quoted(Shorten(key, 100))));
    if (key.size() > kMostKey)
      return Fail(Code::kTooLarge, fmt::format("a key has {} bytes, more than {}", key.size(), kMostKey));
    if (!first) out_.append(indent, ' ');
    first = false;
    out_ += IsPlain(key) ? std::string(key) : Quoted(key);
    out_ += ':';
    PROV_TRY(After(member.value, indent));
  }
  return {};
}

Result<void> Writer::Items(const JsonValue& array, std::size_t indent) {
  bool first = true;
  for (const JsonValue& item : array.GetArray()) {
    if (!first) out_.append(indent, ' ');
    first = false;
    out_ += "- ";
    PROV_TRY(Value(item, indent + kIndent));
  }
  return {};
}

Result<void> Writer::Value(const JsonValue& value, std::size_t indent) {
  if (!IsNested(value)) {
    // Behind a dash: the sequence's column counts.
    out_ += Scalar(value, indent >= kIndent ? indent - kIndent : 0) + '\n';
    return {};
  }
  return value.IsObject() ? Members(value, indent) : Items(value, indent);
}

}  // namespace

std::string YamlScalar(std::string_view text, std::size_t indent) {
  if (IsPlain(text)) return std::string(text);
  return IsBlock(text) ? Block(text, indent) : Quoted(text);
}

Result<std::string> WriteYaml(const JsonValue& object) {
  Writer writer;
  PROV_TRY(writer.Value(object, 0));
  return writer.Take();
}

Result<std::string> WriteManifest(const Object& object) {
  if (!object.several) return WriteYaml(*object.root);
  std::string out;
  for (const JsonValue& document : object.root->GetArray())
    out += fmt::format("---\n{}", PROV_TRY(WriteYaml(document)));
  return out;
}

std::string WriteJson(const JsonValue& object) {
  rapidjson::StringBuffer buffer;
  rapidjson::PrettyWriter<rapidjson::StringBuffer> writer(buffer);
  object.Accept(writer);
  return PrintableJson(std::string(buffer.GetString(), buffer.GetSize()) + '\n');
}

}  // namespace prov::publish
