// `provisioner fleet` with these words, whose process ends without a word before one of its requests, as if it had been
// killed there. Its clock may run faster, so that a Lease that it leaves is over soon.
//
// usage: rollout_stopped REQUEST SPEED EPOCH WORD...
//   REQUEST: the number of the request before which it ends with 9, from 1; 0: none
//   SPEED, EPOCH: its time is EPOCH, and from there on runs so many times as fast as the system's
//
// At its end prints on standard error how many requests it made: "requests N".
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "provisioner/cli/command.h"
#include "provisioner/machine/live_ports.h"

namespace {

using namespace prov;

class FastClock final : public Clock {
 public:
  FastClock(std::int64_t speed, std::int64_t epoch) : speed_(speed), epoch_(epoch) {}
  std::int64_t NowUnix() override {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    const std::int64_t ms = std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
    return epoch_ + (ms - epoch_ * 1000) * speed_ / 1000;
  }
  bool Wait(std::int64_t milliseconds) override { return machine::LiveClock().Wait(milliseconds / speed_); }

 private:
  std::int64_t speed_, epoch_;
};

class EndingHttp final : public net::Http {
 public:
  explicit EndingHttp(int end) : end_(end) {}
  int count() const { return count_; }

  Result<int> Get(const net::HttpRequest& request) override {
    Count("GET", request.url);
    return net::LiveHttp().Get(request);
  }
  Result<net::FetchAnswer> Fetch(const net::FetchRequest& request) override {
    Count("GET", request.url);
    return net::LiveHttp().Fetch(request);
  }
  Result<net::FetchAnswer> Send(const net::SendRequest& request) override {
    Count(request.method, request.to.url);
    return net::LiveHttp().Send(request);
  }

 private:
  void Count(const std::string& method, const std::string& url) {
    if (++count_ != end_) return;
    std::fputs(fmt::format("ends before request {}: {} {}\n", count_, method, url).c_str(), stderr);
    _exit(9);
  }

  int end_;
  int count_ = 0;
};

class Host final : public machine::Host {
 public:
  Host(EndingHttp& http, FastClock& clock) : http_(http), clock_(clock) {}
  Result<std::unique_ptr<machine::OpenMachine>> Open(machine::Access access) override {
    return machine::LiveHost().Open(access);
  }
  machine::Services& services() override { return machine::LiveHost().services(); }
  machine::EventLog& events() override { return machine::LiveHost().events(); }
  Clock& clock() override { return clock_; }
  net::Http& http() override { return http_; }
  machine::Installation& installation() override { return machine::LiveHost().installation(); }
  Result<void> Reboot(std::string_view reason) override { return machine::LiveHost().Reboot(reason); }
  Result<void> RunAsService(std::string_view name, const std::function<void()>& body) override {
    return machine::LiveHost().RunAsService(name, body);
  }

 private:
  EndingHttp& http_;
  FastClock& clock_;
};

}  // namespace

int main(int count, char** words) {
  constexpr int kFixed = 4;
  if (count <= kFixed) return 10;
  EndingHttp http(std::atoi(words[1]));
  FastClock clock(std::atoll(words[2]), std::atoll(words[3]));
  Host host(http, clock);
  const cli::Command command = cli::FleetCommand();
  const auto arguments = cli::ParseArguments(command.spec, std::vector<std::string>(words + kFixed, words + count));
  if (!arguments) {
    std::fputs((arguments.error().message + "\n").c_str(), stderr);
    return 10;
  }
  const Result<cli::Outcome> outcome = command.run(*arguments, host);
  std::fputs(fmt::format("requests {}\n", http.count()).c_str(), stderr);
  if (!outcome) {
    const Error& error = outcome.error();
    std::fputs(fmt::format("[{}] {} ({})\n", InfoOf(error.code).name, error.message, error.where).c_str(), stderr);
    return InfoOf(error.code).exit;
  }
  std::fputs(outcome->out.c_str(), stdout);
  return outcome->exit;
}
