#include "provisioner/pull/pull_secret.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "provisioner/base/base64.h"
#include "provisioner/base/json_reader.h"
#include "provisioner/base/text.h"

namespace prov::pull {
namespace {

constexpr std::string_view kSecretKey = ".dockerconfigjson";
constexpr std::string_view kDockerHub = "docker.io";

// docker login writes "https://index.docker.io/v1/" for Docker Hub; an API version says nothing about images.
std::pair<std::string, std::string> PlaceOf(std::string_view key) {
  for (const std::string_view scheme : {"https://", "http://"}) {
    if (key.starts_with(scheme)) key.remove_prefix(scheme.size());
  }
  while (key.ends_with('/')) key.remove_suffix(1);
  const std::size_t slash = key.find('/');
  std::string host = AsciiLower(key.substr(0, slash));
  std::string path(slash == std::string_view::npos ? std::string_view() : key.substr(slash + 1));
  if (path == "v1" || path == "v2") path.clear();
  if (host == "index.docker.io" || host == "registry-1.docker.io") host = kDockerHub;
  return {std::move(host), std::move(path)};
}

// A login as JSON may have it: "auth", "username" and "password", or "identitytoken". nullopt: the entry has none of
// them, as docker writes it where a credential store has the login.
Result<std::optional<Login>> ReadLogin(const JsonNode& entry) {
  const auto token = PROV_TRY(entry.Find("identitytoken", &JsonNode::Text));
  if (token && !token->empty()) return Login{"", Secret(*token)};
  const auto auth = PROV_TRY(entry.Find("auth", &JsonNode::Text));
  if (!auth || auth->empty()) {
    const auto user = PROV_TRY(entry.Find("username", &JsonNode::Text));
    const auto password = PROV_TRY(entry.Find("password", &JsonNode::Text));
    if (!user && !password) return std::nullopt;
    if (!user || !password) return entry.Refuse(Code::kInvalidConfig, "has only one of username and password");
    return Login{*user, Secret(*password)};
  }
  const auto decoded = DecodeBase64(TrimBlanks(*auth));
  const std::size_t colon = decoded ? decoded->find(':') : std::string::npos;
  if (colon == std::string::npos) return entry.Refuse(Code::kInvalidConfig, "auth is not the base64 of USER:PASSWORD");
  std::string password = decoded->substr(colon + 1);
  while (password.ends_with('\0')) password.pop_back();  // old versions of docker pad it
  return Login{.user = decoded->substr(0, colon), .password = Secret(std::move(password))};
}

// "example.com" lies in "*.com": each part of a host stands for one of the pattern.
bool HostFits(std::string_view host, std::string_view pattern) {
  const auto parts = Split(host, '.');
  const auto wanted = Split(pattern, '.');
  return std::ranges::equal(parts, wanted, [](std::string_view a, std::string_view b) { return b == "*" || a == b; });
}

bool PathFits(std::string_view repository, std::string_view path) {
  if (!repository.starts_with(path)) return false;
  return path.empty() || repository.size() == path.size() || repository[path.size()] == '/';
}

}  // namespace

Result<PullSecret> PullSecret::Parse(std::string_view text, const std::string& where) {
  const JsonNode document = PROV_TRY(ParseJsonDocument(text, where));
  if (const auto data = PROV_TRY(document.Find("data"))) {
    if (const auto inner = PROV_TRY(data->Find(kSecretKey, &JsonNode::Bytes)))
      return Parse(*inner, fmt::format("{}: data[\"{}\"]", where, kSecretKey));
  }
  const auto auths = PROV_TRY(document.Find("auths"));
  if (!auths) {
    return Fail(Code::kKind,
                "is no pull secret: it has no \"auths\"; give what oc get secret pull-secret -n openshift-config -o "
                "json prints, or a config.json of docker, podman or skopeo",
                where);
  }
  PullSecret out;
  for (const auto& [key, value] : PROV_TRY(auths->Members())) {
    auto [host, path] = PlaceOf(key);
    if (auto login = PROV_TRY(ReadLogin(value)))
      out.entries_.push_back({std::move(host), std::move(path), *std::move(login)});
  }
  const bool stored = PROV_TRY(document.Find("credsStore")) || PROV_TRY(document.Find("credHelpers"));
  if (out.entries_.empty() && stored) {
    return Fail(Code::kKind,
                "has no login: docker keeps them in a credential store (credsStore, credHelpers), which is not read; "
                "write a file with podman login --authfile FILE",
                where);
  }
  // The longest name comes first, and of two equally long ones that without a wildcard, so that the first that fits is
  // the one.
  std::ranges::sort(out.entries_, std::greater<>(),
                    [](const Entry& one) { return std::pair(one.host.size() + one.path.size(), one.host); });
  return out;
}

const Login* PullSecret::Find(const registries::ImageReference& image) const {
  const auto found = std::ranges::find_if(entries_, [&](const Entry& one) {
    return HostFits(image.registry, one.host) && PathFits(image.repository, one.path);
  });
  return found == entries_.end() ? nullptr : &found->login;
}

std::map<std::string, Secret> PullSecret::OfHosts() const {
  std::map<std::string, Secret> out;
  for (const Entry& one : entries_) {
    if (one.path.empty() && !one.login.user.empty())
      out.emplace(one.host, Secret(one.login.user + ":" + one.login.password.Reveal()));
  }
  return out;
}

}  // namespace prov::pull
