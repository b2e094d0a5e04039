#include "provisioner/reconcile/script_writer.h"

namespace prov::reconcile {

JsonWriter& ScriptWriter::Begin(std::string_view item) {
  const std::size_t colon = item.find(':');
  return json_.BeginObject().Member("kind", item.substr(0, colon)).Member("key", item.substr(colon + 1));
}

void ScriptWriter::Value(const EnvironmentVariable& variable) {
  if (is_in_proxy_(variable)) {
    json_.Null();
  } else {
    json_.String(variable.value.Reveal());
  }
}

}  // namespace prov::reconcile
