#include "provisioner/pki/pem_text.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "provisioner/base/text.h"

namespace prov::pki {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kUtf8Mark = "\xEF\xBB\xBF"sv;

// The encoding, by a byte order mark or by the zero bytes that ASCII text has in UTF-16.
enum class Encoding { kBytes, kUtf16Le, kUtf16Be };

Encoding GuessEncoding(std::string_view bytes) {
  if (bytes.starts_with("\xFF\xFE"sv)) return Encoding::kUtf16Le;
  if (bytes.starts_with("\xFE\xFF"sv)) return Encoding::kUtf16Be;
  constexpr std::size_t kSample = 64;
  const std::string_view sample = bytes.substr(0, kSample);
  if (sample.size() < 8) return Encoding::kBytes;
  std::array<std::size_t, 2> zeros{};
  for (std::size_t i = 0; i < sample.size(); ++i) zeros[i % 2] += sample[i] == '\0' ? 1 : 0;
  const std::size_t pairs = sample.size() / 2;
  if (zeros[0] == 0 && zeros[1] == pairs) return Encoding::kUtf16Le;
  if (zeros[1] == 0 && zeros[0] >= pairs) return Encoding::kUtf16Be;
  return Encoding::kBytes;
}

// The ASCII character of the four hex digits at the start of `text`.
std::optional<char> UnicodeEscape(std::string_view text) {
  if (text.size() < 4) return std::nullopt;
  int value = 0;
  for (const char c : text.substr(0, 4)) {
    const int digit = HexDigit(c);
    if (digit < 0) return std::nullopt;
    value = value * 16 + digit;
  }
  if (value >= 0x80) return std::nullopt;
  return value == '\n' || value == '\r' ? '\v' : static_cast<char>(value);
}

// Resolves the escapes of JSON and double-quoted YAML. Leaves other backslashes for the PEM reader to judge.
std::string Unescape(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      out.push_back(text[i]);
      continue;
    }
    const char next = text[i + 1];
    if (next == 'u') {
      const auto c = UnicodeEscape(text.substr(i + 2));
      out.push_back(c ? *c : '\\');
      i += c ? 5 : 0;
      continue;
    }
    if (next == '\\') continue;  // escaped twice: the inner backslash comes next
    ++i;
    switch (next) {
      case 'n':
      case 'r':
        out.push_back('\v');
        break;
      case 't':
        out.push_back('\t');
        break;
      case '\n':  // a line folded by YAML; kept, because it counts for line numbers and is blank anyway
      case '/':
      case '"':
      case ' ':
        out.push_back(next);
        break;
      default:
        out.push_back('\\');
        out.push_back(next);
    }
  }
  return out;
}

bool HasEscapedLineEnds(std::string_view text) { return text.find("-----\\") != std::string_view::npos; }

bool IsQuote(char c) { return c == '"' || c == '\''; }

// Whether a line is a BEGIN marker within quotes.
bool IsQuotedBegin(std::string_view line) {
  line = TrimBlanks(line);
  return line.size() > 2 && IsQuote(line.front()) && line.back() == line.front() &&
         TrimBlanks(line.substr(1)).starts_with("-----BEGIN ") &&
         TrimBlanks(line.substr(0, line.size() - 1)).ends_with("-----");
}

// Whether the lines are within quotes each, as cmd.exe's echo leaves them.
bool HasQuotedLines(std::string_view text) {
  for (const std::string_view mark : {"\"-----BEGIN "sv, "'-----BEGIN "sv}) {
    const std::size_t at = text.find(mark);
    if (at == std::string_view::npos) continue;
    const std::size_t end = text.find('\n', at);
    if (IsQuotedBegin(text.substr(at, end == std::string_view::npos ? end : end - at))) return true;
  }
  return false;
}

// Makes blanks of the quotes around each line, so that places stay.
std::string WithoutQuotes(std::string_view text) {
  std::string out(text);
  for (const std::string_view line : Split(text, '\n')) {
    const std::string_view inside = TrimBlanks(line);
    if (inside.size() < 2 || !IsQuote(inside.front()) || inside.back() != inside.front()) continue;
    const auto at = static_cast<std::size_t>(inside.data() - text.data());
    out[at] = out[at + inside.size() - 1] = ' ';
  }
  return out;
}

std::string_view SkipBlanks(std::string_view text) {
  while (const std::size_t length = BlankLength(text)) text.remove_prefix(length);
  return text;
}

}  // namespace

std::expected<std::optional<std::string>, std::string> DecodePemText(std::string_view bytes) {
  std::optional<std::string> text;
  if (const Encoding encoding = GuessEncoding(bytes); encoding != Encoding::kBytes) {
    text = encoding == Encoding::kUtf16Le ? FromUtf16Le(bytes) : FromUtf16Be(bytes);
    if (!text)
      return std::unexpected(
          "the file is UTF-16 and damaged (cut short, or mixed with another encoding); save it again as UTF-8");
  }
  const std::string_view seen = text ? std::string_view(*text) : bytes;
  if (seen.find('\0') != std::string_view::npos) {
    return std::unexpected(
        "the file has NUL bytes: it mixes encodings (such as UTF-16 appended to UTF-8), or a crash left zeros in it, "
        "or it is not text; save it again "
        "as UTF-8");
  }
  if (HasQuotedLines(seen)) text = WithoutQuotes(seen);
  const std::string_view unquoted = text ? std::string_view(*text) : bytes;
  if (HasEscapedLineEnds(unquoted)) text = Unescape(unquoted);
  return text;
}

std::size_t BlankLength(std::string_view text) {
  if (text.empty()) return 0;
  const char c = text.front();
  if (c == ' ' || (c >= '\t' && c <= '\r')) return 1;
  if (static_cast<std::uint8_t>(c) < 0x80) return 0;
  if (text.starts_with("\xC2\xA0"sv)) return 2;  // no-break space
  constexpr std::array kThree = {
      kUtf8Mark,         // byte order mark
      "\xE2\x80\x8B"sv,  // zero width space
      "\xE2\x80\xAF"sv,  // narrow no-break space
      "\xE2\x81\xA0"sv,  // word joiner
      "\xE2\x80\xA8"sv,  // line separator
      "\xE3\x80\x80"sv,  // ideographic space
  };
  return std::any_of(kThree.begin(), kThree.end(), [&](std::string_view blank) { return text.starts_with(blank); }) ? 3
                                                                                                                    : 0;
}

bool IsBlankText(std::string_view text) { return SkipBlanks(text).empty(); }

bool IsCommentText(std::string_view text) {
  for (text = SkipBlanks(text); !text.empty(); text = SkipBlanks(text)) {
    if (text.front() != '#') return false;
    text.remove_prefix(std::min(text.find_first_of("\r\n\v"), text.size()));
  }
  return true;
}

std::string DescribeText(std::string_view text) {
  text = SkipBlanks(text);
  const std::string start = AsciiLower(text.substr(0, 64));
  if (start.starts_with("<")) return "it looks like an HTML or XML page, such as the error page of a proxy";
  if (start.starts_with("{") || start.starts_with("["))
    return "it looks like JSON, such as an error message or a Kubernetes object";
  if (start.starts_with("apiversion:") || start.starts_with("kind:") || start.starts_with("---\n"))
    return "it looks like YAML";
  if (text.starts_with("LS0tLS1CRUdJTi"))
    return "it looks like the base64 of a PEM file (as in a Secret): decode it once";
  if (text.starts_with("MII"))
    return "it looks like the base64 of a certificate without its BEGIN and END lines: add them";
  if (start.starts_with("http/1.") || start.starts_with("http/2")) return "it looks like an HTTP response";
  if (text.starts_with("ssh-") || text.starts_with("ecdsa-sha2-")) return "it looks like an SSH key";
  if (text.starts_with("\x1F\x8B"sv)) return "it looks like gzip data: decompress it first";
  if (text.starts_with("PK\x03\x04"sv)) return "it looks like a ZIP archive";
  if (text.starts_with("\xFE\xED\xFE\xED"sv)) return "it looks like a Java keystore: use keytool -exportcert -rfc";
  return {};
}

std::string DescribeDer(std::string_view bytes) {
  // The first bytes inside the outer SEQUENCE distinguish the kinds.
  if (bytes.size() < 16 || bytes.front() != '\x30') return {};
  const auto length = static_cast<std::uint8_t>(bytes[1]);
  const std::string_view inside = bytes.substr(length < 0x80 ? 2 : 2 + (length & 0x7FU) % 8);
  if (inside.starts_with("\x06\x09\x2A\x86\x48\x86\xF7\x0D\x01\x07"sv)) {
    return "it is PKCS#7: convert it with openssl pkcs7 -print_certs (for a binary file with -inform DER)";
  }
  if (inside.starts_with("\x02\x01\x03\x30"sv)) return "it is PKCS#12: convert it with openssl pkcs12 -nokeys";
  if (inside.starts_with("\x02\x01\x00"sv) || inside.starts_with("\x02\x01\x01\x04"sv)) {
    return "it is a private key: keep it out of trust bundles";
  }
  return {};
}

std::size_t LineCounter::LineAt(std::size_t offset) {
  const std::size_t end = std::min(offset, text_.size());
  for (; position_ < end; ++position_) {
    const char c = text_[position_];
    const bool lone_cr = c == '\r' && !(position_ + 1 < text_.size() && text_[position_ + 1] == '\n');
    if (c == '\n' || lone_cr) ++line_;
  }
  return line_;
}

}  // namespace prov::pki
