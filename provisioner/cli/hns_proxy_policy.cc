// The policy in the options of `hns-proxy`: a file, or one option for each member.
#include <fmt/format.h>

#include "provisioner/base/file.h"
#include "provisioner/base/text.h"
#include "provisioner/cli/hns_proxy.h"

namespace prov::cli {
namespace {

// An option of a policy, and the member that it sets. Without a member it sets several, or adds to a policy.
struct PolicyOption {
  OptionSpec spec;
  std::string& (*text)(hns::Policy& policy) = nullptr;
  std::vector<std::string>& (*list)(hns::Policy& policy) = nullptr;  // of one that may be repeated
};

std::vector<PolicyOption> PolicyOptions() {
  constexpr Group kGroup = Group::kSource;
  using hns::Policy;
  return {
      {{"port", "PORT", "the proxy's port, for connections to and from the pod", kGroup}},
      {{"inbound-port", "PORT", "the proxy's port for connections to the pod", kGroup},
       [](Policy& policy) -> auto& { return policy.inbound_port; }},
      {{"outbound-port", "PORT", "the proxy's port for connections from the pod", kGroup},
       [](Policy& policy) -> auto& { return policy.outbound_port; }},
      {{"usersid", "SID|NAME",
        "the proxy's account, or a group of it, whose connections are not redirected: a SID (S-1-...), system, "
        "network-service or network-configuration-operators",
        kGroup},
       [](Policy& policy) -> auto& { return policy.user_sid; }},
      {{"localaddr", "LIST", "only connections of these IPv4 addresses of the pod", kGroup},
       [](Policy& policy) -> auto& { return policy.filter.local_addresses; }},
      {{"remoteaddr", "LIST", "only connections with these remote IPv4 addresses", kGroup},
       [](Policy& policy) -> auto& { return policy.filter.remote_addresses; }},
      {{"localports", "LIST", "only connections of these local ports of the pod, such as 80,8000-8080", kGroup},
       [](Policy& policy) -> auto& { return policy.filter.local_ports; }},
      {{"remoteports", "LIST", "only connections with these remote ports", kGroup},
       [](Policy& policy) -> auto& { return policy.filter.remote_ports; }},
      {{"priority", "NUMBER", "the order of policies, 0 to 65535 (default: 0)", kGroup},
       [](Policy& policy) -> auto& { return policy.filter.priority; }},
      {{"in-except-ip", "IP", "do not redirect connections from this address; may be repeated", kGroup},
       nullptr,
       [](Policy& policy) -> auto& { return policy.inbound.addresses; }},
      {{"in-except-port", "PORT", "do not redirect connections to this port of the pod; may be repeated", kGroup},
       nullptr,
       [](Policy& policy) -> auto& { return policy.inbound.ports; }},
      {{"out-except-ip", "IP", "do not redirect connections to this address; may be repeated", kGroup},
       nullptr,
       [](Policy& policy) -> auto& { return policy.outbound.addresses; }},
      {{"out-except-port", "PORT", "do not redirect connections to this remote port; may be repeated", kGroup},
       nullptr,
       [](Policy& policy) -> auto& { return policy.outbound.ports; }},
  };
}

// The first given option that describes a policy by itself, or "".
std::string_view GivenFlag(const Arguments& arguments) {
  for (const PolicyOption& option : PolicyOptions()) {
    if (arguments.Has(option.spec.name)) return option.spec.name;
  }
  return {};
}

// Refuses an empty value: it is probably an unset variable, and the policy would redirect other traffic.
Result<std::string> GivenValue(const Arguments& arguments, std::string_view name) {
  std::string value = arguments.Get(name);
  if (!TrimBlanks(value).empty()) return value;
  return Fail(Code::kPolicy, "is empty (an unset variable?); leave the option out or give a value",
              fmt::format("--{}", name));
}

Result<hns::Policy> PolicyOfFlags(const Arguments& arguments) {
  hns::Policy out;
  if (arguments.Has("port")) {
    if (arguments.Has("inbound-port") || arguments.Has("outbound-port")) {
      return Fail(Code::kUsage,
                  "can't be used with --inbound-port or --outbound-port, because it sets both; leave one out",
                  "--port");
    }
    out.inbound_port = PROV_TRY(GivenValue(arguments, "port"));
    out.outbound_port = out.inbound_port;
  }
  for (const PolicyOption& option : PolicyOptions()) {
    const std::string_view name = option.spec.name;
    if (option.text != nullptr && arguments.Has(name)) option.text(out) = PROV_TRY(GivenValue(arguments, name));
    if (option.list == nullptr) continue;
    for (const std::string& value : arguments.All(name)) {
      for (const std::string_view item : Split(value, ',')) option.list(out).emplace_back(item);
    }
  }
  hns::Tidy(out);
  return out;
}

// `render` and `check` also take a file as their argument.
std::vector<std::string> PolicyFiles(const Arguments& arguments) {
  std::vector<std::string> out = arguments.All("policy");
  const std::vector<std::string>& words = arguments.words();
  const bool takes_file = !words.empty() && (words.front() == "render" || words.front() == "check");
  if (takes_file && words.size() > 1) out.push_back(words[1]);
  return out;
}

}  // namespace

OptionGroup PolicyOptionSpecs() {
  OptionGroup out = {{"policy", "FILE", "policies as JSON, one or a list; - is standard input", Group::kSource}};
  for (const PolicyOption& option : PolicyOptions()) out.push_back(option.spec);
  return out;
}

std::string PolicyCount(std::size_t count) { return count == 1 ? "1 policy" : fmt::format("{} policies", count); }

bool NamesPolicy(const Arguments& arguments) {
  return !PolicyFiles(arguments).empty() || !GivenFlag(arguments).empty();
}

Result<std::vector<hns::Policy>> GivenPolicies(const Arguments& arguments) {
  const std::string where = fmt::format("{} {}", kHnsProxyCommand, arguments.words().front());
  const std::vector<std::string> files = PolicyFiles(arguments);
  const std::string_view flag = GivenFlag(arguments);
  if (files.empty() && flag.empty()) {
    return Fail(Code::kUsage, "a policy is missing; give --policy FILE, or --port PORT and the other members", where);
  }
  if (files.size() > 1) {
    return Fail(Code::kUsage, fmt::format("takes one file of policies, not {}; put them into one list", files.size()),
                where);
  }
  if (!files.empty() && !flag.empty()) {
    return Fail(
        Code::kUsage,
        fmt::format("--{} is part of a policy, but {} is a complete policy; leave one of them out", flag, files[0]),
        where);
  }
  if (files.empty()) return std::vector{PROV_TRY(PolicyOfFlags(arguments))};
  const std::string name = files[0] == "-" ? std::string("standard input") : files[0];
  return hns::ReadPolicies(PROV_TRY(ReadFile(files[0], hns::kMostPolicyBytes)), name);
}

}  // namespace prov::cli
