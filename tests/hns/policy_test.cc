#include "provisioner/hns/policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "provisioner/base/text.h"
#include "tests/differential/seed.h"
#include "tests/support/result.h"

namespace prov::hns {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::string_view kToday =
    R"({"Type":"L4WFPPROXY","Settings":{"InboundProxyPort":"9091","OutboundProxyPort":"9191",
        "FilterTuple":{"Protocols":"6"},"UserSID":"S-1-5-32-556",
        "InboundExceptions":{"PortExceptions":["15000"],"IpAddressExceptions":["127.0.0.1"]},"OutboundExceptions":{}}})";

std::vector<Policy> Read(std::string_view text) {
  auto policies = ReadPolicies(std::string(text), "p.json");
  EXPECT_TRUE(policies) << text << ": " << (policies ? "" : policies.error().message);
  return policies ? *std::move(policies) : std::vector<Policy>();
}

Error RefusedPolicies(std::string_view text) { return ErrorIn(ReadPolicies(std::string(text), "p.json")); }

// A policy whose settings are these, in the form of today.
std::string Policied(std::string_view settings) {
  return std::string(R"({"Type":"L4WFPPROXY","Settings":{)") + std::string(settings) + "}}";
}

// The codes of what Validate() says, with their places.
std::vector<std::string> Said(std::string_view settings) {
  std::vector<std::string> out;
  for (const Finding& finding : Validate(Read(Policied(settings))))
    out.push_back(std::string(finding.code) + " " + finding.where);
  return out;
}

TEST(ReadPolicies, TakesTheFormOfToday) {
  const std::vector<Policy> policies = Read(kToday);
  ASSERT_EQ(policies.size(), 1U);
  const Policy& policy = policies.front();
  EXPECT_EQ(policy.inbound_port, "9091");
  EXPECT_EQ(policy.outbound_port, "9191");
  EXPECT_EQ(policy.filter, FilterTuple{});
  EXPECT_EQ(policy.user_sid, "S-1-5-32-556");
  EXPECT_EQ(policy.inbound, (Exceptions{{"127.0.0.1"}, {"15000"}}));
  EXPECT_EQ(policy.outbound, Exceptions{});
  EXPECT_EQ(policy.where, "p.json: $.Settings");
}

TEST(ReadPolicies, TakesThePortOf2019ForBothDirections) {
  const Policy policy = Read(Policied(R"("Port":"8000","UserSID":"S-1-5-18")")).at(0);
  EXPECT_EQ(policy.inbound_port, "8000");
  EXPECT_EQ(policy.outbound_port, "8000");
}

TEST(ReadPolicies, TakesSettingsBesideTheType) {
  const Policy flat = Read(R"({"Type":"L4WFPPROXY","InboundProxyPort":"1","OutboundProxyPort":"2"})").at(0);
  EXPECT_EQ(flat.inbound_port, "1");
  EXPECT_EQ(flat.outbound_port, "2");
  EXPECT_EQ(flat.where, "p.json: $");
}

TEST(ReadPolicies, TakesAListAndNamesThePlaceOfEach) {
  const std::vector<Policy> policies = Read("[" + Policied(R"("Port":"1")") + R"(,{"Type":"L4WFPPROXY","Port":2}])");
  ASSERT_EQ(policies.size(), 2U);
  EXPECT_EQ(policies[0].where, "p.json: $[0].Settings");
  EXPECT_EQ(policies[1].where, "p.json: $[1]");
  EXPECT_EQ(policies[1].inbound_port, "2");
}

TEST(ReadPolicies, TakesWhatPowerShellSaves) {
  const std::string utf16 = "\xFF\xFE" + ToUtf16Le(kToday);
  EXPECT_EQ(Read(utf16), Read(kToday));
  EXPECT_EQ(Read("\xEF\xBB\xBF" + std::string(kToday)), Read(kToday));
  EXPECT_EQ(RefusedPolicies(utf16.substr(0, utf16.size() - 1)).code, Code::kJson);
}

TEST(ReadPolicies, TakesNumbersForTheirText) {
  const Policy policy = Read(Policied(R"("InboundProxyPort":9091,"FilterTuple":{"Protocols":6,"RemotePorts":443,
                                          "Priority":8},"OutboundExceptions":{"PortExceptions":[90001]})"))
                            .at(0);
  EXPECT_EQ(policy.inbound_port, "9091");
  EXPECT_EQ(policy.filter.protocols, "6");
  EXPECT_EQ(policy.filter.remote_ports, "443");
  EXPECT_EQ(policy.filter.priority, "8");
  EXPECT_THAT(policy.outbound.ports, ElementsAre("90001"));
}

TEST(ReadPolicies, TidiesWhatPeopleWrite) {
  const Policy policy = Read(Policied(R"("Port":" 8000 ","UserSID":"Network-Service","FilterTuple":{"Protocols":"TCP",
                                          "LocalPorts":"80, 443"},"InboundExceptions":null)"))
                            .at(0);
  EXPECT_EQ(policy.outbound_port, "8000");
  EXPECT_EQ(policy.user_sid, "S-1-5-20");
  EXPECT_EQ(policy.filter.protocols, "6");
  EXPECT_EQ(policy.filter.local_ports, "80,443");
}

TEST(ReadPolicies, KnowsAccountsByName) {
  const auto sid = [](const char* name) {
    Policy policy;
    policy.user_sid = name;
    Tidy(policy);
    return policy.user_sid;
  };
  EXPECT_EQ(sid("system"), "S-1-5-18");
  EXPECT_EQ(sid("network-service"), "S-1-5-20");
  EXPECT_EQ(sid("network-configuration-operators"), "S-1-5-32-556");
  EXPECT_EQ(sid("S-1-5-21-1-2-3-1000"), "S-1-5-21-1-2-3-1000");
  EXPECT_EQ(sid("envoy"), "envoy");
}

struct PolicyRefusal {
  const char* text;
  Code code;
  const char* where;
  const char* says;
};

// A CNI configuration of azure-vnet, with these entries after those that it has itself.
std::string AzureConfiguration(std::string_view entries) {
  return R"({"cniVersion":"0.3.0","name":"azure","plugins":[{"type":"azure-vnet","ipam":{"type":"azure-cns"},
             "AdditionalArgs":[{"Name":"EndpointPolicy","Value":{"Type":"OutBoundNAT","ExceptionList":["10.0.0.0/8"]}},
                               {"Name":"Other","Value":"text"})" +
         std::string(entries) + "]},{\"type\":\"portmap\"}]}";
}

// What Microsoft's own test of azure-vnet has, and what it makes of it.
TEST(ReadPolicies, TakesTheFlatFormOfAzureVnet) {
  const std::string entry =
      R"({"Name":"EndpointPolicy","Value":{"Type":"L4WFPPROXY","OutboundProxyPort":"15001","InboundProxyPort":"15003",
          "UserSID":"S-1-5-32-556","FilterTuple":{"Protocols":"6"}}})";
  const std::string settings =
      R"({"InboundProxyPort":"15003","OutboundProxyPort":"15001","FilterTuple":{"Protocols":"6"},)"
      R"("UserSID":"S-1-5-32-556","InboundExceptions":{},"OutboundExceptions":{}})";
  EXPECT_EQ(SettingsJson(Read(entry).at(0)), settings);
  const std::vector<Policy> policies = Read(AzureConfiguration("," + entry + "," + entry));
  ASSERT_EQ(policies.size(), 2U);
  EXPECT_EQ(SettingsJson(policies[1]), settings);
  EXPECT_EQ(policies[1].where, "p.json: $.plugins[0].AdditionalArgs[3].Value");
}

TEST(ReadPolicies, TakesAConfigurationOfOnePluginAndOfWinOverlay) {
  const std::string nested = R"({"name":"EndpointPolicy","value":{"type":"L4WFPPROXY","settings":{"Port":"1"}}})";
  EXPECT_EQ(Read(nested).at(0).outbound_port, "1");
  const std::string plugin = R"({"cniVersion":"0.2.0","type":"win-overlay","policies":[)" + nested + "]}";
  EXPECT_EQ(Read(plugin).at(0).where, "p.json: $.policies[0].Value.Settings");
  const std::string flat =
      R"({"cniVersion":"1.0.0","additionalArgs":[{"name":"EndpointPolicy","value":{"type":"L4WFPPROXY","InboundProxyPort":"1"}}]})";
  EXPECT_EQ(Read(flat).at(0).inbound_port, "1") << "names count in any case";
}

TEST(ReadPolicies, RefusesEntriesThatAzureVnetWouldNotUse) {
  const auto refused = [](std::string_view value, std::string_view name = "EndpointPolicy") {
    return RefusedPolicies(AzureConfiguration(R"(,{"Name":")" + std::string(name) +
                                              R"(","Value":{"Type":"L4WFPPROXY",)" + std::string(value) + "}}"))
        .message;
  };
  EXPECT_THAT(refused(R"("Settings":{"OutboundProxyPort":"1"})"), HasSubstr("without a port; put its members beside"));
  EXPECT_THAT(refused(R"("Port":"1")"), HasSubstr("write InboundProxyPort and OutboundProxyPort"));
  EXPECT_THAT(refused(R"("OutboundProxyPort":1)"), HasSubstr("takes a text only"));
  EXPECT_THAT(refused(R"("OutboundExceptions":{"PortExceptions":[1]})"), HasSubstr("takes a text only"));
  EXPECT_THAT(refused(R"("FilterTuple":{"Priority":"1"})"), HasSubstr("takes a number only"));
  EXPECT_THAT(refused(R"("OutboundProxyPort":"1")", "NetworkPolicy"), HasSubstr("is not \"EndpointPolicy\""));
  EXPECT_THAT(RefusedPolicies(AzureConfiguration("")).message, HasSubstr("without a policy of type L4WFPPROXY"));
  EXPECT_THAT(RefusedPolicies(R"({"Name":"EndpointPolicy","Value":{"Type":"ROUTE"}})").message,
              HasSubstr("another type of policy"));
}

// A configuration of one plugin of this type, with one entry in this list.
std::string PluginWith(std::string_view type, std::string_view list, std::string_view entry) {
  return R"({"cniVersion":"0.3.0","plugins":[{"type":")" + std::string(type) + R"(",")" + std::string(list) + R"(":[)" +
         std::string(entry) + "]}]}";
}

constexpr std::string_view kNestedEntry =
    R"({"name":"EndpointPolicy","value":{"type":"L4WFPPROXY","settings":{"OutboundProxyPort":"1","UserSID":"S-1-5-18"}}})";
constexpr std::string_view kFlatEntry =
    R"({"Name":"EndpointPolicy","Value":{"Type":"L4WFPPROXY","OutboundProxyPort":"1","UserSID":"S-1-5-18"}})";

TEST(ReadPolicies, RefusesAnEntryInAListThatThePluginDoesNotRead) {
  const Error azure = RefusedPolicies(PluginWith("azure-vnet", "policies", kNestedEntry));
  EXPECT_THAT(azure.message, AllOf(HasSubstr("is not read by azure-vnet"), HasSubstr("into AdditionalArgs")));
  EXPECT_EQ(azure.where, "p.json: $.plugins[0].policies[0]");
  for (const char* type : {"win-bridge", "win-overlay"}) {
    EXPECT_THAT(RefusedPolicies(PluginWith(type, "AdditionalArgs", kFlatEntry)).message,
                AllOf(HasSubstr("is not read by"), HasSubstr("into policies")));
    EXPECT_THAT(Validate(Read(PluginWith(type, "policies", kNestedEntry))), IsEmpty());
  }
  EXPECT_THAT(Validate(Read(PluginWith("azure-vnet", "AdditionalArgs", kFlatEntry))), IsEmpty());
}

TEST(ReadPolicies, NamesAPolicyBesideTheEntries) {
  const Error bare = RefusedPolicies(PluginWith(
      "azure-vnet", "AdditionalArgs", std::string(kFlatEntry) + R"(,{"Type":"L4WFPPROXY","Settings":{"Port":"1"}})"));
  EXPECT_THAT(bare.message, HasSubstr("without the Name and Value"));
  EXPECT_EQ(bare.where, "p.json: $.plugins[0].AdditionalArgs[1]");
}

TEST(Validate, WarnsOfAPluginThatMayNotReadTheEntry) {
  for (const std::string& text :
       {PluginWith("portmap", "AdditionalArgs", kFlatEntry), PluginWith("portmap", "AdditionalArgs", kNestedEntry),
        PluginWith("portmap", "policies", kNestedEntry)}) {
    const Findings findings = Validate(Read(text));
    ASSERT_EQ(findings.size(), 1U) << text;
    EXPECT_EQ(findings[0].code, "hns-cni");
    EXPECT_THAT(findings[0].message, HasSubstr("portmap"));
  }
}

// Any valid policy, from few values.
Policy AnyPolicy(differential::Random& random) {
  constexpr std::array<std::string_view, 3> kPorts = {"", "15001", "65535"};
  constexpr std::array<std::string_view, 3> kLists = {"", "80", "80,8000-8080"};
  constexpr std::array<std::string_view, 3> kAddresses = {"", "10.0.0.1", "10.0.0.0/8,10.1.0.1-10.1.0.9"};
  constexpr std::array<std::string_view, 3> kPriorities = {"", "1", "65535"};
  constexpr std::array<std::string_view, 3> kAccounts = {"", "S-1-5-18", "S-1-5-32-556"};
  Policy out;
  out.inbound_port = random.Pick(kPorts);
  out.outbound_port = "15003";
  out.filter.local_addresses = random.Pick(kAddresses);
  out.filter.remote_addresses = random.Pick(kAddresses);
  out.filter.local_ports = random.Pick(kLists);
  out.filter.remote_ports = random.Pick(kLists);
  out.filter.priority = random.Pick(kPriorities);
  out.user_sid = random.Pick(kAccounts);
  for (Exceptions* exceptions : {&out.inbound, &out.outbound}) {
    if (random.OneIn(2)) exceptions->addresses = {"127.0.0.1", "169.254.169.254"};
    if (random.OneIn(2)) exceptions->ports = {"15000"};
  }
  return out;
}

TEST(CniEntry, IsReadAsThePolicyThatItIsWrittenFrom) {
  differential::Random random(differential::Seed("CniEntry"));
  for (int i = 0; i < 500; ++i) {
    const Policy policy = AnyPolicy(random);
    const std::string settings = SettingsJson(policy);
    const std::string flat = CniEntryJson(CniPlugin::kAzureVnet, settings);
    for (const std::string& text :
         {flat, CniEntryJson(CniPlugin::kWinOverlay, settings), "[" + flat + "]", AzureConfiguration("," + flat)}) {
      std::vector<Policy> again = Read(text);
      ASSERT_EQ(again.size(), 1U) << text;
      again[0].where.clear();
      EXPECT_EQ(again[0], policy) << text;
    }
  }
}

TEST(ReadPolicies, RefusesWhatItDoesNotKnow) {
  const PolicyRefusal refusals[] = {
      {"", Code::kJson, "p.json", "empty"},
      {" \n", Code::kJson, "p.json", "empty"},
      {"{", Code::kJson, "p.json: line 1", ""},
      {"[]", Code::kPolicy, "p.json: $", "no policy"},
      {"5", Code::kPolicy, "p.json: $", "Type and Settings"},
      {"[5]", Code::kPolicy, "p.json: $[0]", "Type and Settings"},
      {"{}", Code::kPolicy, "p.json: $", "has no Type"},
      {R"({"Type":"L4WfpProxy"})", Code::kPolicy, "$.Type", "compares letters"},
      {R"({"Type":"L4Proxy"})", Code::kPolicy, "$.Type", "another type"},
      {R"({"Type":5})", Code::kPolicy, "$.Type", "another type"},
      {R"({"Type":"L4WFPPROXY","Settings":"{}"})", Code::kPolicy, "$.Settings", "not an object"},
      {R"({"Type":"L4WFPPROXY","Settings":{},"Port":"1"})", Code::kPolicy, "$.Port", "put it into Settings"},
      {R"({"Type":"L4WFPPROXY","OutboundProxyport":"1"})", Code::kPolicy, "$.OutboundProxyport",
       "did you mean OutboundProxyPort?"},
      {R"({"Type":"L4WFPPROXY","Destination":"1"})", Code::kPolicy, "$.Destination", "it knows InboundProxyPort"},
      {R"({"Type":"L4WFPPROXY","Port":"1","InboundProxyPort":"2"})", Code::kPolicy, "$.Port", "leave it out"},
      {R"({"Type":"L4WFPPROXY","Port":true})", Code::kPolicy, "$.Port", "neither a text nor a whole number"},
      {R"({"Type":"L4WFPPROXY","Port":1.5})", Code::kPolicy, "$.Port", "neither a text nor a whole number"},
      {R"({"Type":"L4WFPPROXY","UserSID":18})", Code::kPolicy, "$.UserSID", "not a text"},
      {R"({"Type":"L4WFPPROXY","FilterTuple":"6"})", Code::kPolicy, "$.FilterTuple", "not an object"},
      {R"({"Type":"L4WFPPROXY","FilterTuple":{"Protocol":"6"}})", Code::kPolicy, "$.FilterTuple.Protocol",
       "did you mean Protocols?"},
      {R"({"Type":"L4WFPPROXY","OutboundExceptions":["127.0.0.1"]})", Code::kPolicy, "$.OutboundExceptions",
       "not an object"},
      {R"({"Type":"L4WFPPROXY","OutboundExceptions":{"IpAddressExceptions":"127.0.0.1"}})", Code::kPolicy,
       "$.OutboundExceptions.IpAddressExceptions", "not a list"},
      {R"({"Type":"L4WFPPROXY","Port":"1","Port":"2"})", Code::kJson, "p.json", "twice"},
  };
  for (const PolicyRefusal& refusal : refusals) {
    const Error error = RefusedPolicies(refusal.text);
    EXPECT_EQ(error.code, refusal.code) << refusal.text;
    EXPECT_THAT(error.where, HasSubstr(refusal.where)) << refusal.text;
    EXPECT_THAT(error.message, HasSubstr(refusal.says)) << refusal.text;
  }
  EXPECT_EQ(RefusedPolicies(std::string(kMostPolicyBytes + 1, ' ')).code, Code::kTooLarge);
}

TEST(Validate, TakesWhatHnsHonours) {
  EXPECT_THAT(Validate(Read(kToday)), IsEmpty());
  EXPECT_THAT(Said(R"("OutboundProxyPort":"65535","UserSID":"S-1-5-20")"), IsEmpty());
  EXPECT_THAT(Said(R"("Port":"1","UserSID":"S-1-5-21-1688553208-1784504425-564974220-1000","FilterTuple":{
      "LocalAddresses":"10.0.0.5,10.1.0.0/16,10.0.0.7-10.0.0.9","RemoteAddresses":"10.0.0.6",
      "LocalPorts":"80-90,443","RemotePorts":"443","Priority":65535})"),
              IsEmpty());
}

// The rest of the settings is valid.
TEST(Validate, RefusesWhatNoFieldTakes) {
  struct {
    const char* before;
    const char* after;
    const char* place;
    std::string_view values;
  } const kFields[] = {
      {R"("InboundProxyPort":"1","OutboundProxyPort":")", "\"", "OutboundProxyPort",
       "0|65536|-1|x|80-90|080|8 0|99999999999999999999999|+80|8000.0"},
      {R"("Port":"1","FilterTuple":{"RemotePorts":")", "\"}", "FilterTuple.RemotePorts",
       "90-80|0-80|80-|-80|80,|,80|80;90|80-90-100|http|1-65536"},
      {R"("Port":"1","FilterTuple":{"LocalAddresses":")", "\"}", "FilterTuple.LocalAddresses",
       "::1|fd00::/8|::ffff:10.0.0.1|host|10.0.0|10.0.0.256|10.0.0.0/33|10.0.0.9-10.0.0.7|10.0.0.7-9|10.0.0.1,"},
      {R"("Port":"1","FilterTuple":{"Protocols":")", "\"}", "FilterTuple.Protocols", "17|6,17"},
      {R"("Port":"1","FilterTuple":{"Priority":)", "}", "FilterTuple.Priority", "65536"},
      {R"("Port":"1","InboundExceptions":{"PortExceptions":[")", "\"]}", "InboundExceptions.PortExceptions",
       "0||http|-1|090001|90-80"},
  };
  for (const auto& field : kFields) {
    for (const std::string_view value : Split(field.values, '|')) {
      EXPECT_THAT(Said(field.before + std::string(value) + field.after + R"(,"UserSID":"S-1-5-18")"),
                  ElementsAre(std::string("policy p.json: $.Settings.") + field.place))
          << value;
    }
  }
  for (const std::string_view sid :
       Split("envoy|S-1|S-1-5|s-1-5-18|S-2-5-18|S-1-5-|S-1-5-18-|S-1-5-4294967296|S-1-281474976710656-1|"
             "S-1-5-1-2-3-4-5-6-7-8-9-10-11-12-13-14-15-16|S-1-5-018|BUILTIN\\\\Administrators",
             '|'))
    EXPECT_THAT(Said(R"("Port":"1","UserSID":")" + std::string(sid) + '"'),
                ElementsAre("policy p.json: $.Settings.UserSID"))
        << sid;
  for (const char* port : {"", R"(,"Port":"")"})
    EXPECT_THAT(Said(std::string(R"("UserSID":"S-1-5-18")") + port), ElementsAre("policy p.json: $.Settings"));
  const Findings ipv6 = Validate(
      Read(Policied(R"("Port":"1","UserSID":"S-1-5-18","OutboundExceptions":{"IpAddressExceptions":["::1"]})")));
  ASSERT_EQ(ipv6.size(), 1U);
  EXPECT_THAT(ipv6[0].message, HasSubstr("IPv6"));
}

TEST(Validate, WarnsWhereTheProxyWouldMeetItself) {
  EXPECT_THAT(Said(R"("Port":"1")"), ElementsAre("redirect-loop p.json: $.Settings.UserSID"));
  EXPECT_THAT(Said(R"("Port":"1","UserSID":"")"), ElementsAre("redirect-loop p.json: $.Settings.UserSID"));
}

TEST(Validate, WarnsOfExceptionsThatMayExemptNothing) {
  EXPECT_THAT(Said(R"("Port":"1","UserSID":"S-1-5-18","InboundExceptions":{"PortExceptions":["90001","80-90","80"]},
                      "OutboundExceptions":{"IpAddressExceptions":["10.0.0.0/8","10.0.0.1"]})"),
              ElementsAre("hns-exception-port p.json: $.Settings.InboundExceptions.PortExceptions",
                          "hns-exception-port p.json: $.Settings.InboundExceptions.PortExceptions",
                          "hns-exception-network p.json: $.Settings.OutboundExceptions.IpAddressExceptions"));
}

TEST(Validate, RefusesTheSamePolicyTwice) {
  const std::string one = Policied(R"("Port":"1","UserSID":"S-1-5-18")");
  const Findings findings = Validate(Read("[" + one + "," + one + "]"));
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].code, "policy");
  EXPECT_EQ(findings[0].where, "p.json: $[1].Settings");
  EXPECT_THAT(findings[0].message, HasSubstr("p.json: $[0].Settings"));
}

TEST(Validate, CountsWhatIsTooMuchToTell) {
  std::string ports = "x";
  for (int i = 0; i < 1000; ++i) ports += ",x";
  const Findings findings =
      Validate(Read(Policied(R"("Port":"1","UserSID":"S-1-5-18","FilterTuple":{"LocalPorts":")" + ports + "\"}")));
  EXPECT_EQ(findings.size(), CappedFindings::kMost + 1);
}

TEST(Validate, NamesTheOptionsOfTheCommandLine) {
  Policy policy;
  policy.inbound_port = policy.outbound_port = "x";
  policy.filter.remote_ports = "y";
  policy.outbound.ports = {"z"};
  std::vector<std::string> places;
  for (const Finding& finding : Validate(std::vector<Policy>{policy})) places.push_back(finding.where);
  EXPECT_THAT(places, ElementsAre("--port", "--remoteports", "--usersid", "--out-except-port"));
  policy.outbound_port = "0";
  EXPECT_EQ(Validate(std::vector<Policy>{policy}).at(1).where, "--outbound-port");
}

TEST(RequireValid, IsTheFirstErrorAndTheNumberOfOthers) {
  const auto valid = Must(RequireValid(Read(Policied(R"("Port":"1")"))));
  EXPECT_TRUE(HasFinding(valid, "redirect-loop"));
  const Error refused = ErrorIn(RequireValid(Read(Policied(R"("Port":"x")"))));
  EXPECT_EQ(refused.code, Code::kPolicy);
  EXPECT_EQ(refused.where, "p.json: $.Settings.InboundProxyPort");
  EXPECT_THAT(refused.message, AllOf(HasSubstr("not \"x\""), HasSubstr("1 more")));
}

}  // namespace
}  // namespace prov::hns
