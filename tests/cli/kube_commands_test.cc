// A node that follows a cluster: commands in this process, a machine in memory, an API server that is a function.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>

#include "provisioner/node/records.h"
#include "tests/cli/machine_commands_fixture.h"
#include "tests/support/kube_config_file.h"
#include "tests/support/memory_network.h"
#include "tests/support/paths.h"
#include "tests/support/result.h"

namespace prov::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class KubeCommands : public machine_commands::MachineCommands {
 protected:
  KubeCommands() {
    testing_support::WriteKubeConfig(scratch_.At("config"));
    host_.web = [this](const net::FetchRequest& request) { return Answer(request); };
  }

  std::string Pool() const {
    return fmt::format(
        R"({{"metadata":{{"name":"worker","resourceVersion":"{}"}},"status":{{"configuration":{{"name":"rendered-{}"}}}}}})",
        100 + version_, version_);
  }
  std::string Config() const {
    return fmt::format(
        R"({{"apiVersion":"machineconfiguration.openshift.io/v1","kind":"MachineConfig","metadata":{{"name":"rendered-{0}"}},"spec":{{"config":{{"ignition":{{"version":"3.4.0"}},"storage":{{"files":[{{"path":"/etc/mco/proxy.env","contents":{{"source":"data:,HTTP_PROXY%3Dhttp://p{0}:1%0AHTTPS_PROXY%3Dhttp://p{0}:1%0A"}}}}]}}}}}}}})",
        version_);
  }

  Result<net::FetchAnswer> Answer(const net::FetchRequest& request) {
    net::FetchAnswer out;
    out.status = 200;
    if (request.url.find("watch=true") != std::string::npos) {
      if (watch_) watch_(request);
      return out;
    }
    const bool list = request.url.find("fieldSelector") != std::string::npos;
    const bool pool = request.url.ends_with("/machineconfigpools/worker");
    out.body = list   ? fmt::format(R"({{"metadata":{{"resourceVersion":"100"}},"items":[{}]}})", Pool())
               : pool ? Pool()
                      : Config();
    return out;
  }

  std::optional<std::string> Proxy() { return reconcile::TextAt(host_.memory, reconcile::kEnv, "HTTP_PROXY"); }

  // How often a node that first-boot set up with these words reads its MachineConfig in so many rounds.
  std::ptrdiff_t ReadsInRounds(int rounds, std::vector<std::string> words) {
    words.insert(words.begin(), {"kube:///worker", "--kubeconfig", scratch_.At("config")});
    Must(Run(FirstBootCommand, words));
    const auto reads = [this] {
      return std::ranges::count_if(
          host_.fetches, [](const auto& request) { return request.url.find("/machineconfigs/") != std::string::npos; });
    };
    const auto before = reads();
    int watches = 0;
    watch_ = [&](const net::FetchRequest&) {
      host_.now += 60;
      if (++watches >= rounds) host_.stopped = true;
    };
    ::testing::internal::CaptureStdout();
    EXPECT_TRUE(Run(ReconcileCommand, {"--watch", "--interval", "60"}));
    ::testing::internal::GetCapturedStdout();
    EXPECT_EQ(watches, rounds);
    return reads() - before;
  }

  int version_ = 1;
  std::function<void(const net::FetchRequest&)> watch_;
};

TEST_F(KubeCommands, TwoChangesInARowReachTheMachineWithinOneInterval) {
  Must(Run(FirstBootCommand, {"kube:///worker", "--kubeconfig", scratch_.At("config")}));
  EXPECT_EQ(Proxy(), "http://p1:1");
  const std::string stored = host_.memory.Section(node::kSourceSection).value();
  EXPECT_THAT(stored, HasSubstr("kube:///worker"));
  EXPECT_THAT(stored, HasSubstr("\"kubeconfig\": \""));
  EXPECT_THAT(stored, Not(HasSubstr("c4nary")));

  std::vector<std::string> seen;
  watch_ = [&](const net::FetchRequest& request) {
    seen.push_back(Proxy().value_or("none"));
    if (seen.size() > 2) return;
    ++version_;
    request.sink(fmt::format("{{\"type\":\"MODIFIED\",\"object\":{}}}\n", Pool()));
  };
  host_.waits_left = 2;
  const std::int64_t before = host_.now;
  ::testing::internal::CaptureStdout();
  const auto watched = Run(ReconcileCommand, {"--watch"});
  const std::string text = ::testing::internal::GetCapturedStdout();
  ASSERT_TRUE(watched) << watched.error().message;
  EXPECT_THAT(seen, ElementsAre("http://p1:1", "http://p2:1", "http://p3:1"));
  EXPECT_EQ(Proxy(), "http://p3:1");
  EXPECT_LT(host_.now - before, 60);
  EXPECT_THAT(text, Not(HasSubstr("c4nary")));
}

// A fleet must not ask for the same in each round of each node.
TEST_F(KubeCommands, WhatIsWatchedIsNotReadAgainUntilItChanges) {
  EXPECT_EQ(ReadsInRounds(100, {}), 2) << "at the start, and after an hour";
}

// Nobody watches such a file.
TEST_F(KubeCommands, WithAFileOfTheNodesChoicesEachRoundReads) {
  EXPECT_EQ(ReadsInRounds(5, {"--subtract", testing_support::TestsFolder() + "/sample/proxy-root.pem"}), 5);
}
TEST_F(KubeCommands, WithPoliciesOfPodsEachRoundReads) {
  testing_support::MemoryNetwork network;
  host_.memory.network = &network;
  std::ofstream(scratch_.At("policy.json"))
      << R"({"Type":"L4WFPPROXY","Settings":{"OutboundProxyPort":15001,"UserSID":"network-service"}})";
  EXPECT_EQ(ReadsInRounds(5, {"--hns-policy", scratch_.At("policy.json"), "--hns-pods", "all"}), 5);
}

}  // namespace
}  // namespace prov::cli
