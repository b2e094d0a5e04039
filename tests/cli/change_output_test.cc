// Values of changes as programs and people read them.
#include "provisioner/cli/change_output.h"

#include <gtest/gtest.h>

#include <string>

#include "provisioner/base/rapidjson.h"

namespace prov::cli {
namespace {

TEST(ChangeOutput, PoliciesAreObjectsForProgramsAndNoDifferenceForPeople) {
  reconcile::Change change;
  change.is = {{"policies", Secret(R"([{"Port":"1"}])"), reconcile::ValuePart::Form::kObjects}};
  JsonWriter json;
  json.BeginObject();
  WriteValues(json, change);
  const std::string text = json.EndObject().Text();
  rapidjson::Document document;
  document.Parse(text.data(), text.size());
  EXPECT_STREQ(document["valuesAfter"]["policies"][0]["Port"].GetString(), "1") << text;
  EXPECT_EQ(DifferencesText("", change.was, change.is), "");
}

}  // namespace
}  // namespace prov::cli
