// Reads policies as users write them: the file formats, and names for numbers or SIDs.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "provisioner/base/json_reader.h"
#include "provisioner/base/suggestion.h"
#include "provisioner/base/text.h"
#include "provisioner/hns/policy.h"

namespace prov::hns {
namespace {

std::unexpected<Error> RefuseMember(const JsonNode& node, std::string_view name,
                                    std::span<const std::string_view> known) {
  const std::string near = DidYouMean(name, known);
  return node.Refuse(Code::kPolicy,
                     fmt::format("\"{}\" is not a member that HNS knows here; {}", Shorten(name),
                                 near.empty() ? fmt::format("it knows {}", fmt::join(known, ", ")) : near));
}

using Members = std::vector<std::pair<std::string, JsonNode>>;

// The members that are not null.
Result<Members> MembersOf(const JsonNode& node, std::string_view wanted) {
  auto members = node.Members();
  if (!members) return node.Refuse(Code::kPolicy, fmt::format("is not {}", wanted));
  std::erase_if(*members, [](const auto& member) { return member.second.IsNull(); });
  return *std::move(members);
}

// A number or its text.
Result<std::string> NumberText(const JsonNode& node) {
  if (auto text = node.Text()) return *std::move(text);
  if (const auto number = node.Integer()) return fmt::format("{}", *number);
  return node.Refuse(Code::kPolicy, "is neither a text nor a whole number");
}

Result<std::vector<std::string>> Texts(const JsonNode& node) {
  auto items = node.Items();
  if (!items) return node.Refuse(Code::kPolicy, "is not a list; write [\"…\"], also for one item");
  std::vector<std::string> out;
  for (const JsonNode& item : *items) out.push_back(PROV_TRY(NumberText(item)));
  return out;
}

Result<Exceptions> ReadExceptions(const JsonNode& node) {
  constexpr std::array<std::string_view, 2> kKnown = {"IpAddressExceptions", "PortExceptions"};
  Exceptions out;
  for (const auto& [name, value] : PROV_TRY(MembersOf(node, "an object with IpAddressExceptions, PortExceptions"))) {
    if (name == kKnown[0]) {
      out.addresses = PROV_TRY(Texts(value));
    } else if (name == kKnown[1]) {
      out.ports = PROV_TRY(Texts(value));
    } else {
      return RefuseMember(value, name, kKnown);
    }
  }
  return out;
}

Result<FilterTuple> ReadFilter(const JsonNode& node) {
  FilterTuple out;
  const std::array<std::pair<std::string_view, std::string*>, 6> texts = {{{"Protocols", &out.protocols},
                                                                           {"LocalAddresses", &out.local_addresses},
                                                                           {"RemoteAddresses", &out.remote_addresses},
                                                                           {"LocalPorts", &out.local_ports},
                                                                           {"RemotePorts", &out.remote_ports},
                                                                           {"Priority", &out.priority}}};
  for (const auto& [name, value] : PROV_TRY(MembersOf(node, "an object such as {\"Protocols\":\"6\"}"))) {
    const auto text = std::ranges::find(texts, std::string_view(name), &decltype(texts)::value_type::first);
    if (text == texts.end()) {
      std::array<std::string_view, texts.size()> known;
      std::ranges::transform(texts, known.begin(), &decltype(texts)::value_type::first);
      return RefuseMember(value, name, known);
    }
    *text->second = PROV_TRY(NumberText(value));
  }
  return out;
}

// Reads one member of the settings. False: the name is unknown.
Result<bool> ReadMember(std::string_view name, const JsonNode& value, Policy& out, std::optional<JsonNode>& port) {
  if (name == "Port") {
    port = value;
  } else if (name == "InboundProxyPort") {
    out.inbound_port = PROV_TRY(NumberText(value));
  } else if (name == "OutboundProxyPort") {
    out.outbound_port = PROV_TRY(NumberText(value));
  } else if (name == "UserSID") {
    auto text = value.Text();
    if (!text) return value.Refuse(Code::kPolicy, "is not a text");
    out.user_sid = *std::move(text);
  } else if (name == "FilterTuple") {
    out.filter = PROV_TRY(ReadFilter(value));
  } else if (name == "InboundExceptions") {
    out.inbound = PROV_TRY(ReadExceptions(value));
  } else if (name == "OutboundExceptions") {
    out.outbound = PROV_TRY(ReadExceptions(value));
  } else {
    return false;
  }
  return true;
}

Result<Policy> ReadSettings(const Members& members, std::string where) {
  constexpr std::array<std::string_view, 7> kKnown = {
      "InboundProxyPort",  "OutboundProxyPort",  "FilterTuple", "UserSID",
      "InboundExceptions", "OutboundExceptions", "Port"};
  Policy out;
  out.where = std::move(where);
  std::optional<JsonNode> port;
  for (const auto& [name, value] : members) {
    if (!PROV_TRY(ReadMember(name, value, out, port))) return RefuseMember(value, name, kKnown);
  }
  if (port) {
    if (!out.inbound_port.empty() || !out.outbound_port.empty()) {
      return port->Refuse(Code::kPolicy,
                          "is beside InboundProxyPort or OutboundProxyPort, and means both; leave it out");
    }
    out.inbound_port = PROV_TRY(NumberText(*port));
    out.outbound_port = out.inbound_port;
  }
  Tidy(out);
  return out;
}

const JsonNode* FindMember(const Members& members, std::string_view name) {
  const auto found = std::ranges::find(members, name, [](const auto& one) { return std::string_view(one.first); });
  return found == members.end() ? nullptr : &found->second;
}

Result<void> CheckType(const JsonNode& policy, const Members& members) {
  const JsonNode* type = FindMember(members, "Type");
  if (type == nullptr)
    return policy.Refuse(Code::kPolicy, fmt::format("has no Type; write \"Type\": \"{}\"", kPolicyType));
  const auto text = type->Text();
  if (text && *text == kPolicyType) return {};
  if (text && EqualsIgnoreAsciiCase(*text, kPolicyType))
    return type->Refuse(Code::kPolicy,
                        fmt::format("is \"{}\", and HNS compares letters: write {}", *text, kPolicyType));
  return type->Refuse(Code::kPolicy, fmt::format("is another type of policy; only {} is taken here", kPolicyType));
}

// `members`: those of `node`.
Result<Policy> ReadPolicy(const JsonNode& node, Members members, const std::string& place) {
  PROV_TRY(CheckType(node, members));
  std::erase_if(members, [](const auto& member) { return member.first == "Type"; });
  const auto settings = std::ranges::find(members, "Settings", &Members::value_type::first);
  if (settings == members.end()) return ReadSettings(members, place);
  if (members.size() > 1) {
    const auto& other = members[settings == members.begin() ? 1 : 0];
    return other.second.Refuse(Code::kPolicy, "is beside Settings and not in it; put it into Settings");
  }
  const Members inner = PROV_TRY(MembersOf(settings->second, "an object"));
  return ReadSettings(inner, place + ".Settings");
}

// Gives the members that have one of these names in any case this name: the plugins of CNI read them so.
void NameMembers(Members& members, std::span<const std::string_view> names) {
  for (auto& [name, value] : members) {
    const auto same =
        std::ranges::find_if(names, [&](std::string_view one) { return EqualsIgnoreAsciiCase(one, name); });
    if (same != names.end()) name = *same;
  }
}

// Whether the object is an entry of a CNI configuration; its members then have these names.
bool IsCniEntry(Members& members) {
  constexpr std::array<std::string_view, 2> kNames = {"Name", "Value"};
  Members named = members;
  NameMembers(named, kNames);
  if (FindMember(named, kNames[0]) == nullptr || FindMember(named, kNames[1]) == nullptr) return false;
  members = std::move(named);
  return true;
}

// azure-vnet decodes each text and each number as what it is in HNS' document, and refuses to make a pod otherwise.
Result<void> CheckAzureTypes(const JsonNode& node, bool is_priority = false) {
  if (node.Integer() && !is_priority)
    return node.Refuse(Code::kPolicy, "is a number, and azure-vnet takes a text only; put it into quotes");
  if (node.Text() && is_priority)
    return node.Refuse(Code::kPolicy, "is a text, and azure-vnet takes a number only; remove the quotes");
  if (const auto items = node.Items()) {
    for (const JsonNode& item : *items) PROV_TRY(CheckAzureTypes(item));
  }
  if (const auto members = node.Members()) {
    for (const auto& [name, value] : *members) PROV_TRY(CheckAzureTypes(value, name == "Priority"));
  }
  return {};
}

// Refuses what azure-vnet would pass over: it reads the settings beside the type.
Result<void> CheckForAzure(const JsonNode& value, const Members& members) {
  if (const JsonNode* settings = FindMember(members, "Settings")) {
    return settings->Refuse(
        Code::kPolicy,
        "is not read by azure-vnet, which would set a policy without a port; put its members beside "
        "Type, as `hns-proxy render --format azure-vnet` does");
  }
  if (const JsonNode* port = FindMember(members, "Port"))
    return port->Refuse(Code::kPolicy, "is not read by azure-vnet; write InboundProxyPort and OutboundProxyPort");
  return CheckAzureTypes(value);
}

// The policy of an entry; nullopt: of another type, where these are passed over. `entry`: its members, named.
Result<std::optional<Policy>> ReadCniEntry(const Members& entry, const std::string& place, bool azure, bool ours_only) {
  constexpr std::array<std::string_view, 2> kNames = {"Type", "Settings"};
  const JsonNode& value = *FindMember(entry, "Value");
  if (!ours_only && !value.Members()) return std::nullopt;
  Members members = PROV_TRY(MembersOf(value, "a policy, which is an object with Type"));
  NameMembers(members, kNames);
  const JsonNode* type = FindMember(members, "Type");
  const auto text = type == nullptr ? std::string() : type->Text().value_or("");
  if (!ours_only && !EqualsIgnoreAsciiCase(text, kPolicyType)) return std::nullopt;
  const JsonNode& name = *FindMember(entry, "Name");
  if (name.Text().value_or("") != "EndpointPolicy")
    return name.Refuse(Code::kPolicy, "is not \"EndpointPolicy\", so the plugin gives no pod this policy");
  PROV_TRY(CheckType(value, members));
  if (azure) PROV_TRY(CheckForAzure(value, members));
  return PROV_TRY(ReadPolicy(value, std::move(members), place + ".Value"));
}

constexpr std::array<std::string_view, 2> kLists = {"AdditionalArgs", "policies"};

// The list that the plugin of this type reads, of kLists; "": it is not known whether it reads one.
std::string_view ListOf(std::string_view type) {
  if (EqualsIgnoreAsciiCase(type, "azure-vnet")) return kLists[0];
  return EqualsIgnoreAsciiCase(type, "win-bridge") || EqualsIgnoreAsciiCase(type, "win-overlay") ? kLists[1] : "";
}

// Refuses a policy that the plugin passes over: one without the name of an entry.
Result<void> RefuseBare(const JsonNode& item, const Members& members) {
  const JsonNode* type = FindMember(members, "Type");
  if (type == nullptr || !EqualsIgnoreAsciiCase(type->Text().value_or(""), kPolicyType)) return {};
  return item.Refuse(Code::kPolicy,
                     "is a policy without the Name and Value of an entry, so the plugin gives no pod this policy; "
                     "`hns-proxy render` prints the entry");
}

// Adds the policies of a plugin's configuration.
Result<void> ReadPlugin(Members plugin, const std::string& place, std::vector<Policy>& out) {
  NameMembers(plugin, kLists);
  const JsonNode* named = FindMember(plugin, "type");
  const std::string type = named == nullptr ? std::string() : named->Text().value_or("");
  const std::string_view read = ListOf(type);
  for (const std::string_view list : kLists) {
    const JsonNode* found = FindMember(plugin, list);
    const auto items = found == nullptr ? std::vector<JsonNode>() : found->Items().value_or(std::vector<JsonNode>());
    const bool azure = list == kLists[0] && list == read;
    for (std::size_t i = 0; i < items.size(); ++i) {
      auto members = items[i].Members();
      if (!members) continue;
      if (!IsCniEntry(*members)) {
        PROV_TRY(RefuseBare(items[i], *members));
        continue;
      }
      auto policy = PROV_TRY(ReadCniEntry(*members, fmt::format("{}.{}[{}]", place, list, i), azure, false));
      if (!policy) continue;
      if (!read.empty() && list != read)
        return items[i].Refuse(Code::kPolicy,
                               fmt::format("is not read by {}, so no pod gets this policy; put the entry that "
                                           "`hns-proxy render --format {}` prints into {}",
                                           type, read == kLists[0] ? "azure-vnet" : "cni", read));
      if (read.empty()) policy->unknown_plugin = type.empty() ? "a plugin without a type" : Printable(Shorten(type));
      out.push_back(*std::move(policy));
    }
  }
  return {};
}

// The policies of a CNI configuration; nullopt: it is none.
Result<std::optional<std::vector<Policy>>> ReadCniConfiguration(const JsonNode& root, const Members& members,
                                                                const std::string& place) {
  if (FindMember(members, "cniVersion") == nullptr) return std::nullopt;
  std::vector<Policy> out;
  PROV_TRY(ReadPlugin(members, place, out));
  const JsonNode* plugins = FindMember(members, "plugins");
  const auto items = plugins == nullptr ? std::vector<JsonNode>() : plugins->Items().value_or(std::vector<JsonNode>());
  for (std::size_t i = 0; i < items.size(); ++i) {
    auto plugin = items[i].Members();
    if (plugin) PROV_TRY(ReadPlugin(*std::move(plugin), fmt::format("{}.plugins[{}]", place, i), out));
  }
  if (out.empty())
    return root.Refuse(Code::kPolicy, fmt::format("is a CNI configuration without a policy of type {}", kPolicyType));
  return out;
}

// A policy, or an entry of a CNI configuration with one.
Result<Policy> ReadOne(const JsonNode& node, const std::string& place) {
  Members members = PROV_TRY(MembersOf(node, "a policy, which is an object with Type and Settings"));
  if (!IsCniEntry(members)) return ReadPolicy(node, std::move(members), place);
  return *PROV_TRY(ReadCniEntry(members, place, false, true));
}

// Removes blanks around the items of a list.
std::string TidyList(std::string_view text) {
  std::vector<std::string_view> items = Split(text, ',');
  for (std::string_view& item : items) item = TrimBlanks(item);
  return fmt::format("{}", fmt::join(items, ","));
}

// S-1-5-18 is LocalSystem, S-1-5-20 NetworkService, S-1-5-32-556 the group Network Configuration Operators.
std::string SidOf(std::string_view account) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kAccounts = {
      {{"system", "S-1-5-18"}, {"network-service", "S-1-5-20"}, {"network-configuration-operators", "S-1-5-32-556"}}};
  account = TrimBlanks(account);
  for (const auto& [name, sid] : kAccounts) {
    if (EqualsIgnoreAsciiCase(account, name)) return std::string(sid);
  }
  return std::string(account);
}

}  // namespace

void Tidy(Policy& policy) {
  FilterTuple& filter = policy.filter;
  for (std::string* text : {&policy.inbound_port, &policy.outbound_port, &filter.protocols, &filter.local_addresses,
                            &filter.remote_addresses, &filter.local_ports, &filter.remote_ports, &filter.priority})
    *text = TidyList(*text);
  for (Exceptions* exceptions : {&policy.inbound, &policy.outbound}) {
    for (std::vector<std::string>* list : {&exceptions->addresses, &exceptions->ports}) {
      for (std::string& item : *list) item = TrimBlanks(item);
    }
  }
  if (filter.protocols.empty() || EqualsIgnoreAsciiCase(filter.protocols, "tcp")) filter.protocols = "6";
  policy.user_sid = SidOf(policy.user_sid);
}

Result<std::vector<Policy>> ReadPolicies(std::string bytes, const std::string& where) {
  if (bytes.size() > kMostPolicyBytes)
    return Fail(Code::kTooLarge, fmt::format("has more than the {} bytes that policies may have", kMostPolicyBytes),
                where);
  if (!DecodeMarked(bytes))
    return Fail(Code::kJson, "not JSON: it begins as UTF-16, and is cut short or damaged; save it as UTF-8", where);
  if (TrimBlanks(bytes).empty())
    return Fail(Code::kJson, "is empty; write a policy: {\"Type\":\"L4WFPPROXY\",\"Settings\":{…}}", where);
  const JsonNode root = PROV_TRY(ParseJsonDocument(bytes, where));
  std::vector<Policy> out;
  const auto items = root.Items();
  if (!items) {
    const auto members = root.Members();
    if (members) {
      if (auto policies = PROV_TRY(ReadCniConfiguration(root, *members, where + ": $"))) return *std::move(policies);
    }
    out.push_back(PROV_TRY(ReadOne(root, where + ": $")));
    return out;
  }
  if (items->empty()) return root.Refuse(Code::kPolicy, "holds no policy; `hns-proxy clear` takes policies away");
  for (const JsonNode& item : *items)
    out.push_back(PROV_TRY(ReadOne(item, fmt::format("{}: $[{}]", where, out.size()))));
  return out;
}

}  // namespace prov::hns
