// What a change and a drift show alike: the values, and the parts in which they differ. Without passwords.
#pragma once

#include <string>

#include "provisioner/base/json_writer.h"
#include "provisioner/reconcile/plan.h"

namespace prov::cli {

// "proxy a:1 -> b:1, bypass +*.new -*.old", or "" if no part that people read differs. The name of a part that is the
// item's own `name` is left out.
std::string DifferencesText(const std::string& name, const reconcile::ValueParts& was, const reconcile::ValueParts& is);

// `before`, `after`, and as data `valuesBefore`, `valuesAfter` and `differences`, as members of the open object.
void WriteValues(JsonWriter& json, const reconcile::Change& change);
void WriteValues(JsonWriter& json, const reconcile::Drift& drift);

}  // namespace prov::cli
