#include "provisioner/fleet/own_state.h"

#include <gtest/gtest.h>

#include "provisioner/egress/settings_digest.h"
#include "provisioner/fleet/metrics.h"
#include "provisioner/node/activity.h"
#include "provisioner/node/reconcile_once.h"
#include "tests/node/node_helpers.h"

namespace prov::fleet {
namespace {

using node::SampleSettings;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class Own : public node::NodeTest {
 protected:
  static node::Settings Read(node::Settings settings) {
    settings.source_digest = egress::SettingsDigest(settings.config);
    return settings;
  }
  void Boot(const node::Settings& settings) {
    node::OpenNode n = node();
    const auto report = node::FirstBoot(n, settings, {{.source = {.source = "payload"}}, true, {}}, {});
    ASSERT_TRUE(report) << report.error().message;
  }
  NodeState Look() {
    node::OpenNode n = node();
    auto out = own_.Look(n, "0.1.0");
    EXPECT_TRUE(out) << out.error().message;
    return out.value_or(NodeState());
  }

  OwnState own_;
};

TEST_F(Own, AMachineWithoutSettingsHasNone) {
  const NodeState state = Look();
  EXPECT_EQ(state.digest, std::nullopt);
  EXPECT_EQ(state.applied_at, std::nullopt);
  EXPECT_EQ(state.version, "0.1.0");
}

TEST_F(Own, TellsWhatWasAppliedAndHow) {
  const node::Settings settings = Read(SampleSettings());
  Boot(settings);
  const NodeState state = Look();
  EXPECT_EQ(state.digest, settings.source_digest);
  EXPECT_EQ(state.generation, 1);
  EXPECT_EQ(state.applied_at, host_.now);
  EXPECT_TRUE(state.reboot_required);
  EXPECT_EQ(state.drift, 0);
  EXPECT_EQ(state.failure, std::nullopt);
  EXPECT_THAT(state.services, ElementsAre("containerd"));
  EXPECT_THAT(state.scope, ElementsAre("machine", "services", "winhttp", "certs"));
  EXPECT_EQ(state.credential_digest, egress::CredentialDigest(settings.config, settings.source_digest));
  EXPECT_THAT(StateText(state), Not(HasSubstr("c4nary")));
}

// A pod tells for the service, and an older pod leaves a newer service alone.
TEST_F(Own, TheVersionIsThatOfTheServiceWhereItRuns) {
  Boot(Read(SampleSettings()));
  host_.installed_version = "0.3.0";
  EXPECT_EQ(Look().version, "0.3.0");
  host_.services_by_name.at("provisioner").process_id = 0;
  EXPECT_EQ(Look().version, "0.1.0") << "it does not run";
}

TEST_F(Own, DriftAndFailuresShow) {
  Boot(Read(SampleSettings()));
  host_.memory.Put(reconcile::kEnv, reconcile::Sz("HTTP_PROXY", "http://somebody:1"));
  (void)node::RunRound(host_, [](const node::SettingsSpec&) -> Result<node::Settings> {
    return Fail(Code::kNotFound, "is gone", "payload");
  });
  host_.memory.Put(reconcile::kEnv, reconcile::Sz("HTTP_PROXY", "http://somebody:1"));
  const NodeState state = Look();
  EXPECT_EQ(state.drift, 1);
  ASSERT_TRUE(state.failure);
  EXPECT_EQ(state.failure->code, "not-found");
  EXPECT_EQ(state.failure->message, "payload is gone");
}

TEST_F(Own, AServiceThatRunsWithAnEarlierEnvironmentShows) {
  Boot(Read(SampleSettings()));
  host_.services_by_name["containerd"] = {
      .definition = {}, .process_id = 42, .environment = {"HTTP_PROXY=http://old:1"}};
  EXPECT_THAT(Look().stale_services, ElementsAre("containerd"));
  EXPECT_THAT(MetricsText(Look(), {}, 7), HasSubstr("provisioner_stale_services 1\n"));
}

TEST_F(Own, WhileARollbackHoldsNoDigestIsTold) {
  Boot(Read(SampleSettings()));
  node::OpenNode n = node();
  ASSERT_TRUE(node::Rollback(n));
  const NodeState state = Look();
  EXPECT_TRUE(state.held);
  EXPECT_EQ(state.digest, std::nullopt) << "it does not have them any more";
}

TEST_F(Own, MetricsSayTheSame) {
  Boot(Read(SampleSettings()));
  NodeState state = Look();
  const std::string text = MetricsText(state, own_.first_expiry(), host_.now);
  EXPECT_THAT(text, HasSubstr("provisioner_settings_info{digest=\"" + *state.digest + "\",version=\"0.1.0\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("# TYPE provisioner_drift_items gauge\nprovisioner_drift_items 0\n"));
  EXPECT_THAT(text, HasSubstr("provisioner_reboot_required 1\n"));
  EXPECT_THAT(text, HasSubstr("provisioner_failure{code=\"\"} 0\n"));
  EXPECT_THAT(text, HasSubstr("provisioner_certificate_expiry_days "));
  EXPECT_THAT(text, Not(HasSubstr("\r")));
  state.failure = NodeFailure{"a\"b\\c\nd", ""};
  EXPECT_THAT(MetricsText(state, {}, 7), HasSubstr(R"(provisioner_failure{code="a\"b\\c\nd"} 1)"));
  EXPECT_THAT(MetricsText({}, {}, 7), Not(HasSubstr("provisioner_settings_applied")))
      << "what is not known is left out";
  EXPECT_THAT(MetricsText({}, {}, 7), Not(HasSubstr("provisioner_settings_pending"))) << "it takes any settings";
  state.approval = NodeApproval{std::string(64, '1'), {}};
  EXPECT_THAT(MetricsText(state, {}, 7),
              AllOf(HasSubstr("settings_pending 1\n"), HasSubstr("settings_taken_back 0\n")));
  state.approval->trial = NodeTrial{std::string(64, '1'), TrialResult::kTakenBack};
  EXPECT_THAT(MetricsText(state, {}, 7), HasSubstr("settings_taken_back 1\n"));
  for (const auto& pending : {std::optional<std::string>(), std::optional(std::string(64, '2'))}) {
    state.approval->pending = pending;
    EXPECT_THAT(MetricsText(state, {}, 7), HasSubstr("settings_taken_back 0\n")) << "the source has others now";
  }
}

}  // namespace
}  // namespace prov::fleet
