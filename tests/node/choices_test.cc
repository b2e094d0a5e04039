#include "provisioner/node/choices.h"

#include <gmock/gmock.h>

#include "provisioner/base/file.h"
#include "tests/support/result.h"

namespace prov::node {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string WrittenChoices(const Choices& choices) {
  JsonWriter json;
  WriteChoices(json, choices);
  return json.Text();
}

Result<Choices> ReadChosen(std::string_view text) {
  return ReadChoices(PROV_TRY(ParseJsonDocument(text, "state.json")));
}

Choices AllOfThem() {
  Choices out;
  out.scope = reconcile::Scope{false, true, true, false, true, true};
  out.with_wmco = true;
  out.credentials = reconcile::CredentialPolicy::kServices;
  out.services = {"kubelet", "containerd"};
  out.trusted = {std::string(64, 'a')};
  out.subtract_file = R"(C:\egress\minus.pem)";
  out.hns_policy_file = R"(C:\egress\policy.json)";
  out.hns_pods = "shop";
  out.registry_folder = R"(C:\certs.d)";
  out.win_http_octets = true;
  out.augment = true;
  return out;
}

TEST(Choices, ComeBackAsTheyWereWritten) {
  EXPECT_EQ(ReadChosen(WrittenChoices({})).value(), Choices());
  EXPECT_EQ(ReadChosen(WrittenChoices(AllOfThem())).value(), AllOfThem());
  Choices chosen_as_by_default;
  chosen_as_by_default.services.emplace();
  EXPECT_EQ(ReadChosen(WrittenChoices(chosen_as_by_default)).value(), chosen_as_by_default);
}

TEST(Choices, HaveTheNamesOfEgressJson) {
  const std::string text = WrittenChoices(AllOfThem());
  for (const char* member :
       {R"("scope": [)", R"("credentials": "services")", R"("trusted": [)", R"("winHttpOctets": true)"})
    EXPECT_THAT(text, HasSubstr(member));
  EXPECT_EQ(WrittenChoices({}), "{}\n") << "nothing is chosen";
}

TEST(Choices, RefuseWhatNoOptionCouldSay) {
  for (const char* text :
       {R"({"scope":["everything"]})", R"({"credentials":"anywhere"})", R"({"services":["a\\b"]})",
        R"({"trusted":["12"]})", R"({"augment":1})", R"({"subtractFile":true})", R"({"registryFolder":"C:\\k\\x"})"}) {
    const auto choices = ReadChosen(text);
    ASSERT_FALSE(choices) << text;
    EXPECT_EQ(choices.error().code, Code::kType) << text;
  }
}

TEST(Choices, KnowTheirPaths) {
  EXPECT_THAT(Choices().Files(), IsEmpty());
  EXPECT_THAT(AllOfThem().Files(), ElementsAre(R"(C:\egress\minus.pem)", R"(C:\egress\policy.json)"));
}

TEST(Choices, WhatIsNotChosenStaysAsThePayloadHasIt) {
  reconcile::DesiredOptions baked;
  baked.scope.win_inet = true;
  baked.credentials = reconcile::CredentialPolicy::kNone;
  baked.services = {"containerd"};
  baked.trusted = {std::string(64, 'b')};
  Findings findings;
  const auto same = Must(WithChoices(baked, {}, ReadFile, findings));
  EXPECT_EQ(same.scope, baked.scope);
  EXPECT_EQ(same.credentials, baked.credentials);
  EXPECT_EQ(same.services, baked.services);
  EXPECT_EQ(same.trusted, baked.trusted);
  Choices choices;
  choices.with_wmco = true;
  choices.services = {"kubelet"};
  choices.trusted = {std::string(64, 'a')};
  const auto other = Must(WithChoices(baked, choices, ReadFile, findings));
  EXPECT_FALSE(other.scope.machine);
  EXPECT_TRUE(other.scope.win_inet);
  EXPECT_THAT(other.services, ElementsAre("kubelet"));
  EXPECT_THAT(other.trusted, ElementsAre(std::string(64, 'a'), std::string(64, 'b')));
}

TEST(Choices, AFileThatIsNotThereIsAnError) {
  Findings findings;
  Choices choices;
  choices.subtract_file = "/no/such/bundle.pem";
  EXPECT_EQ(WithChoices({}, choices, ReadFile, findings).error().code, Code::kNotFound);
}

}  // namespace
}  // namespace prov::node
