// Many nodes in one process, against an API server: each follows a kube:// source as a node does, reads it when it
// changes, and tells the cluster what it has. Says what that costs.
//
// usage: fleet_followers KUBECONFIG URI COUNT SECONDS INTERVAL_MS    (the nodes win-0, win-1, ... must be there)
#include <fmt/format.h>
#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <thread>
#include <vector>

#include "provisioner/base/clock.h"
#include "provisioner/egress/settings_digest.h"
#include "provisioner/fleet/state_reporter.h"
#include "provisioner/machine/live_ports.h"
#include "provisioner/net/http.h"
#include "provisioner/source/kube_follow.h"
#include "provisioner/source/kube_source.h"

namespace {

using namespace prov;
using Steady = std::chrono::steady_clock;

std::atomic<std::uint64_t> requests = 0, sent = 0, received = 0, failures = 0, reads = 0, told = 0;

// The program's own requests, counted: addresses, headers and bodies, without TLS.
class CountingHttp final : public net::Http {
 public:
  Result<int> Get(const net::HttpRequest& request) override { return net::LiveHttp().Get(request); }
  Result<net::FetchAnswer> Fetch(const net::FetchRequest& request) override {
    return Counted(request, 0, [](const net::FetchRequest& counted) { return net::LiveHttp().Fetch(counted); });
  }
  Result<net::FetchAnswer> Send(const net::SendRequest& request) override {
    return Counted(request.to, request.body.size(), [&](const net::FetchRequest& counted) {
      net::SendRequest copy = request;
      copy.to = counted;
      return net::LiveHttp().Send(copy);
    });
  }

 private:
  static Result<net::FetchAnswer> Counted(
      const net::FetchRequest& request, std::size_t body,
      const std::function<Result<net::FetchAnswer>(const net::FetchRequest&)>& run) {
    net::FetchRequest counted = request;
    if (request.sink) {
      counted.sink = [&](std::string_view piece) {
        received += piece.size();
        return request.sink(piece);
      };
    }
    ++requests;
    sent += request.url.size() + body;
    for (const auto& [name, value] : request.headers) sent += name.size() + value.size() + 4;
    Result<net::FetchAnswer> answer = run(counted);
    if (!answer) {
      ++failures;
      return answer;
    }
    received += answer->body.size();
    for (const auto& [name, value] : answer->headers) received += name.size() + value.size() + 4;
    return answer;
  }
};

struct Plan {
  source::SourceRequest request;
  std::int64_t interval_ms = 0;
  Steady::time_point end;
};

void RunNode(int number, const Plan& plan, CountingHttp& http) {
  const source::SourcePorts ports{http, machine::LiveClock()};
  const auto random = [engine = std::minstd_rand(static_cast<unsigned>(number) + 1)]() mutable {
    return static_cast<std::uint32_t>(engine());
  };
  source::KubeFollower follower(ports, [](const Error&) { ++failures; }, source::ThisProcess(), random);
  fleet::StateReporter reporter(
      fmt::format("win-{}", number), ports,
      [&] { return source::KubeAccess::Open(plan.request, "", source::ThisProcess()); }, random);
  fleet::NodeState state;
  state.version = "simulated";
  while (Steady::now() < plan.end) {
    follower.Follow(plan.request);
    if (const auto config = source::ReadKube(plan.request, ports)) {
      ++reads;
      state.digest = egress::SettingsDigest(*config);
      state.read_at = machine::LiveClock().NowUnix();
    }
    if (const auto wrote = reporter.Report(state); wrote && *wrote) ++told;
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(plan.end - Steady::now()).count();
    if (left <= 0 || !follower.Wait(std::min<std::int64_t>(plan.interval_ms, left))) return;
  }
}

double Seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

}  // namespace

int main(int count, char** words) {
  if (count != 6) return 10;
  Plan plan;
  plan.request.kubeconfig = words[1];
  plan.request.source = words[2];
  const int nodes = std::atoi(words[3]);
  const int seconds = std::atoi(words[4]);
  plan.interval_ms = std::atoll(words[5]);
  plan.end = Steady::now() + std::chrono::seconds(seconds);
  CountingHttp http;
  std::vector<std::thread> threads;
  threads.reserve(static_cast<std::size_t>(nodes));
  for (int i = 0; i < nodes; ++i) threads.emplace_back([i, &plan, &http] { RunNode(i, plan, http); });
  for (std::thread& thread : threads) thread.join();
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  std::fputs(fmt::format(R"({{"nodes":{},"seconds":{},"requests":{},"sentBytes":{},"receivedBytes":{},"failures":{},)"
                         R"("reads":{},"told":{},"cpuSeconds":{:.2f},"residentKiB":{}}})"
                         "\n",
                         nodes, seconds, requests.load(), sent.load(), received.load(), failures.load(), reads.load(),
                         told.load(), Seconds(used.ru_utime) + Seconds(used.ru_stime), used.ru_maxrss)
                 .c_str(),
             stdout);
  return 0;
}
