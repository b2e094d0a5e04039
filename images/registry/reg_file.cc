#include "images/registry/reg_file.h"

#include <fmt/format.h>

#include <optional>

#include "provisioner/base/text.h"

namespace prov::images {
namespace {

constexpr std::string_view kFileHeader = "Windows Registry Editor Version 5.00";
constexpr std::string_view kUtf16Bom = "\xFF\xFE";
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

}  // namespace prov::images
