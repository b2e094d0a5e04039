#include "provisioner/unattend/xml_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "provisioner/base/text.h"
#include "provisioner/base/text_place.h"

namespace prov::unattend {
namespace {

constexpr std::string_view kUtf8Bom = "\xEF\xBB\xBF";
constexpr std::string_view kUtf16LeBom = "\xFF\xFE";
constexpr std::string_view kUtf16BeBom = "\xFE\xFF";
constexpr std::string_view kSaveAgain = "; save it as UTF-8 or as UTF-16LE with a byte order mark";

struct Range {
  char32_t first;
  char32_t last;
};

// XML 1.0, fifth edition, production 4 beyond ASCII.
constexpr std::array kNameStart = {Range{0xC0, 0xD6},     Range{0xD8, 0xF6},     Range{0xF8, 0x2FF},
                                   Range{0x370, 0x37D},   Range{0x37F, 0x1FFF},  Range{0x200C, 0x200D},
                                   Range{0x2070, 0x218F}, Range{0x2C00, 0x2FEF}, Range{0x3001, 0xD7FF},
                                   Range{0xF900, 0xFDCF}, Range{0xFDF0, 0xFFFD}, Range{0x10000, 0xEFFFF}};
// What production 4a adds to it.
constexpr std::array kNameMore = {Range{0xB7, 0xB7}, Range{0x300, 0x36F}, Range{0x203F, 0x2040}};

bool In(auto ranges, char32_t c) {
  return std::ranges::any_of(ranges, [&](Range range) { return c >= range.first && c <= range.last; });
}

bool IsNameStart(char32_t c) {
  if (c < 0x80) return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  return In(kNameStart, c);
}

bool IsNameCharacter(char32_t c) {
  if (c < 0x80) return IsNameStart(c) || (c >= '0' && c <= '9') || c == '-' || c == '.';
  return IsNameStart(c) || In(kNameMore, c);
}

bool IsXmlCharacter(char32_t c) {
  if (c < 0x20) return c == '\t' || c == '\n' || c == '\r';
  return c <= 0xD7FF || (c >= 0xE000 && c <= 0xFFFD) || (c >= 0x10000 && c <= 0x10FFFF);
}

std::size_t LengthOf(char lead) {
  const auto byte = static_cast<unsigned char>(lead);
  return byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
}

// The first character of text that is well-formed UTF-8.
char32_t FirstCharacter(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  const std::size_t length = LengthOf(text.front());
  if (length == 1) return lead;
  char32_t value = lead & (0x7FU >> length);
  for (std::size_t i = 1; i < length; ++i) value = (value << 6U) | (static_cast<unsigned char>(text[i]) & 0x3FU);
  return value;
}

std::size_t FindInvalidUtf16Le(std::string_view bytes) {
  const auto high = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i + 1]) & 0xFCU; };
  std::size_t i = 0;
  for (; i + 2 <= bytes.size(); i += 2) {
    if (high(i) == 0xDC) return i;
    if (high(i) != 0xD8) continue;
    if (i + 4 > bytes.size() || high(i + 2) != 0xDC) return i;
    i += 2;
  }
  return i < bytes.size() ? i : std::string_view::npos;
}

std::size_t FindForbidden(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); i += LengthOf(text[i])) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const bool suspect = byte < 0x20 || byte == 0xEF;  // U+FFFE and U+FFFF begin with EF
    if (suspect && !IsXmlCharacter(FirstCharacter(text.substr(i)))) return i;
  }
  return std::string_view::npos;
}

Result<std::string> DecodeUtf16Le(std::string_view bytes, std::string_view where) {
  if (auto text = FromUtf16Le(bytes)) return *std::move(text);
  const std::string before = *FromUtf16Le(bytes.substr(0, FindInvalidUtf16Le(bytes)));
  return Fail(Code::kXml, fmt::format("the file is not well-formed UTF-16{}", kSaveAgain),
              XmlPlace(where, before, before.size()));
}

Result<std::string> DecodeUtf8(std::string_view bytes, std::string_view where) {
  const std::size_t invalid = FindInvalidUtf8(bytes);
  if (invalid == std::string_view::npos) return std::string(bytes);
  return Fail(Code::kXml, fmt::format("the file is not well-formed UTF-8{}", kSaveAgain),
              XmlPlace(where, bytes.substr(0, invalid), invalid));
}

std::uint32_t Digit(char c) {
  if (c >= '0' && c <= '9') return static_cast<std::uint32_t>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<std::uint32_t>(c - 'a' + 10);
  if (c >= 'A' && c <= 'F') return static_cast<std::uint32_t>(c - 'A' + 10);
  return 16;
}

std::string NumericReference(std::string_view digits, std::uint32_t base) {
  std::uint32_t value = 0;
  for (const char c : digits) {
    if (Digit(c) >= base) return {};
    value = value * base + Digit(c);
    if (value > 0x10FFFF) return {};
  }
  if (digits.empty() || !IsXmlCharacter(value)) return {};
  std::string units;
  const auto put = [&](std::uint32_t unit) {
    units += static_cast<char>(unit & 0xFFU);
    units += static_cast<char>(unit >> 8U);
  };
  if (value >= 0x10000) {
    put(0xD800 + ((value - 0x10000) >> 10U));
    put(0xDC00 + ((value - 0x10000) & 0x3FFU));
  } else {
    put(value);
  }
  return *FromUtf16Le(units);
}

}  // namespace

Result<XmlText> DecodeXml(std::string_view bytes, std::string_view where) {
  if (bytes.size() > kXmlSizeLimit)
    return Fail(Code::kTooLarge, "the file has more than 16 MiB; is it an answer file?", std::string(where));
  if (bytes.starts_with(kUtf16BeBom) || bytes.starts_with(std::string_view("\0<", 2)) ||
      bytes.starts_with(std::string_view("<\0", 2)))
    return Fail(Code::kXml, fmt::format("the file is UTF-16BE, or UTF-16 without a byte order mark{}", kSaveAgain),
                XmlPlace(where, {}, 0));
  XmlText out;
  if (bytes.starts_with(kUtf16LeBom)) {
    out = {XmlEncoding::kUtf16Le, PROV_TRY(DecodeUtf16Le(bytes.substr(kUtf16LeBom.size()), where))};
  } else if (bytes.starts_with(kUtf8Bom)) {
    out = {XmlEncoding::kUtf8Bom, PROV_TRY(DecodeUtf8(bytes.substr(kUtf8Bom.size()), where))};
  } else {
    out = {XmlEncoding::kUtf8, PROV_TRY(DecodeUtf8(bytes, where))};
  }
  const std::size_t forbidden = FindForbidden(out.text);
  if (forbidden == std::string::npos) return out;
  return Fail(Code::kXml, "the file holds a character that XML does not allow; remove it",
              XmlPlace(where, out.text, forbidden));
}

std::string EncodeXml(const XmlText& xml) {
  if (xml.encoding == XmlEncoding::kUtf16Le) return std::string(kUtf16LeBom) + ToUtf16Le(xml.text);
  return std::string(xml.encoding == XmlEncoding::kUtf8Bom ? kUtf8Bom : "") + xml.text;
}

std::string XmlPlace(std::string_view where, std::string_view text, std::size_t offset) {
  return fmt::format("{}: {}", where, DescribePlace(text, offset));
}

bool IsXmlBlank(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return IsXmlBlank(c); });
}

std::string XmlExcerpt(std::string_view text) {
  constexpr std::size_t kLimit = 60;
  if (text.size() <= kLimit) return std::string(text);
  return fmt::format("{}...", Shorten(text, kLimit));
}

std::size_t XmlNameLength(std::string_view text) {
  std::size_t length = 0;
  while (length < text.size()) {
    const char32_t c = FirstCharacter(text.substr(length));
    if (length == 0 ? !IsNameStart(c) : !IsNameCharacter(c)) break;
    length += LengthOf(text[length]);
  }
  return length;
}

std::string XmlReference(std::string_view inside) {
  if (inside.starts_with("#x")) return NumericReference(inside.substr(2), 16);
  if (inside.starts_with("#")) return NumericReference(inside.substr(1), 10);
  if (inside == "amp") return "&";
  if (inside == "lt") return "<";
  if (inside == "gt") return ">";
  if (inside == "quot") return "\"";
  return inside == "apos" ? "'" : "";
}

std::string XmlUnescape(std::string_view raw) {
  std::string out;
  out.reserve(raw.size());
  for (;;) {
    const std::size_t start = raw.find('&');
    out += raw.substr(0, start);
    if (start == std::string_view::npos) return out;
    const std::size_t end = raw.find(';', start);
    out += XmlReference(raw.substr(start + 1, end - start - 1));
    raw.remove_prefix(end + 1);
  }
}

std::string XmlEscape(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

}  // namespace prov::unattend
