// Many nodes of a fleet in one process, against an API server: each one is a machine in memory with the rounds that a
// pod makes with --approval, the system's clock and real requests. So the requests of a trial go the way which the
// settings on trial say.
//
// usage: rollout_nodes KUBECONFIG URI FIRST COUNT INTERVAL [drain] [NAME=SECONDS]...
//   KUBECONFIG: a file, or a folder with one for each node, of its name
//   FIRST, COUNT: of the nodes win-000, win-001, ..., which must be there
//   INTERVAL: of the rounds, in seconds
//   drain: with --reboot drain in the place of --approval. A node that asks Windows to reboot is away for two seconds,
//   and
//     its pod then runs in another boot.
//   NAME=SECONDS: how far this node's clock is ahead
//
// Runs until it is stopped. Prints a line of JSON for each thing that a round says of an approval, for each reboot, and
// one at the end.
#include <fmt/format.h>
#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "provisioner/base/json_writer.h"
#include "provisioner/fleet/node_reports.h"
#include "provisioner/machine/live_ports.h"
#include "provisioner/node/pod_turn.h"
#include "tests/reconcile/engine_helpers.h"
#include "tests/support/memory_host.h"

namespace {

using namespace prov;

// The system's clock, so many seconds ahead. A process on the node is asked to stop when that shuts down.
class OffsetClock final : public Clock {
 public:
  explicit OffsetClock(std::int64_t seconds) : seconds_(seconds) {}
  std::int64_t NowUnix() override { return machine::LiveClock().NowUnix() + seconds_; }
  bool Wait(std::int64_t milliseconds) override { return !shuts_down && machine::LiveClock().Wait(milliseconds); }

  bool shuts_down = false;

 private:
  std::int64_t seconds_;
};

// The machine in memory, with a clock and a network that are real.
class NodeHost final : public machine::Host {
 public:
  NodeHost(const std::string& name, std::int64_t seconds_ahead) : clock_(seconds_ahead) {
    reconcile::PutWindows(memory_.memory);
    memory_.memory.set_machine_id(name);
  }
  Result<std::unique_ptr<machine::OpenMachine>> Open(machine::Access access) override { return memory_.Open(access); }
  machine::Services& services() override { return memory_.services(); }
  machine::EventLog& events() override { return memory_.events(); }
  Clock& clock() override { return clock_; }
  net::Http& http() override { return net::LiveHttp(); }
  machine::Installation& installation() override { return memory_.installation(); }
  Result<void> Reboot(std::string_view reason) override {
    clock_.shuts_down = true;
    return memory_.Reboot(reason);
  }
  bool ShutsDown() const { return clock_.shuts_down; }
  // After the processes on it have ended. Returns false if it only was asked to stop.
  bool ComesBack() {
    if (!std::exchange(clock_.shuts_down, false)) return false;
    memory_.memory.Boot(testing_support::Unflushed::kKept);
    return clock_.Wait(2000);
  }
  Result<void> RunAsService(std::string_view name, const std::function<void()>& body) override {
    return memory_.RunAsService(name, body);
  }

 private:
  testing_support::MemoryHost memory_;
  OffsetClock clock_;
};

class Output {
 public:
  void Line(const std::string& line) {
    const std::scoped_lock lock(mutex_);
    std::fputs((line + "\n").c_str(), stdout);
    std::fflush(stdout);
  }

 private:
  std::mutex mutex_;
};

struct Plan {
  std::filesystem::path kubeconfig;
  std::string uri;
  std::int64_t interval = 0;
  bool drains = false;
};

std::string LineOf(const std::string& node, std::string_view code, std::string_view message) {
  JsonWriter json;
  json.BeginObject().Member("node", node).Member("code", code).Member("message", message).EndObject();
  return json.OneLine();
}

void RunNode(const std::string& name, std::int64_t seconds_ahead, const Plan& plan, Output& output) {
  NodeHost host(name, seconds_ahead);
  const std::string kubeconfig =
      std::filesystem::is_directory(plan.kubeconfig) ? plan.kubeconfig / name : plan.kubeconfig;
  node::SettingsSpec spec;
  spec.source.source = plan.uri;
  spec.source.kubeconfig = kubeconfig;
  spec.choices.services = {"containerd"};
  node::NodeReporting reporting;
  reporting.cluster = node::ClusterNode{.name = name, .kubeconfig = kubeconfig, .is_followed = true};
  reporting.approval = !plan.drains;
  if (plan.drains) reporting.reboot.method = node::RebootMethod::kDrain;
  const node::LoopOptions loop{
      .interval_seconds = plan.interval,
      .on_report =
          [&](const node::RoundReport& report) {
            for (const Finding& finding : report.run.findings) {
              if (finding.code.starts_with("approval-")) output.Line(LineOf(name, finding.code, finding.message));
            }
          },
      .on_failure = [&](const Error& error) { output.Line(LineOf(name, InfoOf(error.code).name, error.message)); }};
  do {
    fleet::FollowAndReport(host, node::PodRounds(host, spec, loop, reporting.approval), reporting, "simulated");
    if (host.ShutsDown()) output.Line(LineOf(name, "reboots", ""));
  } while (host.ComesBack());
}

double Seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

}  // namespace

int main(int count, char** words) {
  constexpr int kFixed = 6;
  if (count < kFixed) return 10;
  const bool drains = count > kFixed && words[kFixed] == std::string_view("drain");
  const Plan plan{.kubeconfig = words[1], .uri = words[2], .interval = std::atoll(words[5]), .drains = drains};
  const int first = std::atoi(words[3]);
  const int nodes = std::atoi(words[4]);
  std::map<std::string, std::int64_t> ahead;
  for (int i = kFixed + (drains ? 1 : 0); i < count; ++i) {
    const std::string word = words[i];
    const std::size_t mark = word.find('=');
    if (mark == std::string::npos) return 10;
    ahead[word.substr(0, mark)] = std::atoll(word.c_str() + mark + 1);
  }
  machine::LiveClock().Wait(0);  // listens to signals before there are threads
  Output output;
  std::vector<std::thread> threads;
  threads.reserve(static_cast<std::size_t>(nodes));
  for (int i = first; i < first + nodes; ++i) {
    threads.emplace_back([&, name = fmt::format("win-{:03}", i)] {
      const auto found = ahead.find(name);
      RunNode(name, found == ahead.end() ? 0 : found->second, plan, output);
    });
  }
  for (std::thread& thread : threads) thread.join();
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  output.Line(fmt::format(R"({{"nodes":{},"cpuSeconds":{:.2f},"residentKiB":{}}})", nodes,
                          Seconds(used.ru_utime) + Seconds(used.ru_stime), used.ru_maxrss));
  return 0;
}
