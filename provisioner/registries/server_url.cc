#include "provisioner/registries/server_url.h"

#include <algorithm>
#include <vector>

#include "provisioner/base/text.h"

namespace prov::registries {
namespace {

// Go's rule for a host: other ASCII characters must not occur, encoded or not.
bool IsGoHostCharacter(char c) {
  constexpr std::string_view kMarks = "-_.~!$&'()*+,;=:[]<>\"";
  return !IsAscii(c) || IsLetter(c) || IsDigit(c) || kMarks.find(c) != std::string_view::npos;
}

// `text` with its %XX decoded; nullopt if one is malformed, or in a host stands for an ASCII character.
std::optional<std::string> DecodePercent(std::string_view text, bool in_host) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      if (in_host && !IsGoHostCharacter(text[i])) return std::nullopt;
      out += text[i];
      continue;
    }
    const int high = i + 2 < text.size() ? HexDigit(text[i + 1]) : -1;
    const int low = i + 2 < text.size() ? HexDigit(text[i + 2]) : -1;
    if (high < 0 || low < 0) return std::nullopt;
    const char decoded = static_cast<char>(high * 16 + low);
    if (in_host && IsAscii(decoded)) return std::nullopt;
    out += decoded;
    i += 2;
  }
  return out;
}

constexpr std::string_view kPathMarks = "/-_.~!$&'()*+,;=:@";

// What DecodePercent reads as `text`.
std::string EncodePercent(std::string_view text, bool (*is_plain)(char)) {
  std::string out;
  for (const char& c : text) {
    if (is_plain(c) && IsAscii(c)) {
      out += c;
    } else {
      out.append("%").append(ToHex(std::string_view(&c, 1)));
    }
  }
  return out;
}

bool IsOptionalPort(std::string_view text) {
  return text.empty() || (text.front() == ':' && AreDigits(text.substr(1)));
}

std::optional<std::string> ReadHost(std::string_view text) {
  if (text.starts_with('[')) {
    const std::size_t close = text.rfind(']');
    if (close == std::string_view::npos || !IsOptionalPort(text.substr(close + 1))) return std::nullopt;
  } else if (const std::size_t colon = text.rfind(':'); colon != std::string_view::npos) {
    if (!IsOptionalPort(text.substr(colon))) return std::nullopt;
  }
  return DecodePercent(text, true);
}

// The length of the scheme before a ':'; 0: there is none.
std::size_t SchemeLength(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == ':') return i;
    const bool inner = IsDigit(c) || c == '+' || c == '-' || c == '.';
    if (!IsLetter(c) && (i == 0 || !inner)) return 0;
  }
  return 0;
}

}  // namespace

std::string ServerUrl::Port() const {
  const std::size_t colon = host.rfind(':');
  if (colon == std::string::npos || host.find(']', colon) != std::string::npos) return "";
  return host.substr(colon + 1);
}

std::string ServerUrl::Text() const {
  if (host.empty() && path.empty()) return "";
  return scheme + "://" + EncodePercent(host, IsGoHostCharacter) +
         EncodePercent(path, [](char c) { return IsLetter(c) || IsDigit(c) || kPathMarks.find(c) != kPathMarks.npos; });
}

std::optional<ServerUrl> ParseServerUrl(std::string_view text) {
  if (text.empty()) return ServerUrl{};
  const std::string whole = text.starts_with("http") ? std::string(text) : "https://" + std::string(text);
  if (std::ranges::any_of(whole, IsControl)) return std::nullopt;
  std::string_view rest = std::string_view(whole).substr(0, whole.find('#'));
  ServerUrl out;
  if (const std::size_t length = SchemeLength(rest); length > 0) {
    out.scheme = AsciiLower(rest.substr(0, length));
    rest.remove_prefix(length + 1);
  }
  rest = rest.substr(0, rest.find('?'));
  if (!rest.starts_with('/')) {
    // "http:host" and "httpd.example.com:5000" have no host for Go, and "httpd.example.com" is a path.
    if (out.scheme.empty() && rest.substr(0, rest.find('/')).find(':') != std::string_view::npos) return std::nullopt;
    if (!DecodePercent(rest, false)) return std::nullopt;
    return ServerUrl{};
  }
  if (rest.starts_with("//")) {
    rest.remove_prefix(2);
    const std::string_view authority = rest.substr(0, rest.find('/'));
    rest.remove_prefix(authority.size());
    const std::size_t at = authority.rfind('@');
    auto host = ReadHost(at == std::string_view::npos ? authority : authority.substr(at + 1));
    if (!host) return std::nullopt;
    out.host = *std::move(host);
  }
  auto path = DecodePercent(rest, false);
  if (!path) return std::nullopt;
  out.path = *std::move(path);
  if (out.host.empty() && out.path.empty()) return ServerUrl{};
  return out;
}

std::string ApiPath(const ServerUrl& url, bool override_path) {
  if (url.path.empty()) return override_path ? "" : "/v2";
  std::vector<std::string_view> parts;
  for (const std::string_view part : Split(url.path, '/')) {
    if (part.empty() || part == ".") continue;
    if (part != "..") {
      parts.push_back(part);
    } else if (!parts.empty()) {
      parts.pop_back();
    }
  }
  std::string out;
  for (const std::string_view part : parts) out.append("/").append(part);
  if (!override_path && !out.ends_with("/v2")) out += "/v2";
  return out;
}

}  // namespace prov::registries
