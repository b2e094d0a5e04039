#include "provisioner/pki/pem.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "provisioner/base/base64.h"
#include "provisioner/base/text.h"
#include "provisioner/pki/pem_text.h"

namespace prov::pki {
namespace {

using namespace std::string_view_literals;

// The characters that end a line. The vertical tab stands for an escaped line end (see pem_text.h).
constexpr std::string_view kLineEnds = "\n\r\v\f";
bool IsLineEnd(char c) { return c >= '\n' && c <= '\r'; }

constexpr std::string_view kWord = "CERTIFICATE";
constexpr std::size_t kLongestGap = 8;  // blanks between the words of a marker

// Characters that keyboards, word processors and web pages put in place of a dash. The single bytes are Windows-1252.
constexpr std::array kDashLikes = {"-"sv,
                                   "\xE2\x80\x90"sv,
                                   "\xE2\x80\x91"sv,
                                   "\xE2\x80\x92"sv,
                                   "\xE2\x80\x93"sv,
                                   "\xE2\x80\x94"sv,
                                   "\xE2\x80\x95"sv,
                                   "\xE2\x88\x92"sv,
                                   "\xC2\xAD"sv,
                                   "\xEF\xBC\x8D"sv,
                                   "\x96"sv,
                                   "\x97"sv};

bool StartsWithDash(std::string_view text) {
  return std::any_of(kDashLikes.begin(), kDashLikes.end(),
                     [&](std::string_view dash) { return text.starts_with(dash); });
}
bool EndsWithDash(std::string_view text) {
  return std::any_of(kDashLikes.begin(), kDashLikes.end(), [&](std::string_view dash) { return text.ends_with(dash); });
}

void DropBlanksBefore(std::string_view& text) {
  for (std::size_t i = 0; i < kLongestGap; ++i) text.remove_prefix(BlankLength(text));
}

void DropBlanksBehind(std::string_view& text) {
  for (std::size_t i = 0; i < kLongestGap; ++i) {
    if (text.ends_with(' ') || text.ends_with('\t')) {
      text.remove_suffix(1);
    } else if (text.ends_with("\xC2\xA0"sv)) {
      text.remove_suffix(2);
    } else {
      return;
    }
  }
}

bool DropWordBehind(std::string_view& text, std::string_view word) {
  if (text.size() < word.size() || !EqualsIgnoreAsciiCase(text.substr(text.size() - word.size()), word)) return false;
  text.remove_suffix(word.size());
  return true;
}

// Whether the CERTIFICATE at `at` is the label of a damaged marker.
bool IsMarkerRemnant(std::string_view line, std::size_t at) {
  std::string_view before = line.substr(0, at);
  DropBlanksBehind(before);
  if (DropWordBehind(before, "X509") || DropWordBehind(before, "TRUSTED")) DropBlanksBehind(before);
  if (!DropWordBehind(before, "BEGIN") && !DropWordBehind(before, "END")) return false;
  std::string_view after = line.substr(at + kWord.size());
  DropBlanksBefore(after);
  DropBlanksBehind(before);
  const bool alone = before.empty() && after.empty();
  return alone || EndsWithDash(before) || StartsWithDash(after);
}

std::optional<std::size_t> FindMarkerRemnant(std::string_view line) {
  for (std::size_t at = line.find_first_of("Cc"); at != std::string_view::npos; at = line.find_first_of("Cc", at + 1)) {
    if (line.size() - at < kWord.size()) return std::nullopt;
    if (EqualsIgnoreAsciiCase(line.substr(at, kWord.size()), kWord) && IsMarkerRemnant(line, at)) return at;
  }
  return std::nullopt;
}

// Whether the line ends within the keyword of a marker, as in a truncated file.
bool IsCutMarker(std::string_view line) {
  if (!line.starts_with("-----")) return false;
  line.remove_prefix(std::min(line.find_first_not_of('-'), line.size()));
  DropBlanksBehind(line);
  return !line.empty() && ("BEGIN"sv.starts_with(line) || "END"sv.starts_with(line));
}

// Whether a word is long and has the mixture of characters of random bytes. Excludes a digest in hex, and a line of
// ornaments.
bool IsBase64Word(std::string_view word) {
  constexpr std::size_t kLong = 60;
  while (word.ends_with('=')) word.remove_suffix(1);
  if (word.size() < kLong) return false;
  bool upper = false;
  bool lower = false;
  bool digit = false;
  bool beyond_hex = false;
  for (const char c : word) {
    const bool is_upper = c >= 'A' && c <= 'Z';
    const bool is_lower = c >= 'a' && c <= 'z';
    const bool is_digit = c >= '0' && c <= '9';
    if (!is_upper && !is_lower && !is_digit && c != '+' && c != '/') return false;
    upper = upper || is_upper;
    lower = lower || is_lower;
    digit = digit || is_digit;
    beyond_hex = beyond_hex || (is_upper && c > 'F') || (is_lower && c > 'f') || c == '+' || c == '/';
  }
  return upper && lower && digit && beyond_hex;
}

std::optional<std::size_t> FindBase64Word(std::string_view line) {
  constexpr std::string_view kBetween = " \t\"',;()<>";
  std::size_t at = line.find_first_not_of(kBetween);
  while (at != std::string_view::npos) {
    const std::size_t end = std::min(line.find_first_of(kBetween, at), line.size());
    if (IsBase64Word(line.substr(at, end - at))) return at;
    at = line.find_first_not_of(kBetween, end);
  }
  return std::nullopt;
}

}  // namespace

std::optional<PemFault> FindPemDamage(std::string_view line) {
  if (const auto at = FindMarkerRemnant(line)) {
    return PemFault{*at,
                    "this looks like a BEGIN or END line that is damaged: it must read -----BEGIN CERTIFICATE----- "
                    "with five hyphens on "
                    "either side"};
  }
  if (IsCutMarker(line)) return PemFault{0, "a BEGIN or END line is cut short"};
  if (const auto at = FindBase64Word(line)) {
    return PemFault{*at, "base64 stands outside of any BEGIN and END lines: a certificate lost them"};
  }
  return std::nullopt;
}

namespace {

constexpr std::string_view kDashes = "-----";
constexpr std::size_t kLongestLabel = 64;

bool IsLabelCharacter(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '#' || c == '.' || c == '_' || c == '/' || c == '-';
}

struct Label {
  std::string text;
  std::size_t length = 0;  // bytes up to the closing dashes
  bool closed = false;
};

// The label at the start of `text`, with blanks collapsed; nullopt if the text is prose.
std::optional<Label> ParseLabel(std::string_view text) {
  Label label;
  bool blank = false;
  while (label.length < std::min(text.size(), kLongestLabel)) {
    const std::string_view rest = text.substr(label.length);
    if (rest.starts_with(kDashes)) {
      label.closed = true;
      return label;
    }
    const bool line_end = IsLineEnd(rest.front());
    if (line_end) return label;
    if (const std::size_t length = BlankLength(rest)) {
      blank = true;
      label.length += length;
      continue;
    }
    if (!IsLabelCharacter(rest.front())) return std::nullopt;
    if (blank && !label.text.empty()) label.text.push_back(' ');
    blank = false;
    label.text.push_back(rest.front());
    ++label.length;
  }
  return label;
}

}  // namespace

struct PemScanner::Marker {
  bool begin = false;
  bool closed = false;  // five dashes follow the label
  std::string label;
  std::size_t offset = 0;  // of the five dashes before the keyword
  std::size_t end = 0;     // after the closing dashes
};

// The next place where five dashes are followed by BEGIN or END and a possible label.
std::optional<PemScanner::Marker> PemScanner::FindMarker(std::size_t from) const {
  for (std::size_t at = text_.find(kDashes, from); at != std::string_view::npos; at = text_.find(kDashes, at)) {
    const std::size_t word = std::min(text_.find_first_not_of('-', at), text_.size());
    at = word;
    const std::string_view rest = text_.substr(word);
    const bool begin = rest.starts_with("BEGIN");
    if (!begin && !rest.starts_with("END")) continue;
    const std::size_t keyword = begin ? 5 : 3;
    if (BlankLength(rest.substr(keyword)) == 0) continue;
    auto label = ParseLabel(rest.substr(keyword));
    if (!label) continue;
    Marker marker{begin, label->closed, std::move(label->text), word - kDashes.size(), word + keyword + label->length};
    if (marker.closed) marker.end += kDashes.size();
    return marker;
  }
  return std::nullopt;
}

// Checks the text between blocks, and keeps track of the line at its end.
std::optional<PemFault> PemScanner::ReviewGap(std::size_t from, std::size_t to) {
  const std::string_view text = text_.substr(0, to);  // bounds the searches: many gaps would take quadratic time
  while (from < to) {
    const std::size_t end = std::min(text.find_first_of(kLineEnds, from), to);
    std::string_view line = text.substr(from, end - from);
    const bool whole_line = !line_has_text_;
    while (!line_has_text_ && !line.empty()) {
      if (const std::size_t blank = BlankLength(line)) {
        line.remove_prefix(blank);
      } else {
        line_has_text_ = true;
        line_is_comment_ = line.front() == '#';
      }
    }
    if (line_has_text_ && !line_is_comment_) {
      const std::size_t start = end - line.size();
      if (auto damage = FindPemDamage(line)) return PemFault{start + damage->offset, std::move(damage->message)};
      const bool hyphens = !line.empty() && line.size() <= kDashes.size() && kDashes.starts_with(line);
      if (whole_line && hyphens && end == text_.size()) {
        return PemFault{start, "the text ends in the hyphens of a marker: it is cut short"};
      }
    }
    if (end == to) break;
    line_has_text_ = line_is_comment_ = false;
    from = end + 1;
  }
  return std::nullopt;
}

// A marker in a '#' line is a comment if the rest of the block is one, too: more text on the line, or '#' on the next.
// Otherwise a bundle was appended to a file that ended in a comment without a line end, and the marker counts.
bool PemScanner::IsCommentedOut(const Marker& begin) {
  if (line_end_ <= begin.offset) line_end_ = std::min(text_.find_first_of(kLineEnds, begin.end), text_.size());
  std::size_t at = begin.end;
  while (const std::size_t blank = BlankLength(text_.substr(at))) at += blank;
  if (at == text_.size()) return false;
  return at < line_end_ || text_[at] == '#';
}

void PemScanner::LeaveBlock(std::string_view block) {
  // The line of the END marker is not a comment, unless the block began in the same line.
  if (block.find_first_of(kLineEnds) != std::string_view::npos) line_is_comment_ = false;
  line_has_text_ = true;
}

std::expected<std::optional<PemBlock>, PemFault> PemScanner::Next() {
  for (;;) {
    const auto begin = FindMarker(position_);
    if (auto fault = ReviewGap(position_, begin ? begin->offset : text_.size()))
      return std::unexpected(*std::move(fault));
    if (!begin) {
      position_ = text_.size();
      return std::nullopt;
    }
    const bool comment = line_has_text_ && line_is_comment_;
    if (comment && (begin->begin ? IsCommentedOut(*begin) : commented_ > 0)) {
      if (begin->begin) ++commented_;
      position_ = begin->end;
      continue;
    }
    if (!begin->closed) return std::unexpected(PemFault{begin->offset, "this marker doesn't end in five dashes"});
    if (!begin->begin)
      return std::unexpected(PemFault{begin->offset, fmt::format("END {} has no BEGIN before it", begin->label)});
    const auto end = FindMarker(begin->end);
    if (!end || end->begin) {
      return std::unexpected(PemFault{begin->offset, fmt::format("BEGIN {} has no END{}: the block is cut short",
                                                                 begin->label, end ? " before the next BEGIN" : "")});
    }
    if (!end->closed) return std::unexpected(PemFault{end->offset, "this marker doesn't end in five dashes"});
    if (end->label != begin->label) {
      return std::unexpected(
          PemFault{end->offset, fmt::format("BEGIN \"{}\" is closed by END \"{}\"", begin->label, end->label)});
    }
    position_ = end->end;
    LeaveBlock(text_.substr(begin->offset, end->offset - begin->offset));
    return PemBlock{begin->label, text_.substr(begin->end, end->offset - begin->end), begin->offset};
  }
}

namespace {

// The size of the RFC 1421 headers at the start of a body: lines with a colon, and the empty line after them.
std::expected<std::size_t, PemFault> SkipHeaders(std::string_view body) {
  std::size_t length = 0;
  for (;;) {
    std::size_t start = length;
    while (const std::size_t blank = BlankLength(body.substr(start))) start += blank;
    const std::size_t end = std::min(body.find_first_of(kLineEnds, start), body.size());
    const std::string_view line = body.substr(start, end - start);
    if (line.find(':') == std::string_view::npos) return length;
    if (EqualsIgnoreAsciiCase(line.substr(0, 10), "Proc-Type:") && line.find("ENCRYPTED") != std::string_view::npos) {
      return std::unexpected(PemFault{start, "the block is encrypted; put the plain certificate into the file"});
    }
    length = end;
  }
}

// Joins the lines without their ends. Enough for a well-formed body, and much faster than JoinCharacters.
std::string JoinLines(std::string_view body) {
  std::string out;
  out.reserve(body.size());
  std::size_t end = 0;
  while (!body.empty()) {
    // Most lines are as long as the one before. If a line end lies within, the decoder refuses it.
    if (end == 0 || end >= body.size() || body[end] != '\n') end = std::min(body.find('\n'), body.size());
    std::string_view line = body.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    out += line;
    body.remove_prefix(std::min(end + 1, body.size()));
  }
  return out;
}

bool IsBase64(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+' || c == '/';
}

// Joins the base64 characters, whatever blanks separate them.
std::expected<std::string, PemFault> JoinCharacters(std::string_view body, std::size_t from) {
  std::string out;
  out.reserve(body.size() - from + 3);
  std::size_t padding = std::string_view::npos;
  for (std::size_t at = from; at < body.size();) {
    if (const std::size_t blank = BlankLength(body.substr(at))) {
      at += blank;
      continue;
    }
    const char c = body[at];
    if (c == '=') {
      padding = std::min(padding, at);
    } else if (!IsBase64(c)) {
      return std::unexpected(PemFault{at, "a character here is not base64"});
    } else if (padding != std::string_view::npos) {
      return std::unexpected(PemFault{padding, "base64 goes on behind its '=' padding"});
    }
    out.push_back(c);
    ++at;
  }
  return out;
}

}  // namespace

std::expected<std::string, PemFault> DecodePemBody(std::string_view body) {
  const auto headers = SkipHeaders(body);
  if (!headers) return std::unexpected(headers.error());
  if (*headers == 0) {
    if (auto bytes = DecodeBase64(JoinLines(body))) return *std::move(bytes);
  }
  auto joined = JoinCharacters(body, *headers);
  if (!joined) return std::unexpected(std::move(joined).error());
  if (!joined->ends_with('=') && joined->size() % 4 >= 2) joined->append(4 - joined->size() % 4, '=');
  auto bytes = DecodeBase64(*joined);
  if (!bytes) return std::unexpected(PemFault{0, "the base64 is cut short or has a character too many"});
  return *std::move(bytes);
}

std::string ArmourPem(std::string_view label, std::string_view bytes) {
  constexpr std::size_t kColumns = 64;
  const std::string base64 = EncodeBase64(bytes);
  std::string out;
  out.reserve(base64.size() + base64.size() / kColumns + 2 * label.size() + 40);
  out.append("-----BEGIN ").append(label).append("-----\n");
  for (std::size_t at = 0; at < base64.size(); at += kColumns) out.append(base64, at, kColumns).push_back('\n');
  out.append("-----END ").append(label).append("-----\n");
  return out;
}

}  // namespace prov::pki
