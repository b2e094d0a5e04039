// What a node reports to its cluster after its rounds, and how it requests a reboot: commands in this process, a
// machine in memory, an API server that is a function.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "provisioner/base/rapidjson.h"
#include "provisioner/node/records.h"
#include "tests/cli/machine_commands_fixture.h"
#include "tests/support/memory_machine.h"
#include "tests/support/paths.h"

namespace prov::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing_support::Unflushed;

class ClusterNodes : public machine_commands::MachineCommands {
 protected:
  ClusterNodes() {
    std::ofstream(At("config"))
        << "current-context: x\ncontexts: [{name: x, context: {cluster: c, user: u}}]\n"
           "clusters: [{name: c, cluster: {server: 'https://api.example.test:6443', certificate-authority: '"
        << testing_support::TestsFolder()
        << "/sample/corporate-root.pem'}}]\n"
           "users: [{name: u, user: {token: c4nary}}]\n";
    host_.web = [this](const net::FetchRequest&) {
      net::FetchAnswer out;
      out.status = status_;
      out.body = R"({"metadata":{"name":"win-1","annotations":{)" + annotations_ + "}}}";
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
  // A machine that needs a reboot, and that the operator has since come to.
  void ChangeAndJoin() {
    ASSERT_TRUE(Run(ApplyCommand, {source_}));
    PutOperator();
  }
  void PutOperator() { host_.memory.PutKey(reconcile::kDaemonKey); }

  int status_ = 200;
  std::string annotations_;  // of the Node
};

constexpr const char* kRebootAnnotation = "windowsmachineconfig.openshift.io/reboot-required";

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

// A service that is started again and again must not ask an API server that is away each time.
TEST_F(ClusterNodes, AServiceThatStartsAnewGoesOnWithThePause) {
  ASSERT_TRUE(Run(ServiceCommand, WithNode({"install", "--source", source_})));
  status_ = 403;
  host_.fetches.clear();
  const std::int64_t begin = host_.now;
  for (int start = 0; start < 4; ++start) {
    host_.now = begin;
    host_.waits_left = 0;
    ASSERT_TRUE(Run(ReconcileCommand, {"--service"}));
  }
  EXPECT_THAT(host_.fetches, SizeIs(1));
}

TEST_F(ClusterNodes, AFirstBootStoresNoRebootForLater) {
  ASSERT_TRUE(Run(FirstBootCommand, WithNode({source_, "--reboot", "now"})));
  const node::NodeReporting reporting = (*node::LoadService(host_.memory.State()))->reporting;
  EXPECT_TRUE(reporting.cluster);
  EXPECT_FALSE(reporting.reboot.way);
}

TEST_F(ClusterNodes, TheOperatorIsAskedOnceInEachBoot) {
  ChangeAndJoin();
  const auto words = WithNode({source_, "--reboot", "annotate"});
  ASSERT_TRUE(Run(ApplyCommand, words));
  ASSERT_THAT(Bodies(), ElementsAre(HasSubstr(kRebootAnnotation)));
  const auto again = Run(ApplyCommand, words);
  ASSERT_TRUE(again);
  EXPECT_THAT(Bodies(), SizeIs(1));
  EXPECT_EQ(again->findings.back().code, "reboot-asked");
  ASSERT_TRUE(Run(ApplyCommand, {source_, "--reboot", "now"}));
  EXPECT_EQ(host_.reboot_reason, std::nullopt) << "never both";
  host_.memory.Boot(Unflushed::kKept);
  ASSERT_TRUE(Run(ApplyCommand, words));
  EXPECT_THAT(Bodies(), SizeIs(1)) << "nothing is needed any more";
}

TEST_F(ClusterNodes, WithoutTheOperatorNobodyIsAsked) {
  const auto applied = Run(ApplyCommand, WithNode({source_, "--reboot", "annotate"}));
  ASSERT_TRUE(applied);
  EXPECT_THAT(Bodies(), IsEmpty());
  EXPECT_EQ(applied->findings.back().code, "reboot-annotate");
}

TEST_F(ClusterNodes, ARefusedAnnotationIsAnErrorAndTriedAgain) {
  ChangeAndJoin();
  status_ = 403;
  const auto refused = Run(ApplyCommand, WithNode({source_, "--reboot", "annotate"}));
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr(R"(resources ["nodes"], resourceNames ["win-1"], verbs ["patch"])"));
  status_ = 200;
  ASSERT_TRUE(Run(ApplyCommand, WithNode({source_, "--reboot", "annotate"})));
  EXPECT_THAT(Bodies(), SizeIs(2));
}

// The operator's daemon asks after changes of its own. The operator takes the annotation away after that reboot, and
// with it what was asked for meanwhile.
TEST_F(ClusterNodes, WhileTheOperatorHasItBootNobodyElseAsks) {
  ChangeAndJoin();
  annotations_ = fmt::format("\"{}\":\"\"", kRebootAnnotation);
  for (const char* way : {"annotate", "now"}) {
    const auto waits = Run(ApplyCommand, WithNode({source_, "--reboot", way}));
    ASSERT_TRUE(waits) << way;
    EXPECT_EQ(waits->findings.back().code, "reboot-waits") << way;
  }
  EXPECT_THAT(Bodies(), IsEmpty());
  EXPECT_EQ(host_.reboot_reason, std::nullopt);
  annotations_.clear();
  ASSERT_TRUE(Run(ApplyCommand, WithNode({source_, "--reboot", "annotate"})));
  EXPECT_THAT(Bodies(), ElementsAre(HasSubstr(kRebootAnnotation))) << "it is gone, and the need stands";
}

// The machine is open for writing meanwhile, and nobody else gets at it.
TEST_F(ClusterNodes, RoundsDontAskAgainAtOnceWhatFailed) {
  ChangeAndJoin();
  ASSERT_TRUE(Run(ServiceCommand, WithNode({"install", "--source", source_, "--reboot", "annotate"})));
  status_ = 403;
  host_.waits_left = 3;
  ASSERT_TRUE(Run(ReconcileCommand, {"--service"}));
  EXPECT_THAT(Bodies(), ElementsAre(HasSubstr(kRebootAnnotation))) << "four rounds in less than five minutes";
  host_.waits_left = 8;
  ASSERT_TRUE(Run(ReconcileCommand, {"--service"}));
  EXPECT_THAT(Bodies(), SizeIs(3)) << "and again after the pause";
}

// 1'800'000'000 is a Friday, 08:00 UTC.
TEST_F(ClusterNodes, ARebootWaitsForItsWindow) {
  const auto outside = Run(ApplyCommand, {source_, "--reboot", "now", "--reboot-window", "09:00-10:00"});
  ASSERT_TRUE(outside);
  EXPECT_EQ(host_.reboot_reason, std::nullopt);
  EXPECT_EQ(outside->findings.back().code, "reboot-waits");
  host_.now += 3600;
  ASSERT_TRUE(Run(ApplyCommand, {source_, "--reboot", "now", "--reboot-window", "Fri 09:00-10:00"}));
  EXPECT_NE(host_.reboot_reason, std::nullopt);
}

TEST_F(ClusterNodes, TheServiceRebootsWhenTheWindowOpens) {
  ASSERT_TRUE(Run(ServiceCommand, {"install", "--source", source_, "--reboot", "now", "--reboot-window", "08:30-09:00",
                                   "--interval", "600"}));
  host_.waits_left = 1;
  ASSERT_TRUE(Run(ReconcileCommand, {"--service"}));
  EXPECT_EQ(host_.reboot_reason, std::nullopt);
  host_.now += 1800;
  host_.waits_left = 3;
  ASSERT_TRUE(Run(ReconcileCommand, {"--service"}));
  EXPECT_NE(host_.reboot_reason, std::nullopt);
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
