// The calls of list and lookup, as hcsshim's programs made them (docs/hns-proxy.md#calls).
#include "provisioner/hns/endpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/memory_network.h"
#include "tests/support/result.h"

namespace prov::hns {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;
using testing_support::MemoryNetwork;

constexpr char kLowerId[] = "93f86a7f-e361-4362-b8a4-81bbb6a622dd";
constexpr char kUpperId[] = "93F86A7F-E361-4362-B8A4-81BBB6A622DD";
constexpr char kOtherId[] = "00000000-0000-0000-0000-000000000001";
constexpr char kNamespace[] = "AAAAAAAA-BBBB-CCCC-DDDD-EEEEEEEEEEEE";
constexpr char kSettings[] = R"({"Port":"8000","FilterTuple":{"Protocols":"6"}})";
constexpr char kFiltered[] =
    R"({"SchemaVersion":{"Major":2,"Minor":0},"Filter":"{\"ID\":\"93f86a7f-e361-4362-b8a4-81bbb6a622dd\"}"})";
constexpr char kNamespaceQuery[] =
    R"({"SchemaVersion":{"Major":2,"Minor":0},"Filter":"{\"ID\":\"AAAAAAAA-BBBB-CCCC-DDDD-EEEEEEEEEEEE\"}"})";

class Endpoints : public testing::Test {
 protected:
  Endpoints() {
    network_.endpoints[kUpperId] = {R"({"Type":"ACL","Settings":{"Action":"Allow","Direction":"Out"}})",
                                    std::string(R"({"Type":"L4WFPPROXY","Settings":)") + kSettings + "}"};
    network_.endpoints[kOtherId] = {};
    network_.namespaces[kNamespace] = {kUpperId, kOtherId};
  }
  ~Endpoints() override { EXPECT_EQ(network_.open, 0U) << "handles are left open"; }

  MemoryNetwork network_;
};

TEST_F(Endpoints, OneIsFoundByTheRecordedCalls) {
  const auto found = Must(FindEndpoint(network_, kLowerId));
  EXPECT_EQ(found.id, kLowerId);
  EXPECT_THAT(found.settings, ElementsAre(kSettings));
  EXPECT_THAT(network_.log, ElementsAre(Pair("HcnEnumerateEndpoints", kFiltered), Pair("HcnOpenEndpoint", kLowerId),
                                        Pair("HcnQueryEndpointProperties", kFiltered), Pair("HcnCloseEndpoint", "")));
}

TEST_F(Endpoints, AMissingOneIsAnErrorAfterOneCall) {
  network_.endpoints.erase(kUpperId);
  const Error found = ErrorIn(FindEndpoint(network_, kLowerId));
  EXPECT_EQ(found.code, Code::kHns);
  EXPECT_THAT(found.message, HasSubstr("Endpoint ID \"93f86a7f-e361-4362-b8a4-81bbb6a622dd\" not found (0x803b0002)"));
  EXPECT_THAT(network_.CallNames(), ElementsAre("HcnEnumerateEndpoints"));
}

TEST_F(Endpoints, OneThatGoesWhileItIsLookedAtIsMissing) {
  for (const std::string call : {"HcnOpenEndpoint", "HcnQueryEndpointProperties"}) {
    network_.endpoints[kUpperId] = {};
    network_.meanwhile = [&](std::string_view now) {
      if (now == call) network_.endpoints.erase(kUpperId);
    };
    const auto read = Must(ReadEndpoint(network_, kLowerId));
    EXPECT_FALSE(read) << call;
  }
}

TEST_F(Endpoints, AllOfTheNode) {
  EXPECT_THAT(*AllEndpoints(network_), ElementsAre(kOtherId, kUpperId));
  EXPECT_THAT(network_.log, ElementsAre(Pair("HcnEnumerateEndpoints", R"({"SchemaVersion":{"Major":2,"Minor":0}})")));
}

TEST_F(Endpoints, OfPodsAreAllButTheNodesOwn) {
  EXPECT_THAT(*AllPodEndpoints(network_), ElementsAre(kOtherId, kUpperId));
  network_.namespaces = {{kNamespace, {kUpperId}}, {kOtherId, {"00000000-0000-0000-0000-000000000001"}}};
  network_.namespace_of_node = kOtherId;
  EXPECT_THAT(*AllPodEndpoints(network_), ElementsAre(kUpperId));
}

TEST_F(Endpoints, OfOtherNodesAreToldApart) {
  network_.remote = {kOtherId};
  EXPECT_TRUE((*ReadEndpoint(network_, kOtherId))->is_remote);
  EXPECT_FALSE((*ReadEndpoint(network_, kUpperId))->is_remote);
}

TEST_F(Endpoints, OfAPodThatEndsAreNone) {
  EXPECT_THAT(**FindEndpointsOfNamespace(network_, kNamespace), ElementsAre(kUpperId, kOtherId));
  network_.namespaces[kNamespace] = {};
  EXPECT_FALSE(*FindEndpointsOfNamespace(network_, kNamespace));
  network_.namespaces.clear();
  EXPECT_FALSE(*FindEndpointsOfNamespace(network_, kNamespace));
}

TEST_F(Endpoints, OfANamespaceByTheRecordedCalls) {
  EXPECT_THAT(*EndpointsOfNamespace(network_, kNamespace), ElementsAre(kUpperId, kOtherId));
  EXPECT_THAT(network_.log,
              ElementsAre(Pair("HcnEnumerateNamespaces", kNamespaceQuery), Pair("HcnOpenNamespace", kNamespace),
                          Pair("HcnQueryNamespaceProperties", kNamespaceQuery), Pair("HcnCloseNamespace", "")));
}

TEST_F(Endpoints, OfAMissingOrEmptyNamespaceAreAnError) {
  network_.namespaces[kNamespace] = {};
  EXPECT_THAT(EndpointsOfNamespace(network_, kNamespace).error().message,
              HasSubstr("no endpoint is attached to the namespace (0x00000000)"));
  network_.namespaces.clear();
  const Error missing = ErrorIn(EndpointsOfNamespace(network_, kNamespace));
  EXPECT_EQ(missing.code, Code::kHns);
  EXPECT_THAT(missing.message,
              HasSubstr("Namespace ID \"AAAAAAAA-BBBB-CCCC-DDDD-EEEEEEEEEEEE\" not found (0x80070490)"));
}

// A filter that HNS leaves out must not make another pod's endpoint the wanted one.
TEST_F(Endpoints, TheFirstOfAListIsNotTakenForTheWantedOne) {
  network_.endpoints.erase(kUpperId);
  network_.namespaces = {{kOtherId, {kOtherId}}};
  network_.ignores_filters = true;
  EXPECT_THAT(FindEndpoint(network_, kLowerId).error().message, HasSubstr("not found"));
  EXPECT_THAT(EndpointsOfNamespace(network_, kNamespace).error().message, HasSubstr("not found"));
  EXPECT_THAT(network_.CallNames(), ElementsAre("HcnEnumerateEndpoints", "HcnEnumerateNamespaces"));
}

TEST_F(Endpoints, NeedHns13Point2ForPolicies) {
  EXPECT_TRUE(RequireProxyPolicies(network_));
  EXPECT_THAT(network_.CallNames(), ElementsAre("HNSCall"));
  network_.version = R"({"Success":true,"Output":{"Major":13,"Minor":1}})";
  const Error old = ErrorIn(RequireProxyPolicies(network_));
  EXPECT_EQ(old.code, Code::kUnsupported);
  EXPECT_THAT(old.message, HasSubstr("HNS 13.1"));
}

}  // namespace
}  // namespace prov::hns
