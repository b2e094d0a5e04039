// usage: poll_bench MCS_URI CA_FILE ROUNDS
// Polls a Machine Config Server that says the same each time, as a node does. Prints minimum and median of the CPU
// nanoseconds of such a poll, of the transfer alone, and of a poll that reads the answer.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include "provisioner/machine/host.h"
#include "provisioner/source/mcs_source.h"
#include "provisioner/source/roots.h"
#include "provisioner/source/source.h"
#include "provisioner/source/source_cache.h"

namespace prov::bench {
namespace {

long long CpuNanoseconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
}

class Times {
 public:
  void Add(long long nanoseconds) { times_.push_back(nanoseconds); }
  std::string Text() {
    std::ranges::sort(times_);
    return fmt::format("{} {}", times_.front(), times_[times_.size() / 2]);
  }

 private:
  std::vector<long long> times_;
};

Result<void> Run(const source::SourceRequest& request, int rounds) {
  machine::Host& host = machine::LiveHost();
  const source::SourcePorts bare{host.http(), host.clock()};
  source::SourceCache cache;
  const source::SourcePorts remembering{host.http(), host.clock(), &cache};
  PROV_TRY(source::Read(request, remembering));
  const source::RemoteRequest transfer =
      PROV_TRY(source::McsRequest(request.source, request.selection.pool, PROV_TRY(source::RootsOf(request))));
  Times polls, transfers, readings;
  for (int i = 0; i < rounds; ++i) {
    const long long start = CpuNanoseconds();
    PROV_TRY(source::Ask(transfer, {}, bare));
    const long long transferred = CpuNanoseconds();
    PROV_TRY(source::Read(request, remembering));
    const long long polled = CpuNanoseconds();
    PROV_TRY(source::Read(request, bare));
    transfers.Add(transferred - start);
    polls.Add(polled - transferred);
    readings.Add(CpuNanoseconds() - polled);
  }
  fmt::print("{} {} {}\n", polls.Text(), transfers.Text(), readings.Text());
  return {};
}

}  // namespace
}  // namespace prov::bench

int main(int argc, char** argv) {
  if (argc != 4) return 10;
  prov::source::SourceRequest request;
  request.source = argv[1];
  request.ca_file = argv[2];
  const auto done = prov::bench::Run(request, std::max(1, std::atoi(argv[3])));
  if (done) return 0;
  fmt::print(stderr, "{} ({})\n", done.error().message, done.error().where);
  return 1;
}
