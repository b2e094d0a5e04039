// `hns-proxy list|clear|add|ensure`, and `check` without a policy: the commands for endpoints of this node.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "provisioner/base/file.h"
#include "provisioner/base/json_writer.h"
#include "provisioner/base/text.h"
#include "provisioner/cli/hns_proxy.h"
#include "provisioner/hns/answer.h"
#include "provisioner/hns/crictl.h"
#include "provisioner/hns/endpoint_change.h"

namespace prov::cli {
namespace {

using hns::Endpoint;
using hns::EndpointChange;
using machine::ComputeNetwork;

using SettingsList = std::span<const std::string>;

struct EndpointCommand {
  std::string_view name;
  EndpointChange (*change)(SettingsList present, SettingsList wanted);  // nullptr: only lists
  bool takes_policy = false;
};
constexpr std::array kEndpointCommands = {
    EndpointCommand{"list", nullptr},
    EndpointCommand{"clear", [](SettingsList present, SettingsList) { return hns::ChangeToClear(present); }},
    EndpointCommand{"add", hns::ChangeToAdd, true},
    EndpointCommand{"ensure", hns::ChangeToEnsure, true},
};

struct Request {
  const EndpointCommand* command = nullptr;
  bool dry_run = false;
  std::vector<std::string> wanted;  // settings, for add and ensure
  bool all = false;                 // act on every endpoint of the node
};

struct EndpointReport {
  std::string id;
  std::vector<std::string> settings;  // present settings
  std::string_view action = "none";
  std::optional<Error> error = {};
};

struct EndpointsReport {
  std::vector<EndpointReport> endpoints;
  std::size_t writes = 0;  // changed endpoints
  bool differs = false;    // an endpoint differs and was not changed because of --dry-run
  Findings findings;

  bool HasError() const {
    return std::ranges::any_of(endpoints, [](const auto& one) { return one.error.has_value(); });
  }
};

std::string_view ActionOf(const EndpointChange& change, bool is_clear) {
  if (change.IsEmpty()) return "none";
  if (is_clear) return "clear";
  return change.remove.empty() ? "add" : "replace";
}

void AddVanished(EndpointsReport& report, const std::string& id) {
  AddInfo(report.findings, "hns-vanished",
          fmt::format("the endpoint went away meanwhile, with its pod ({})", hns::CodeText(hns::kEndpointMissing)), id);
}

// Acts on an endpoint that was just read. Errors: those of ChangeEndpoint().
Result<void> Treat(const Request& request, ComputeNetwork& network, Endpoint found, EndpointsReport& report) {
  auto* const make = request.command->change;
  const EndpointChange change = make == nullptr ? EndpointChange() : make(found.settings, request.wanted);
  const std::string_view action = ActionOf(change, !request.command->takes_policy);
  if (change.IsEmpty() || request.dry_run) {
    report.differs = report.differs || !change.IsEmpty();
    report.endpoints.push_back({std::move(found.id), std::move(found.settings), action});
    return {};
  }
  auto changed = hns::ChangeEndpoint(network, found.id, change);
  if (!changed) {
    report.endpoints.push_back({std::move(found.id), std::move(found.settings), action, changed.error()});
    return std::unexpected(std::move(changed).error());
  }
  if (!*changed) {
    AddVanished(report, found.id);
    return {};
  }
  ++report.writes;
  report.endpoints.push_back({std::move(found.id), std::move((**changed).settings), action});
  return {};
}

// A failure at one endpoint does not stop the others.
void TreatEach(const Request& request, ComputeNetwork& network, const std::vector<std::string>& ids,
               EndpointsReport& report) {
  for (const std::string& id : ids) {
    auto found = hns::ReadEndpoint(network, id);
    if (!found) {
      report.endpoints.push_back({id, {}, "none", std::move(found).error()});
    } else if (!*found) {
      AddVanished(report, id);
    } else if (request.all && !request.wanted.empty() && (**found).is_remote) {
      continue;  // its pod has its proxy on another node
    } else if (!Treat(request, network, **std::move(found), report)) {
      // Report whatever settings the failed change left.
      auto now = hns::ReadEndpoint(network, id);
      if (now && *now) report.endpoints.back().settings = std::move((**now).settings);
    }
  }
}

// The endpoints that a command acts on: exactly one of these is given.
struct EndpointTarget {
  std::string endpoint, name_space, container;
  bool all = false;
};

Result<EndpointTarget> ParseEndpointTarget(const Arguments& arguments) {
  EndpointTarget out;
  const bool has_endpoint = arguments.words().size() > 1;
  const std::array given = {has_endpoint, arguments.Has("namespace"), arguments.Has("container"), arguments.Has("all")};
  if (std::ranges::count(given, true) != 1 || arguments.words().size() > 2) {
    return Fail(Code::kUsage,
                "takes one target: the GUID of an endpoint, --namespace GUID, --container ID, or --all for every "
                "endpoint of this node",
                fmt::format("{} {}", kHnsProxyCommand, arguments.words().front()));
  }
  for (const std::string_view option : {"crictl", "crictl-exe"}) {
    if (!arguments.Has(option) || arguments.Has("container")) continue;
    return Fail(Code::kUsage, "needs --container; name the container, or leave this option out",
                fmt::format("--{}", option));
  }
  if (has_endpoint) out.endpoint = PROV_TRY(hns::ParseGuid(arguments.words()[1], "endpoint"));
  if (arguments.Has("namespace")) {
    out.name_space = PROV_TRY(hns::ParseGuid(arguments.Get("namespace"), "--namespace"));
  }
  out.container = arguments.Get("container");
  out.all = arguments.Has("all");
  return out;
}

// With --all, the node's own endpoints get no policy: they have no proxy in a pod, and would lose their connection.
Result<std::vector<std::string>> EndpointsOf(const EndpointTarget& target, bool gives, const Arguments& arguments,
                                             machine::Host& host) {
  if (target.all && gives) return hns::AllPodEndpoints(host.compute_network());
  if (target.all) return hns::AllEndpoints(host.compute_network());
  std::string name_space = target.name_space;
  if (name_space.empty()) name_space = PROV_TRY(FindContainer(arguments, target.container, host)).network_namespace;
  return hns::EndpointsOfNamespace(host.compute_network(), name_space);
}

std::string EndpointsJson(const EndpointsReport& report) {
  JsonWriter json;
  json.BeginObject().Member("schema", 1).Key("endpoints").BeginArray();
  for (const EndpointReport& endpoint : report.endpoints) {
    json.BeginObject().Member("id", endpoint.id).Key("policies").BeginArray();
    for (const std::string& settings : endpoint.settings) json.Json(settings);
    json.EndArray().Member("action", endpoint.action);
    if (endpoint.error) WriteError(json, *endpoint.error);
    json.EndObject();
  }
  json.EndArray().Member("writes", report.writes);
  WriteFindings(json, report.findings);
  return json.EndObject().Text();
}

std::string_view Done(std::string_view action, bool dry_run) {
  if (action == "add") return dry_run ? "would be added" : "added";
  if (action == "replace") return dry_run ? "would be replaced" : "replaced";
  if (action == "clear") return dry_run ? "would be cleared" : "cleared";
  return "unchanged";
}

std::string EndpointsText(const Request& request, const EndpointsReport& report) {
  if (report.endpoints.empty()) return "no endpoints\n";
  std::string out;
  for (const EndpointReport& endpoint : report.endpoints) {
    if (endpoint.error) {
      out += Printable(
          fmt::format("{}: error [{}]: {}", endpoint.id, InfoOf(endpoint.error->code).name, endpoint.error->message));
    } else if (request.command->change == nullptr) {
      out += Printable(fmt::format("{}: {}", endpoint.id, PolicyCount(endpoint.settings.size())));
    } else {
      out += Printable(fmt::format("{}: {}", endpoint.id, Done(endpoint.action, request.dry_run)));
    }
    out += '\n';
    for (const std::string& settings : endpoint.settings) out += fmt::format("  {}\n", Printable(settings));
  }
  return out;
}

Result<Request> ParseRequest(const Arguments& arguments, Findings& findings) {
  const std::string& word = arguments.words().front();
  const auto* found = std::ranges::find(kEndpointCommands, word, &EndpointCommand::name);
  if (found == kEndpointCommands.end()) {
    return Fail(Code::kUsage, fmt::format("there is no command \"{}\"", word), std::string(kHnsProxyCommand));
  }
  Request out{found, arguments.Has("dry-run"), {}, arguments.Has("all")};
  if (!found->takes_policy) return out;
  const std::vector<hns::Policy> policies = PROV_TRY(GivenPolicies(arguments));
  findings = PROV_TRY(hns::RequireValid(policies));
  for (const hns::Policy& policy : policies) out.wanted.push_back(hns::SettingsJson(policy));
  return out;
}

int ExitOfEndpoints(const Request& request, const EndpointsReport& report) {
  if (report.HasError()) return InfoOf(Code::kHns).exit;
  return request.dry_run && report.differs ? kExitDifferences : 0;
}

// Whether this HNS supports such policies.
Result<Outcome> CheckVersion(ComputeNetwork& network, bool json) {
  const hns::Version version = PROV_TRY(hns::QueryVersion(network));
  const Result<void> supported = hns::RequireSupport(version);
  if (!json) {
    if (!supported) return std::unexpected(supported.error());
    return Outcome{0, fmt::format("HNS {}: layer-4 proxy policies are supported\n", version.Text()), {}};
  }
  JsonWriter out;
  out.BeginObject().Member("schema", 1).Member("supported", supported.has_value()).Member("version", version.Text());
  if (!supported) WriteError(out, supported.error());
  return Outcome{supported ? 0 : InfoOf(supported.error().code).exit, out.EndObject().Text(), {}};
}

Result<std::string> CrictlPath(const Arguments& arguments, machine::Host& host) {
  if (arguments.Has("crictl-exe")) return arguments.Get("crictl-exe");
  if (std::optional<std::string> found = host.programs().Find("crictl"); found) return *std::move(found);
  return Fail(Code::kTarget,
              "crictl is not in PATH; run this on the container's node, name crictl with --crictl-exe, or give the "
              "output of crictl inspect with --crictl FILE",
              "crictl");
}

// An unknown container means that the user named the wrong one, which is an error of the target.
Result<std::string> AskForContainer(machine::Host& host, const std::string& crictl, const std::string& id) {
  auto document = hns::InspectContainer(host.programs(), crictl, id);
  if (!document && document.error().code == Code::kNotFound) document.error().code = Code::kTarget;
  return document;
}

}  // namespace

Result<Outcome> RunOnEndpoints(const Arguments& arguments, machine::Host& host) {
  const bool json = PROV_TRY(WantsJson(arguments));
  ComputeNetwork& network = host.compute_network();
  if (arguments.words().front() == "check") return CheckVersion(network, json);
  EndpointsReport report;
  const EndpointTarget target = PROV_TRY(ParseEndpointTarget(arguments));
  const Request request = PROV_TRY(ParseRequest(arguments, report.findings));
  if (!request.wanted.empty()) PROV_TRY(hns::RequireProxyPolicies(network));
  if (!target.endpoint.empty()) {
    Endpoint found = PROV_TRY(hns::FindEndpoint(network, target.endpoint));
    PROV_TRY(Treat(request, network, std::move(found), report));
    if (report.endpoints.empty()) {
      return Fail(Code::kHns,
                  fmt::format("the endpoint went away meanwhile, with its pod ({}); provisioner hns-proxy lookup shows "
                              "those of a container",
                              hns::CodeText(hns::kEndpointMissing)),
                  target.endpoint);
    }
  } else {
    const std::vector<std::string> ids = PROV_TRY(EndpointsOf(target, !request.wanted.empty(), arguments, host));
    TreatEach(request, network, ids, report);
  }
  const int exit = ExitOfEndpoints(request, report);
  if (json) return Outcome{exit, EndpointsJson(report), {}};
  std::string text = EndpointsText(request, report);
  return Outcome{exit, std::move(text), std::move(report.findings)};
}

Result<hns::Container> FindContainer(const Arguments& arguments, const std::string& id, machine::Host& host) {
  if (arguments.Has("crictl")) {
    const std::string file = arguments.Get("crictl");
    return hns::ReadContainer(PROV_TRY(ReadFile(file, hns::kMostContainerBytes)), id,
                              file == "-" ? "standard input" : file);
  }
  const std::string path = PROV_TRY(CrictlPath(arguments, host));
  return hns::ReadContainer(PROV_TRY(AskForContainer(host, path, id)), id, path);
}

}  // namespace prov::cli
