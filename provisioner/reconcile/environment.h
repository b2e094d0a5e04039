// Item: one machine environment variable.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "images/registry/registry_key.h"
#include "provisioner/base/result.h"
#include "provisioner/base/secret.h"

namespace prov::reconcile {

struct EnvironmentVariable {
  std::string name;
  Secret value;  // never empty: unset is an absent item
};

// Below the control set: `SYSTEM\CurrentControlSet` on a live node, `ControlSetNNN` in a hive.
inline constexpr std::string_view kEnvironmentKey = R"(Control\Session Manager\Environment)";

// Windows takes 32,767 UTF-16 units for name, '=' and value together with the final NUL
// (docs/formats/environment.md#length-of-a-variable).
inline constexpr std::size_t kMaxVariableUnits = 32767;
// Older tools cut values longer than this.
inline constexpr std::size_t kCarefulVariableUnits = 2047;

// size-limit when the variable is too long for Windows; `where` is the variable's name.
Result<void> CheckLength(const EnvironmentVariable& variable);

// REG_SZ always: REG_EXPAND_SZ would expand the `%40` of a password.
images::RegValue EncodeVariable(const EnvironmentVariable& variable);

}  // namespace prov::reconcile
