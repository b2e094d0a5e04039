// What a node reports to its cluster after its rounds, and how it requests a reboot: commands in this process, a
// machine in memory, an API server that is a function.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "provisioner/base/rapidjson.h"
#include "provisioner/node/records.h"
#include "tests/cli/machine_commands_fixture.h"
#include "tests/support/kube_config_file.h"
#include "tests/support/memory_machine.h"

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
  ASSERT_TRUE(Run(ReconcileCommand, WithNode({"--metrics", At("p.prom")})));
  ASSERT_THAT(Bodies(), SizeIs(1));
  EXPECT_THAT(Bodies()[0], HasSubstr("egress-provisioner/state"));
  EXPECT_THAT(Bodies()[0], HasSubstr(digest));
  EXPECT_THAT(testing_support::ReadAll(At("p.prom")), HasSubstr("digest=\"" + digest + "\""));
}

TEST_F(ClusterNodes, WhatCantBeToldEndsNoRound) {
  ASSERT_TRUE(Run(FirstBootCommand, {source_}));
  status_ = 403;
  const auto round = Run(ReconcileCommand, WithNode({"--once"}));
  ASSERT_TRUE(round) << round.error().message;
  EXPECT_EQ(round->exit, 0);
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
  const auto refused = with("Sat 01:00-01:10", "3600");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kUsage);
  EXPECT_THAT(refused.error().message, HasSubstr("open for 600 s"));
  EXPECT_TRUE(with("Sat 01:00-01:10", "300"));
}

}  // namespace
}  // namespace prov::cli
