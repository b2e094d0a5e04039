// Follows a kube:// source as the service does, with the program's own requests, and says how long each wait took.
//
// usage: kube_follow KUBECONFIG URI INTERVAL_MS ROUNDS
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "provisioner/machine/live_ports.h"
#include "provisioner/net/http.h"
#include "provisioner/source/kube_follow.h"

int main(int count, char** words) {
  using namespace prov;
  using Steady = std::chrono::steady_clock;
  if (count != 5) return 10;
  const auto say = [](const std::string& text) {
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
  };
  source::KubeFollower follower({net::LiveHttp(), machine::LiveClock()},
                                [&](const Error& error) { say(fmt::format("told {}\n", error.message)); });
  source::SourceRequest request;
  request.kubeconfig = words[1];
  request.source = words[2];
  for (int round = 0; round < std::atoi(words[4]); ++round) {
    follower.Follow(request);
    say("waits\n");
    const auto begin = Steady::now();
    const bool go_on = follower.Wait(std::atoll(words[3]));
    const auto passed = std::chrono::duration_cast<std::chrono::milliseconds>(Steady::now() - begin).count();
    say(fmt::format("{} {}\n", go_on ? "waited" : "stopped", passed));
    if (!go_on) return 0;
  }
  return 0;
}
