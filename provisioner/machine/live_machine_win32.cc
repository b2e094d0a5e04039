#include "provisioner/machine/live_machine.h"
#include "provisioner/machine/live_ports.h"
#include "provisioner/machine/windows_places.h"

namespace prov::machine {
namespace {

class WindowsMachine final : public OpenMachine {
 public:
  WindowsMachine(LiveStateFolder state, FileHandle lock) : state_(std::move(state)), lock_(std::move(lock)) {}
  Machine Ports() override {
    return {registry_, certificates_, state_record_, system_, LiveComputeNetwork(), LivePrograms(), files_};
  }

 private:
  LiveRegistry registry_;
  LiveCertificateStore certificates_{registry_};
  LiveStateFolder state_;
  StateRecord state_record_{state_};
  LiveSystem system_{registry_};
  LiveFiles files_;
  FileHandle lock_;  // released first
};

}  // namespace

Result<std::string> DefaultStateFolder() { return Narrow(PROV_TRY(ProgramDataFolder())) + "\\Provisioner"; }

Result<std::unique_ptr<OpenMachine>> OpenLiveMachine(const std::string& state_folder, Access access) {
  if (access == Access::kRead) {
    return std::make_unique<WindowsMachine>(PROV_TRY(LiveStateFolder::OpenToRead(state_folder)), FileHandle());
  }
  LiveStateFolder state = PROV_TRY(LiveStateFolder::Open(state_folder));
  FileHandle lock = PROV_TRY(AcquireLock(state_folder));
  RemoveStateLeftovers(state_folder);
  return std::make_unique<WindowsMachine>(std::move(state), std::move(lock));
}

}  // namespace prov::machine
