#include "provisioner/fleet/node_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "provisioner/base/rapidjson.h"

namespace prov::fleet {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

NodeState Sample() {
  NodeState out;
  out.digest = std::string(64, 'a');
  out.credential_digest = "pbkdf2-sha256:600000:00";
  out.generation = 7;
  out.applied_at = 1'700'000'000;
  out.read_at = 1'700'000'060;
  out.drift = 2;
  out.stale_services = {"kubelet"};
  out.reboot_required = true;
  out.held = true;
  out.failure = NodeFailure{"network", "the server does not answer"};
  out.version = "0.1.0";
  out.scope = {"machine", "certs"};
  out.services = {"kubelet"};
  return out;
}

TEST(NodeState, IsTheContractsDocumentInOneLine) {
  const std::string text = StateText(Sample());
  EXPECT_THAT(text, Not(HasSubstr("\n")));
  EXPECT_EQ(
      text,
      R"({"schema":1,"digest":")" + std::string(64, 'a') +
          R"(","credentialDigest":"pbkdf2-sha256:600000:00","generation":7,)"
          R"("appliedAt":"2023-11-14T22:13:20Z","readAt":"2023-11-14T22:14:20Z","drift":2,)"
          R"("staleServices":["kubelet"],"rebootRequired":true,"held":true,"failure":{"code":"network","message":"the server does not answer"},)"
          R"("version":"0.1.0","options":{"scope":["machine","certs"],"services":["kubelet"]}})");
}

TEST(NodeState, ComesBackAsItWas) {
  EXPECT_EQ(ParseState(StateText(Sample()), "n").value(), Sample());
  EXPECT_EQ(ParseState(StateText({}), "n").value(), NodeState());
  NodeState state = Sample();
  state.drain = node::DrainWish{"boot-1", true, false};
  EXPECT_THAT(StateText(state), HasSubstr(R"("drain":{"boot":"boot-1","waits":true,"asked":false})"));
  EXPECT_EQ(ParseState(StateText(state), "n").value(), state);
  state.approval.emplace();
  EXPECT_THAT(StateText(state), HasSubstr(R"("pending":null,"trial":null)"));
  EXPECT_EQ(ParseState(StateText(state), "n").value(), state);
  for (const TrialResult result : {TrialResult::kRunning, TrialResult::kConfirmed, TrialResult::kTakenBack}) {
    state.approval = NodeApproval{"d", NodeTrial{"d", result, result == TrialResult::kTakenBack ? "no answer" : ""}};
    EXPECT_EQ(ParseState(StateText(state), "n").value(), state);
  }
  EXPECT_THAT(
      StateText(state),
      HasSubstr(R"("pending":"d","trial":{"digest":"d","result":"rolledBack","attempt":1,"reason":"no answer"})"));
  state.approval->trial->attempt = 2;
  EXPECT_EQ(ParseState(StateText(state), "n").value(), state);
}

TEST(NodeState, IsReadFromOtherPrograms) {
  const auto state = ParseState(R"({"schema":1,"digest":"d","appliedAt":1700000000,"later":{}})", "n");
  ASSERT_TRUE(state) << state.error().message;
  EXPECT_EQ(state->digest, "d");
  EXPECT_EQ(state->applied_at, 1'700'000'000);
  EXPECT_EQ(state->failure, std::nullopt);
}

TEST(NodeState, WhatIsNoneIsAnErrorWithItsPlace) {
  const std::pair<const char*, Code> rows[] = {
      {"", Code::kJson},
      {"yes", Code::kJson},
      {"{}", Code::kType},
      {R"({"schema":2})", Code::kVersion},
      {R"({"schema":1,"digest":7})", Code::kType},
      {R"({"schema":1,"appliedAt":"yesterday"})", Code::kType},
      {R"({"schema":1,"rebootRequired":"no"})", Code::kType},
      {R"({"schema":1,"failure":"x"})", Code::kType},
  };
  for (const auto& [text, code] : rows) {
    const auto state = ParseState(text, "node win-1");
    ASSERT_FALSE(state) << text;
    EXPECT_EQ(state.error().code, code) << text << state.error().message;
    EXPECT_THAT(state.error().where, HasSubstr("node win-1")) << text;
  }
}

TEST(NodeState, ALongMessageIsCut) {
  NodeState state;
  state.failure = NodeFailure{"network", std::string(100'000, 'x')};
  EXPECT_LT(StateText(state).size(), 1000U) << "annotations of an object have 256 KiB together";
}

TEST(NodeState, ThePatchWritesTheAnnotationAlone) {
  rapidjson::Document patch;
  const std::string text = AnnotationPatch(kStateAnnotation, StateText(Sample()));
  patch.Parse(text.data(), text.size());
  ASSERT_FALSE(patch.HasParseError());
  ASSERT_EQ(patch.MemberCount(), 1U);
  ASSERT_EQ(patch["metadata"].MemberCount(), 1U);
  ASSERT_EQ(patch["metadata"]["annotations"].MemberCount(), 1U);
  EXPECT_EQ(patch["metadata"]["annotations"]["egress-provisioner/state"].GetString(), StateText(Sample()));
}

TEST(NodeState, TheAnnotationGoesByAPatch) {
  EXPECT_EQ(AnnotationPatch(kStateAnnotation, std::nullopt),
            R"({"metadata":{"annotations":{"egress-provisioner/state":null}}})");
}

}  // namespace
}  // namespace prov::fleet
