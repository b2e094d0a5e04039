#include "provisioner/cli/change_output.h"

#include <fmt/format.h>

#include <string_view>

#include "provisioner/base/text.h"

namespace prov::cli {
namespace {

using reconcile::Difference;
using reconcile::ValueParts;

std::string DifferenceText(const Difference& one) {
  if (one.only_password) return fmt::format("{} (password)", one.after);
  if (!one.is_list) {
    if (one.before.empty()) return "+" + one.after;
    return one.after.empty() ? "-" + one.before : fmt::format("{} -> {}", one.before, one.after);
  }
  std::string out;
  for (const std::string& entry : one.added) out += " +" + entry;
  for (const std::string& entry : one.removed) out += " -" + entry;
  return out.empty() ? "(order)" : out.substr(1);
}

void WriteParts(JsonWriter& json, std::string_view key, const ValueParts& parts) {
  json.Key(key).BeginObject();
  for (const reconcile::ValuePart& part : parts) {
    if (part.form == reconcile::ValuePart::Form::kList) {
      json.Strings(part.name, part.Entries());
    } else if (part.form == reconcile::ValuePart::Form::kObjects) {
      json.Key(part.name).Json(part.value.Reveal());
    } else {
      json.Member(part.name, part.Shown());
    }
  }
  json.EndObject();
}

void WriteMembers(JsonWriter& json, std::string_view before, std::string_view after, const ValueParts& was,
                  const ValueParts& is) {
  json.Member("before", before).Member("after", after);
  WriteParts(json, "valuesBefore", was);
  WriteParts(json, "valuesAfter", is);
  json.Key("differences").BeginArray();
  for (const Difference& one : DifferencesOf(was, is)) {
    json.BeginObject().Member("name", one.name).Member("onlyPassword", one.only_password);
    json.Strings("added", one.added).Strings("removed", one.removed).EndObject();
  }
  json.EndArray();
}

}  // namespace

std::string DifferencesText(const std::string& name, const ValueParts& was, const ValueParts& is) {
  std::string out;
  for (const Difference& one : DifferencesOf(was, is)) {
    if (!one.is_for_people) continue;
    out += fmt::format("{}{}{}{}", out.empty() ? "" : ", ", one.name == name ? "" : one.name,
                       one.name == name ? "" : " ", DifferenceText(one));
  }
  return Printable(out);
}

void WriteValues(JsonWriter& json, const reconcile::Change& change) {
  WriteMembers(json, change.before, change.after, change.was, change.is);
}

void WriteValues(JsonWriter& json, const reconcile::Drift& drift) {
  WriteMembers(json, drift.before, drift.after, drift.was, drift.is);
}

}  // namespace prov::cli
