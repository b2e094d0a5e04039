#include "images/registry/reg_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "provisioner/base/text.h"

namespace prov::images {
namespace {

constexpr std::string_view kFileHeader = "Windows Registry Editor Version 5.00";
constexpr std::string_view kUtf16Bom = "\xFF\xFE";
constexpr std::string_view kUtf8Bom = "\xEF\xBB\xBF";
constexpr std::size_t kWrapColumn = 76;  // a byte, a comma and the backslash still fit into 80

bool HoldsControl(std::string_view utf8) {
  for (std::size_t i = 0; i < utf8.size(); ++i) {
    const auto c = static_cast<unsigned char>(utf8[i]);
    const bool c1 = c == 0xC2 && i + 1 < utf8.size() && static_cast<unsigned char>(utf8[i + 1]) < 0xA0;
    if (c < 0x20 || c == 0x7F || c1) return true;
  }
  return false;
}

// Whether the file can contain the name: one line, and UTF-16 that converts back to the same.
bool IsWritable(std::string_view name) { return IsUtf8(name) && !HoldsControl(name); }

// ---- writing ----

std::size_t Columns(std::string_view utf8) {
  std::size_t units = 0;
  for (const char c : utf8) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xC0U) != 0x80) units += byte >= 0xF0 ? 2 : 1;
  }
  return units;
}

void AppendQuoted(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : text) {
    if (c == '\\' || c == '"') out += '\\';
    out += c;
  }
  out += '"';
}

// The text of a string value that is exactly one clean NUL-terminated string; nullopt otherwise.
std::optional<std::string> CleanString(std::string_view data) {
  if (data.size() < 2 || data.substr(data.size() - 2) != std::string_view("\0\0", 2)) return std::nullopt;
  std::optional<std::string> text = FromUtf16Le(data.substr(0, data.size() - 2));
  if (!text || HoldsControl(*text)) return std::nullopt;
  return text;
}

void AppendHex(std::string& out, const RegValue& value, std::size_t column) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string kind = "hex:";
  if (value.type != RegType::kBinary) kind = fmt::format("hex({:x}):", static_cast<std::uint32_t>(value.type));
  out += kind;
  column += kind.size();
  for (std::size_t i = 0; i < value.data.size(); ++i) {
    const auto byte = static_cast<unsigned char>(value.data[i]);
    out += kDigits[byte >> 4U];
    out += kDigits[byte & 0xFU];
    if (i + 1 == value.data.size()) return;
    out += ',';
    column += 3;
    if (column > kWrapColumn) {
      out += "\\\r\n  ";
      column = 2;
    }
  }
}

void AppendValue(std::string& out, const RegValue& value) {
  if (!IsWritable(value.name)) {
    out += fmt::format("; left out: the value named {}, because this format cannot express its name\r\n",
                       Printable(value.name));
    return;
  }
  std::string name = "@";
  if (!value.name.empty()) {
    name.clear();
    AppendQuoted(name, value.name);
  }
  out += name;
  out += '=';
  const std::optional<std::string> text = value.type == RegType::kSz ? CleanString(value.data) : std::nullopt;
  if (text) {
    AppendQuoted(out, *text);
  } else if (value.type == RegType::kDword && value.data.size() == 4) {
    out += "dword:";
    for (std::size_t i = 4; i > 0; --i) out += ToHex(std::string_view(value.data).substr(i - 1, 1));
  } else {
    AppendHex(out, value, Columns(name) + 1);
  }
  out += "\r\n";
}

void AppendKey(std::string& out, const RegKey& key, const std::string& path) {
  if (!key.values.empty() || key.subkeys.empty()) {
    out += fmt::format("[{}]\r\n", path);
    for (const RegValue& value : key.values) AppendValue(out, value);
    out += "\r\n";
  }
  for (const RegKey& subkey : key.subkeys) {
    if (IsWritable(subkey.name)) {
      AppendKey(out, subkey, path + "\\" + subkey.name);
    } else {
      out += fmt::format(
          "; left out: the key {}\\{} and what is below it, because this format cannot express its name\r\n\r\n", path,
          Printable(subkey.name));
    }
  }
}

// ---- reading ----

std::optional<std::string> DecodeText(std::string_view bytes) {
  if (bytes.starts_with(kUtf16Bom)) return FromUtf16Le(bytes.substr(kUtf16Bom.size()));
  if (bytes.starts_with(kUtf8Bom)) bytes.remove_prefix(kUtf8Bom.size());
  if (!IsUtf8(bytes)) return std::nullopt;
  return std::string(bytes);
}

bool IsBlank(char c) { return c == ' ' || c == '\t'; }

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Result<std::vector<RegFileEntry>> Parse() {
    if (!NextLine() || TrimBlanks(line_) != kFileHeader) {
      return Bad(fmt::format("the first line must be \"{}\"; export the file again as version 5", kFileHeader));
    }
    while (NextLine()) {
      SkipBlanks();
      if (AtEnd()) continue;
      if (line_.front() == '[') {
        PROV_TRY(ParseKey());
      } else {
        PROV_TRY(ParseValue());
      }
    }
    return std::move(entries_);
  }

 private:
  // Advances to the next line, without its end (LF or CRLF).
  bool NextLine() {
    if (at_ > text_.size()) return false;
    const std::size_t end = std::min(text_.find('\n', at_), text_.size());
    line_ = text_.substr(at_, end - at_);
    if (line_.ends_with('\r')) line_.remove_suffix(1);
    at_ = end + 1;
    ++number_;
    return true;
  }

  void SkipBlanks() {
    while (!line_.empty() && IsBlank(line_.front())) line_.remove_prefix(1);
  }
  // Whether only a comment is left.
  bool AtEnd() const { return line_.empty() || line_.front() == ';'; }

  std::unexpected<Error> Bad(std::string message) const {
    return Fail(Code::kInvalidConfig, std::move(message), fmt::format("line {}", number_));
  }

  Result<void> ParseKey() {
    const std::size_t close = line_.rfind(']');
    if (close == std::string_view::npos) return Bad("a key is not closed by ]");
    RegFileEntry entry;
    std::string_view name = line_.substr(1, close - 1);
    entry.remove = name.starts_with('-');
    if (entry.remove) name.remove_prefix(1);
    if (name.empty() || HoldsControl(name)) return Bad("a key's name is empty or holds control characters");
    entry.key = name;
    line_.remove_prefix(close + 1);
    SkipBlanks();
    if (!AtEnd()) return Bad("something follows the ] of a key");
    entries_.push_back(std::move(entry));
    return {};
  }

  Result<void> ParseValue() {
    if (entries_.empty()) return Bad("a value stands before the first [key]");
    if (entries_.back().remove) return Bad("a value stands below a key that is to be removed");
    RegFileValue value;
    if (line_.front() == '@') {
      line_.remove_prefix(1);
    } else if (line_.front() == '"') {
      value.value.name = PROV_TRY(ParseQuoted());
      if (value.value.name.empty()) return Bad("a value's name is empty; the default value is written @");
    } else {
      return Bad("neither a [key], nor a value (\"name\"= or @=), nor a comment");
    }
    SkipBlanks();
    if (!line_.starts_with('=')) return Bad("a value's name is not followed by =");
    line_.remove_prefix(1);
    SkipBlanks();
    PROV_TRY(ParseData(value));
    SkipBlanks();
    if (!AtEnd()) return Bad("something follows a value's data");
    entries_.back().values.push_back(std::move(value));
    return {};
  }

  Result<void> ParseData(RegFileValue& value) {
    if (line_.starts_with('-')) {
      line_.remove_prefix(1);
      value.remove = true;
      return {};
    }
    if (line_.starts_with('"')) {
      value.value.type = RegType::kSz;
      value.value.data = EncodeSz(PROV_TRY(ParseQuoted()));
      return {};
    }
    if (line_.starts_with("dword:")) {
      line_.remove_prefix(6);
      value.value.type = RegType::kDword;
      value.value.data = EncodeDword(PROV_TRY(ParseHexNumber()));
      return {};
    }
    if (!line_.starts_with("hex")) return Bad("a value's data is neither \"text\", dword:, hex:, hex(N): nor -");
    line_.remove_prefix(3);
    value.value.type = RegType::kBinary;
    if (line_.starts_with('(')) {
      line_.remove_prefix(1);
      value.value.type = static_cast<RegType>(PROV_TRY(ParseHexNumber()));
      if (!line_.starts_with(')')) return Bad("hex( is not closed by )");
      line_.remove_prefix(1);
    }
    if (!line_.starts_with(':')) return Bad("hex is not followed by :");
    line_.remove_prefix(1);
    value.value.data = PROV_TRY(ParseHexBytes());
    return {};
  }

  // Parses "text" at the front of the line.
  Result<std::string> ParseQuoted() {
    std::string out;
    for (std::size_t i = 1; i < line_.size(); ++i) {
      if (line_[i] == '"') {
        if (HoldsControl(out)) return Bad("a text holds control characters; write the value as hex(1):");
        line_.remove_prefix(i + 1);
        return out;
      }
      if (line_[i] == '\\') {
        ++i;
        if (i == line_.size()) break;
        if (line_[i] != '\\' && line_[i] != '"') return Bad("a backslash in a text is not doubled");
      }
      out += line_[i];
    }
    return Bad("a text is not closed by \" on its line; a value with line breaks is written as hex(1):");
  }

  // Parses one to eight hex digits.
  Result<std::uint32_t> ParseHexNumber() {
    std::uint32_t number = 0;
    const char* const begin = line_.data();
    const auto [end, error] = std::from_chars(begin, begin + std::min<std::size_t>(line_.size(), 8), number, 16);
    if (error != std::errc()) return Bad("one to eight hexadecimal digits are missing");
    line_.remove_prefix(static_cast<std::size_t>(end - begin));
    return number;
  }

  // Parses bytes "0a,ff". A backslash at the end of a line continues them on the next.
  Result<std::string> ParseHexBytes() {
    std::string out;
    bool after_comma = false;
    while (true) {
      SkipBlanks();
      if (line_.starts_with('\\')) {
        line_.remove_prefix(1);
        SkipBlanks();
        if (!AtEnd()) return Bad("something follows the backslash at the end of a line");
        if (!NextLine()) return Bad("the file ends within a value");
        continue;
      }
      const std::optional<std::string> byte = FromHex(line_.substr(0, std::min<std::size_t>(line_.size(), 2)));
      if (!byte || byte->empty()) {
        if (after_comma || !AtEnd()) return Bad("two hexadecimal digits are missing");
        return out;
      }
      out += *byte;
      line_.remove_prefix(2);
      SkipBlanks();
      after_comma = line_.starts_with(',');
      if (!after_comma) return out;
      line_.remove_prefix(1);
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string_view line_;  // the rest of the current line
  std::size_t number_ = 0;
  std::vector<RegFileEntry> entries_;
};

}  // namespace

std::string WriteRegFile(const RegKey& tree, std::string_view root_path, std::string_view comment) {
  std::string text = fmt::format("{}\r\n\r\n", kFileHeader);
  for (std::size_t end = 0; (end = comment.find('\n')) != std::string_view::npos; comment.remove_prefix(end + 1)) {
    text += fmt::format("; {}\r\n", comment.substr(0, end));
    if (end + 1 == comment.size()) text += "\r\n";
  }
  AppendKey(text, tree, std::string(root_path));
  return std::string(kUtf16Bom) + ToUtf16Le(text);
}

Result<std::vector<RegFileEntry>> ReadRegFile(std::string_view bytes) {
  const std::optional<std::string> text = DecodeText(bytes);
  if (!text)
    return Fail(Code::kInvalidConfig, "neither UTF-16LE with a byte order mark nor UTF-8; save the file in one of them",
                "line 1");
  return Parser(*text).Parse();
}

}  // namespace prov::images
