#include "provisioner/node/failure.h"

#include <fmt/format.h>

#include "provisioner/base/json_reader.h"
#include "provisioner/base/json_writer.h"
#include "provisioner/node/records.h"

namespace prov::node {

Result<void> SaveFailure(machine::StateRecord& state, const Error& error) {
  JsonWriter json;
  json.BeginObject().Member("code", InfoOf(error.code).name).Member("message", error.message);
  json.Member("where", error.where);
  return Remember(state, kFailureSection, json.EndObject().Take());
}

Result<std::optional<std::string>> LoadFailure(machine::StateRecord& state) {
  const auto failure = PROV_TRY(reconcile::ReadSection(state, kFailureSection));
  if (!failure) return std::nullopt;
  const auto member = [&](std::string_view name) -> Result<std::string> { return PROV_TRY(failure->Get(name)).Text(); };
  return fmt::format("{}: {} ({})", PROV_TRY(member("code")), PROV_TRY(member("message")), PROV_TRY(member("where")));
}

}  // namespace prov::node
