#include "provisioner/source/source.h"

#include <fmt/format.h>

#include "provisioner/base/file.h"
#include "provisioner/source/machine_config_source.h"

namespace prov::source {
namespace {

bool HasScheme(const std::string& source) { return source.find("://") != std::string::npos; }

}  // namespace

Result<egress::EgressConfig> Read(const std::string& source, const ignition::Selection& selection) {
  if (HasScheme(source)) {
    return Fail(
        Code::kScheme,
        "this version reads files and standard input only; download it first, e.g. oc get machineconfig NAME -o json",
        source.substr(0, source.find("://")));
  }
  const ignition::Limits limits;
  std::string bytes = PROV_TRY(ReadFile(source, limits.input));
  return ReadMachineConfig(std::move(bytes), source == "-" ? "standard input" : source, selection, limits, nullptr);
}

}  // namespace prov::source
