#include "provisioner/publish/request_uri.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>

#include "provisioner/base/text.h"
#include "provisioner/egress/proxy_url.h"

namespace prov::publish {
namespace {

using Reason = std::string;
template <class T>
using Parsed = std::expected<T, Reason>;

constexpr std::string_view kHidden = "***";

bool Holds(std::string_view set, char c) { return set.find(c) != std::string_view::npos; }

// Whether there is no '@', also not escaped: then no part can be a userinfo.
bool HasNoAt(std::string_view text) {
  return text.find('@') == std::string_view::npos && text.find("%40") == std::string_view::npos;
}

// Whether no part of the text can be a password or a token: a number follows each ':', and there is no query.
bool IsHarmless(std::string_view text) {
  if (!HasNoAt(text) || text.find_first_of("?#") != std::string_view::npos) return false;
  const std::size_t start = text.find("://");
  std::string_view rest = start == std::string_view::npos ? text : text.substr(start + 3);
  while (rest.starts_with('[')) {  // an address in brackets
    const std::size_t close = rest.find(']');
    if (close == std::string_view::npos) return false;
    rest.remove_prefix(close + 1);
  }
  const std::size_t colon = rest.find(':');
  if (colon == std::string_view::npos) return true;
  const std::size_t end = rest.find('/', colon);
  return AreDigits(rest.substr(colon + 1, end == std::string_view::npos ? end : end - colon - 1)) &&
         (end == std::string_view::npos || rest.find(':', end) == std::string_view::npos);
}

// A part of the text as a reason may quote it.
std::string Piece(std::string_view piece, bool harmless) { return GoQuote(harmless ? piece : kHidden); }

enum class Part { kUserinfo, kHost, kZone, kPath };

// The characters of a host that need no escape, besides letters, digits and everything beyond ASCII.
bool IsHostCharacter(char c) {
  return IsLetter(c) || IsDigit(c) || static_cast<unsigned char>(c) >= 0x80 || Holds("-_.~!$&'()*+,;=:[]<>\"", c);
}

class Parser {
 public:
  Parser(std::string_view text, UriForm form) : text_(text), form_(form), harmless_(IsHarmless(text)) {}

  Parsed<RequestUri> Run();

 private:
  Parsed<std::string> Unescape(std::string_view text, Part part) const;
  Parsed<std::string> ParseHost(std::string_view host) const;
  Parsed<std::string> ParseAuthority(std::string_view authority) const;
  Parsed<void> CheckPort(std::string_view colon_port) const;

  std::string_view text_;
  UriForm form_;
  bool harmless_;
};

// Removes "scheme:" from `rest` and returns the scheme; "" if there is none.
Parsed<std::string> CutScheme(std::string_view& rest) {
  for (std::size_t i = 0; i < rest.size(); ++i) {
    const char c = rest[i];
    if (IsLetter(c)) continue;
    if (c == ':' && i == 0) return std::unexpected("missing protocol scheme");
    if (c == ':') {
      std::string scheme = AsciiLower(rest.substr(0, i));
      rest.remove_prefix(i + 1);
      return scheme;
    }
    if (i == 0 || !(IsDigit(c) || Holds("+-.", c))) break;
  }
  return std::string();
}

Parsed<std::string> Parser::Unescape(std::string_view text, Part part) const {
  const bool host = part == Part::kHost || part == Part::kZone;
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c != '%') {
      if (host && !IsHostCharacter(c)) {
        return std::unexpected(
            fmt::format("invalid character {} in host name", Piece(text.substr(i, 1), HasNoAt(text_))));
      }
      out.push_back(c);
      continue;
    }
    const std::string_view escape = text.substr(i, 3);
    const bool whole = escape.size() == 3 && HexDigit(escape[1]) >= 0 && HexDigit(escape[2]) >= 0;
    const auto refuse = [&] { return std::unexpected(fmt::format("invalid URL escape {}", Piece(escape, harmless_))); };
    if (!whole) return refuse();
    const std::string byte = FromHex(escape.substr(1)).value_or("");
    // In a host, Go accepts escapes only for bytes beyond ASCII; in a zone, also for blanks and for a host's
    // characters.
    if (part == Part::kHost && static_cast<unsigned char>(byte[0]) < 0x80 && escape != "%25") return refuse();
    const bool zone_takes =
        escape == "%25" || byte == " " || (IsHostCharacter(byte[0]) && static_cast<unsigned char>(byte[0]) < 0x80);
    if (part == Part::kZone && !zone_takes) return refuse();
    out += byte;
    i += 2;
  }
  return out;
}

Parsed<void> Parser::CheckPort(std::string_view colon_port) const {
  if (colon_port.empty() || (colon_port.front() == ':' && AreDigits(colon_port.substr(1)))) return {};
  const std::string shown = harmless_ ? GoQuote(colon_port) : GoQuote(fmt::format(":{}", kHidden));
  return std::unexpected(fmt::format("invalid port {} after host", shown));
}

Parsed<std::string> Parser::ParseHost(std::string_view host) const {
  if (!host.starts_with('[')) {
    const std::size_t colon = host.rfind(':');
    if (colon != std::string_view::npos) {
      if (auto port = CheckPort(host.substr(colon)); !port) return std::unexpected(port.error());
    }
    return Unescape(host, Part::kHost);
  }
  const std::size_t close = host.rfind(']');
  if (close == std::string_view::npos) return std::unexpected("missing ']' in host");
  if (auto port = CheckPort(host.substr(close + 1)); !port) return std::unexpected(port.error());
  const std::size_t zone = host.substr(0, close).find("%25");
  if (zone == std::string_view::npos) return Unescape(host, Part::kHost);
  std::string out;
  for (const auto& [piece, part] :
       {std::pair(host.substr(0, zone), Part::kHost), std::pair(host.substr(zone, close - zone), Part::kZone),
        std::pair(host.substr(close), Part::kHost)}) {
    auto decoded = Unescape(piece, part);
    if (!decoded) return decoded;
    out += *decoded;
  }
  return out;
}

// Returns the decoded host with its port. Only checks the userinfo.
Parsed<std::string> Parser::ParseAuthority(std::string_view authority) const {
  const std::size_t at = authority.rfind('@');
  auto host = ParseHost(at == std::string_view::npos ? authority : authority.substr(at + 1));
  if (!host || at == std::string_view::npos) return host;
  const std::string_view userinfo = authority.substr(0, at);
  for (const char c : userinfo) {
    if (!IsLetter(c) && !IsDigit(c) && !Holds("-._:~!$&'()*+,;=%@", c))
      return std::unexpected("net/url: invalid userinfo");
  }
  if (auto decoded = Unescape(userinfo, Part::kUserinfo); !decoded) return decoded;
  return host;
}

// url.Hostname() and url.Port() of a decoded host.
void SplitHostPort(std::string_view host, RequestUri& out) {
  const std::size_t colon = host.rfind(':');
  if (colon != std::string_view::npos && AreDigits(host.substr(colon + 1))) {
    out.port = host.substr(colon + 1);
    host = host.substr(0, colon);
  }
  if (host.starts_with('[') && host.ends_with(']') && host.size() >= 2) host = host.substr(1, host.size() - 2);
  out.hostname = host;
}

Parsed<RequestUri> Parser::Run() {
  RequestUri out;
  std::string_view rest = text_;
  std::string_view fragment;
  if (form_ == UriForm::kReference && rest.find('#') != std::string_view::npos) {
    fragment = rest.substr(rest.find('#') + 1);
    rest = rest.substr(0, rest.find('#'));
  }
  for (const char c : rest) {
    if (IsControl(c)) return std::unexpected("net/url: invalid control character in URL");
  }
  const bool request = form_ == UriForm::kRequest;
  if (rest.empty() && request) return std::unexpected("empty url");
  if (rest == "*") return out;
  auto scheme = CutScheme(rest);
  if (!scheme) return std::unexpected(scheme.error());
  out.scheme = *std::move(scheme);
  rest = rest.substr(0, rest.find('?'));
  if (!rest.starts_with('/')) {
    if (!out.scheme.empty()) return out;  // http:proxy:3128, "opaque"
    if (request) return std::unexpected("invalid URI for request");
    if (rest.substr(0, rest.find('/')).find(':') != std::string_view::npos)
      return std::unexpected("first path segment in URL cannot contain colon");
  }
  const bool has_authority = rest.starts_with("//") && (!out.scheme.empty() || (!request && !rest.starts_with("///")));
  if (has_authority) {
    rest.remove_prefix(2);
    const std::size_t end = std::min(rest.find('/'), rest.size());
    auto host = ParseAuthority(rest.substr(0, end));
    if (!host) return std::unexpected(host.error());
    SplitHostPort(*host, out);
    rest.remove_prefix(end);
  }
  for (const std::string_view part : {rest, fragment}) {
    if (auto decoded = Unescape(part, Part::kPath); !decoded) return std::unexpected(decoded.error());
  }
  return out;
}

// Approximates Go's unicode.IsPrint by the unprintable characters that occur in hostile text: controls, other blanks,
// format characters and private use.
bool IsPrintable(std::uint32_t c) {
  if (c < 0x20 || (c >= 0x7F && c <= 0xA0) || c == 0xAD) return false;
  if (c >= 0x2000 && c <= 0x200F) return false;
  if ((c >= 0x2028 && c <= 0x202F) || (c >= 0x205F && c <= 0x206F)) return false;
  return !((c >= 0xE000 && c <= 0xF8FF) || c == 0xFEFF || (c >= 0xFFF0 && c <= 0xFFFB) || c >= 0xE0000);
}

}  // namespace

std::string GoQuote(std::string_view text) {
  constexpr std::string_view kNamed = "\a\b\f\n\r\t\v";
  constexpr std::string_view kLetters = "abfnrtv";
  std::string out = "\"";
  while (!text.empty()) {
    const Utf8Character front = DecodeUtf8(text);
    const std::uint32_t c = front.valid ? front.code_point : static_cast<unsigned char>(text.front());
    if (c == '"' || c == '\\') {
      out += '\\';
      out += static_cast<char>(c);
    } else if (const std::size_t named = c < 0x80 ? kNamed.find(static_cast<char>(c)) : std::string_view::npos;
               named != std::string_view::npos) {
      out += '\\';
      out += kLetters[named];
    } else if (!front.valid || c < 0x20 || c == 0x7F) {
      out += fmt::format("\\x{:02x}", c);
    } else if (!IsPrintable(c)) {
      out += c < 0x10000 ? fmt::format("\\u{:04x}", c) : fmt::format("\\U{:08x}", c);
    } else {
      out += text.substr(0, front.length);
    }
    text.remove_prefix(front.length);
  }
  return out + '"';
}

std::string ShownUri(std::string_view text) { return IsHarmless(text) ? std::string(text) : egress::RedactUrl(text); }

std::expected<RequestUri, std::string> ParseUri(std::string_view text, UriForm form) {
  auto parsed = Parser(text, form).Run();
  if (parsed) return parsed;
  return std::unexpected(fmt::format("parse {}: {}", GoQuote(ShownUri(text)), parsed.error()));
}

std::expected<std::string, std::string> CheckUri(std::string_view text) {
  const auto uri = ParseUri(text, UriForm::kRequest);
  if (!uri) return std::unexpected(uri.error());
  const std::string shown = GoQuote(ShownUri(text));
  if (uri->scheme.empty()) return std::unexpected(fmt::format("failed validating URI, no scheme for URI {}", shown));
  if (uri->port.empty()) return uri->scheme;
  const bool quotable = IsHarmless(text) || uri->port.size() <= 5;
  const std::string_view port = quotable ? std::string_view(uri->port) : kHidden;
  std::int64_t number = 0;
  const char* end = uri->port.data() + uri->port.size();
  if (std::from_chars(uri->port.data(), end, number).ec != std::errc()) {
    return std::unexpected(
        fmt::format("failed converting port to integer for URI {}: strconv.Atoi: parsing {}: value out of range", shown,
                    GoQuote(port)));
  }
  if (number >= 1 && number <= 65535) return uri->scheme;
  if (!quotable) return std::unexpected(fmt::format("failed to validate port for URL {}: invalid port number", shown));
  return std::unexpected(fmt::format("failed to validate port for URL {}: invalid port number: {}", shown, number));
}

}  // namespace prov::publish
