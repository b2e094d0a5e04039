#include "provisioner/registries/mirrors_json.h"

#include <gtest/gtest.h>

#include "tests/registries/sources.h"
#include "tests/support/result.h"

namespace prov::registries {
namespace {

TEST(MirrorsJson, ReadingGivesBackWhatWasWritten) {
  Mirrors mirrors = Cluster(
      {Source("quay.io/org",
              {ByDigest("a.example/org"), ByTag("b.example:5000/x"), {"c.example", true, MirrorUse::kAll}}, true),
       Source("*.example.com", {})});
  mirrors.registries[1].location = "other.example";
  mirrors.registries[1].insecure = true;
  mirrors.cas = {{"quay.io", {std::string("\x30\x00\xFF", 3), "2"}}, {"a:1", {}}};
  JsonWriter json;
  WriteMirrors(json, mirrors);
  const auto node = Must(ParseJsonDocument(json.Text(), "test"));
  const auto read = Must(ReadMirrors(node));
  EXPECT_EQ(read.places, mirrors.places);
  EXPECT_EQ(read.registries, mirrors.registries);
  EXPECT_EQ(read.cas, mirrors.cas);
  EXPECT_FALSE(read.states_no_cas);
}

TEST(MirrorsJson, NoCasAreAnotherStatementThanNothingOfCas) {
  for (const bool states : {true, false}) {
    Mirrors mirrors = Cluster({});
    mirrors.states_no_cas = states;
    JsonWriter json;
    WriteMirrors(json, mirrors);
    const auto read = Must(ReadMirrors(*ParseJsonDocument(json.Text(), "test")));
    EXPECT_EQ(read.states_cas(), states);
    EXPECT_TRUE(read.cas.empty());
  }
}

TEST(MirrorsJson, AnotherShapeIsRefused) {
  const std::string good = R"({"places":[],"registries":[],"cas":[]})";
  EXPECT_TRUE(ReadMirrors(*ParseJsonDocument(good, "test")));
  for (const char* text : {R"({"places":[],"cas":[]})", R"({"places":1,"registries":[],"cas":[]})",
                           R"({"places":[],"registries":[{"prefix":"a"}],"cas":[]})",
                           R"({"places":[],"registries":[],"cas":[{"host":"a","certificates":["%"]}]})"}) {
    const auto read = ReadMirrors(*ParseJsonDocument(text, "test"));
    EXPECT_FALSE(read) << text;
  }
}

}  // namespace
}  // namespace prov::registries
