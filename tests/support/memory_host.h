// A running system in memory, around a MemoryMachine: services, events, time, requests and the installed program are
// what a test says, and can be looked at afterwards.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "provisioner/machine/followed_file.h"
#include "provisioner/machine/host.h"
#include "tests/support/memory_machine.h"

namespace prov::testing_support {

class MemoryHost final : public machine::Host,
                         public machine::Services,
                         public machine::EventLog,
                         public Clock,
                         public net::Http,
                         public machine::Installation {
 public:
  struct Service {
    machine::ServiceDefinition definition;
    std::uint32_t process_id = 0;  // 0: does not run
    std::vector<std::string> environment;
    std::string version = {};  // of the program that it runs
    bool operator==(const Service&) const = default;
  };

  MemoryMachine memory;
  std::map<std::string, Service> services_by_name;  // lower case
  std::vector<std::pair<std::uint16_t, std::string>> events_written;
  std::vector<std::string> restarted, requests, removed_files;
  std::optional<std::string> reboot_reason;
  std::int64_t now = 1'800'000'000;
  std::size_t waits_left = 0;                                     // Wait() answers "stop" when they are used up
  bool stopped = false;                                           // Wait(0), which only asks, answers "stop"
  std::function<void()> during_wait;                              // what others do meanwhile
  Result<int> answer = 200;                                       // of each request
  std::vector<Result<int>> first_answers;                         // of the first requests, instead
  net::HttpNotes notes = {.is_temporary = true, .findings = {}};  // of each request
  // What documents are fetched from; none: no network. Each request for one is kept in `fetches`.
  std::function<Result<net::FetchAnswer>(const net::FetchRequest&)> web;
  std::vector<net::FetchRequest> fetches;
  std::vector<net::SendRequest> sent;  // each is asked of `web`, too
  bool locked = false;                 // by another process
  // Whether calls of these ports, too, are among those that `memory` counts and is stopped at.
  bool counts_calls = false;
  bool program_installed = false, state_removed = false;
  // Versions of the program that runs, of the installed one, and of the one that an upgrade keeps; "" for none. Those
  // in `broken_versions` don't start as a service; the service ends during a wait where `during_wait` says so.
  std::string own_version = "0.1.0", installed_version, former_version;
  std::set<std::string> broken_versions;
  std::optional<Error> install_error, source_error;
  std::optional<std::string> pin;
  std::vector<std::string> checked_sources;  // asked for, or read as what is followed
  machine::PathOpener* paths = nullptr;      // where the followed files are; null: on disk, where they may be anybody's
  std::string setup_scripts = R"(C:\Windows\Setup\Scripts)";

  // machine::Host
  Result<std::unique_ptr<machine::OpenMachine>> Open(machine::Access access) override;
  machine::Services& services() override { return *this; }
  machine::EventLog& events() override { return *this; }
  Clock& clock() override { return *this; }
  net::Http& http() override { return *this; }
  machine::Installation& installation() override { return *this; }
  machine::ComputeNetwork& compute_network() override { return memory.Network(); }
  machine::Programs& programs() override { return memory.Others(); }
  Result<void> Reboot(std::string_view reason) override;
  Result<void> RunAsService(std::string_view name, const std::function<void()>& body) override;
  // machine::Services
  Result<std::optional<machine::ServiceState>> Query(std::string_view name) override;
  Result<bool> Install(const machine::ServiceDefinition& definition) override;
  Result<std::optional<machine::ServiceDefinition>> Definition(std::string_view name) override;
  Result<bool> Remove(std::string_view name) override;
  Result<bool> Stop(std::string_view name) override;
  Result<void> Start(std::string_view name) override;
  Result<void> Restart(std::string_view name) override;
  Result<std::vector<std::string>> EnvironmentOf(std::uint32_t process_id) override;
  // machine::EventLog
  void Write(Severity severity, std::uint16_t id, std::string_view text) override;
  // Clock
  std::int64_t NowUnix() override { return now; }
  bool Wait(std::int64_t milliseconds) override;
  // net::Http
  Result<int> Get(const net::HttpRequest& request) override;
  Result<net::FetchAnswer> Fetch(const net::FetchRequest& request) override;
  Result<net::FetchAnswer> Send(const net::SendRequest& request) override {
    sent.push_back(request);
    return Fetch(request.to);
  }
  // machine::Installation
  Result<std::string> ProgramPath() override { return R"(C:\Program Files\Provisioner\provisioner.exe)"; }
  Result<bool> InstallProgram() override;
  Result<machine::ProgramStatus> ReadProgramStatus() override;
  Result<bool> RestoreProgram() override;
  void DropFormerProgram() override;
  Result<bool> RunsProgram(std::uint32_t process_id) override;
  Result<bool> RemoveProgram() override;
  Result<std::optional<std::string>> ReadPin() override { return pin; }
  Result<bool> WritePin(std::string_view bytes) override;
  Result<std::string> SetupScriptsFolder() override { return setup_scripts; }
  Result<void> CheckSource(std::string_view path, Shares shares) override;
  Result<std::string> ReadFollowed(std::string_view path, std::uint64_t limit, Shares shares) override;
  Result<void> RemoveFile(std::string_view path) override;
  Result<void> RemoveState() override;

  std::vector<std::uint16_t> EventIds() const;
  // Whether a command that was stopped on a copy of the same host left the same on both: all that a port changes.
  bool IsLeftLike(const MemoryHost& other) const;

 private:
  template <class Effect>
  auto Call(Effect effect) -> decltype(effect()) {
    return counts_calls ? memory.Step(effect) : effect();
  }

  bool open_for_writing_ = false;
  std::uint32_t next_process_ = 100;
};

}  // namespace prov::testing_support
