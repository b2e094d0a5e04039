#include "provisioner/machine/live_ports.h"

namespace prov::machine {
namespace {

std::unexpected<Error> Later() { return Fail(Code::kInternal, "not there yet"); }

class NoEventLog final : public EventLog {
 public:
  void Write(Severity /*severity*/, std::uint16_t /*id*/, std::string_view /*text*/) override {}
};

class NoInstallation final : public Installation {
 public:
  Result<std::string> ProgramPath() override { return Later(); }
  Result<bool> InstallProgram() override { return Later(); }
  Result<bool> RemoveProgram() override { return Later(); }
  Result<std::string> SetupScriptsFolder() override { return Later(); }
  Result<void> RemoveFile(std::string_view /*path*/) override { return Later(); }
  Result<void> RemoveState() override { return Later(); }
};

}  // namespace

EventLog& LiveEventLog() {
  static NoEventLog events;
  return events;
}
Installation& LiveInstallation() {
  static NoInstallation installation;
  return installation;
}

}  // namespace prov::machine
