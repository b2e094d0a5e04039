// Values of changes as programs and people read them.
#include "provisioner/cli/change_output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "provisioner/base/rapidjson.h"
#include "provisioner/cli/run_output.h"

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

TEST(ChangeOutput, WhatNeedsNoChangeIsNamed) {
  EXPECT_THAT(ReportText("this machine", {}, false), testing::HasSubstr("no changes: this machine matches"));
  EXPECT_THAT(ReportText("mnt", {}, false), testing::HasSubstr("no changes: the image matches"));
}

}  // namespace
}  // namespace prov::cli
