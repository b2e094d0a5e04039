// What HNS gets, byte for byte as its own clients send it, and when two settings say the same. The recorded requests
// are in docs/hns-proxy.md#the-policy.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "provisioner/base/json_reader.h"
#include "provisioner/hns/policy.h"
#include "tests/support/paths.h"
#include "tests/support/result.h"

namespace prov::hns {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Policy Both(std::string port, std::string sid = {}) {
  Policy out;
  out.inbound_port = port;
  out.outbound_port = std::move(port);
  out.user_sid = std::move(sid);
  return out;
}

TEST(SettingsJson, IsWhatClientsOfHnsSend) {
  Policy mesh = Both("15003", "S-1-5-32-556");
  mesh.outbound_port = "15001";
  EXPECT_EQ(SettingsJson(mesh),
            R"({"InboundProxyPort":"15003","OutboundProxyPort":"15001","FilterTuple":{"Protocols":"6"},)"
            R"("UserSID":"S-1-5-32-556","InboundExceptions":{},"OutboundExceptions":{}})");
}

TEST(SettingsJson, LeavesOutWhatIsEmptyAndWritesPriorityAsANumber) {
  Policy policy;
  policy.outbound_port = "8000";
  policy.filter = {"6", "10.0.0.5", "10.0.0.6", "80-90", "443", "8"};
  policy.inbound.ports = {"90001"};
  policy.outbound = {{"127.0.0.1", "10.0.0.1"}, {"15000"}};
  EXPECT_EQ(SettingsJson(policy),
            R"({"OutboundProxyPort":"8000","FilterTuple":{"Protocols":"6","LocalAddresses":"10.0.0.5",)"
            R"("RemoteAddresses":"10.0.0.6","LocalPorts":"80-90","RemotePorts":"443","Priority":8},)"
            R"("InboundExceptions":{"PortExceptions":["90001"]},)"
            R"("OutboundExceptions":{"IpAddressExceptions":["127.0.0.1","10.0.0.1"],"PortExceptions":["15000"]}})");
  policy.filter = {};
  policy.filter.priority = "0";
  EXPECT_EQ(SettingsJson(policy).find("Priority"), std::string::npos);
}

TEST(ModifyRequest, TakesSettingsByteForByte) {
  EXPECT_EQ(ModifyRequest(Modification::kAdd, std::vector<std::string>{SettingsJson(Both("9191", "S-1-5-32-556"))}),
            R"({"ResourceType":"Policy","RequestType":"Add","Settings":{"Policies":[{"Type":"L4WFPPROXY","Settings":)"
            R"({"InboundProxyPort":"9191","OutboundProxyPort":"9191","FilterTuple":{"Protocols":"6"},)"
            R"("UserSID":"S-1-5-32-556","InboundExceptions":{},"OutboundExceptions":{}}}]}})");
  EXPECT_EQ(
      ModifyRequest(Modification::kRemove, std::vector<std::string>{R"({"Port": "8000"})", "{}"}),
      R"({"ResourceType":"Policy","RequestType":"Remove","Settings":{"Policies":[{"Type":"L4WFPPROXY","Settings":)"
      R"({"Port": "8000"}},{"Type":"L4WFPPROXY","Settings":{}}]}})");
}

TEST(ListedSettings, AreThoseOfOurTypeAsTheyStand) {
  const auto found = Must(ListedSettings(
      R"({"ID":"X","Policies":[{"Type":"ACL","Settings":{"Action":"Allow"}},)"
      R"({"Settings":{ "Port" : "8000", "Odd":[{"Settings":{}}],"\u0041":1.0 },"Type":"L4WFPPROXY"},)"
      R"({"Type":"l4wfpproxy","Settings":{"Port":"1"}},{"Type":"L4WFPPROXY"},)"
      R"({"Type":"OutBoundNAT","Settings":{"Policies":[{"Type":"L4WFPPROXY","Settings":{"Port":"2"}}]}}],)"
      R"("Other":{"Policies":[{"Type":"L4WFPPROXY","Settings":{"Port":"3"}}]}})",
      "endpoint X"));
  EXPECT_THAT(found, ElementsAre(R"({ "Port" : "8000", "Odd":[{"Settings":{}}],"\u0041":1.0 })", "{}"));
}

TEST(ListedSettings, AreNoneWhereThereAreNoPolicies) {
  for (const char* text :
       {"{}", R"({"Policies":[]})", R"({"Policies":null})", R"({"Policies":{"Type":"L4WFPPROXY"}})"}) {
    const auto found = ListedSettings(text, "e");
    ASSERT_TRUE(found) << text;
    EXPECT_THAT(*found, IsEmpty()) << text;
  }
}

TEST(ListedSettings, RefuseWhatIsNoEndpoint) {
  for (const char* text : {"", "[]", "null", R"({"Policies":[)"}) {
    const auto found = ListedSettings(text, "endpoint X");
    ASSERT_FALSE(found) << text;
    EXPECT_EQ(found.error().code, Code::kHns);
    EXPECT_EQ(found.error().where, "endpoint X");
  }
  const std::string deep(100'000, '[');
  EXPECT_FALSE(ListedSettings(R"({"Policies":)" + deep, "e"));
}

TEST(SameSettings, KnowsWhatSaysTheSame) {
  const std::string today = R"({"InboundProxyPort":"8000","OutboundProxyPort":"8000","FilterTuple":{"Protocols":"6"},)"
                            R"("InboundExceptions":{},"OutboundExceptions":{}})";
  for (const char* other : {
           R"({"Port":"8000","FilterTuple":{"Protocols":"6"}})",
           R"({"Port":8000,"FilterTuple":{"Protocols":"6","Priority":0}})",
           R"({"OutboundExceptions":{"PortExceptions":[],"IpAddressExceptions":null},"OutboundProxyPort":"8000",
               "InboundProxyPort":8000,"FilterTuple":{"LocalPorts":"","Protocols":"6"},"UserSID":""})",
       }) {
    EXPECT_TRUE(SameSettings(today, other)) << other;
    EXPECT_TRUE(SameSettings(other, today)) << other;
  }
  EXPECT_TRUE(SameSettings(R"({"OutboundExceptions":{"PortExceptions":["1","2"]}})",
                           R"({"OutboundExceptions":{"PortExceptions":["2","1","1"]}})"));
}

TEST(SameSettings, KnowsWhatDoesNot) {
  const std::string today = R"({"InboundProxyPort":"8000","OutboundProxyPort":"8000","FilterTuple":{"Protocols":"6"}})";
  for (const char* other : {
           R"({"Port":"8001","FilterTuple":{"Protocols":"6"}})",
           R"({"InboundProxyPort":"8000","FilterTuple":{"Protocols":"6"}})",
           R"({"Port":"8000","InboundProxyPort":"8000","OutboundProxyPort":"8000","FilterTuple":{"Protocols":"6"}})",
           R"({"Port":"8000"})",
           R"({"Port":"8000","FilterTuple":{"Protocols":"6"},"UserSID":"S-1-5-18"})",
           R"({"Port":"8000","FilterTuple":{"Protocols":"6","Priority":1}})",
           R"({"Port":"8000","FilterTuple":{"Protocols":"6"},"OutboundExceptions":{"PortExceptions":["1"]}})",
           R"({"Port":"8000","FilterTuple":{"Protocols":"6"},"Future":true})",
           R"({"Port":"8000","FilterTuple":{"Protocols":"6"},"Future":false})",
           R"([{"Port":"8000"}])",
           "not JSON",
       }) {
    EXPECT_FALSE(SameSettings(today, other)) << other;
    EXPECT_TRUE(SameSettings(other, other)) << other;
  }
  EXPECT_FALSE(SameSettings(R"({"FilterTuple":{"LocalPorts":"1,2"}})", R"({"FilterTuple":{"LocalPorts":"2,1"}})"));
  EXPECT_FALSE(SameSettings(R"({"UserSID":"a\"b"})", R"({"UserSID":"a\\\"b"})"));
}

// The requests recorded of HNS' own clients: what they sent for a policy of today is what is sent here, and what they
// sent in 2019 counts as the same.
TEST(SettingsJson, AgreesWithTheRecordedRequests) {
  std::ifstream in(testing_support::TestsFolder() + "/../../shared/cases/egress/hcn-requests-recorded.json");
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  if (text.empty()) GTEST_SKIP() << "NOT RUN: no ../shared/cases/egress/hcn-requests-recorded.json";
  const auto root = Must(ParseJsonDocument(text, "recorded"));
  const auto cases = Must(root.Get("cases").value().Items());
  int compared = 0;
  for (const JsonNode& one : cases) {
    const auto given = one.Find("policy");
    const auto calls = one.Find("calls");
    if (!given || !*given || !calls || !*calls) continue;
    const auto value = [&given](const char* name) {
      const auto member = (*given)->Find(name);
      if (!member || !*member) return std::string();
      const auto number = (*member)->Integer();
      return number ? std::to_string(*number) : (*member)->Text().value_or("");
    };
    Policy policy = Both(value("port"), value("usersid"));
    const bool today = policy.inbound_port.empty();
    if (today) {
      policy.inbound_port = value("inbound_port");
      policy.outbound_port = value("outbound_port");
    }
    policy.filter = {
        "6", value("localaddr"), value("remoteaddr"), value("localports"), value("remoteports"), value("priority")};
    Tidy(policy);
    const auto all = Must((*calls)->Items());
    for (const JsonNode& call : all) {
      const auto words = Must(call.Items());
      if (words.at(0).Text() != "HcnModifyEndpoint") continue;
      const std::string sent = words.at(1).Text().value_or("");
      const std::string ours = ModifyRequest(Modification::kAdd, std::vector<std::string>{SettingsJson(policy)});
      if (today) {
        EXPECT_EQ(sent, ours);
      }
      const auto settings = Must(ListedSettings(ParseJsonDocument(sent, "sent")->Get("Settings")->Json(), "sent"));
      ASSERT_EQ(settings.size(), 1U);
      EXPECT_TRUE(SameSettings(settings.front(), SettingsJson(policy))) << sent;
      ++compared;
    }
  }
  EXPECT_GE(compared, 4);
}

}  // namespace
}  // namespace prov::hns
