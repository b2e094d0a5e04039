// Turns the bytes of a bundle file into text that PemScanner can read, and describes a text that is not a bundle.
#pragma once

#include <cstddef>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

namespace prov::pki {

// nullopt: the bytes are the text already, which is the usual case and costs no copy. Otherwise the text: UTF-16 (with
// a byte order mark, or without when clearly so) as UTF-8, and the escapes of a JSON or YAML string resolved if the
// markers are followed by such ("-----\n"); an escaped line end becomes a vertical tab, so that line numbers stay those
// of the file. The error is a message: damaged UTF-16, or NUL bytes in what is no UTF-16 (mixed encodings, a file that
// a crash left with zeros).
std::expected<std::optional<std::string>, std::string> DecodePemText(std::string_view bytes);

// A guess at what a text without any certificate is, as a clause: "it looks like an HTML or XML page"; "" if there is
// no guess.
std::string DescribeText(std::string_view text);
// A guess at what DER bytes without a certificate are, and how to convert them; "" if there is no guess.
std::string DescribeDer(std::string_view bytes);

// Whether there is nothing but blanks (byte order marks included), or nothing but those and lines that begin with '#'.
bool IsBlankText(std::string_view text);
bool IsCommentText(std::string_view text);

// Bytes of a blank-like character at the start of `text`: ASCII blanks, no-break spaces, zero-width characters, byte
// order mark; 0 if there is none.
std::size_t BlankLength(std::string_view text);

// Line numbers of offsets that don't decrease from call to call; so many calls cost one pass.
class LineCounter {
 public:
  explicit LineCounter(std::string_view text) : text_(text) {}
  std::size_t LineAt(std::size_t offset);  // 1 is the first; LF, CR LF and a lone CR end a line

 private:
  std::string_view text_;
  std::size_t position_ = 0;
  std::size_t line_ = 1;
};

}  // namespace prov::pki
