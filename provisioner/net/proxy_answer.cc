#include "provisioner/net/proxy_answer.h"

#include <fmt/format.h>

#include <algorithm>

#include "provisioner/base/text.h"

namespace prov::net {
namespace {

constexpr std::size_t kMostChallenges = 16;
constexpr std::size_t kLongestChallenge = 1024;
constexpr std::size_t kLongestReason = 48;

// The error's name in a value such as "ERR_DNS_FAIL 0", which also has a system error number.
std::string Word(std::string_view value) {
  const std::string_view word = value.substr(0, value.find(' '));
  const bool is_name =
      std::ranges::all_of(word, [](char c) { return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; });
  return is_name && word.size() <= kLongestReason ? std::string(word) : std::string();
}

constexpr std::size_t kMostSchemes = 16;
constexpr std::size_t kLongestScheme = 32;

bool IsTokenCharacter(char c) {
  const bool alphanumeric = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  return alphanumeric || c == '-' || c == '_' || c == '.';
}

// Splits at commas outside of quotes.
std::vector<std::string_view> Pieces(std::string_view value) {
  std::vector<std::string_view> out;
  bool quoted = false;
  std::size_t start = 0;
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (value[i] == '"') quoted = !quoted;
    if (quoted && value[i] == '\\') ++i;
    if (i < value.size() && value[i] == ',' && !quoted) {
      out.push_back(value.substr(start, i - start));
      start = i + 1;
    }
  }
  out.push_back(value.substr(start));
  return out;
}

// The scheme that begins a challenge; "" for a parameter, whose name is followed by '='.
std::string SchemeOf(std::string_view piece) {
  piece = TrimBlanks(piece);
  const auto end = std::ranges::find_if_not(piece, IsTokenCharacter);
  const std::string_view token = piece.substr(0, static_cast<std::size_t>(end - piece.begin()));
  const std::string_view rest = TrimBlanks(piece.substr(token.size()));
  if (rest.starts_with('=') || token.size() > kLongestScheme) return {};
  if (!rest.empty() && token.size() + rest.size() == piece.size()) return {};  // another kind of text: "a;b"
  return AsciiLower(token);
}

bool Has(std::span<const std::string> schemes, std::string_view wanted) {
  return std::ranges::find(schemes, wanted) != schemes.end();
}

// The usual name of a scheme.
std::string NameOf(const std::string& scheme) {
  if (scheme == "ntlm") return "NTLM";
  if (scheme == "negotiate") return "Negotiate (Kerberos)";
  std::string out = scheme;
  out.replace(0, 1, AsciiUpper(out.substr(0, 1)));
  return out;
}

std::string Names(std::span<const std::string> schemes) {
  std::string out;
  for (const std::string& scheme : schemes) {
    out += out.empty() ? NameOf(scheme) : fmt::format(" or {}", NameOf(scheme));
  }
  return out;
}

}  // namespace

void ProxyAnswer::AddLine(std::string_view line) {
  if (line.starts_with("HTTP/")) {
    challenges_are_old_ = true;
    reason_.clear();
    return;
  }
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return;
  const std::string_view name = line.substr(0, colon);
  const std::string_view value = TrimBlanks(line.substr(colon + 1));
  if (EqualsIgnoreAsciiCase(name, "X-Squid-Error")) reason_ = Word(value);
  if (!EqualsIgnoreAsciiCase(name, "Proxy-Authenticate")) return;
  if (challenges_are_old_) challenges_.clear();
  challenges_are_old_ = false;
  if (challenges_.size() < kMostChallenges) challenges_.emplace_back(value.substr(0, kLongestChallenge));
}

std::vector<std::string> AuthenticationSchemes(std::span<const std::string> header_values) {
  std::vector<std::string> out;
  for (const std::string& value : header_values) {
    for (const std::string_view piece : Pieces(value)) {
      std::string scheme = SchemeOf(piece);
      if (!scheme.empty() && !Has(out, scheme) && out.size() < kMostSchemes) out.push_back(std::move(scheme));
    }
  }
  return out;
}

std::string ExplainChallenge(const std::string& proxy, std::span<const std::string> schemes, bool credentials) {
  if (schemes.empty()) {
    return fmt::format("the proxy {} refuses with status 407, yet does not say which credentials it wants: see its log",
                       proxy);
  }
  if (!Has(schemes, "basic") && !Has(schemes, "digest")) {
    return fmt::format(
        "the proxy {} answers with status 407 and takes {} credentials only, which neither this program nor most node "
        "agents (kubelet and containerd among them) can give: let it admit the nodes by their addresses, or offer "
        "Basic on an https:// proxy port",
        proxy, Names(schemes));
  }
  if (!credentials) {
    return fmt::format(
        "the proxy {} answers with status 407: it wants credentials ({}) and its URL has none; write them into it, "
        "percent-encoded, as http://user:password@host:port",
        proxy, Names(schemes));
  }
  return fmt::format(
      "the proxy {} answers with status 407: it does not take the credentials of its URL ({}); correct user name and "
      "password there, percent-encoded (%40 for an @)",
      proxy, Names(schemes));
}

std::string ReviewSchemesForGo(const std::string& proxy, std::span<const std::string> schemes) {
  if (schemes.empty() || Has(schemes, "basic") || !Has(schemes, "digest")) return {};
  return fmt::format(
      "the proxy {} takes Digest credentials and not Basic: the probe could give them, but Go programs such as kubelet "
      "and containerd can't; let it offer Basic, too, or admit the nodes by their addresses",
      proxy);
}

}  // namespace prov::net
