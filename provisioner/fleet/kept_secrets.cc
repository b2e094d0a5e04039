#include "provisioner/fleet/kept_secrets.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "provisioner/base/json_reader.h"

namespace prov::fleet {
namespace {

using Place = std::pair<std::string, std::string>;          // namespace and name of a Secret
using Sources = std::map<Place, std::string, std::less<>>;  // what the Deployments say of each

source::KubeObject AllDeployments() {
  return {.group = "apps", .resource = "deployments", .name_space = {}, .name = {}};
}

// `deploy` joins an option and its value.
std::optional<std::string> ValueOf(std::string_view argument, std::string_view option) {
  if (!argument.starts_with(option)) return std::nullopt;
  return std::string(argument.substr(option.size()));
}

Result<void> ReadContainer(const JsonNode& container, Sources& out) {
  const auto args = PROV_TRY(container.Find("args", &JsonNode::Texts));
  if (!args) return {};
  std::string secret;
  std::string from;
  for (const std::string& argument : *args) {
    if (auto value = ValueOf(argument, "--secret=")) secret = *std::move(value);
    if (auto value = ValueOf(argument, "--source=")) from = *std::move(value);
  }
  const std::size_t slash = secret.find('/');
  if (slash != std::string::npos) out[{secret.substr(0, slash), secret.substr(slash + 1)}] = std::move(from);
  return {};
}

Result<void> ReadPage(const std::string& page, const std::string& where, Sources& out) {
  const JsonNode root = PROV_TRY(ParseJsonDocument(page, where));
  const auto items = PROV_TRY(root.Find("items"));
  if (!items) return {};
  for (const JsonNode& item : PROV_TRY(items->Items())) {
    const JsonNode pod = PROV_TRY(PROV_TRY(PROV_TRY(item.Get("spec")).Get("template")).Get("spec"));
    for (const JsonNode& container : PROV_TRY(pod.Get("containers", &JsonNode::Items)))
      PROV_TRY(ReadContainer(container, out));
  }
  return {};
}

Result<Sources> ReadSources(source::KubeClient& client) {
  const source::KubeObject all = AllDeployments();
  Sources out;
  PROV_TRY(client.ListPages(all, fmt::format("labelSelector=app.kubernetes.io%2Fname%3D{}&limit=100", kControllerName),
                            source::KubeDetail::kWhole,
                            [&](const std::string& page) { return ReadPage(page, all.Path(), out); }));
  return out;
}

FleetNode Missing(const Place& place) {
  FleetNode out{.name_space = place.first, .name = place.second, .state = {}, .damage = {}};
  out.damage = Error{Code::kNotFound,
                     fmt::format("a controller is to keep this Secret, but there is none with the label {}={}; apply "
                                 "again what deploy --print --keep-secret printed",
                                 source::kKeepsLabel, source::kUserDataMark),
                     source::SecretObject(place.first, place.second).Path()};
  return out;
}

// For who may not list them.
std::vector<FleetNode> ReadEach(source::KubeClient& client, const Sources& sources, const Error& refusal,
                                Findings& findings) {
  std::vector<FleetNode> out;
  out.reserve(sources.size());
  for (const auto& [place, from] : sources) {
    auto one = ReadKeptSecret(client, place.first, place.second);
    if (one && *one) {
      out.push_back(**std::move(one));
    } else if (!one && one.error().code != Code::kNotFound) {
      AddWarning(findings, "fleet-secrets",
                 fmt::format("a controller keeps the user data of new machines in the Secret {}/{}, and whether it is "
                             "current was not looked at: {}",
                             place.first, place.second, refusal.message),
                 refusal.where);
    } else {
      out.push_back(Missing(place));
    }
  }
  return out;
}

}  // namespace

std::vector<KeptSecret> ReadKeptSecrets(source::KubeClient& client, Findings& findings) {
  Sources sources;
  if (auto read = ReadSources(client)) {
    sources = *std::move(read);
  } else {
    AddInfo(findings, "fleet-secrets",
            fmt::format("which Secrets with user data controllers are to keep was not looked at, so one that is "
                        "missing is not named: {}",
                        read.error().message),
            read.error().where);
  }
  std::vector<FleetNode> found;
  if (auto listed = ListKeptSecrets(client)) {
    found = *std::move(listed);
    const auto is_there = [&](const Place& place) {
      return std::ranges::any_of(found, [&](const FleetNode& one) {
        return std::tie(one.name_space, one.name) == std::tie(place.first, place.second);
      });
    };
    for (const auto& [place, from] : sources) {
      if (!is_there(place)) found.push_back(Missing(place));
    }
  } else if (sources.empty()) {
    AddInfo(
        findings, "fleet-secrets",
        fmt::format("whether a Secret has the user data of new machines was not looked at: {}", listed.error().message),
        listed.error().where);
  } else {
    found = ReadEach(client, sources, listed.error(), findings);
  }
  std::ranges::sort(found, {}, [](const FleetNode& one) { return std::tie(one.name_space, one.name); });
  std::vector<KeptSecret> out;
  out.reserve(found.size());
  for (FleetNode& one : found) {
    const auto from = sources.find(Place(one.name_space, one.name));
    out.push_back({std::move(one), from == sources.end() ? std::string() : from->second});
  }
  return out;
}

bool IsRecent(const FleetNode& secret, std::int64_t now, Findings& findings) {
  if (!secret.state || !secret.state->read_at || now - *secret.state->read_at < kSilentSeconds) return true;
  AddWarning(findings, "fleet-secret-silent",
             fmt::format("no controller has said since {} that the user data is current, although one says so each "
                         "hour: look whether its pods run, and into their log",
                         FormatUtc(*secret.state->read_at)),
             fmt::format("Secret {}/{}", secret.name_space, secret.name));
  return false;
}

}  // namespace prov::fleet
