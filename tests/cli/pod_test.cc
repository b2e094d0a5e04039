// `pod` on a machine in memory: rounds, standing aside, removal.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "provisioner/node/records.h"
#include "tests/cli/machine_commands_fixture.h"

namespace prov::cli {
namespace {

using testing::IsEmpty;

class PodProcess : public machine_commands::MachineCommands {
 protected:
  std::optional<std::string> Proxy() { return reconcile::TextAt(host_.memory, reconcile::kEnv, "HTTP_PROXY"); }
};

TEST_F(PodProcess, KeepsItsNodeAsTheSourceSaysAndInstallsNothing) {
  host_.waits_left = 1;
  const auto pod = Run(PodCommand, {source_, "--service", "containerd", "--interval", "5"});
  ASSERT_TRUE(pod) << pod.error().message;
  EXPECT_TRUE(Proxy());
  EXPECT_FALSE(host_.program_installed);
  EXPECT_THAT(host_.services_by_name, testing::Not(testing::Contains(testing::Key("provisioner"))));
  const auto stored = node::LoadSource(host_.memory.State());
  ASSERT_TRUE(stored && *stored);
  EXPECT_TRUE((*stored)->follow);
  host_.memory.Put(reconcile::kEnv, reconcile::Sz("HTTP_PROXY", "http://somebody:1"));
  host_.waits_left = 0;
  ASSERT_TRUE(Run(PodCommand, {source_, "--service", "containerd"}));
  EXPECT_NE(Proxy(), "http://somebody:1") << "a round repairs";
}

TEST_F(PodProcess, StandsAsideWhereTheServiceRuns) {
  ASSERT_TRUE(Run(ServiceCommand, {"install", "--source", source_}));
  host_.memory.log.clear();
  host_.waits_left = 3;
  ASSERT_TRUE(Run(PodCommand, {source_}));
  EXPECT_EQ(Proxy(), std::nullopt) << "rounds are the service's";
  EXPECT_THAT(host_.memory.log, IsEmpty());
}

TEST_F(PodProcess, TakesEverythingOffItsNodeAndWaits) {
  ASSERT_TRUE(Run(FirstBootCommand, {source_}));
  ASSERT_TRUE(Proxy());
  host_.waits_left = 2;
  ASSERT_TRUE(Run(PodCommand, {"--remove"}));
  EXPECT_EQ(Proxy(), std::nullopt);
  EXPECT_TRUE(host_.state_removed);
  EXPECT_FALSE(host_.program_installed);
  EXPECT_EQ(host_.waits_left, 0U) << "what ends is started again";
}

TEST_F(PodProcess, RefusesWhatItCantRun) {
  EXPECT_EQ(Run(PodCommand, {}).error().code, Code::kUsage);
  EXPECT_EQ(Run(PodCommand, {source_, "--remove"}).error().code, Code::kUsage);
  EXPECT_EQ(Run(PodCommand, {"-"}).error().code, Code::kUsage);
  EXPECT_EQ(Run(PodCommand, {source_, "--scope", "all"}).error().code, Code::kUsage);
  EXPECT_EQ(Run(PodCommand, {source_, "--reboot", "annotate"}).error().code, Code::kUsage);
}

}  // namespace
}  // namespace prov::cli
