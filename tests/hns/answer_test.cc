#include "provisioner/hns/answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/result.h"

namespace prov::hns {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr char kRecord[] =
    R"({"Success":false,"Error":"The provided policy configuration is invalid or missing parameters. ","ErrorCode":2151350285})";

TEST(Refusal, IsAFailedStatusWithHnsOwnWords) {
  const auto refusal = Must(RefusalOf({0x803B000DU, "", kRecord}));
  const Error error = refusal.ToError("HcnModifyEndpoint", "93f8");
  EXPECT_EQ(error.code, Code::kHns);
  EXPECT_EQ(error.where, "93f8");
  EXPECT_THAT(error.message, HasSubstr("HcnModifyEndpoint failed (0x803b000d)"));
  EXPECT_THAT(error.message, HasSubstr("\"The provided policy configuration is invalid or missing parameters.\""));
  EXPECT_THAT(error.message, HasSubstr("; correct the policy"));
}

TEST(Refusal, IsARecordAlsoWhereTheStatusSaysSuccess) {
  const auto refusal = Must(RefusalOf({0, "", kRecord}));
  EXPECT_EQ(refusal.code, 0x803B000DU);
  EXPECT_FALSE(RefusalOf({0, "[]", ""}));
  EXPECT_FALSE(RefusalOf({1, "[]", " \r\n"})) << "S_FALSE and no record";
}

TEST(Refusal, TakesARecordOfAnyForm) {
  EXPECT_EQ(RefusalOf({0x80004005U, "", "out of order"})->text, "out of order");
  EXPECT_EQ(RefusalOf({0x80004005U, "", R"({"Error":7,"ErrorCode":"x"})"})->code, 0x80004005U);
  EXPECT_EQ(RefusalOf({0x80004005U, "", "[]"})->code, 0x80004005U);
  const Error silent = RefusalOf({0x80004005U, "", ""})->ToError("HcnOpenEndpoint", "x");
  EXPECT_THAT(silent.message, HasSubstr("HcnOpenEndpoint failed (0x80004005): HNS does not say why; "));
}

TEST(Refusal, SaysWhatToDoAboutKnownCodes) {
  EXPECT_THAT(RefusalOf({0x80070005U, "", ""})->ToError("HcnEnumerateEndpoints", "HNS").message,
              HasSubstr("access is denied; run this as an administrator"));
}

TEST(Refusal, TellsAnEndpointThatIsNotThere) {
  EXPECT_TRUE(RefusalOf({0x803B0002U, "", ""})->IsMissing());
  EXPECT_TRUE(RefusalOf({0x80070490U, "", ""})->IsMissing());
  EXPECT_FALSE(RefusalOf({0x80070490U, "", ""})->IsEndpointMissing()) << "may be a policy";
  EXPECT_FALSE(RefusalOf({0x803B0008U, "", ""})->IsMissing());
}

TEST(IsOfAnotherNode, IsABitOfFlags) {
  for (const char* const text : {R"({"Flags":1})", R"({"ID":"x","Flags":33,"Policies":[]})"}) {
    EXPECT_TRUE(IsOfAnotherNode(text)) << text;
  }
  for (const char* const text : {"{}", R"({"Flags":0})", R"({"Flags":32})", R"({"Flags":"1"})", R"({"Flags":null})",
                                 R"({"Others":{"Flags":1}})", "[1]", "{"}) {
    EXPECT_FALSE(IsOfAnotherNode(text)) << text;
  }
}

TEST(ReadIds, TakesAListOfTexts) {
  EXPECT_THAT(*ReadIds(R"(["A","B"])", "HNS"), ElementsAre("A", "B"));
  EXPECT_THAT(*ReadIds("[]", "HNS"), IsEmpty());
  EXPECT_THAT(*ReadIds("null", "HNS"), IsEmpty());
  for (const char* text : {"", "{}", "[1]", "[\"A\""}) {
    const auto ids = ReadIds(text, "HNS");
    ASSERT_FALSE(ids) << text;
    EXPECT_EQ(ids.error().code, Code::kHns) << text;
  }
}

TEST(ReadNamespace, TakesEndpointsAmongOtherResources) {
  const auto pod = ReadNamespace(R"({"ID":"N","NamespaceId":2,"Type":"Host","Resources":[
                {"Type":"Container","Data":{"ID":"ccaae3aba155"}},
                {"Type":"Endpoint","Data":{"ID":"93F86A7F-E361-4362-B8A4-81BBB6A622DD"}},
                {"Type":"Endpoint","Data":{"ID":"00000000-0000-0000-0000-000000000001"}}]})",
                                 "N");
  EXPECT_THAT(pod->endpoints,
              ElementsAre("93F86A7F-E361-4362-B8A4-81BBB6A622DD", "00000000-0000-0000-0000-000000000001"));
  EXPECT_FALSE(pod->is_of_node);
  EXPECT_THAT(ReadNamespace(R"({"ID":"N"})", "N")->endpoints, IsEmpty());
  EXPECT_EQ(ReadNamespace(R"({"Resources":[{"Type":"Endpoint"}]})", "N").error().code, Code::kHns);
}

TEST(ReadNamespace, KnowsTheNodesOwn) {
  EXPECT_TRUE(ReadNamespace(R"({"ID":"N","Type":"HostDefault","Resources":null})", "N")->is_of_node);
}

TEST(Version, KnowsTheFirstThatHasProxyPolicies) {
  const auto version = Must(ReadVersion({0, R"({"Success":true,"Output":{"Major":13,"Minor":2}})", ""}));
  EXPECT_EQ(version.Text(), "13.2");
  EXPECT_TRUE(version.HasProxyPolicies());
  EXPECT_FALSE((Version{13, 1}.HasProxyPolicies()));
  EXPECT_FALSE((Version{9, 5}.HasProxyPolicies()));
  EXPECT_TRUE((Version{14, 0}.HasProxyPolicies()));
}

TEST(Version, IsAnErrorWhereHnsSaysSo) {
  const Error version =
      ErrorIn(ReadVersion({0, R"({"Success":false,"Error":"no such thing","ErrorCode":2151350273})", ""}));
  EXPECT_EQ(version.code, Code::kHns);
  EXPECT_THAT(version.message, HasSubstr("(0x803b0001): HNS says: \"no such thing\""));
  EXPECT_EQ(ReadVersion({0, "", ""}).error().code, Code::kHns);
  EXPECT_THAT(ReadVersion({0, "", ""}).error().message, HasSubstr("the answer of HNS (0x00000000) can't be read"));
  EXPECT_THAT(ReadVersion({0x80070005U, "", ""}).error().message, Not(HasSubstr("can't be read")));
}

}  // namespace
}  // namespace prov::hns
