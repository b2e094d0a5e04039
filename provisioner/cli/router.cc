// `router`: renders egress routers in each form, checks them, and explains what they do with a destination.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "provisioner/base/file.h"
#include "provisioner/base/json_writer.h"
#include "provisioner/base/text.h"
#include "provisioner/cli/command.h"
#include "provisioner/cli/router_text.h"
#include "provisioner/router/destination_list.h"
#include "provisioner/router/destinations.h"
#include "provisioner/router/evaluation.h"
#include "provisioner/router/policy_review.h"
#include "provisioner/router/render.h"
#include "provisioner/router/router_check.h"

namespace prov::cli {
namespace {

using router::Format;
using router::PolicyFile;
using router::RouterPolicy;

constexpr std::string_view kRouterCommand = "provisioner router";
constexpr std::array<std::string_view, 3> kRouterActions = {"render", "check", "explain"};
constexpr std::uint64_t kMostRouterFileBytes = 64ULL << 20U;
constexpr std::uint64_t kMostResolvBytes = 64ULL << 10U;
constexpr unsigned kMostServers = 1000;  // addresses that haproxy may get for one name
constexpr std::string_view kResolv = "/etc/resolv.conf";

std::unexpected<Error> RouterUsageError(std::string message) {
  return Fail(Code::kUsage, std::move(message), std::string(kRouterCommand));
}

Result<PolicyFile> ReadPolicyFile(const std::string& path) {
  if (path.empty()) return RouterUsageError("the name of a file is empty (an unset variable?)");
  return PolicyFile{PROV_TRY(ReadFile(path, kMostRouterFileBytes)), path == "-" ? "standard input" : path};
}

Result<std::vector<PolicyFile>> ReadPolicyFiles(const std::vector<std::string>& paths) {
  if (std::ranges::count(paths, "-") > 1) return RouterUsageError("standard input (-) can be read once only");
  std::vector<PolicyFile> out;
  out.reserve(paths.size());
  for (const std::string& path : paths) out.push_back(PROV_TRY(ReadPolicyFile(path)));
  return out;
}

Result<std::optional<router::RouterKind>> GivenRouterKind(const Arguments& arguments) {
  if (!arguments.Has("kind")) return std::nullopt;
  return router::RouterKindOf(PROV_TRY(OneOf(arguments, "kind")));
}

// The words after the action.
std::vector<std::string> Rest(const Arguments& arguments) {
  return {arguments.words().begin() + 1, arguments.words().end()};
}

// The router in `files`, --policy and --destination.
Result<RouterPolicy> ReadPolicy(const Arguments& arguments, std::vector<std::string> files) {
  const auto kind = PROV_TRY(GivenRouterKind(arguments));
  for (const std::string& path : arguments.All("policy")) files.push_back(path);
  if (arguments.Has("destination") && !files.empty())
    return RouterUsageError("--destination FILE takes a plain list and --policy FILE any form; give one of the two");
  if (arguments.Has("destination")) files = {arguments.Get("destination")};
  if (files.empty())
    return RouterUsageError(
        "--destination FILE or --policy FILE is missing; provisioner router --help shows an example");
  const router::PolicyRequest request{kind, arguments.Get("source"), arguments.Get("gateway")};
  auto found = PROV_TRY(router::ReadRouterPolicies(PROV_TRY(ReadPolicyFiles(files)), request));
  if (found.size() > 1) {
    std::vector<std::string> names;
    names.reserve(found.size());
    for (const RouterPolicy& one : found) names.push_back(one.name.empty() ? one.where : one.name);
    return Fail(Code::kKind,
                fmt::format("holds {} egress routers ({}); give the files of one", found.size(),
                            Shorten(fmt::format("{}", fmt::join(names, ", ")), 200)),
                files.front());
  }
  if (kind && found.front().kind != *kind) {
    return Fail(
        Code::kKind,
        fmt::format("holds a router of the kind {}, but --kind is {}", NameOf(found.front().kind), NameOf(*kind)),
        found.front().where);
  }
  return std::move(found.front());
}

// Parses NAME=COUNT.
Result<std::map<std::string, unsigned>> ReadRecords(const Arguments& arguments) {
  std::map<std::string, unsigned> out;
  for (const std::string& text : arguments.List("a-records")) {
    const std::size_t equals = text.find('=');
    const std::string_view digits = equals == std::string::npos ? "" : std::string_view(text).substr(equals + 1);
    const auto count = ParseDecimal(digits, kMostServers);
    if (equals == 0 || !count) {
      return Fail(Code::kUsage,
                  fmt::format("takes NAME=COUNT, how many addresses a name has (0 to {}), not \"{}\"", kMostServers,
                              Shorten(text)),
                  "--a-records");
    }
    out[AsciiLower(std::string_view(text).substr(0, equals))] = static_cast<unsigned>(*count);
  }
  return out;
}

// Parses the file as the script in the pod does.
std::vector<std::string> NameserversOf(std::string_view resolv) {
  std::vector<std::string> out;
  for (const std::string_view line : Split(resolv, '\n')) {
    if (!line.starts_with("nameserver")) continue;
    std::vector<std::string_view> words;
    for (std::size_t at = 0; at < line.size();) {
      const std::size_t first = line.find_first_not_of(" \t\r", at);
      if (first == std::string_view::npos) break;
      at = std::min(line.find_first_of(" \t\r", first), line.size());
      words.push_back(line.substr(first, at - first));
    }
    if (words.size() > 1) out.emplace_back(words[1]);
  }
  return out;
}

// The servers of --nameserver, or else this machine's.
Result<std::vector<std::string>> Nameservers(const Arguments& arguments, const RouterPolicy& policy,
                                             Findings& findings) {
  std::vector<std::string> given = arguments.List("nameserver");
  for (const std::string& one : given) {
    if (!IpAddress::Parse(one))
      return Fail(Code::kUsage, fmt::format("takes addresses, not \"{}\"", Shorten(one)), "--nameserver");
  }
  if (!given.empty()) return given;
  const std::string path(kResolv);
  std::vector<std::string> found = NameserversOf(ReadFile(path, kMostResolvBytes).value_or(""));
  if (std::ranges::none_of(policy.dns, &router::DnsRule::is_name)) return found;
  if (found.empty()) {
    AddWarning(findings, "router-nameservers",
               "no nameserver is known, so haproxy can't resolve the names; give --nameserver IP", path);
  } else {
    AddInfo(findings, "router-nameservers",
            fmt::format("the nameservers are those of this machine ({}); --nameserver IP names the pod's",
                        fmt::join(found, ", ")),
            path);
  }
  return found;
}

Result<Outcome> RenderAction(const Arguments& arguments, bool json) {
  const std::string name = PROV_TRY(OneOf(arguments, "format"));
  if (!arguments.Has("format")) {
    return Fail(Code::kUsage, fmt::format("is missing; it is one of {}", fmt::join(router::kFormatNames, ", ")),
                "--format");
  }
  const RouterPolicy policy = PROV_TRY(ReadPolicy(arguments, Rest(arguments)));
  Findings findings = policy.findings;
  router::RenderRequest request{.format = router::FormatOf(name).value_or(Format::kEnv)};
  request.name = arguments.Get("name");
  request.name_space = arguments.Get("namespace");
  request.image = arguments.Get("image");
  request.proxy_image = arguments.Get("proxy-image");
  request.a_records = PROV_TRY(ReadRecords(arguments));
  request.egress_ips = arguments.List("egress-ip");
  if (!request.egress_ips.empty() && request.format != Format::kManifest)
    return Fail(Code::kUsage, "is for --format manifest", "--egress-ip");
  if (request.format == Format::kHaproxy) request.nameservers = PROV_TRY(Nameservers(arguments, policy, findings));
  std::string text = PROV_TRY(router::Render(policy, request));
  router::ReviewPolicy(policy, {}, findings);
  if (request.format == Format::kManifest && request.egress_ips.empty()) {
    AddWarning(
        findings, "router-network",
        "the pod's annotation is for openshift-sdn: on OVN-Kubernetes, which clusters with Windows nodes have, the "
        "router does not start; give --egress-ip for a proxy, or --format cr for a redirect router",
        policy.where);
  }
  if (!json) return Outcome{0, std::move(text), std::move(findings)};
  JsonWriter out;
  out.BeginObject().Member("schema", 1).Member("kind", NameOf(policy.kind)).Member("format", name).Member("text", text);
  WriteFindings(out, findings);
  return Outcome{0, out.EndObject().Text(), {}};
}

Result<Outcome> CheckAction(const Arguments& arguments, bool json) {
  std::vector<std::string> files = Rest(arguments);
  for (const std::string_view option : {"policy", "destination"})
    std::ranges::copy(arguments.All(option), std::back_inserter(files));
  if (files.empty()) return RouterUsageError("FILE is missing; provisioner router --help shows an example");
  router::CheckRequest request{.kind = PROV_TRY(GivenRouterKind(arguments))};
  for (const std::string& text : arguments.List("node-network")) {
    const auto network = IpNetwork::Parse(text);
    if (!network) {
      return Fail(Code::kUsage, fmt::format("takes networks such as 10.0.0.0/16, not \"{}\"", Shorten(text)),
                  "--node-network");
    }
    request.node_networks.push_back(*network);
  }
  Findings findings = router::CheckRouters(PROV_TRY(ReadPolicyFiles(files)), request);
  const bool valid = IsValid(findings, arguments.Has("strict"));
  const int exit = valid ? 0 : InfoOf(Code::kDestination).exit;
  if (json) return Outcome{exit, RouterCheckJson(findings, valid), {}};
  return Outcome{exit, RouterCheckText(files, findings, valid), std::move(findings)};
}

struct AskedDestination {
  std::string text;
  std::string place = {};  // "FILE, line N"; "" for a word of the command line
};

Result<void> AddHosts(const std::string& path, std::vector<AskedDestination>& out) {
  const auto lines = PROV_TRY(router::ReadDestinationList(PROV_TRY(ReadFile(path, kMostRouterFileBytes)), path));
  if (lines.empty()) return Fail(Code::kRow, "names no destination; write one on each line", path);
  for (const router::ListedDestination& line : lines) out.push_back({line.text, line.place});
  return {};
}

// The destinations from the words and from the lines of --hosts.
Result<std::vector<AskedDestination>> Destinations(const Arguments& arguments, router::KnownAnswers& answers) {
  std::vector<AskedDestination> out;
  for (const std::string& text : arguments.All("resolve")) PROV_TRY(answers.Add(text));
  for (const std::string& word : Rest(arguments)) {
    // After --resolve, users often write several answers as words.
    const bool answer = word.find('=') != std::string::npos && word.find_first_of("/?") == std::string::npos;
    if (answer) {
      PROV_TRY(answers.Add(word));
    } else {
      out.push_back({word});
    }
  }
  if (arguments.Has("hosts")) PROV_TRY(AddHosts(arguments.Get("hosts"), out));
  if (out.empty())
    return RouterUsageError(
        "a destination is missing; give a URL or host for an HTTP proxy, a port of the router for others");
  if (out.size() > router::kMostDestinations)
    return Fail(Code::kTooLarge, fmt::format("more than {} destinations", router::kMostDestinations),
                std::string(kRouterCommand));
  return out;
}

// Errors: usage; row for a line of --hosts.
Result<router::RouterDestination> ParseAsked(router::RouterKind kind, const AskedDestination& asked) {
  auto out = router::ParseRouterDestination(kind, asked.text);
  if (out || asked.place.empty()) return out;
  return Fail(Code::kRow, fmt::format("\"{}\" {}", Shorten(out.error().where), out.error().message), asked.place);
}

Result<Outcome> ExplainAction(const Arguments& arguments, bool json) {
  PROV_TRY(CheckStandardInput(arguments, std::array<std::string_view, 3>{"policy", "destination", "hosts"}));
  router::KnownAnswers answers;
  const std::vector<AskedDestination> all = PROV_TRY(Destinations(arguments, answers));
  const RouterPolicy policy = PROV_TRY(ReadPolicy(arguments, {}));
  const router::Evaluation evaluation(policy);
  std::vector<ExplainedDestination> explained;
  explained.reserve(all.size());
  for (const AskedDestination& asked : all) {
    const router::RouterDestination destination = PROV_TRY(ParseAsked(policy.kind, asked));
    explained.push_back({destination.text, evaluation.Explain(destination, answers)});
  }
  Findings findings = policy.findings;
  router::ReviewPolicy(policy, {}, findings);
  if (json) return Outcome{0, RouterExplainJson(policy, explained, findings), {}};
  return Outcome{0, RouterExplainText(explained), std::move(findings)};
}

// Options and the action that they belong to. Another action would ignore them, so it refuses them.
constexpr std::array<std::pair<std::string_view, std::string_view>, 12> kOwners = {{{"format", "render"},
                                                                                    {"egress-ip", "render"},
                                                                                    {"name", "render"},
                                                                                    {"namespace", "render"},
                                                                                    {"image", "render"},
                                                                                    {"proxy-image", "render"},
                                                                                    {"a-records", "render"},
                                                                                    {"nameserver", "render"},
                                                                                    {"node-network", "check"},
                                                                                    {"strict", "check"},
                                                                                    {"resolve", "explain"},
                                                                                    {"hosts", "explain"}}};

Result<void> CheckRouterOptions(const Arguments& arguments, std::string_view action) {
  for (const auto& [option, owner] : kOwners) {
    if (owner != action && arguments.Has(option))
      return RouterUsageError(fmt::format("--{} is an option of router {}, not of router {}", option, owner, action));
  }
  for (const std::string_view option : {"source", "gateway"}) {
    if (action == "check" && arguments.Has(option))
      return RouterUsageError(fmt::format("router check takes no --{}: it looks at what the files say", option));
  }
  return {};
}

Result<Outcome> RunRouter(const Arguments& arguments, machine::Host& /*host*/) {
  const bool json = PROV_TRY(WantsJson(arguments));
  if (arguments.words().empty())
    return RouterUsageError(fmt::format("an action is missing: {}", fmt::join(kRouterActions, ", ")));
  const std::string& action = arguments.words().front();
  if (std::ranges::find(kRouterActions, action) == kRouterActions.end())
    return RefuseValue(std::string(kRouterCommand), "one of", action, kRouterActions);
  PROV_TRY(CheckRouterOptions(arguments, action));
  if (action == "render") return RenderAction(arguments, json);
  return action == "check" ? CheckAction(arguments, json) : ExplainAction(arguments, json);
}

OptionGroup RouterOptionSpecs() {
  return JoinOptions(
      {{{"kind", "redirect|http-proxy|dns-proxy", "which router a plain list is for (default: seen by its lines)",
         Group::kSource},
        {"destination", "FILE|-", "a plain list, as EGRESS_DESTINATION and its like hold it", Group::kSource},
        {"policy", "FILE|-",
         "a router in any form: list, EGRESS_* assignments, ConfigMap, pod or what makes pods, EgressRouter; may be "
         "repeated for objects that belong together",
         Group::kSource},
        {"source", "IP[/N]", "EGRESS_SOURCE, where the files have none", Group::kSource},
        {"gateway", "IP", "EGRESS_GATEWAY, where the files have none", Group::kSource},
        {"resolve", "NAME=IP[,IP]",
         "explain: DNS answer; NAME= does not resolve, IP=NAME is a reverse lookup; may be repeated", Group::kRequests},
        {"hosts", "FILE|-", "explain: more destinations, one on a line", Group::kRequests},
        {"node-network", "CIDR...", "check: networks of the nodes; source addresses must be in one of them",
         Group::kChecks},
        {"strict", "", "check: warnings count as errors", Group::kChecks},
        {"format", "FORMAT", "render: one of the forms above", Group::kOutput, false,
         "nft nft-file iptables iptables-file squid squid-conf haproxy env configmap manifest cr nad"},
        {"egress-ip", "IP...",
         "render: a manifest for OVN-Kubernetes: the proxy, and an EgressIP with which its pods leave (in the place of "
         "--source and --gateway)",
         Group::kOutput},
        {"name", "NAME", "render: name of the objects (default: that of the object read, or egress-router)",
         Group::kOutput},
        {"namespace", "NAME", "render: their namespace", Group::kOutput},
        {"image", "IMAGE", "render: image that sets up the network", Group::kOutput},
        {"proxy-image", "IMAGE", "render: image with squid or haproxy; for a redirect router, an image that only waits",
         Group::kOutput},
        {"a-records", "NAME=COUNT...", "render: how many addresses a name has, for haproxy (default: 1)",
         Group::kOutput},
        {"nameserver", "IP...", "render: nameservers for haproxy (default: those of /etc/resolv.conf on this machine)",
         Group::kOutput}},
       OutputOptionSpecs()});
}

}  // namespace

Command RouterCommand() {
  CommandSpec spec = {
      "router",
      "Write the files of an egress router, check them, and show what it does with a destination.",
      "render|check|explain [FILE|DEST]...",
      "render writes a router in one form: nft, nft-file, iptables, iptables-file (redirect), squid, squid-conf\n"
      "(http-proxy), haproxy (dns-proxy), cr, nad (redirect), env, configmap, manifest (each kind). Rules and\n"
      "configurations are byte for byte those of the images' scripts. A line that these scripts accept but squid,\n"
      "nftables or haproxy refuse is an error. nft-file and iptables-file are whole files for nft -f and\n"
      "iptables-restore. check reports every fault in files; the exit code is 11 if one is an error. explain shows "
      "for\n"
      "each DEST which line decides, where the traffic goes and its source address outside the cluster.\nDEST is a "
      "URL, host or address for an HTTP proxy, else a port of the router: 8080, 8080/udp, HOST:8080.",
      "  $ provisioner router explain --kind http-proxy --destination allowed.txt https://quay.io/ "
      "https://cdn.example/\n"
      "  DEST                  decision  line  note\n"
      "  https://quay.io/      allow        2  line 2 (*.quay.io) allows it; to quay.io:443\n"
      "  https://cdn.example/  deny         -  no line matches it, so it is denied",
      RouterOptionSpecs()};
  return {.spec = std::move(spec), .run = RunRouter};
}

}  // namespace prov::cli
