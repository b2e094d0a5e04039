#include "provisioner/machine/live_machine.h"
#include "provisioner/machine/live_ports.h"
#include "provisioner/machine/windows_calls.h"
#include "provisioner/machine/windows_places.h"

namespace prov::machine {
namespace {

class WindowsMachine final : public LiveMachine {
 public:
  explicit WindowsMachine(LiveStateFolder state) : state_(std::move(state)) {}
  Machine Ports() override {
    return {registry_, certificates_, state_record_, system_, LiveComputeNetwork(), LivePrograms()};
  }

 private:
  LiveRegistry registry_;
  LiveCertificateStore certificates_{registry_};
  LiveStateFolder state_;
  StateRecord state_record_{state_};
  LiveSystem system_{registry_};
};

}  // namespace

Result<std::string> DefaultStateFolder() { return Narrow(PROV_TRY(ProgramDataFolder())) + "\\Provisioner"; }

Result<std::unique_ptr<LiveMachine>> OpenLiveMachine(const std::string& state_folder) {
  return std::make_unique<WindowsMachine>(PROV_TRY(LiveStateFolder::Open(state_folder)));
}

Result<std::unique_ptr<LiveMachine>> OpenLiveMachineToRead(const std::string& state_folder) {
  return std::make_unique<WindowsMachine>(PROV_TRY(LiveStateFolder::OpenToRead(state_folder)));
}

}  // namespace prov::machine
