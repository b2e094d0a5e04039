// Writes the operations that a payload's script (templates/Apply-Egress.ps1) carries out. The kinds give their form.
// Format: docs/formats/egress-json.md#operationsjson.
#pragma once

#include <functional>
#include <string_view>
#include <utility>

#include "provisioner/base/json_writer.h"
#include "provisioner/reconcile/environment.h"

namespace prov::reconcile {

class ScriptWriter {
 public:
  // Says of which variables the script takes the value from the member `proxy`.
  using IsInProxy = std::function<bool(const EnvironmentVariable&)>;

  ScriptWriter(JsonWriter& json, IsInProxy is_in_proxy) : json_(json), is_in_proxy_(std::move(is_in_proxy)) {}

  // Begins the object of an operation: an item's key, such as "env:HTTP_PROXY", gives its members `kind` and `key`.
  JsonWriter& Begin(std::string_view item);
  // Writes a variable's value: its text, or null if it is in `proxy`.
  void Value(const EnvironmentVariable& variable);

 private:
  JsonWriter& json_;
  IsInProxy is_in_proxy_;
};

}  // namespace prov::reconcile
