#include "provisioner/machine/live_certificate_store.h"
#include "provisioner/machine/live_machine.h"
#include "provisioner/machine/live_registry.h"
#include "provisioner/machine/live_state_folder.h"
#include "provisioner/machine/live_system.h"
#include "provisioner/machine/windows_calls.h"

namespace prov::machine {
namespace {

class WindowsMachine final : public LiveMachine {
 public:
  explicit WindowsMachine(LiveStateFolder state) : state_(std::move(state)) {}
  Machine Ports() override { return {registry_, certificates_, state_, system_}; }

 private:
  LiveRegistry registry_;
  LiveCertificateStore certificates_{registry_};
  LiveStateFolder state_;
  LiveSystem system_{registry_};
};

}  // namespace

// Not from %ProgramData%: whoever starts this program could have set that.
Result<std::string> DefaultStateFolder() {
  wchar_t path[MAX_PATH] = {};
  if (SHGetFolderPathW(nullptr, CSIDL_COMMON_APPDATA, nullptr, SHGFP_TYPE_CURRENT, path) == S_OK) {
    return Narrow(path) + "\\Provisioner";
  }
  return Fail(Code::kTarget, "Windows does not say where its ProgramData folder is");
}

Result<std::unique_ptr<LiveMachine>> OpenLiveMachine(const std::string& state_folder) {
  return std::make_unique<WindowsMachine>(PROV_TRY(LiveStateFolder::Open(state_folder)));
}

}  // namespace prov::machine
