#include "provisioner/node/failure.h"

#include <fmt/format.h>

#include "provisioner/base/json_reader.h"
#include "provisioner/base/json_writer.h"
#include "provisioner/node/records.h"

namespace prov::node {

Result<void> SaveFailure(machine::StateFolder& state, const Error& error) {
  JsonWriter json;
  json.BeginObject().Member("schema", 1).Member("code", InfoOf(error.code).name).Member("message", error.message);
  json.Member("where", error.where);
  return Remember(state, kFailureFile, json.EndObject().Take());
}

Result<std::optional<std::string>> LoadFailure(machine::StateFolder& state) {
  const auto text = PROV_TRY(reconcile::ReadRecord(state, kFailureFile));
  if (!text) return std::nullopt;
  const JsonNode root = PROV_TRY(ParseSchemaOne(*text, kFailureFile));
  const auto member = [&root](std::string_view name) -> Result<std::string> { return PROV_TRY(root.Get(name)).Text(); };
  return fmt::format("{}: {} ({})", PROV_TRY(member("code")), PROV_TRY(member("message")), PROV_TRY(member("where")));
}

}  // namespace prov::node
