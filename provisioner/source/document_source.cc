#include "provisioner/source/document_source.h"

#include <utility>

#include "provisioner/source/machine_config_source.h"

namespace prov::source {

Result<egress::EgressConfig> ReadDocument(std::string bytes, const std::string& where,
                                          const ignition::Selection& selection, const ignition::Limits& limits,
                                          ignition::Fetcher* fetcher) {
  return ReadMachineConfig(std::move(bytes), where, selection, limits, fetcher);
}

}  // namespace prov::source
