// The policy in the options of `hns-proxy`: a file, or one option for each member.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "provisioner/base/file.h"
#include "provisioner/base/text.h"
#include "provisioner/cli/hns_proxy.h"
#include "provisioner/hns/no_proxy_exceptions.h"
#include "provisioner/node/source_reader.h"

namespace prov::cli {
namespace {

// An option with one value, and the member that it sets.
struct TextOption {
  std::string_view name;
  std::string& (*member)(hns::Policy& policy);
};
constexpr std::array kTexts = {
    TextOption{"inbound-port", [](hns::Policy& policy) -> std::string& { return policy.inbound_port; }},
    TextOption{"outbound-port", [](hns::Policy& policy) -> std::string& { return policy.outbound_port; }},
    TextOption{"usersid", [](hns::Policy& policy) -> std::string& { return policy.user_sid; }},
    TextOption{"localaddr", [](hns::Policy& policy) -> std::string& { return policy.filter.local_addresses; }},
    TextOption{"remoteaddr", [](hns::Policy& policy) -> std::string& { return policy.filter.remote_addresses; }},
    TextOption{"localports", [](hns::Policy& policy) -> std::string& { return policy.filter.local_ports; }},
    TextOption{"remoteports", [](hns::Policy& policy) -> std::string& { return policy.filter.remote_ports; }},
    TextOption{"priority", [](hns::Policy& policy) -> std::string& { return policy.filter.priority; }},
};

// Options that may be repeated.
struct ListOption {
  std::string_view name;
  std::vector<std::string>& (*member)(hns::Policy& policy);
};
constexpr std::array kLists = {
    ListOption{"in-except-ip", [](hns::Policy& policy) -> auto& { return policy.inbound.addresses; }},
    ListOption{"in-except-port", [](hns::Policy& policy) -> auto& { return policy.inbound.ports; }},
    ListOption{"out-except-ip", [](hns::Policy& policy) -> auto& { return policy.outbound.addresses; }},
    ListOption{"out-except-port", [](hns::Policy& policy) -> auto& { return policy.outbound.ports; }},
};

// The first given option that describes a policy by itself, or "".
std::string_view GivenFlag(const Arguments& arguments) {
  if (arguments.Has("port")) return "port";
  for (const TextOption& option : kTexts) {
    if (arguments.Has(option.name)) return option.name;
  }
  for (const ListOption& option : kLists) {
    if (arguments.Has(option.name)) return option.name;
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
  for (const TextOption& option : kTexts) {
    if (arguments.Has(option.name)) option.member(out) = PROV_TRY(GivenValue(arguments, option.name));
  }
  for (const ListOption& option : kLists) {
    for (const std::string& value : arguments.All(option.name)) {
      for (const std::string_view item : Split(value, ',')) option.member(out).emplace_back(item);
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

Result<void> AddExceptions(const Arguments& arguments, machine::Host& host, std::vector<hns::Policy>& policies,
                           Findings& findings) {
  if (!arguments.Has("exceptions-from")) return {};
  source::SourceSpec spec;
  spec.source = PROV_TRY(GivenValue(arguments, "exceptions-from"));
  const egress::EgressConfig config = PROV_TRY(node::ReadSource(host, spec)).config;
  const std::string where = config.proxy_file.path + ": NO_PROXY";
  const egress::NoProxy list = PROV_TRY(egress::NoProxy::Parse(config.no_proxy.value_or(""), where));
  Findings told;
  for (hns::Policy& policy : policies) {
    told.clear();
    hns::AddNoProxy(list, where, policy, told);  // repeats the same findings for each policy
  }
  findings.insert(findings.end(), told.begin(), told.end());
  return {};
}

}  // namespace

std::string PolicyCount(std::size_t count) { return count == 1 ? "1 policy" : fmt::format("{} policies", count); }

bool NamesPolicy(const Arguments& arguments) {
  return !PolicyFiles(arguments).empty() || !GivenFlag(arguments).empty() || arguments.Has("exceptions-from");
}

Result<std::vector<hns::Policy>> GivenPolicies(const Arguments& arguments, machine::Host& host, Findings& findings) {
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
  std::vector<hns::Policy> out;
  if (files.empty()) {
    out.push_back(PROV_TRY(PolicyOfFlags(arguments)));
  } else {
    const std::string name = files[0] == "-" ? std::string("standard input") : files[0];
    out = PROV_TRY(hns::ReadPolicies(PROV_TRY(ReadFile(files[0], hns::kMostPolicyBytes)), name));
  }
  PROV_TRY(AddExceptions(arguments, host, out, findings));
  return out;
}

}  // namespace prov::cli
