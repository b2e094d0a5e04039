// The calls of add, clear and ensure, as hcsshim's programs made them (docs/hns-proxy.md#calls), and what is there when
// HNS refuses, does nothing, or the program ends at any call.
#include "provisioner/hns/endpoint_change.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "provisioner/hns/policy.h"
#include "tests/support/memory_network.h"
#include "tests/support/result.h"

namespace prov::hns {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::Pair;
using testing_support::MemoryNetwork;
using testing_support::PowerFailure;

constexpr char kEndpoint[] = "93f86a7f-e361-4362-b8a4-81bbb6a622dd";
constexpr char kAll[] = R"({"SchemaVersion":{"Major":2,"Minor":0}})";
constexpr char kAcl[] = R"({"Type":"ACL","Settings":{"Action":"Allow","Direction":"Out"},"Others":[1,2.50]})";
constexpr char kNat[] = R"({"Type":"OutBoundNAT","Settings":{"Exceptions":["10.0.0.0/16"]}})";
constexpr char kWanted[] =
    R"({"InboundProxyPort":"9191","OutboundProxyPort":"9191","FilterTuple":{"Protocols":"6"},"UserSID":"S-1-5-32-556","InboundExceptions":{},"OutboundExceptions":{}})";
constexpr char kOther[] =
    R"({"InboundProxyPort":"9091","OutboundProxyPort":"9191","FilterTuple":{"Protocols":"6"},"UserSID":"S-1-5-32-556","InboundExceptions":{"PortExceptions":["90001"]},"OutboundExceptions":{}})";
constexpr char kOld[] = R"({"Port":"8000","FilterTuple":{"Protocols":"6"}})";

std::string ProxyPolicy(const std::string& settings) { return R"({"Type":"L4WFPPROXY","Settings":)" + settings + "}"; }
std::string Request(const std::string& kind, const std::string& policies) {
  return R"({"ResourceType":"Policy","RequestType":")" + kind + R"(","Settings":{"Policies":[)" + policies + "]}}";
}

class Changes : public testing::Test {
 protected:
  Changes() { network_.endpoints[kEndpoint] = {kAcl, ProxyPolicy(kOther), kNat, ProxyPolicy(kOld)}; }
  ~Changes() override { EXPECT_EQ(network_.open, 0U) << "handles are left open"; }

  std::vector<std::string> Settings() { return FindEndpoint(network_, kEndpoint)->settings; }
  // What ensure does, whatever there is now.
  void Ensure(const std::string& settings) {
    const std::vector<std::string> wanted = {settings};
    const EndpointChange change = ChangeToEnsure(Settings(), wanted);
    if (change.IsEmpty()) return;
    Must(Must(ChangeEndpoint(network_, kEndpoint, change)));
  }
  void ExpectOthersAsBefore() {
    EXPECT_THAT(network_.endpoints[kEndpoint], testing::IsSupersetOf({std::string(kAcl), std::string(kNat)}));
  }

  MemoryNetwork network_;
};

TEST(EndpointChange, AddsWhatIsMissingOnce) {
  const std::vector<std::string> wanted = {kWanted, kOld, kWanted};
  const std::vector<std::string> present = {kOld, kOther};
  EXPECT_EQ(ChangeToAdd(present, wanted), (EndpointChange{{}, {kWanted}}));
  EXPECT_TRUE(ChangeToAdd(wanted, wanted).IsEmpty());
}

TEST(EndpointChange, EnsuresThatNoOthersAreThere) {
  const std::vector<std::string> wanted = {kWanted};
  EXPECT_EQ(ChangeToEnsure(std::vector<std::string>{kOld, kWanted, kOther}, wanted),
            (EndpointChange{{kOld, kOther}, {}}));
  EXPECT_EQ(ChangeToEnsure({}, wanted), (EndpointChange{{}, {kWanted}}));
  EXPECT_TRUE(ChangeToEnsure(wanted, wanted).IsEmpty());
}

// As it was added by a program of 2019.
TEST(EndpointChange, TakesAPortOf2019ForBothDirections) {
  const std::vector<std::string> present = {
      R"({"Port":"9191","FilterTuple":{"Protocols":"6"},"UserSID":"S-1-5-32-556"})"};
  const std::vector<std::string> wanted = {kWanted};
  EXPECT_TRUE(ChangeToEnsure(present, wanted).IsEmpty());
}

TEST_F(Changes, AddByTheRecordedCalls) {
  const auto after = Must(ChangeEndpoint(network_, kEndpoint, {{}, {kWanted}}));
  EXPECT_EQ((*after).settings.size(), 3U);
  EXPECT_THAT(network_.log, ElementsAre(Pair("HcnOpenEndpoint", kEndpoint),
                                        Pair("HcnModifyEndpoint", Request("Add", ProxyPolicy(kWanted))),
                                        Pair("HcnQueryEndpointProperties", kAll), Pair("HcnCloseEndpoint", "")));
  ExpectOthersAsBefore();
}

TEST_F(Changes, ClearEchoesThePoliciesByteForByte) {
  const auto after = Must(ChangeEndpoint(network_, kEndpoint, ChangeToClear(Settings())));
  EXPECT_THAT((*after).settings, IsEmpty());
  EXPECT_THAT(network_.log[5],
              Pair("HcnModifyEndpoint", Request("Remove", ProxyPolicy(kOther) + "," + ProxyPolicy(kOld))));
  EXPECT_THAT(network_.endpoints[kEndpoint], ElementsAre(kAcl, kNat));
}

TEST_F(Changes, EnsureRemovesThenAddsAndLooksOnce) {
  Ensure(kWanted);
  EXPECT_THAT(network_.CallNames(),
              ElementsAre("HcnEnumerateEndpoints", "HcnOpenEndpoint", "HcnQueryEndpointProperties", "HcnCloseEndpoint",
                          "HcnOpenEndpoint", "HcnModifyEndpoint", "HcnModifyEndpoint", "HcnQueryEndpointProperties",
                          "HcnCloseEndpoint"));
  network_.log.clear();
  Ensure(kWanted);
  EXPECT_THAT(network_.CallNames(), Not(testing::Contains("HcnModifyEndpoint"))) << "a second run writes nothing";
  ExpectOthersAsBefore();
}

TEST_F(Changes, ARefusedRemovalChangesNothing) {
  network_.refused["Remove"] = {0x803B0015U, "", ""};
  const Error after = ErrorIn(ChangeEndpoint(network_, kEndpoint, {{kOld}, {kWanted}}));
  EXPECT_THAT(after.message, HasSubstr("0x803b0015"));
  EXPECT_THAT(network_.CallNames(), ElementsAre("HcnOpenEndpoint", "HcnModifyEndpoint", "HcnCloseEndpoint"));
}

TEST_F(Changes, WhatWasRemovedIsPutBackWhenAddingIsRefused) {
  // The first Add is the new policy, the second one the old.
  network_.refused["Add"] = {0x803B000DU, "", R"({"Success":false,"Error":"invalid","ErrorCode":2151350285})"};
  int modifications = 0;
  network_.meanwhile = [&](std::string_view call) {
    if (call == "HcnModifyEndpoint" && ++modifications == 3) network_.refused.clear();
  };
  const Error after = ErrorIn(ChangeEndpoint(network_, kEndpoint, {{kOld, kOther}, {kWanted}}));
  EXPECT_EQ(after.code, Code::kHns);
  EXPECT_THAT(after.message,
              AllOf(HasSubstr("0x803b000d"), HasSubstr("\"invalid\""), HasSubstr("that were there before are back")));
  network_.meanwhile = {};
  EXPECT_EQ(ChangeToEnsure(Settings(), std::vector<std::string>{kOld, kOther}), EndpointChange());
  ExpectOthersAsBefore();
}

TEST_F(Changes, WhatWasNeverRemovedIsNotAddedAgain) {
  network_.without_effect = "Remove";
  network_.refused["Add"] = {0x803B0012U, "", ""};
  const Error after = ErrorIn(ChangeEndpoint(network_, kEndpoint, {{kOld, kOther}, {kWanted}}));
  EXPECT_THAT(after.message, AllOf(HasSubstr("0x803b0012"), HasSubstr("that were there before are back")));
  EXPECT_THAT(network_.CallNames(), ElementsAre("HcnOpenEndpoint", "HcnModifyEndpoint", "HcnModifyEndpoint",
                                                "HcnQueryEndpointProperties", "HcnCloseEndpoint"));
}

TEST_F(Changes, HalfOfAListDoesNotStay) {
  constexpr char kSecond[] = R"({"OutboundProxyPort":"7"})";
  network_.most_policies = 4;
  const Error replaced = ErrorIn(ChangeEndpoint(network_, kEndpoint, {{kOther}, {kWanted, kSecond}}));
  EXPECT_THAT(replaced.message,
              AllOf(HasSubstr("only 1 of 2 are there"), HasSubstr("that were there before are back")));
  EXPECT_EQ(ChangeToEnsure(Settings(), std::vector<std::string>{kOld, kOther}), EndpointChange());
  network_.most_policies = 5;
  const Error added = ErrorIn(ChangeEndpoint(network_, kEndpoint, {{}, {kWanted, kSecond}}));
  EXPECT_THAT(added.message, AllOf(HasSubstr("only 1 of 2 are there"), Not(HasSubstr("back"))));
  EXPECT_EQ(ChangeToEnsure(Settings(), std::vector<std::string>{kOld, kOther}), EndpointChange());
  ExpectOthersAsBefore();
}

TEST_F(Changes, AnErrorSaysWhenThatFailsToo) {
  network_.refused["Add"] = {0x803B000DU, "", ""};
  const Error after = ErrorIn(ChangeEndpoint(network_, kEndpoint, {{kOld, kOther}, {kWanted}}));
  EXPECT_THAT(after.message, HasSubstr("could not be put back: traffic of this endpoint is not redirected"));
}

TEST_F(Changes, DoneWithoutEffectIsAnError) {
  network_.without_effect = "Add";
  const Error added = ErrorIn(ChangeEndpoint(network_, kEndpoint, {{}, {kWanted}}));
  EXPECT_EQ(added.code, Code::kHns);
  EXPECT_THAT(added.message, HasSubstr("nothing changed"));
  network_.without_effect = "Remove";
  const Error removed = ErrorIn(ChangeEndpoint(network_, kEndpoint, ChangeToClear(Settings())));
  EXPECT_EQ(removed.code, Code::kHns);
  EXPECT_THAT(removed.message, HasSubstr("removed the policy (0x00000000), and nothing changed"));
}

TEST_F(Changes, AnEndpointThatGoesMeanwhileIsNoError) {
  const EndpointChange change{{kOld}, {kWanted}};
  for (const std::string call : {"HcnOpenEndpoint", "HcnModifyEndpoint", "HcnQueryEndpointProperties"}) {
    network_.endpoints[kEndpoint] = {ProxyPolicy(kOld)};
    network_.meanwhile = [&](std::string_view now) {
      if (now == call) network_.endpoints.clear();
    };
    const auto after = ChangeEndpoint(network_, kEndpoint, change);
    ASSERT_TRUE(after) << call << ": " << after.error().message;
    EXPECT_FALSE(*after) << call;
  }
}

TEST_F(Changes, KilledAtAnyCallAndRunAgain) {
  const MemoryNetwork start = network_;
  Ensure(kWanted);
  const std::size_t calls = network_.calls;
  const auto wanted = network_.endpoints;
  ASSERT_GE(calls, 7U);
  for (std::size_t call = 0; call < calls; ++call) {
    for (const auto stop : {&MemoryNetwork::stop_before, &MemoryNetwork::stop_after}) {
      network_ = start;
      network_.*stop = call;
      EXPECT_THROW(Ensure(kWanted), PowerFailure) << call;
      ExpectOthersAsBefore();
      network_.*stop = MemoryNetwork::kNever;
      Ensure(kWanted);
      EXPECT_EQ(network_.endpoints, wanted) << call;
    }
  }
}

}  // namespace
}  // namespace prov::hns
