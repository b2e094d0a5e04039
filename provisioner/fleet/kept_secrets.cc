#include "provisioner/fleet/kept_secrets.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

#include "provisioner/base/json_reader.h"

namespace prov::fleet {
namespace {

using Place = std::pair<std::string, std::string>;  // namespace and name of a Secret

// What a Deployment says.
struct Keeper {
  std::string source;
  std::string idle;  // as in KeptSecret
};
using Keepers = std::map<Place, Keeper>;

source::KubeObject AllDeployments() {
  return {.group = "apps", .resource = "deployments", .name_space = {}, .name = {}};
}

// `deploy` joins an option and its value; who writes the args by hand may not. "": the option is not there.
std::string ValueOf(const std::vector<std::string>& args, std::string_view option) {
  for (auto at = args.begin(); at != args.end(); ++at) {
    if (*at == option && std::next(at) != args.end()) return *std::next(at);
    if (at->starts_with(option) && at->size() > option.size() && (*at)[option.size()] == '=')
      return at->substr(option.size() + 1);
  }
  return {};
}

Result<void> ReadContainer(const JsonNode& container, const std::string& idle, Keepers& out) {
  const auto args = PROV_TRY(container.Find("args", &JsonNode::Texts));
  if (!args) return {};
  const std::string secret = ValueOf(*args, "--secret");
  const std::size_t slash = secret.find('/');
  if (slash == std::string::npos) return {};
  const auto [known, is_first] = out.try_emplace({secret.substr(0, slash), secret.substr(slash + 1)});
  // One that runs says more than one that was left behind.
  if (is_first || !known->second.idle.empty()) known->second = {ValueOf(*args, "--source"), idle};
  return {};
}

// The Deployment's name if none of its pods is available; "": one is, or nothing looks after Deployments here.
Result<std::string> IdleNameOf(const JsonNode& deployment) {
  const auto status = PROV_TRY(deployment.Find("status"));
  if (!status || !PROV_TRY(status->Find("observedGeneration", &JsonNode::Integer))) return std::string();
  if (PROV_TRY(status->Find("availableReplicas", &JsonNode::Integer)).value_or(0) > 0) return std::string();
  const JsonNode metadata = PROV_TRY(deployment.Get("metadata"));
  return fmt::format("{}/{}", PROV_TRY(metadata.Find("namespace", &JsonNode::Text)).value_or(""),
                     PROV_TRY(metadata.Get("name", &JsonNode::Text)));
}

Result<void> ReadPage(const std::string& page, const std::string& where, Keepers& out) {
  const JsonNode root = PROV_TRY(ParseJsonDocument(page, where));
  const auto items = PROV_TRY(root.Find("items"));
  if (!items) return {};
  for (const JsonNode& item : PROV_TRY(items->Items())) {
    const std::string idle = PROV_TRY(IdleNameOf(item));
    const JsonNode pod = PROV_TRY(PROV_TRY(PROV_TRY(item.Get("spec")).Get("template")).Get("spec"));
    for (const JsonNode& container : PROV_TRY(pod.Get("containers", &JsonNode::Items)))
      PROV_TRY(ReadContainer(container, idle, out));
  }
  return {};
}

Result<Keepers> ReadKeepers(source::KubeClient& client) {
  const source::KubeObject all = AllDeployments();
  Keepers out;
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

// For who may not list Secrets: that nobody keeps one is known all the same.
std::vector<FleetNode> IdleOnes(const Keepers& keepers, const Error& refusal, Findings& findings) {
  std::vector<FleetNode> out;
  out.reserve(keepers.size());
  for (const auto& [place, keeper] : keepers) {
    AddWarning(findings, "fleet-secrets",
               fmt::format("a controller keeps the user data of new machines in the Secret {}/{}, and whether it is "
                           "current was not looked at: {}",
                           place.first, place.second, refusal.message),
               refusal.where);
    if (!keeper.idle.empty())
      out.push_back({.name_space = place.first, .name = place.second, .state = {}, .damage = refusal});
  }
  return out;
}

}  // namespace

std::vector<KeptSecret> ReadKeptSecrets(source::KubeClient& client, Findings& findings) {
  Keepers keepers;
  if (auto read = ReadKeepers(client)) {
    keepers = *std::move(read);
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
    for (const auto& [place, keeper] : keepers) {
      if (!is_there(place)) found.push_back(Missing(place));
    }
  } else if (keepers.empty()) {
    AddInfo(
        findings, "fleet-secrets",
        fmt::format("whether a Secret has the user data of new machines was not looked at: {}", listed.error().message),
        listed.error().where);
  } else {
    found = IdleOnes(keepers, listed.error(), findings);
  }
  std::ranges::sort(found, {}, [](const FleetNode& one) { return std::tie(one.name_space, one.name); });
  std::vector<KeptSecret> out;
  out.reserve(found.size());
  for (FleetNode& one : found) {
    const auto keeper = keepers.find(Place(one.name_space, one.name));
    const Keeper known = keeper == keepers.end() ? Keeper() : keeper->second;
    out.push_back({std::move(one), known.source, known.idle});
  }
  return out;
}

bool IsKept(const KeptSecret& secret, std::int64_t now, Findings& findings) {
  const FleetNode& reported = secret.reported;
  const std::string where = fmt::format("Secret {}/{}", reported.name_space, reported.name);
  if (!secret.idle.empty()) {
    AddWarning(findings, "fleet-secret-silent",
               fmt::format("no pod of the controller is available, so nobody makes the user data current: look at the "
                           "pods of the Deployment {}, and into their log",
                           secret.idle),
               where);
    return false;
  }
  if (!reported.state || !reported.state->read_at || now - *reported.state->read_at < kSilentSeconds) return true;
  if (!reported.state->interval && secret.source.empty()) {
    AddInfo(findings, "fleet-secret-silent",
            fmt::format("the user data was last known to be current at {}, by a controller --once; look when that ran "
                        "last",
                        FormatUtc(*reported.state->read_at)),
            where);
    return true;
  }
  AddWarning(findings, "fleet-secret-silent",
             fmt::format("no controller has said since {} that the user data is current, although one says so each "
                         "hour: look whether its pods run, and into their log",
                         FormatUtc(*reported.state->read_at)),
             where);
  return false;
}

}  // namespace prov::fleet
