// The marker that a first boot leaves behind where Windows setup must not learn of its failure by an exit code.
#pragma once

#include <optional>
#include <string>

#include "provisioner/base/error.h"
#include "provisioner/base/result.h"
#include "provisioner/machine/state_record.h"

namespace prov::node {

Result<void> SaveFailure(machine::StateRecord& state, const Error& error);
Result<std::optional<std::string>> LoadFailure(machine::StateRecord& state);  // "proxy-url: … (where)"

}  // namespace prov::node
