// PEM blocks (RFC 7468) as users paste them: indented, glued together, on one line. The reader finds blocks by their
// markers at any place, and reports what looks like a damaged block instead of skipping it. Linear time on any input.
#pragma once

#include <cstddef>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

namespace prov::pki {

// A fault at an offset. The message quotes no text of the input except labels.
struct PemFault {
  std::size_t offset = 0;
  std::string message;
};

struct PemBlock {
  std::string label;       // such as "CERTIFICATE"; blanks collapsed
  std::string_view body;   // everything between the two markers; see DecodePemBody
  std::size_t offset = 0;  // of the BEGIN marker
};

// Reads the blocks of a text (see pem_text.h for how bytes become text). The text must outlive the scanner and its
// blocks.
class PemScanner {
 public:
  explicit PemScanner(std::string_view text) : text_(text) {}

  // The next block; nullopt at the end. Faults: BEGIN without END, END without BEGIN, BEGIN inside a block, differing
  // labels, markers with damaged dashes or letter case, and base64 outside of any block. Do not use the scanner after a
  // fault.
  std::expected<std::optional<PemBlock>, PemFault> Next();

  // The number of skipped blocks whose lines are all '#' comments.
  std::size_t commented() const { return commented_; }

 private:
  struct Marker;
  std::optional<Marker> FindMarker(std::size_t from) const;
  std::optional<PemFault> ReviewGap(std::size_t from, std::size_t to);
  bool IsCommentedOut(const Marker& begin);
  void LeaveBlock(std::string_view block);

  std::string_view text_;
  std::size_t position_ = 0;
  // The line of position_: whether it has a character that is no blank, and whether the first such is '#'.
  bool line_has_text_ = false;
  bool line_is_comment_ = false;
  std::size_t line_end_ = 0;  // cached end of a comment line; valid while > position_
  std::size_t commented_ = 0;
};

// Finds a line outside of any block that looks like a part of one: a reader that skips such lines would lose
// certificates silently. `line` must not be a comment or have a line end. Reports BEGIN/END CERTIFICATE (also X509,
// TRUSTED; any letter case) beside dashes of any kind or alone on the line, truncated BEGIN and END, and words of 60 or
// more base64 characters. Offsets are in `line`.
std::optional<PemFault> FindPemDamage(std::string_view line);

// Decodes the base64 of a body. Skips blanks of all kinds (also no-break and zero-width ones and byte order marks) and
// RFC 1421 headers. Tolerates missing padding, because the content has its own length. Encrypted bodies (Proc-Type:
// 4,ENCRYPTED) are a fault. Offsets are in `body`.
std::expected<std::string, PemFault> DecodePemBody(std::string_view body);

// A block with these bytes: 64 columns, LF, with a final line feed.
std::string ArmourPem(std::string_view label, std::string_view bytes);

}  // namespace prov::pki
