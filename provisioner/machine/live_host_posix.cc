// The port Host on Linux: time and HTTP requests only.
#include "provisioner/machine/host.h"
#include "provisioner/machine/live_ports.h"

namespace prov::machine {
namespace {

std::unexpected<Error> NoWindows() {
  return Fail(Code::kTarget,
              "this command acts on the Windows node that it runs on, and this system is not Windows; run "
              "provisioner.exe on the node, or name an image with --root or --wim where the command takes one");
}

class NoServices final : public Services {
 public:
  Result<std::optional<ServiceState>> Query(std::string_view /*name*/) override { return NoWindows(); }
  Result<bool> Install(const ServiceDefinition& /*definition*/) override { return NoWindows(); }
  Result<std::optional<ServiceDefinition>> Definition(std::string_view /*name*/) override { return NoWindows(); }
  Result<bool> Remove(std::string_view /*name*/) override { return NoWindows(); }
  Result<void> Start(std::string_view /*name*/) override { return NoWindows(); }
  Result<bool> Stop(std::string_view /*name*/) override { return NoWindows(); }
  Result<void> Restart(std::string_view /*name*/) override { return NoWindows(); }
  Result<std::vector<std::string>> EnvironmentOf(std::uint32_t /*process_id*/) override { return NoWindows(); }
};

class NoEventLog final : public EventLog {
 public:
  void Write(Severity /*severity*/, std::uint16_t /*id*/, std::string_view /*text*/) override {}
};

class NoInstallation final : public Installation {
 public:
  Result<std::string> ProgramPath() override { return NoWindows(); }
  Result<bool> InstallProgram() override { return NoWindows(); }
  Result<ProgramStatus> ReadProgramStatus() override { return NoWindows(); }
  Result<bool> RestoreProgram() override { return NoWindows(); }
  void DropFormerProgram() override {}
  Result<bool> RunsProgram(std::uint32_t /*process_id*/) override { return NoWindows(); }
  Result<bool> RemoveProgram() override { return NoWindows(); }
  Result<std::optional<std::string>> ReadPin() override { return std::nullopt; }  // the next call says why
  Result<bool> WritePin(std::string_view /*bytes*/) override { return NoWindows(); }
  Result<std::string> SetupScriptsFolder() override { return NoWindows(); }
  Result<void> CheckSource(std::string_view /*path*/, Shares /*shares*/) override { return NoWindows(); }
  Result<std::string> ReadFollowed(std::string_view /*path*/, std::uint64_t /*limit*/, Shares /*shares*/) override {
    return NoWindows();
  }
  Result<void> RemoveFile(std::string_view /*path*/) override { return NoWindows(); }
  Result<void> RemoveState() override { return NoWindows(); }
};

class PosixHost final : public Host {
 public:
  Result<std::unique_ptr<OpenMachine>> Open(Access /*access*/) override { return NoWindows(); }
  Services& services() override { return services_; }
  EventLog& events() override { return events_; }
  Clock& clock() override { return LiveClock(); }
  net::Http& http() override { return net::LiveHttp(); }
  Installation& installation() override { return installation_; }
  Result<void> Reboot(std::string_view /*reason*/) override { return NoWindows(); }
  Result<void> RunAsService(std::string_view /*name*/, const std::function<void()>& /*body*/) override {
    return NoWindows();
  }

 private:
  NoServices services_;
  NoEventLog events_;
  NoInstallation installation_;
};

}  // namespace

Host& LiveHost() {
  static PosixHost host;
  return host;
}

}  // namespace prov::machine
