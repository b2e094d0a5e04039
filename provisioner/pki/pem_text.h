// Turns the bytes of a bundle file into text that PemScanner can read, and describes a text that is not a bundle.
#pragma once

#include <cstddef>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

namespace prov::pki {

// nullopt: the bytes are already text, which is usual and needs no copy. Otherwise the text: UTF-16 (with a byte order
// mark, or clearly without) is converted to UTF-8, and the escapes of a JSON or YAML string are resolved if they follow
// the markers ("-----\n"), and quotes around each line, as cmd.exe's echo leaves them, become blanks. An escaped line
// end becomes a vertical tab, so that line numbers stay those of the file. The error is a message: damaged UTF-16, or
// NUL bytes in other text (mixed encodings, a file with zeros after a crash).
std::expected<std::optional<std::string>, std::string> DecodePemText(std::string_view bytes);

// A guess about a text without any certificate, as a clause: "it looks like an HTML or XML page"; "" without a guess.
std::string DescribeText(std::string_view text);
// A guess about DER bytes without a certificate, with the conversion; "" without a guess.
std::string DescribeDer(std::string_view bytes);

// Whether the text has only blanks (byte order marks included), or only those and lines that begin with '#'.
bool IsBlankText(std::string_view text);
bool IsCommentText(std::string_view text);

// The size of a blank character at the start of `text`: ASCII blanks, no-break spaces, zero-width characters, byte
// order mark; 0 if there is none.
std::size_t BlankLength(std::string_view text);

// Line numbers of offsets that must not decrease from call to call. All calls together make one pass.
class LineCounter {
 public:
  explicit LineCounter(std::string_view text) : text_(text) {}
  std::size_t LineAt(std::size_t offset);  // from 1; LF, CR LF and a lone CR end a line

 private:
  std::string_view text_;
  std::size_t position_ = 0;
  std::size_t line_ = 1;
};

}  // namespace prov::pki
