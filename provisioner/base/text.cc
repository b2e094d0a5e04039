#include "provisioner/base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace prov {
namespace {

constexpr char32_t kReplacement = 0xFFFD;

std::optional<std::string> FromUtf16(std::string_view bytes, std::size_t low, std::size_t high) {
  if (bytes.size() % 2 != 0) return std::nullopt;
  const auto unit = [&](std::size_t i) {
    return static_cast<char32_t>(static_cast<unsigned char>(bytes[i + low]) |
                                 (static_cast<unsigned char>(bytes[i + high]) << 8U));
  };
  std::string out;
  out.reserve(bytes.size() / 2);
  for (std::size_t i = 0; i < bytes.size(); i += 2) {
    char32_t c = unit(i);
    if (c >= 0xDC00 && c <= 0xDFFF) return std::nullopt;
    if (c >= 0xD800 && c <= 0xDBFF) {
      if (i + 4 > bytes.size()) return std::nullopt;
      const char32_t second = unit(i + 2);
      if (second < 0xDC00 || second > 0xDFFF) return std::nullopt;
      c = 0x10000 + ((c - 0xD800) << 10U) + (second - 0xDC00);
      i += 2;
    }
    AppendUtf8(out, c);
  }
  return out;
}

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }
char Upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - ('a' - 'A')) : c; }
bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

// Characters that change how a terminal shows the following ones.
bool IsUnprintable(char32_t c) {
  const bool control = c < 0x20 || (c >= 0x7F && c <= 0x9F);
  const bool bidi =
      c == 0x61C || (c >= 0x200E && c <= 0x200F) || (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
  const bool separator = c == 0x2028 || c == 0x2029;
  return control || bidi || separator;
}

}  // namespace

// Follows the table of RFC 3629 (section 4).
Utf8Character DecodeUtf8(std::string_view s) {
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(s[i]); };
  const unsigned char lead = at(0);
  if (lead < 0x80) return {lead, 1, true};
  std::size_t length = 0;
  char32_t value = 0;
  char32_t least = 0;
  if (lead >= 0xC2 && lead <= 0xDF) {
    length = 2, value = lead & 0x1FU, least = 0x80;
  } else if (lead >= 0xE0 && lead <= 0xEF) {
    length = 3, value = lead & 0x0FU, least = 0x800;
  } else if (lead >= 0xF0 && lead <= 0xF4) {
    length = 4, value = lead & 0x07U, least = 0x10000;
  } else {
    return {kReplacement, 1, false};
  }
  if (s.size() < length) return {kReplacement, 1, false};
  for (std::size_t i = 1; i < length; ++i) {
    if ((at(i) & 0xC0U) != 0x80) return {kReplacement, 1, false};
    value = (value << 6U) | (at(i) & 0x3FU);
  }
  const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
  if (value < least || value > 0x10FFFF || surrogate) return {kReplacement, 1, false};
  return {value, length, true};
}

std::size_t FindInvalidUtf8(std::string_view bytes) {
  std::size_t i = 0;
  while (i < bytes.size()) {
    // Eight ASCII bytes at a time: nearly all inputs are ASCII.
    while (i + 8 <= bytes.size()) {
      std::uint64_t word = 0;
      std::memcpy(&word, bytes.data() + i, 8);
      if ((word & 0x8080808080808080ULL) != 0) break;
      i += 8;
    }
    if (i >= bytes.size()) break;
    const Utf8Character d = DecodeUtf8(bytes.substr(i));
    if (!d.valid) return i;
    i += d.length;
  }
  return std::string_view::npos;
}

void AppendUtf8(std::string& out, char32_t c) {
  const auto put = [&](char32_t byte) { out.push_back(static_cast<char>(static_cast<unsigned char>(byte))); };
  if (c < 0x80) {
    put(c);
  } else if (c < 0x800) {
    put(0xC0U | (c >> 6U)), put(0x80U | (c & 0x3FU));
  } else if (c < 0x10000) {
    put(0xE0U | (c >> 12U)), put(0x80U | ((c >> 6U) & 0x3FU)), put(0x80U | (c & 0x3FU));
  } else {
    put(0xF0U | (c >> 18U)), put(0x80U | ((c >> 12U) & 0x3FU)), put(0x80U | ((c >> 6U) & 0x3FU)),
        put(0x80U | (c & 0x3FU));
  }
}

std::string ReplaceMalformed(std::string_view text) {
  std::string out;
  for (;;) {
    const std::size_t bad = FindInvalidUtf8(text);
    out += text.substr(0, bad);
    if (bad == std::string_view::npos) return out;
    out += "\xEF\xBF\xBD";
    text.remove_prefix(bad + 1);
  }
}

std::string ToUtf16Le(std::string_view utf8) {
  std::string out;
  out.reserve(utf8.size() * 2);
  const auto put = [&](char32_t unit) {
    out.push_back(static_cast<char>(unit & 0xFFU));
    out.push_back(static_cast<char>((unit >> 8U) & 0xFFU));
  };
  while (!utf8.empty()) {
    const Utf8Character d = DecodeUtf8(utf8);
    utf8.remove_prefix(d.length);
    if (d.code_point >= 0x10000) {
      put(0xD800 + ((d.code_point - 0x10000) >> 10U));
      put(0xDC00 + ((d.code_point - 0x10000) & 0x3FFU));
    } else {
      put(d.code_point);
    }
  }
  return out;
}

std::optional<std::string> FromUtf16Le(std::string_view bytes) { return FromUtf16(bytes, 0, 1); }
std::optional<std::string> FromUtf16Be(std::string_view bytes) { return FromUtf16(bytes, 1, 0); }

namespace {

enum class Units { kBytes, kLittle, kBig };

// Whether a text without a byte order mark is UTF-16. No other text has a NUL in each pair of its first bytes.
Units GuessUnits(std::string_view text) {
  constexpr std::size_t kSample = 64;
  constexpr std::size_t kLeast = 8;
  const std::string_view sample = text.substr(0, std::min(kSample, text.size() & ~std::size_t{1}));
  if (sample.size() < kLeast) return Units::kBytes;
  std::size_t even = 0;
  std::size_t odd = 0;
  for (std::size_t i = 0; i < sample.size(); ++i) (i % 2 == 0 ? even : odd) += sample[i] == '\0' ? 1 : 0;
  if (even == 0 && odd == sample.size() / 2) return Units::kLittle;
  if (odd == 0 && even == sample.size() / 2) return Units::kBig;
  return Units::kBytes;
}

}  // namespace

bool DecodeMarked(std::string& text) {
  constexpr std::string_view kUtf8Mark = "\xEF\xBB\xBF";
  const bool marked = text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF");
  const Units form = marked ? (text.front() == '\xFF' ? Units::kLittle : Units::kBig) : GuessUnits(text);
  if (form == Units::kBytes) {
    if (text.starts_with(kUtf8Mark)) text.erase(0, kUtf8Mark.size());
    return true;
  }
  const std::string_view units = std::string_view(text).substr(marked ? 2 : 0);
  std::optional<std::string> decoded = form == Units::kLittle ? FromUtf16Le(units) : FromUtf16Be(units);
  if (!decoded) return false;
  text = *std::move(decoded);
  return true;
}

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool IsAscii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return IsAscii(c); });
}

bool AreDigits(std::string_view text) { return text.find_first_not_of("0123456789") == std::string_view::npos; }

std::optional<std::uint64_t> ParseDecimal(std::string_view digits, std::uint64_t most) {
  std::uint64_t out = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, out);
  return error == std::errc() && stop == end && out <= most ? std::optional(out) : std::nullopt;
}

std::string ToHex(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out(bytes.size() * 2, '\0');
  char* to = out.data();
  for (const char c : bytes) {
    *to++ = kDigits[static_cast<unsigned char>(c) >> 4U];
    *to++ = kDigits[static_cast<unsigned char>(c) & 0xFU];
  }
  return out;
}

std::optional<std::string> FromHex(std::string_view hex) {
  if (hex.size() % 2 != 0) return std::nullopt;
  std::string out;
  out.reserve(hex.size() / 2);
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    const int high = HexDigit(hex[i]);
    const int low = HexDigit(hex[i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    out.push_back(static_cast<char>((high << 4) | low));
  }
  return out;
}

std::string AsciiLower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = Lower(c);
  return out;
}

std::string AsciiUpper(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = Upper(c);
  return out;
}

bool EqualsIgnoreAsciiCase(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (Lower(a[i]) != Lower(b[i])) return false;
  }
  return true;
}

std::string QuotedForPowerShell(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? "''" : std::string(1, c);
  return out + "'";
}

std::string EscapeMarkup(std::string_view text, bool quotes) {
  constexpr std::string_view kMarks = "&<>\"'";
  constexpr std::array<std::string_view, kMarks.size()> kEscapes = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
  std::string out;
  out.reserve(text.size());
  for (const char& c : text) {
    const std::size_t mark = kMarks.substr(0, quotes ? kMarks.size() : 3).find(c);
    out += mark == std::string_view::npos ? std::string_view(&c, 1) : kEscapes[mark];
  }
  return out;
}

std::string_view TrimBlanks(std::string_view text) {
  while (!text.empty() && IsBlank(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsBlank(text.back())) text.remove_suffix(1);
  return text;
}

std::string_view TrimGoSpace(std::string_view text) {
  constexpr std::string_view kBlanks[] = {" ",      "\t",     "\n",     "\v",     "\f",     "\r",     "\u0085",
                                          "\u00A0", "\u1680", "\u2000", "\u2001", "\u2002", "\u2003", "\u2004",
                                          "\u2005", "\u2006", "\u2007", "\u2008", "\u2009", "\u200A", "\u2028",
                                          "\u2029", "\u202F", "\u205F", "\u3000"};
  for (bool again = true; again;) {
    again = false;
    for (const std::string_view blank : kBlanks) {
      if (text.starts_with(blank)) text.remove_prefix(blank.size()), again = true;
      if (text.ends_with(blank)) text.remove_suffix(blank.size()), again = true;
    }
  }
  return text;
}

std::string_view UrlHost(std::string_view url) {
  constexpr std::string_view kAfterScheme = "://";
  const std::size_t scheme = url.find(kAfterScheme);
  if (scheme == std::string_view::npos) return {};
  url.remove_prefix(scheme + kAfterScheme.size());
  return url.substr(0, url.find_first_of("/?#"));
}

std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> out;
  for (;;) {
    const std::size_t at = text.find(separator);
    out.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return out;
    text.remove_prefix(at + 1);
  }
}

bool IsDnsLabel(std::string_view text) {
  constexpr std::size_t kMostBytes = 63;
  return !text.empty() && text.size() <= kMostBytes && !text.starts_with('-') && !text.ends_with('-') &&
         text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string_view::npos;
}

std::string_view Shorten(std::string_view text, std::size_t bytes) {
  constexpr std::size_t kMostFollowing = 3;  // behind the first byte of a character
  if (text.size() <= bytes) return text;
  const auto follows = [&](std::size_t at) { return (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U; };
  std::size_t end = bytes;
  while (end > 0 && bytes - end < kMostFollowing && follows(end)) --end;
  return text.substr(0, follows(end) ? bytes : end);  // malformed: no character begins here
}

std::string Printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Utf8Character d = DecodeUtf8(text);
    if (!d.valid || d.code_point < 0x80) {
      const auto byte = static_cast<unsigned char>(text.front());
      if (!d.valid || IsUnprintable(byte)) {
        out += fmt::format("\\x{:02x}", byte);
      } else {
        out.push_back(text.front());
      }
    } else if (IsUnprintable(d.code_point)) {
      out += fmt::format("\\u{{{:x}}}", static_cast<std::uint32_t>(d.code_point));
    } else {
      out += text.substr(0, d.length);
    }
    text.remove_prefix(d.length);
  }
  return out;
}

std::string PrintableJson(std::string json) {
  if (std::ranges::all_of(json, [](unsigned char c) { return c < 0x7F; })) return json;
  std::string out;
  out.reserve(json.size());
  for (std::string_view rest = json; !rest.empty();) {
    const Utf8Character d = DecodeUtf8(rest);
    if (d.code_point >= 0x7F && IsUnprintable(d.code_point)) {
      out += fmt::format("\\u{:04x}", static_cast<std::uint32_t>(d.code_point));  // none of them is above U+FFFF
    } else {
      out += rest.substr(0, d.length);
    }
    rest.remove_prefix(d.length);
  }
  return out;
}

}  // namespace prov
