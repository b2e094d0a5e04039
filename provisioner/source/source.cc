#include "provisioner/source/source.h"

#include <fmt/format.h>

#include "provisioner/base/file.h"
#include "provisioner/source/document_source.h"

namespace prov::source {

bool IsRemote(const std::string& source) { return source.find("://") != std::string::npos; }

Result<egress::EgressConfig> Read(const SourceRequest& request, const SourcePorts& /*ports*/) {
  const std::string& name = request.source;
  if (IsRemote(name)) {
    return Fail(
        Code::kScheme,
        "this version reads files and standard input only; download it first, e.g. oc get machineconfig NAME -o json",
        name.substr(0, name.find("://")));
  }
  const ignition::Limits limits;
  std::string bytes = PROV_TRY(ReadFile(name, limits.input));
  return source::ReadDocument(std::move(bytes), name == "-" ? "standard input" : name, request.selection, limits,
                              nullptr);
}

}  // namespace prov::source
