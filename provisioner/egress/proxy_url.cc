#include "provisioner/egress/proxy_url.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "provisioner/base/ip_address.h"
#include "provisioner/base/text.h"

namespace prov::egress {
namespace {

constexpr std::size_t kMaxHost = 253;  // RFC 1035, without the root label
constexpr std::string_view kSchemeEnd = "://";

// The scheme of "scheme:…" by RFC 3986, or "".
std::string_view SchemeOf(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == ':') return text.substr(0, i);
    const bool later = IsDigit(c) || c == '+' || c == '-' || c == '.';
    if (!IsLetter(c) && !(later && i > 0)) return {};
  }
  return {};
}

// Percent-decodes; nullopt if a '%' is not followed by two hexadecimal digits.
std::optional<std::string> Unescape(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out.push_back(text[i]);
      continue;
    }
    if (i + 3 > text.size()) return std::nullopt;
    const auto byte = FromHex(text.substr(i + 1, 2));
    if (!byte) return std::nullopt;
    out += *byte;
    i += 2;
  }
  return out;
}

// The characters that net/url accepts unescaped in a userinfo.
bool IsUserinfoCharacter(char c) {
  return IsLetter(c) || IsDigit(c) || std::string_view("-._~!$&'()*+,;=:@%").find(c) != std::string_view::npos;
}

// The parts of the text; views into it.
struct Parts {
  std::string_view userinfo;
  bool has_userinfo = false;
  std::string_view host;   // as written, with brackets
  bool has_colon = false;  // before the port
  std::string_view port;
  std::string_view rest;  // path, query and fragment
};

// Whether the last label of a name, without a final dot, is a number: some resolvers read such a name as an address, as
// inet_aton does.
bool EndsInNumber(std::string_view host) {
  if (host.ends_with('.')) host.remove_suffix(1);
  const std::size_t dot = host.rfind('.');
  const std::string_view last = dot == std::string_view::npos ? host : host.substr(dot + 1);
  if (last.empty()) return false;
  if (AreDigits(last)) return true;
  const bool hex = last.starts_with("0x") || last.starts_with("0X");
  return hex && last.find_first_not_of("0123456789abcdefABCDEF", 2) == std::string_view::npos;
}

// Whether a part of the text behind the host is the name of a PAC file, such as proxy.pac or wpad.dat.
bool NamesPacFile(std::string_view rest) {
  const std::string text = AsciiLower(Unescape(rest).value_or(std::string(rest)));
  std::size_t start = 0;
  while (start < text.size()) {
    const std::size_t end = std::min(text.find_first_of("/?#&;=", start), text.size());
    const std::string_view part = std::string_view(text).substr(start, end - start);
    if (part == "pac" || part == "wpad" || part.ends_with(".pac") || part.ends_with(".dat") || part.ends_with(".js"))
      return true;
    start = end + 1;
  }
  return false;
}

bool HasEmptyLabel(std::string_view host) { return host.starts_with('.') || host.find("..") != std::string_view::npos; }

}  // namespace

std::string_view NameOf(ProxyVariable variable) {
  return variable == ProxyVariable::kHttp ? "HTTP_PROXY" : "HTTPS_PROXY";
}

std::string ProxyUrl::HostPort() const {
  const bool ipv6 = host_.find(':') != std::string::npos;
  return ipv6 ? fmt::format("[{}]:{}", host_, port_) : fmt::format("{}:{}", host_, port_);
}

std::string ProxyUrl::Redacted() const { return RedactUrl(text_.Reveal()); }

// Parses one text into a ProxyUrl. Messages name the variable and the fault, but never quote a part of the text that
// may be a password.
class ProxyUrlParser {
 public:
  ProxyUrlParser(std::string_view text, ProxyVariable variable, std::string_view where, Findings& findings,
                 ProxyReaders readers)
      : text_(text), variable_(variable), where_(where), findings_(findings), readers_(readers) {}

  Result<ProxyUrl> Parse() {
    PROV_TRY(CheckCharacters());
    const std::string_view after_scheme = PROV_TRY(ReadScheme());
    const Parts parts = PROV_TRY(SplitAuthority(after_scheme));
    PROV_TRY(ReadUserinfo(parts));
    PROV_TRY(ReadHost(parts.host));
    PROV_TRY(ReadPort(parts.port));
    PROV_TRY(CheckRest(parts.rest));
    if (readers_ == ProxyReaders::kEveryClient) PROV_TRY(CheckOtherClients(parts));
    out_.text_ = Secret(std::string(text_));
    std::string bare(text_.substr(0, text_.size() - parts.rest.size()));
    bare += parts.rest.substr(0, parts.rest.find_first_of("?#"));
    if (parts.has_userinfo) {
      bare.erase(static_cast<std::size_t>(parts.userinfo.data() - text_.data()), parts.userinfo.size() + 1);
      // Without the userinfo, the rest of "user:password@http:" would look like a scheme.
      if (scheme_less_) bare.insert(0, "http://");
    }
    out_.without_credentials_ = Secret(std::move(bare));
    for (Finding& finding : found_) findings_.push_back(std::move(finding));
    return std::move(out_);
  }

 private:
  std::unexpected<Error> Refuse(std::string_view fault, std::string_view advice) const {
    return Fail(Code::kProxyUrl, fmt::format("{} is malformed: {}; {}", NameOf(variable_), fault, advice),
                std::string(where_));
  }

  // Most places end in the variable's name; then the message leaves it out.
  std::string Named(std::string_view message) const {
    const std::string_view name = NameOf(variable_);
    return where_.ends_with(name) ? std::string(message) : fmt::format("{}: {}", name, message);
  }

  void Warn(FindingCode code, std::string_view message) {
    AddWarning(found_, code, Named(message), std::string(where_));
  }

  Result<void> CheckCharacters() const {
    if (text_.empty()) return Refuse("it is empty", "write http://host:port or leave the variable out");
    if (!IsUtf8(text_)) return Refuse("it is not UTF-8", "percent-escape the bytes of user and password");
    for (const char c : text_) {
      if (IsControl(c)) {
        return Refuse("it holds a control character, so clients would go direct without an error",
                      "remove it (a tab or line end is easily pasted in)");
      }
    }
    if (text_.front() == '"' || text_.front() == '\'') {
      return Refuse("the quotes are part of the value", "write the URL without quotes");
    }
    if (text_.front() == ' ')
      return Refuse("it starts with a blank, so clients would go direct without an error", "remove the blank");
    return {};
  }

  // Sets the scheme. Returns what follows it and its slashes.
  Result<std::string_view> ReadScheme() {
    const std::string_view scheme = SchemeOf(text_);
    const std::string lower = AsciiLower(scheme);
    const std::string_view after = scheme.empty() ? text_ : text_.substr(scheme.size());
    if (lower == "http" || lower == "https") {
      if (!after.starts_with(kSchemeEnd)) {
        return Refuse("the scheme is not followed by two slashes, so there is no host",
                      fmt::format("write {}://host:port", lower));
      }
      if (lower == "https" && variable_ == ProxyVariable::kHttp) {
        return Refuse("HTTP_PROXY accepts only http:// proxies", "write http://host:port");
      }
      out_.scheme_ = lower;
      return after.substr(kSchemeEnd.size());
    }
    if (lower.starts_with("socks")) {
      return Refuse("a SOCKS proxy is not supported by the cluster's components",
                    "name an HTTP proxy, http://host:port");
    }
    if (text_.find(kSchemeEnd) != std::string_view::npos && after.starts_with(kSchemeEnd)) {
      return Refuse("its scheme is neither http nor https, so clients would take the scheme for the proxy's name",
                    "write http://host:port");
    }
    // Go prepends "http://" to a text that it can't parse or whose scheme it does not know, such as proxy:3128.
    out_.scheme_ = "http";
    scheme_less_ = true;
    Warn("proxy-url-no-scheme",
         "the URL has no scheme: Go clients and curl take http://, others refuse it; write http://host:port");
    return text_;
  }

  Result<Parts> SplitAuthority(std::string_view text) const {
    Parts parts;
    const std::size_t end = text.find_first_of("/?#");
    std::string_view authority = text.substr(0, end);
    if (end != std::string_view::npos) parts.rest = text.substr(end);
    if (parts.rest.find('@') != std::string_view::npos) {
      return Refuse(
          "an '@' follows a '/', '?' or '#', so clients would take a part of the user or password for the host",
          "percent-escape these in user and password (/ is %2F, ? is %3F, # is %23)");
    }
    const std::size_t at = authority.rfind('@');
    if (at != std::string_view::npos) {
      parts.has_userinfo = true;
      parts.userinfo = authority.substr(0, at);
      authority.remove_prefix(at + 1);
    }
    if (authority.starts_with('[')) {
      const std::size_t close = authority.find(']');
      if (close == std::string_view::npos)
        return Refuse("the bracket before the host is not closed", "write http://[2001:db8::1]:3128");
      parts.host = authority.substr(0, close + 1);
      authority.remove_prefix(close + 1);
      if (!authority.empty() && authority[0] != ':')
        return Refuse("text follows the bracket that closes the host", "write http://[2001:db8::1]:3128");
    } else {
      const std::size_t colon = authority.find(':');
      if (colon != authority.rfind(':')) {
        return Refuse("the host holds more than one ':'", "put an IPv6 address in brackets: http://[2001:db8::1]:3128");
      }
      parts.host = authority.substr(0, colon);
      authority.remove_prefix(parts.host.size());
    }
    // Without a known scheme, "htp:/proxy" would mean a proxy named "htp".
    const bool lone_colon = authority == ":";
    if (!authority.empty()) {
      parts.has_colon = true;
      parts.port = authority.substr(1);
    }
    if (scheme_less_ && lone_colon && !parts.rest.empty()) {
      return Refuse("it looks like a broken scheme, which clients would take for the proxy's name",
                    "write http://host:port");
    }
    return parts;
  }

  Result<void> ReadUserinfo(const Parts& parts) {
    if (!parts.has_userinfo) return {};
    const std::string_view userinfo = parts.userinfo;
    for (const char c : userinfo) {
      if (IsUserinfoCharacter(c)) continue;
      return Refuse(
          "user or password hold a character that a URL can't, so clients would go direct, or to a proxy named "
          "\"http\", without an error",
          "percent-escape everything but letters, digits and -._~ there");
    }
    const std::size_t colon = userinfo.find(':');
    const auto user = Unescape(userinfo.substr(0, colon));
    const auto password = Unescape(colon == std::string_view::npos ? std::string_view() : userinfo.substr(colon + 1));
    if (!user || !password) {
      return Refuse(
          "user or password hold a '%' that two hexadecimal digits do not follow, so clients would go direct without "
          "an error",
          "write a percent sign itself as %25");
    }
    if (userinfo.find('@') != std::string_view::npos) {
      Warn("proxy-url-at",
           "user or password hold a plain '@': clients differ on where the host begins; write it as %40");
    }
    out_.has_credentials_ = true;
    out_.username_ = *user;
    out_.password_ = Secret(*password);
    return {};
  }

  Result<void> ReadHost(std::string_view host) {
    if (host.empty()) return Refuse("it has no host", "write http://host:port");
    if (host[0] == '[') {
      const std::string_view inside = host.substr(1, host.size() - 2);
      if (inside.find('%') != std::string_view::npos) {
        return Refuse("the IPv6 address has a zone, which names an interface of one machine only",
                      "name an address without zone");
      }
      const bool has_colon = inside.find(':') != std::string_view::npos;
      const auto address = has_colon ? IpAddress::Parse(inside) : std::nullopt;
      if (!address) return Refuse("the brackets hold no IPv6 address", "write http://[2001:db8::1]:3128");
      out_.host_ = address->ToString();
      return {};
    }
    PROV_TRY(CheckName(host));
    out_.host_ = AsciiLower(host);
    return {};
  }

  Result<void> CheckName(std::string_view host) {
    bool ascii = true;
    for (const char c : host) {
      if (!IsAscii(c)) {
        ascii = false;
      } else if (c == ' ') {
        return Refuse(
            "the host holds a blank, so clients would go direct, or to a proxy named \"http\", without an error",
            "remove the blank");
      } else if (c == '%') {
        return Refuse("the host holds a percent escape", "write the host's name itself, punycode if it is not ASCII");
      } else if (!IsLetter(c) && !IsDigit(c) && c != '-' && c != '_' && c != '.') {
        return Refuse(fmt::format("the host holds '{}', which no host name has", c), "write http://host:port");
      }
    }
    if (!ascii && Printable(host) != host) {
      return Refuse("the host holds an invisible character, so it is not the name that it seems to be",
                    "write the host's name again");
    }
    if (host.size() > kMaxHost) return Refuse("the host is longer than 253 bytes", "check the URL");
    if (HasEmptyLabel(host))
      return Refuse("the host has an empty label (two dots, or one in front)", "correct the host");
    if (EndsInNumber(host) && !IpAddress::Parse(host)) {
      return Refuse("the host looks like an IPv4 address but is not one, so clients would disagree on what it is",
                    "write four decimal numbers without leading zeros");
    }
    if (!ascii)
      Warn("proxy-url-idn", "the host is not ASCII: not every client converts it; write its punycode form (xn--…)");
    return {};
  }

  Result<void> ReadPort(std::string_view digits) {
    const bool https = out_.scheme_ == "https";
    if (digits.empty()) {
      out_.port_ = https ? 443 : 80;
      AddInfo(found_, "proxy-url-port",
              Named(fmt::format("the URL has no port, so {} is used{}; write the port", out_.port_,
                                https ? "" : " (curl takes 1080)")),
              std::string(where_));
      return {};
    }
    if (!AreDigits(digits)) {
      return Refuse(
          "the port is not a number, so clients would go direct, or to a proxy named \"http\", without an error",
          "write http://host:port; if user and password were meant, they end in '@' and '/', '?', '#' and "
          "'@' in them are escaped");
    }
    const auto port = ParseDecimal(digits, 65535);
    if (!port) return Refuse("the port is above 65535", "write a port from 1 to 65535");
    if (*port == 0) return Refuse("the port is 0", "write a port from 1 to 65535");
    out_.port_ = static_cast<std::uint16_t>(*port);
    out_.has_explicit_port_ = true;
    return {};
  }

  // Clients ignore path, query and fragment, but a broken escape makes Go refuse the whole URL silently.
  Result<void> CheckRest(std::string_view rest) {
    if (rest.empty() || rest == "/") return {};
    if (rest.starts_with("//")) {
      return Refuse(
          "its host is followed by two slashes: a scheme is doubled or its ':' is missing, so clients would take the "
          "scheme for "
          "the proxy's name",
          "write http://host:port");
    }
    const std::size_t fragment = rest.find('#');
    const std::string_view path = rest.substr(0, rest.find_first_of("?#"));
    const bool bad_fragment = fragment != std::string_view::npos && !Unescape(rest.substr(fragment + 1));
    if (bad_fragment || !Unescape(path)) {
      return Refuse(
          "its path holds a '%' that two hexadecimal digits do not follow, so clients would go direct without an error",
          "write http://host:port without a path");
    }
    if (NamesPacFile(rest)) {
      return Refuse(
          "it names a PAC file (proxy auto-configuration), which no client reads from this variable: they would take "
          "the file's web server for the proxy",
          "write the proxy that the file names, http://host:port");
    }
    Warn("proxy-url-path", "the URL has a path, query or fragment, which clients ignore; write http://host:port");
    return {};
  }

  std::unexpected<Error> RefuseFailOpen(std::string_view fault, std::string_view advice) const {
    return Fail(
        Code::kFailOpen,
        fmt::format("{} would not be used by every client: {} without an error; {}", NameOf(variable_), fault, advice),
        std::string(where_));
  }

  // Refuses what Go uses as intended and another client drops silently. Measured: docs/clients.md#proxy-urls.
  Result<void> CheckOtherClients(const Parts& parts) const {
    if (parts.has_colon && parts.port.empty()) {
      return RefuseFailOpen("no port follows the ':' behind its host, so .NET goes direct",
                            "write the port, http://host:port");
    }
    if (parts.rest.find(':') != std::string_view::npos) {
      return RefuseFailOpen("its path, query or fragment holds a ':', which .NET takes for the port's, and goes direct",
                            "write http://host:port without a path");
    }
    if (out_.username_.empty() && !out_.password_.empty()) {
      return RefuseFailOpen("a password stands behind an empty user name, so .NET goes direct",
                            "write a user name; where the password is a token, proxies take any");
    }
    // .NET splits user and password at the ':' only after decoding.
    if (out_.username_.starts_with(':')) {
      return RefuseFailOpen("its user name begins with an escaped ':', so .NET takes it for empty and goes direct",
                            "use another user name");
    }
    for (const char c : out_.username_ + out_.password_.Reveal()) {
      if (static_cast<unsigned char>(c) >= 0x20) continue;
      return RefuseFailOpen("user or password hold an escaped control character, so curl up to 8.14 goes direct",
                            "encode them again without it (a line end, %0A, comes from a file or from echo)");
    }
    return {};
  }

  std::string_view text_;
  ProxyVariable variable_;
  std::string_view where_;
  Findings& findings_;
  ProxyReaders readers_;
  Findings found_;  // passed on only if the URL is accepted
  bool scheme_less_ = false;
  ProxyUrl out_;
};

Result<ProxyUrl> ParseProxyUrl(const Secret& text, ProxyVariable variable, std::string_view where, Findings& findings,
                               ProxyReaders readers) {
  return ProxyUrlParser(text.Reveal(), variable, where, findings, readers).Parse();
}

}  // namespace prov::egress
