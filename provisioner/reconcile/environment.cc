#include "provisioner/reconcile/environment.h"

#include <fmt/format.h>

#include "provisioner/base/text.h"

namespace prov::reconcile {

Result<void> CheckLength(const EnvironmentVariable& variable) {
  const std::size_t units = ToUtf16Le(variable.name).size() / 2 + ToUtf16Le(variable.value.Reveal()).size() / 2 + 2;
  if (units <= kMaxVariableUnits) return {};
  return Fail(Code::kSizeLimit,
              fmt::format("needs {} UTF-16 units with its name, and Windows takes {}; shorten the list at its source",
                          units, kMaxVariableUnits),
              variable.name);
}

images::RegValue EncodeVariable(const EnvironmentVariable& variable) {
  return {variable.name, images::RegType::kSz, images::EncodeSz(variable.value.Reveal())};
}

}  // namespace prov::reconcile
