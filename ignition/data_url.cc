#include "ignition/data_url.h"

#include <fmt/format.h>

#include <optional>

#include "provisioner/base/base64.h"
#include "provisioner/base/text.h"

namespace prov::ignition {
namespace {

constexpr std::string_view kPrefix = "data:";

bool IsOneOf(char c, std::string_view set) { return set.find(c) != std::string_view::npos; }
bool IsTokenChar(char c) { return IsAscii(c) && !IsControl(c) && !IsOneOf(c, " ()<>@,;:\\\"/[]?="); }

// Whether the character may stand for itself in the data.
bool IsPlain(char c) { return IsAscii(c) && !IsControl(c) && !IsOneOf(c, " <>#\"{}|\\^[]`"); }

// A fault, and its offset in the URL.
struct Malformed {
  std::string_view what;
  std::size_t at;
};

class Parser {
 public:
  explicit Parser(std::string_view url) : url_(url) {}

  // Reads up to and including the comma. Afterwards data() and base64() describe the rest.
  std::optional<Malformed> Header() {
    if (!url_.starts_with(kPrefix)) return Malformed{"missing data prefix (\"data:\", lower case)", 0};
    at_ = kPrefix.size();
    if (!AtEnd() && !IsOneOf(url_[at_], ";,")) {
      if (auto bad = MediaType()) return bad;
    }
    while (!AtEnd() && url_[at_] == ';') {
      ++at_;
      if (auto bad = Parameter()) return bad;
      if (base64_) break;
    }
    if (AtEnd()) return Malformed{"missing comma before data", at_};
    if (url_[at_] != ',') return Malformed{"expected a semicolon or a comma", at_};
    ++at_;
    return std::nullopt;
  }

  bool base64() const { return base64_; }
  std::string_view data() const { return url_.substr(at_); }
  std::size_t offset() const { return at_; }

 private:
  bool AtEnd() const { return at_ >= url_.size(); }

  std::string_view Token() {
    const std::size_t start = at_;
    while (!AtEnd() && IsTokenChar(url_[at_])) ++at_;
    return url_.substr(start, at_ - start);
  }

  std::optional<Malformed> MediaType() {
    const std::size_t start = at_;
    const std::string_view type = Token();
    if (AtEnd() || url_[at_] != '/')
      return Malformed{"invalid character in the media type, or its slash is missing", at_};
    ++at_;
    // Ignition compares only the beginning: "textual/plain" passes, "font/woff" does not.
    bool known = type.starts_with("x-") || type.starts_with("X-");
    for (const std::string_view prefix : {"text", "image", "audio", "video", "application", "message", "multipart"}) {
      known = known || type.starts_with(prefix);
    }
    if (!known) return Malformed{"invalid media type", start};
    Token();
    if (!AtEnd() && !IsOneOf(url_[at_], ";,")) return Malformed{"invalid character in the media subtype", at_};
    return std::nullopt;
  }

  std::optional<Malformed> Parameter() {
    const std::size_t start = at_;
    const std::string_view attribute = Token();
    if (attribute.empty()) return Malformed{"a parameter without a name", at_};
    if (AtEnd()) return Malformed{"missing comma before data", at_};
    if (url_[at_] == ',') {
      if (attribute != "base64")
        return Malformed{"expected \"base64\" (lower case) or a parameter with a value", start};
      base64_ = true;
      return std::nullopt;
    }
    if (url_[at_] != '=') return Malformed{"invalid character in a parameter", at_};
    ++at_;
    if (!AtEnd() && url_[at_] == '"') return QuotedValue();
    const std::size_t value_at = at_;
    const std::string_view value = Token();
    if (value.empty()) return Malformed{"a parameter without a value", at_};
    for (std::size_t i = 0; i < value.size(); ++i) {
      if (value[i] != '%') continue;
      if (i + 2 >= value.size() || HexDigit(value[i + 1]) < 0 || HexDigit(value[i + 2]) < 0) {
        return Malformed{"invalid percent escape in a parameter", value_at + i};
      }
      i += 2;
    }
    return std::nullopt;
  }

  std::optional<Malformed> QuotedValue() {
    for (++at_; !AtEnd(); ++at_) {
      const char c = url_[at_];
      if (c == '"') {
        ++at_;
        return std::nullopt;
      }
      if (!IsAscii(c)) return Malformed{"invalid character in a quoted parameter", at_};
      if (c == '\\') ++at_;  // the value is not used, so what is escaped does not matter
    }
    return Malformed{"unclosed quoted parameter", url_.size()};
  }

  std::string_view url_;
  std::size_t at_ = 0;
  bool base64_ = false;
};

std::unexpected<Error> RefuseMalformed(const Malformed& bad, std::string_view where) {
  return Fail(Code::kDataUrl,
              fmt::format("the data URL is malformed at byte {}: {}; encode the contents again", bad.at, bad.what),
              std::string(where));
}

std::unexpected<Error> TooLarge(std::uint64_t limit, std::string_view where) {
  return Fail(Code::kTooLarge, fmt::format("the data URL holds more than {} bytes", limit), std::string(where));
}

Result<std::string> Base64(std::string_view text, std::size_t offset, std::uint64_t limit, std::string_view where) {
  // Padding reduces this size by up to two bytes.
  if (text.size() / 4 * 3 > limit && text.size() / 4 * 3 - limit > 2) return TooLarge(limit, where);
  auto bytes = DecodeBase64(text);
  if (!bytes) {
    const std::size_t at = bytes.error();
    const bool cut = at >= text.size();
    return RefuseMalformed({cut ? "illegal base64: its length or padding is wrong (cut short?)"
                                : "illegal base64 (standard alphabet, padded, no blanks)",
                            offset + at},
                           where);
  }
  if (bytes->size() > limit) return TooLarge(limit, where);
  return *std::move(bytes);
}

Result<std::string> Plain(std::string_view text, std::size_t offset, std::uint64_t limit, std::string_view where) {
  std::string out;
  // Decoding escapes only shrinks the text. One byte more than the limit is enough to detect that it is exceeded.
  out.resize(text.size() < limit ? text.size() : limit);
  std::size_t used = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (!IsPlain(c)) return RefuseMalformed({"invalid data character (it must be percent-escaped)", offset + i}, where);
    if (c == '%') {
      if (text.size() - i < 3) return RefuseMalformed({"unexpected end of a percent escape", offset + i}, where);
      const int high = HexDigit(text[i + 1]);
      const int low = HexDigit(text[i + 2]);
      if (high < 0 || low < 0) return RefuseMalformed({"a percent escape needs two hex digits", offset + i}, where);
      c = static_cast<char>((high << 4) | low);
      i += 2;
    }
    if (used == limit) return TooLarge(limit, where);
    out[used++] = c;
  }
  out.resize(used);
  return out;
}

}  // namespace

Result<std::string> DecodeDataUrl(std::string_view url, std::uint64_t limit, std::string_view where) {
  Parser parser(url);
  if (const auto bad = parser.Header()) return RefuseMalformed(*bad, where);
  // The grammar allows control characters in quoted parameters, but a URL never does.
  const std::string_view header = url.substr(0, parser.offset());
  for (std::size_t i = 0; i < header.size(); ++i) {
    if (IsControl(header[i])) return RefuseMalformed({"control character", i}, where);
  }
  if (parser.base64()) return Base64(parser.data(), parser.offset(), limit, where);
  return Plain(parser.data(), parser.offset(), limit, where);
}

}  // namespace prov::ignition
