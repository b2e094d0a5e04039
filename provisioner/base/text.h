// Text encodings and small text tools. All functions are pure; none allocates more than a small multiple of its input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "provisioner/base/result.h"

namespace prov {

// Offset of the first byte that is not well-formed UTF-8 (overlong forms, surrogates and > U+10FFFF are malformed), or
// npos.
std::size_t FindInvalidUtf8(std::string_view bytes);
inline bool IsUtf8(std::string_view bytes) { return FindInvalidUtf8(bytes) == std::string_view::npos; }
// The first character of a text that is not empty. A malformed byte is U+FFFD, of the length 1.
struct Utf8Character {
  char32_t code_point;
  std::size_t length;
  bool valid;
};
Utf8Character DecodeUtf8(std::string_view s);
// Appends a code point, also a surrogate.
void AppendUtf8(std::string& out, char32_t c);
// The text with U+FFFD for each malformed byte, so that it is UTF-8.
std::string ReplaceMalformed(std::string_view text);

// Well-formed UTF-8 to UTF-16LE bytes, no BOM, no terminator; malformed bytes become U+FFFD.
std::string ToUtf16Le(std::string_view utf8);
// UTF-16LE/BE bytes (no BOM) to UTF-8; nullopt for an odd length or an unpaired surrogate.
std::optional<std::string> FromUtf16Le(std::string_view bytes);
std::optional<std::string> FromUtf16Be(std::string_view bytes);
// Converts a text from an editor or shell on Windows to UTF-8 by its byte order mark, which it removes, or without one
// by the NULs that the characters of ASCII have in UTF-16. Changes nothing else. Returns false for truncated or
// malformed UTF-16, which stays as it is.
bool DecodeMarked(std::string& text);

// ASCII classes of a character, independent of the locale.
inline bool IsAscii(char c) { return static_cast<unsigned char>(c) < 0x80; }
inline bool IsDigit(char c) { return c >= '0' && c <= '9'; }
inline bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
inline bool IsControl(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }
int HexDigit(char c);                   // its value, either case; -1 if it is not a hex digit
bool IsAscii(std::string_view text);    // also for ""
bool AreDigits(std::string_view text);  // decimal digits only; also for ""
// The value of a text of decimal digits, at most `most`; nullopt for other texts. Accepts leading zeros.
std::optional<std::uint64_t> ParseDecimal(std::string_view digits, std::uint64_t most);

std::string ToHex(std::string_view bytes);                 // lower case
std::optional<std::string> FromHex(std::string_view hex);  // either case; nullopt if malformed

// ASCII only; other bytes are unchanged.
std::string AsciiLower(std::string_view text);
std::string AsciiUpper(std::string_view text);
bool EqualsIgnoreAsciiCase(std::string_view a, std::string_view b);

std::string_view TrimBlanks(std::string_view text);                          // spaces, tabs, CR, LF at both ends
std::string_view TrimGoSpace(std::string_view text);                         // what Go's strings.TrimSpace removes
std::vector<std::string_view> Split(std::string_view text, char separator);  // "" gives one empty piece

// "HOST[:PORT]" of a URL as it is written, with a user name that stands before it; "" where there is no "://".
std::string_view UrlHost(std::string_view url);

// Whether the text is a label of RFC 1123 as Kubernetes checks it: 1 to 63 lower-case letters, digits and '-', which
// neither begins nor ends it.
bool IsDnsLabel(std::string_view text);

// "'it''s'": one word of a PowerShell command.
std::string QuotedForPowerShell(std::string_view text);

// The text as content of XML or HTML; with `quotes` also within the quotes of an attribute.
std::string EscapeMarkup(std::string_view text, bool quotes);

// The first `bytes` bytes at most, cut between characters.
std::string_view Shorten(std::string_view text, std::size_t bytes = 80);

// Text that is safe for a terminal: control characters (C0, DEL, C1), bidirectional overrides and malformed UTF-8 are
// written as \xNN or \u{NNNN}.
std::string Printable(std::string_view text);
// The same for JSON, whose meaning stays: each of these characters is written as \uNNNN. `json` must be valid JSON in
// UTF-8, so characters below U+0020 are already escaped, or are blanks between tokens.
std::string PrintableJson(std::string json);

}  // namespace prov
