// What a node reports to its cluster after its rounds, and how it requests a reboot: commands in this process, a
// machine in memory, an API server that is a function.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "provisioner/base/rapidjson.h"
#include "provisioner/node/approval.h"
#include "provisioner/node/records.h"
#include "tests/cli/machine_commands_fixture.h"
#include "tests/support/kube_config_file.h"
#include "tests/support/memory_machine.h"
#include "tests/support/result.h"

namespace prov::cli {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

class ClusterNodes : public machine_commands::MachineCommands {
 protected:
  ClusterNodes() {
    testing_support::WriteKubeConfig(At("config"));
    host_.web = [this](const net::FetchRequest&) {
      net::FetchAnswer out;
      out.status = status_;
      out.body = R"({"metadata":{"name":"win-1"}})";
      return out;
    };
  }
  std::string At(const std::string& name) const { return (root_ / name).string(); }
  std::vector<std::string> WithNode(std::vector<std::string> words) const {
    for (const std::string& word :
         {std::string("--node"), std::string("win-1"), std::string("--node-kubeconfig"), At("config")})
      words.push_back(word);
    return words;
  }
  // Without passwords of the source, which the annotation must not hold.
  std::vector<std::string> Bodies() const {
    std::vector<std::string> out;
    for (const net::SendRequest& request : host_.sent) {
      EXPECT_THAT(request.body, Not(HasSubstr(machine_commands::kPassword)));
      out.push_back(request.method + " " + request.body);
    }
    return out;
  }

  int status_ = 200;
};

TEST_F(ClusterNodes, ARoundTellsTheClusterAndWritesMetrics) {
  ASSERT_TRUE(Run(FirstBootCommand, {source_, "--service", "containerd"}));
  const auto digest = std::string(Json(ExtractCommand, {source_})["digest"].GetString());
  const std::string metrics = At("C:\\exporter\\inputs\\p.prom");
  host_.memory.PutFileOf(At("C:\\exporter\\inputs\\other.prom"), "");
  ASSERT_TRUE(Run(ReconcileCommand, WithNode({"--metrics", metrics})));
  ASSERT_THAT(Bodies(), SizeIs(1));
  EXPECT_THAT(Bodies()[0], HasSubstr("egress-provisioner/state"));
  EXPECT_THAT(Bodies()[0], HasSubstr(digest));
  EXPECT_THAT(host_.memory.FileAt(metrics).value_or(""), HasSubstr("digest=\"" + digest + "\""));
}

TEST_F(ClusterNodes, WhatCantBeToldEndsNoRound) {
  ASSERT_TRUE(Run(FirstBootCommand, {source_}));
  status_ = 403;
  const auto round = Must(Run(ReconcileCommand, WithNode({"--once"})));
  EXPECT_EQ(round.exit, 0);
}

TEST_F(ClusterNodes, TheServiceDoesWhatItWasInstalledWith) {
  ASSERT_TRUE(Run(ServiceCommand, WithNode({"install", "--source", source_, "--metrics", At("p.prom")})));
  const auto stored = node::LoadService(host_.memory.State());
  ASSERT_TRUE(stored && *stored);
  const node::NodeReporting chosen{
      .cluster = node::ClusterNode{"win-1", At("config"), true}, .metrics_file = At("p.prom"), .reboot = {}};
  EXPECT_EQ((*stored)->reporting, chosen);
  host_.waits_left = 2;
  ASSERT_TRUE(Run(ReconcileCommand, {"--service"}));
  EXPECT_THAT(Bodies(), SizeIs(1)) << "three rounds, one piece of news";
  EXPECT_THAT(host_.checked_sources, testing::Contains(At("config"))) << "who writes it is asked for";
  ASSERT_TRUE(Run(ServiceCommand, {"install", "--interval", "300"}));
  EXPECT_EQ((*node::LoadService(host_.memory.State()))->reporting, chosen) << "what is not named stays";
}

TEST_F(ClusterNodes, ApprovalIsStoredAndNeedsTheNode) {
  const Error refused = ErrorIn(Run(FirstBootCommand, {source_, "--approval"}));
  EXPECT_THAT(refused.message, HasSubstr("needs --node"));
  ASSERT_TRUE(Run(FirstBootCommand, WithNode({source_, "--approval"})));
  EXPECT_TRUE((*node::LoadService(host_.memory.State()))->reporting.approval);
}

TEST_F(ClusterNodes, TheServiceWaitsForApprovalIfItWasInstalledSo) {
  ASSERT_TRUE(Run(ServiceCommand, WithNode({"install", "--source", source_, "--approval"})));
  host_.waits_left = 1;
  ASSERT_TRUE(Run(ReconcileCommand, {"--service"}));
  ASSERT_THAT(Bodies(), SizeIs(1));
  EXPECT_THAT(Bodies()[0], HasSubstr(R"(\"pending\":null,\"trial\":null)"));
}

// The stored choice counts for a round that a person runs, too.
TEST_F(ClusterNodes, ARoundByHandWaitsForApprovalToo) {
  ASSERT_TRUE(Run(FirstBootCommand, WithNode({source_, "--approval"})));
  ASSERT_TRUE(Run(ReconcileCommand, {"--once"}));
  EXPECT_TRUE(host_.memory.Section("approval"));
  EXPECT_TRUE(Json(StatusCommand, {})["approval"].IsObject());
}

TEST_F(ClusterNodes, StatusShowsWhatWaitsAndWhatWasTakenBack) {
  ASSERT_TRUE(Run(FirstBootCommand, {source_}));
  EXPECT_TRUE(Json(StatusCommand, {})["approval"].IsNull());
  const std::string digest(64, 'a');
  node::ApprovalRecord record{.pending = digest,
                              .trial = node::ApprovedTrial{digest, node::ApprovedResult::kTakenBack, "no answer", 2}};
  ASSERT_TRUE(node::Remember(host_.memory.State(), node::kApprovalSection, node::ApprovalJson(record)));
  const auto text = Run(StatusCommand, {});
  EXPECT_THAT(text->out, HasSubstr("pending  settings aaaaaaaaaaaa wait until the cluster approves them\n"));
  EXPECT_THAT(text->out, HasSubstr("tried    settings aaaaaaaaaaaa were taken back: no answer\n"));
  const auto json = Json(StatusCommand, {});
  EXPECT_STREQ(json["approval"]["pending"].GetString(), digest.c_str());
  EXPECT_STREQ(json["approval"]["trial"]["result"].GetString(), "rolledBack");
  record.pending.reset();
  ASSERT_TRUE(node::Remember(host_.memory.State(), node::kApprovalSection, node::ApprovalJson(record)));
  EXPECT_THAT(Run(StatusCommand, {})->out, Not(HasSubstr("tried"))) << "the source has others now";
}

TEST_F(ClusterNodes, AFirstBootStoresNoRebootForLater) {
  ASSERT_TRUE(Run(FirstBootCommand, WithNode({source_, "--reboot", "now"})));
  const node::NodeReporting reporting = (*node::LoadService(host_.memory.State()))->reporting;
  EXPECT_TRUE(reporting.cluster);
  EXPECT_FALSE(reporting.reboot.method);
}

// Of a machine that needs a reboot, and that the operator has since come to.
TEST_F(ClusterNodes, AnApplyAsksTheOperatorToReboot) {
  ASSERT_TRUE(Run(ApplyCommand, {source_}));
  host_.memory.PutKey(reconcile::kDaemonKey);
  ASSERT_TRUE(Run(ApplyCommand, WithNode({source_, "--reboot", "annotate"})));
  ASSERT_THAT(Bodies(), SizeIs(1));
  EXPECT_THAT(Bodies()[0], HasSubstr("windowsmachineconfig.openshift.io/reboot-required"));
}

TEST_F(ClusterNodes, WordsThatDontFitAreRefused) {
  struct Row {
    std::vector<std::string> words;
    const char* text;
  };
  const std::vector<Row> rows = {
      {{source_, "--reboot", "annotate"}, "needs --node"},
      {{source_, "--reboot", "drain"}, "drain needs --node"},
      {WithNode({source_, "--reboot", "drain"}), "one run can't"},
      {{source_, "--reboot-window", "01:00-02:00"}, "needs --reboot now"},
      {{source_, "--node-kubeconfig", "x"}, "needs --node"},
      {{source_, "--node", "WIN_1", "--node-kubeconfig", "x"}, "in lower case"},
  };
  for (const Row& row : rows) {
    const auto outcome = Run(ApplyCommand, row.words);
    ASSERT_FALSE(outcome) << row.text;
    EXPECT_EQ(outcome.error().code, Code::kUsage);
    EXPECT_THAT(outcome.error().message, HasSubstr(row.text));
  }
  for (const char* name : {"metrics.txt", ""})
    EXPECT_EQ(Run(ServiceCommand, {"install", "--metrics", name}).error().code, Code::kUsage) << name;
}

// A round is made each hour or so, and none need fall into ten minutes of a week.
TEST_F(ClusterNodes, AWindowThatNoRoundNeedMeetIsRefused) {
  const std::vector<std::string> words = {"install", "--source", source_, "--reboot", "now", "--reboot-window"};
  const auto with = [&](const char* window, const char* interval) {
    std::vector<std::string> all = words;
    all.insert(all.end(), {window, "--interval", interval});
    return Run(ServiceCommand, all);
  };
  const Error refused = ErrorIn(with("Sat 01:00-01:10", "3600"));
  EXPECT_EQ(refused.code, Code::kUsage);
  EXPECT_THAT(refused.message, HasSubstr("open for 600 s"));
  EXPECT_TRUE(with("Sat 01:00-01:10", "300"));
  EXPECT_THAT(ErrorIn(with("01:00-01:01", "60")).message, HasSubstr("every 60 s"));
  EXPECT_TRUE(with("01:00-01:01", "30"));
  EXPECT_TRUE(Run(ApplyCommand, {source_, "--reboot", "now", "--reboot-window", "01:00-01:01"})) << "no rounds";
  std::vector<std::string> usual = words;
  usual.emplace_back("01:00-01:01");
  EXPECT_THAT(ErrorIn(Run(ServiceCommand, usual)).message, HasSubstr("one round every 60 s"));
}

}  // namespace
}  // namespace prov::cli
