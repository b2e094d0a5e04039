// `hns-proxy`: redirects the traffic of pods on a Windows node to a proxy in the pod.
#include "provisioner/cli/hns_proxy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "provisioner/base/json_writer.h"
#include "provisioner/base/text.h"
#include "provisioner/hns/endpoint.h"

namespace prov::cli {
namespace {

// The options that a command of `hns-proxy` accepts. Every command accepts --output and --help.
enum Takes : unsigned { kPolicy = 1, kTarget = 2, kContainer = 4, kFormat = 8, kDryRun = 16 };

struct OptionRow {
  unsigned with;  // for any of these commands
  OptionSpec spec;
};

std::vector<OptionRow> OptionRows() {
  std::vector<OptionRow> out;
  for (const OptionSpec& spec : PolicyOptionSpecs()) out.push_back({kPolicy, spec});
  const std::vector<OptionRow> others = {
      {kTarget, {"namespace", "GUID", "the endpoints of this HCN network namespace", Group::kTarget}},
      {kTarget,
       {"container", "ID", "the endpoints of this container's pod; the beginning of the ID is enough", Group::kTarget}},
      {kTarget, {"all", "", "all endpoints of the node; add and ensure take those of its pods only", Group::kTarget}},
      {kTarget | kContainer,
       {"crictl", "FILE",
        "what `crictl inspect` printed of the container; - is standard input (default: crictl is run)",
        Group::kTarget}},
      {kTarget | kContainer,
       {"crictl-exe", "FILE", "the crictl that is run (default: the one in PATH)", Group::kTarget}},
      {kDryRun, {"dry-run", "", "only print the changes; exit code 4 if there are any", Group::kRun}},
      {kFormat,
       {"format", "endpoint|request|cni|azure-vnet",
        "endpoint: the policy of an endpoint; request: the request document for HcnModifyEndpoint; cni: an entry of a "
        "CNI configuration, unproven with win-overlay; azure-vnet: the same for the CNI plugin of Azure (default: "
        "endpoint)",
        Group::kOutput}},
  };
  out.insert(out.end(), others.begin(), others.end());
  return out;
}

struct Subcommand {
  std::string_view name;
  unsigned takes;
};

constexpr std::array kSubcommands = {
    Subcommand{"lookup", kContainer},
    Subcommand{"list", kTarget},
    Subcommand{"clear", kTarget | kDryRun},
    Subcommand{"add", kTarget | kPolicy | kDryRun},
    Subcommand{"ensure", kTarget | kPolicy | kDryRun},
    Subcommand{"check", kPolicy},
    Subcommand{"render", kPolicy | kFormat},
};

Result<const Subcommand*> FindSubcommand(const std::vector<std::string>& words) {
  std::vector<std::string_view> names;
  names.reserve(std::size(kSubcommands));
  for (const Subcommand& known : kSubcommands) names.push_back(known.name);
  if (words.empty()) {
    return Fail(Code::kUsage,
                fmt::format("takes one of {}; {} --help shows examples", fmt::join(names, ", "), kHnsProxyCommand),
                std::string(kHnsProxyCommand));
  }
  const auto* found = std::ranges::find(kSubcommands, words.front(), &Subcommand::name);
  if (found != kSubcommands.end()) return found;
  return RefuseValue(std::string(kHnsProxyCommand), "one of", words.front(), names);
}

// Refuses an option that is given twice but has one value: the first value would be ignored, and the command would act
// on another pod.
Result<void> CheckCounts(const Arguments& arguments, const std::string& where) {
  for (const OptionRow& row : OptionRows()) {
    const bool repeats = row.spec.name.find("-except-") != std::string_view::npos || row.spec.name == "policy";
    const std::size_t count = arguments.All(row.spec.name).size();
    if (repeats || count < 2) continue;
    return Fail(Code::kUsage, fmt::format("takes one --{}, not {}", row.spec.name, count), where);
  }
  if (arguments.Has("crictl") && arguments.Has("crictl-exe")) {
    return Fail(Code::kUsage,
                "takes --crictl or --crictl-exe, not both: --crictl is output that crictl already printed", where);
  }
  return {};
}

// Refuses options that the command would ignore: the user expects them to have an effect.
Result<void> CheckSubcommandArguments(const Subcommand& subcommand, const Arguments& arguments) {
  const std::string where = fmt::format("{} {}", kHnsProxyCommand, subcommand.name);
  for (const OptionRow& row : OptionRows()) {
    if (arguments.Has(row.spec.name) && (row.with & subcommand.takes) == 0)
      return Fail(Code::kUsage, fmt::format("takes no --{}; {} --help says what does", row.spec.name, kHnsProxyCommand),
                  where);
  }
  PROV_TRY(CheckCounts(arguments, where));
  const std::vector<std::string>& words = arguments.words();
  if (words.size() > 2) {
    return Fail(Code::kUsage,
                fmt::format("takes one argument, not {} ({})", words.size() - 1,
                            fmt::join(words.begin() + 1, words.end(), ", ")),
                where);
  }
  if (std::ranges::find(words, std::string()) != words.end())
    return Fail(Code::kUsage, "an argument is empty (an unset variable?)", where);
  const auto is_input = [&](std::string_view option) { return arguments.Get(option) == "-"; };
  const auto inputs = std::ranges::count(words, "-") + (is_input("policy") ? 1 : 0) + (is_input("crictl") ? 1 : 0);
  if (inputs > 1) return Fail(Code::kUsage, "can read one document only from standard input", where);
  return {};
}

std::vector<std::string> SettingsOf(std::span<const hns::Policy> policies) {
  std::vector<std::string> out;
  for (const hns::Policy& policy : policies) out.push_back(hns::SettingsJson(policy));
  return out;
}

// One document, or a list of several.
std::string OneOrList(const std::vector<std::string>& documents) {
  if (documents.size() == 1) return documents.front() + "\n";
  return fmt::format("[{}]\n", fmt::join(documents, ","));
}

Result<Outcome> Render(const Arguments& arguments) {
  const std::string format = PROV_TRY(OneOf(arguments, "format"));
  PROV_TRY(WantsJson(arguments));  // checks the value only; the output is always JSON
  const std::vector<hns::Policy> policies = PROV_TRY(GivenPolicies(arguments));
  Findings findings = PROV_TRY(hns::RequireValid(policies));
  std::vector<std::string> settings = SettingsOf(policies);
  if (format == "request")
    return Outcome{0, hns::ModifyRequest(hns::Modification::kAdd, settings) + "\n", std::move(findings)};
  if (format == "endpoint") {
    for (std::string& one : settings) one = hns::EndpointPolicyJson(one);
    return Outcome{0, OneOrList(settings), std::move(findings)};
  }
  const bool azure = format == "azure-vnet";
  for (std::string& one : settings)
    one = hns::CniEntryJson(azure ? hns::CniPlugin::kAzureVnet : hns::CniPlugin::kWinOverlay, one);
  AddWarning(findings, "hns-cni",
             fmt::format("{}; check a new pod with `hns-proxy list`",
                         azure ? "azure-vnet's code takes this entry, and no run has shown that it has an effect"
                               : "it is unproven that win-overlay accepts this entry"));
  return Outcome{0, OneOrList(settings), std::move(findings)};
}

struct CheckedPolicies {
  std::vector<hns::Policy> policies;
  Findings findings;
};

// A policy that can't be parsed counts as invalid; other errors remain errors.
Result<CheckedPolicies> CheckPolicies(const Arguments& arguments) {
  CheckedPolicies out;
  auto policies = GivenPolicies(arguments);
  if (!policies && policies.error().code != Code::kPolicy) return std::unexpected(std::move(policies).error());
  if (!policies) {
    AddError(out.findings, "policy", policies.error().message, policies.error().where);
    return out;
  }
  out.policies = *std::move(policies);
  out.findings = hns::Validate(out.policies);
  return out;
}

Result<Outcome> CheckPolicy(const Arguments& arguments) {
  const bool json = PROV_TRY(WantsJson(arguments));
  CheckedPolicies checked = PROV_TRY(CheckPolicies(arguments));
  const bool valid = IsValid(checked.findings);
  const int exit = valid ? 0 : InfoOf(Code::kPolicy).exit;
  if (!json) {
    const std::string text = valid ? fmt::format("valid: {}\n", PolicyCount(checked.policies.size())) : "not valid\n";
    return Outcome{exit, text, std::move(checked.findings)};
  }
  JsonWriter out;
  out.BeginObject().Member("schema", 1).Member("valid", valid).Key("policies").BeginArray();
  if (valid) {
    for (const std::string& settings : SettingsOf(checked.policies)) out.Json(settings);
  }
  out.EndArray();
  WriteFindings(out, checked.findings);
  return Outcome{exit, out.EndObject().Text(), {}};
}

Result<Outcome> Lookup(const Arguments& arguments, machine::Host& host) {
  const bool json = PROV_TRY(WantsJson(arguments));
  const std::vector<std::string>& words = arguments.words();
  if (words.size() < 2) {
    return Fail(Code::kUsage, "takes the ID of a container, or its beginning; crictl ps lists them",
                fmt::format("{} lookup", kHnsProxyCommand));
  }
  const hns::Container container = PROV_TRY(FindContainer(arguments, words[1], host));
  const std::vector<std::string> endpoints =
      PROV_TRY(hns::EndpointsOfNamespace(host.compute_network(), container.network_namespace));
  if (!json) {
    std::string text =
        fmt::format("container  {}\nnamespace  {}\n", Printable(container.id), container.network_namespace);
    for (const std::string& endpoint : endpoints) text += fmt::format("endpoint   {}\n", Printable(endpoint));
    return Outcome{0, text, {}};
  }
  JsonWriter out;
  out.BeginObject().Member("schema", 1).Member("container", container.id);
  out.Member("namespace", container.network_namespace).Strings("endpoints", endpoints);
  return Outcome{0, out.EndObject().Text(), {}};
}

Result<Outcome> RunHnsProxy(const Arguments& arguments, machine::Host& host) {
  const Subcommand& subcommand = *PROV_TRY(FindSubcommand(arguments.words()));
  PROV_TRY(CheckSubcommandArguments(subcommand, arguments));
  if (subcommand.name == "render") return Render(arguments);
  if (subcommand.name == "lookup") return Lookup(arguments, host);
  if (subcommand.name == "check" && NamesPolicy(arguments)) return CheckPolicy(arguments);
  return RunOnEndpoints(arguments, host);
}

constexpr std::string_view kDetails =
    "An HNS policy on the endpoint of a pod redirects the pod's TCP connections to a proxy in the same pod.\n  lookup "
    "CONTAINER        the endpoints of a container's pod\n"
    "  list TARGET             the policies of endpoints\n"
    "  add TARGET POLICY       adds a policy where it is missing\n"
    "  ensure TARGET POLICY    makes it the only policy of this kind; writes nothing if it already is\n"
    "  clear TARGET            removes all policies of this kind\n"
    "  check [POLICY]          is the policy valid? Without one: does this node's HNS (13.2 or later) have them?\n"
    "  render POLICY           the policy as JSON\n"
    "TARGET is the GUID of an endpoint, --namespace, --container or --all. POLICY is --policy, or the options that\n"
    "say the same. check POLICY and render work on any system, the others on a Windows node. HNS redirects TCP over\n"
    "IPv4, for containers with process isolation. Other policies of an endpoint are never changed. A recreated pod\n"
    "gets a new endpoint without the policy, so repeat ensure.";

constexpr std::string_view kExample =
    "  $ provisioner hns-proxy render --outbound-port 15001 --usersid network-configuration-operators\n"
    "  {\"Type\":\"L4WFPPROXY\",\"Settings\":{\"OutboundProxyPort\":\"15001\",\"FilterTuple\":{\"Protocols\":\"6\"},\n"
    "  \"UserSID\":\"S-1-5-32-556\",\"InboundExceptions\":{},\"OutboundExceptions\":{}}}\n"
    "  > provisioner hns-proxy ensure --container ccaae3aba155c --outbound-port 15001 --usersid S-1-5-32-556";

}  // namespace

Command HnsProxyCommand() {
  OptionGroup own;
  for (OptionRow& row : OptionRows()) own.push_back(row.spec);
  CommandSpec spec = {"hns-proxy",
                      "Redirect the TCP traffic of pods on a Windows node to a proxy beside them.",
                      "lookup|list|clear|add|ensure|check|render [ARGUMENT]...",
                      kDetails,
                      kExample,
                      JoinOptions({own, OutputOptionSpecs()})};
  return {.spec = std::move(spec), .run = RunHnsProxy, .data_word = "render"};
}

}  // namespace prov::cli
