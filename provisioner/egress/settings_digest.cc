#include "provisioner/egress/settings_digest.h"

#include <fmt/format.h>

#include <set>
#include <string_view>

#include "provisioner/base/hash.h"
#include "provisioner/base/text.h"
#include "provisioner/egress/augment.h"

namespace prov::egress {
namespace {

constexpr std::string_view kHeading = "provisioner settings 1\n";
constexpr unsigned kCredentialRounds = 600000;

// The proxy as clients reach it; of a malformed URL, the redacted text.
std::string AddressOf(const Secret& url, ProxyVariable variable) {
  Findings ignored;
  const auto parsed = ParseProxyUrl(url, variable, {}, ignored);
  if (!parsed) return "invalid " + ToHex(RedactUrl(url.Reveal()));
  return fmt::format("{}://{}", parsed->scheme(), AsciiLower(parsed->HostPort()));
}

// The entries as a set, with those that --augment would add: each node chooses whether it adds them.
std::set<std::string> EntriesOf(std::string_view no_proxy) {
  std::set<std::string> out;
  const auto list = NoProxy::Parse(no_proxy, {});
  if (!list) return {"invalid " + ToHex(no_proxy)};
  for (const NoProxyEntry& entry : list->entries()) out.insert(AsciiLower(entry.text));
  for (const std::string& entry : Augment(*list).added) out.insert(AsciiLower(entry));
  return out;
}

std::string ProxyLines(const EgressConfig& config) {
  std::string out = "proxy\n";
  const auto add = [&out](const std::optional<Secret>& url, ProxyVariable variable) {
    if (url && !url->empty()) out += fmt::format("{} {}\n", NameOf(variable), AddressOf(*url, variable));
  };
  add(config.http_proxy, ProxyVariable::kHttp);
  add(config.https_proxy, ProxyVariable::kHttps);
  for (const std::string& entry : EntriesOf(config.no_proxy.value_or(""))) out += fmt::format("NO_PROXY {}\n", entry);
  return out;
}

std::string TrustLines(const EgressConfig& config) {
  std::set<std::string_view> digests;
  for (const pki::Certificate& certificate : config.certificates) digests.insert(certificate.sha256);
  std::string out = "trust\n";
  for (const std::string_view digest : digests) out += fmt::format("certificate {}\n", digest);
  return out;
}

// Empty if the URL has no user. Each part begins with its length, so that different users and passwords never give the
// same text.
std::string CredentialsOf(const std::optional<Secret>& url, ProxyVariable variable) {
  if (!url || url->empty()) return {};
  Findings ignored;
  const auto parsed = ParseProxyUrl(*url, variable, {}, ignored);
  const auto part = [](std::string_view text) { return fmt::format("{}:{}", text.size(), text); };
  if (!parsed) return MayHoldCredentials(url->Reveal()) ? part(NameOf(variable)) + part(url->Reveal()) : "";
  if (!parsed->has_credentials()) return {};
  return part(NameOf(variable)) + part(parsed->username()) + part(parsed->password().Reveal());
}

std::string Prefix() { return fmt::format("pbkdf2-sha256:{}:", kCredentialRounds); }

}  // namespace

std::string SettingsDigest(const EgressConfig& config) {
  std::string text(kHeading);
  if (config.proxy_file.present) text += ProxyLines(config);
  if (config.trust_file.present) text += TrustLines(config);
  return ToHex(Sha256(text));
}

std::optional<std::string> CredentialDigest(const EgressConfig& config, std::string_view digest) {
  const std::string credentials =
      CredentialsOf(config.http_proxy, ProxyVariable::kHttp) + CredentialsOf(config.https_proxy, ProxyVariable::kHttps);
  if (credentials.empty()) return std::nullopt;
  return SlowDigest(credentials, digest);
}

std::string SlowDigest(std::string_view secret, std::string_view salt) {
  return Prefix() + ToHex(Pbkdf2Sha256(secret, salt, kCredentialRounds));
}

bool IsCredentialDigest(std::string_view text) {
  const std::string prefix = Prefix();
  return text.starts_with(prefix) && text.size() == prefix.size() + 64 && FromHex(text.substr(prefix.size()));
}

}  // namespace prov::egress
