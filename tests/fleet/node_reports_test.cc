// What a node does after its rounds: a machine in memory, an API server that is a function.
#include "provisioner/fleet/node_reports.h"

#include <fmt/format.h>

#include "provisioner/egress/settings_digest.h"
#include "tests/node/node_helpers.h"
#include "tests/support/kube_config_file.h"
#include "tests/support/scratch_folder.h"

namespace prov::fleet {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::string_view kMetricsFile = R"(C:\exporter\inputs\p.prom)";

class AfterRounds : public node::NodeTest {
 protected:
  AfterRounds() {
    testing_support::WriteKubeConfig(At("config"));
    host_.web = [this](const net::FetchRequest&) {
      net::FetchAnswer out;
      out.status = status_;
      out.body = fmt::format(R"({{"metadata":{{"name":"win-1","annotations":{{{}}}}},"spec":{{"unschedulable":{}}}}})",
                             annotations_, cordoned_);
      return out;
    };
    settings_ = node::SampleSettings();
    settings_.source_digest = egress::SettingsDigest(settings_.config);
    node::OpenNode n = node();
    const auto applied = node::ApplySettings(n, settings_, {});
    EXPECT_TRUE(applied) << applied.error().message;
    reporting_.cluster = node::ClusterNode{"win-1", At("config"), true};
  }

  std::string At(const std::string& name) const { return (scratch_.path() / name).string(); }
  NodeReports Make() {
    return {host_, reporting_, "0.1.0", [this](const Error& error) { failed_.push_back(error.message); }};
  }

  testing_support::ScratchFolder scratch_;
  node::Settings settings_;
  node::NodeReporting reporting_;
  std::vector<std::string> failed_;
  int status_ = 200;
  std::string annotations_;  // of the Node, as members of a JSON object
  bool cordoned_ = false;
};

TEST_F(AfterRounds, TheClusterIsToldAndMetricsAreWritten) {
  reporting_.metrics_file = kMetricsFile;
  host_.memory.PutFileOf(R"(C:\exporter\inputs\other.prom)", "");
  Make().AfterRound();
  ASSERT_THAT(host_.sent, SizeIs(1));
  EXPECT_THAT(host_.sent[0].body, HasSubstr("egress-provisioner/state"));
  EXPECT_THAT(host_.sent[0].body, HasSubstr(settings_.source_digest));
  EXPECT_THAT(host_.sent[0].body, Not(HasSubstr("c4nary")));
  EXPECT_THAT(host_.memory.FileAt(kMetricsFile).value_or(""), HasSubstr("digest=\"" + settings_.source_digest + "\""));
  EXPECT_THAT(failed_, IsEmpty());
  EXPECT_THAT(host_.checked_sources, Contains(At("config"))) << "who can write the kubeconfig is checked";
}

TEST_F(AfterRounds, OfAChoiceOfNothingNothingIsDone) {
  reporting_ = {};
  NodeReports reports = Make();
  const std::size_t before = host_.memory.calls;
  reports.AfterRound();
  EXPECT_EQ(host_.memory.calls, before) << "the machine is not even read";
  EXPECT_THAT(host_.fetches, IsEmpty());
}

TEST_F(AfterRounds, AFailureIsPassedOnAndKeepsTheRestFromNothing) {
  reporting_.metrics_file = kMetricsFile;
  host_.memory.PutFileOf(R"(C:\exporter\inputs\other.prom)", "");
  status_ = 403;
  Make().AfterRound();
  EXPECT_THAT(failed_, ElementsAre(HasSubstr("forbids")));
  EXPECT_THAT(host_.memory.FileAt(kMetricsFile).value_or(""), HasSubstr("provisioner_reboot_required 1"));
}

// The round writes as SYSTEM: in a folder of others, a link could lead it to any file.
TEST_F(AfterRounds, MetricsAreNotWrittenWhereOthersDecideOrIntoNoFolder) {
  reporting_ = {.cluster = {}, .metrics_file = std::string(kMetricsFile), .reboot = {}};
  Make().AfterRound();
  EXPECT_THAT(failed_, ElementsAre(HasSubstr("the folder for metrics does not exist")));
  failed_.clear();
  host_.memory.PutFileOf(R"(C:\exporter\inputs\other.prom)", "");
  host_.memory.unsafe_files.insert(R"(c:\exporter\inputs\p.prom)");
  Make().AfterRound();
  EXPECT_THAT(failed_, ElementsAre(HasSubstr("can be changed by Users")));
  EXPECT_EQ(host_.memory.FileAt(kMetricsFile), std::nullopt);
}

TEST_F(AfterRounds, AnAnnotationAsksTheOperator) {
  host_.memory.PutKey(reconcile::kDaemonKey);
  reporting_.reboot.method = node::RebootMethod::kAnnotate;
  NodeReports reports = Make();
  reports.AfterRound();
  reports.AfterRound();
  ASSERT_THAT(host_.sent, SizeIs(2)) << "the state, and the request once";
  EXPECT_THAT(host_.sent[1].body, HasSubstr(kOperatorRebootAnnotation));
  EXPECT_EQ(host_.sent[1].to.total_seconds, 15) << "the machine is open meanwhile";
}

// The operator removes the annotation after its reboot, and a request made meanwhile with it.
TEST_F(AfterRounds, WhileTheNodeHasTheAnnotationTheOperatorIsNotAsked) {
  host_.memory.PutKey(reconcile::kDaemonKey);
  reporting_.reboot.method = node::RebootMethod::kAnnotate;
  annotations_ = fmt::format(R"("{}":"")", kOperatorRebootAnnotation);
  NodeReports reports = Make();
  reports.AfterRound();
  EXPECT_THAT(host_.sent, SizeIs(1)) << "the state";
  annotations_.clear();
  reports.AfterRound();
  ASSERT_THAT(host_.sent, SizeIs(2));
  EXPECT_THAT(host_.sent[1].body, HasSubstr(kOperatorRebootAnnotation));
}

TEST_F(AfterRounds, ADrainedNodeRestartsAndTellsInWhichBootItIs) {
  reporting_.reboot = {node::RebootMethod::kDrain, node::ParseMaintenanceWindow("08:30-09:00", "window").value()};
  NodeReports reports = Make();
  reports.AfterRound();
  ASSERT_THAT(host_.sent, SizeIs(1));
  EXPECT_THAT(host_.sent[0].body, HasSubstr(R"(\"drain\":{\"boot\":\"1\",\"waits\":false,\"asked\":false})"))
      << "not in its window";
  host_.now += 1800;
  reports.AfterRound();
  ASSERT_THAT(host_.sent, SizeIs(2));
  EXPECT_THAT(host_.sent[1].body, HasSubstr(R"(\"waits\":true,\"asked\":false})"));
  EXPECT_EQ(host_.reboot_reason, std::nullopt);
  annotations_ = fmt::format(R"("{}":"1")", kRebootApprovedAnnotation);
  reports.AfterRound();
  EXPECT_EQ(host_.reboot_reason, std::nullopt) << "somebody uncordoned it, so pods may be there";
  cordoned_ = true;
  reports.AfterRound();
  EXPECT_NE(host_.reboot_reason, std::nullopt);
  reports.AfterRound();
  EXPECT_THAT(host_.sent.back().body, HasSubstr(R"(\"waits\":false,\"asked\":true})"));
  host_.memory.Boot(testing_support::Unflushed::kKept);
  host_.reboot_reason.reset();
  Make().AfterRound();
  EXPECT_THAT(host_.sent.back().body, HasSubstr(R"(\"drain\":{\"boot\":\"2\",\"waits\":false,\"asked\":false})"));
  EXPECT_EQ(host_.reboot_reason, std::nullopt);
  EXPECT_THAT(failed_, IsEmpty());
}

TEST_F(AfterRounds, WindowsIsAskedToRebootAsSoonAsTheWindowOpens) {
  reporting_.cluster.reset();
  reporting_.reboot = {node::RebootMethod::kNow, node::ParseMaintenanceWindow("08:30-09:00", "window").value()};
  NodeReports reports = Make();
  reports.AfterRound();
  EXPECT_EQ(host_.reboot_reason, std::nullopt);
  host_.now += 1800;
  reports.AfterRound();
  EXPECT_NE(host_.reboot_reason, std::nullopt);
}

}  // namespace
}  // namespace prov::fleet
