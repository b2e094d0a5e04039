// usage: explain_bench ROUNDS
// What ten clients do with 10,000 destinations, in process: minimum and median of the nanoseconds of CPU time for
// parsing and deciding, then the same with a note for each decision, and how many are direct.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include "provisioner/egress/dialect_explain.h"

namespace prov::bench {
namespace {

constexpr int kDestinations = 10'000;

// As a cluster on AWS has it: names, suffixes, networks.
constexpr const char* kNoProxy =
    ".cluster.local,.svc,.us-east-2.compute.internal,10.0.0.0/16,10.128.0.0/14,127.0.0.1,169.254.169.254,172.30.0.0/16,"
    "api-int.ocp.example.com,localhost,.corp.example.com,registry.example.com";

long long CpuNanoseconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
}

std::vector<std::string> Urls() {
  std::vector<std::string> out;
  for (int i = 0; i < kDestinations; ++i) {
    switch (i % 4) {
      case 0:
        out.push_back(fmt::format("https://host{}.corp.example.com/", i));
        break;
      case 1:
        out.push_back(fmt::format("https://registry{}.example.net:8443/v2/", i));
        break;
      case 2:
        out.push_back(fmt::format("http://10.{}.{}.{}/", i % 256, i / 256, i % 100));
        break;
      default:
        out.push_back(fmt::format("https://service{}.namespace.svc/", i));
    }
  }
  return out;
}

std::string Measure(int rounds, bool with_notes) {
  const std::vector<std::string> urls = Urls();
  const Secret proxy("http://proxy.example.com:3128");
  std::vector<long long> times;
  std::size_t direct = 0;
  for (int round = 0; round < rounds; ++round) {
    direct = 0;
    std::size_t bytes = 0;
    const long long start = CpuNanoseconds();
    const auto explainer = egress::Explainer::Make({proxy, proxy, kNoProxy, false});
    for (const std::string& url : urls) {
      const auto to = egress::ParseDestination(url);
      for (const egress::Dialect dialect : egress::kDialects) {
        const egress::ClientDecision decision = explainer->Decide(dialect, *to);
        direct += decision.route == egress::Route::kDirect ? 1 : 0;
        if (with_notes) bytes += explainer->Note(dialect, *to, decision).size();
      }
    }
    times.push_back(CpuNanoseconds() - start);
    if (with_notes && bytes == 0) return "no notes\n";
  }
  std::ranges::sort(times);
  return fmt::format("{} {} {}\n", times.front(), times[times.size() / 2], direct);
}

}  // namespace
}  // namespace prov::bench

int main(int argc, char** argv) {
  if (argc != 2) return 10;
  const int rounds = std::max(1, std::atoi(argv[1]));
  fmt::print("{}{}", prov::bench::Measure(rounds, false), prov::bench::Measure(rounds, true));
  return 0;
}
