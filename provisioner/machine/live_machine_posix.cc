#include "provisioner/machine/live_machine.h"

namespace prov::machine {
namespace {

std::unexpected<Error> NoWindows() {
  return Fail(Code::kTarget,
              "this system is no Windows: name an image with --root, or run provisioner.exe on the node");
}

}  // namespace

Result<std::string> DefaultStateFolder() { return NoWindows(); }

Result<std::unique_ptr<LiveMachine>> OpenLiveMachine(const std::string& /*state_folder*/) { return NoWindows(); }

}  // namespace prov::machine
