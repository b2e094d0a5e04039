#include "provisioner/machine/programs.h"

namespace prov::machine {
namespace {

class NoPrograms final : public Programs {
 public:
  std::optional<std::string> Find(std::string_view /*name*/) override { return std::nullopt; }
  Result<void> CheckFile(std::string_view /*path*/) override { return {}; }
  Result<ProgramOutput> Run(const ProgramCall& call) override {
    return Fail(Code::kTarget,
                "programs of a node can only be run on the Windows node itself, and this is not a running Windows",
                call.path);
  }
};

}  // namespace

Programs& AbsentPrograms() {
  static NoPrograms programs;
  return programs;
}

}  // namespace prov::machine
