// Several YAML documents in one text.
#include <gtest/gtest.h>

#include "ignition/limits.h"
#include "ignition/yaml.h"

namespace prov::ignition {
namespace {

TEST(YamlDocuments, SeveralAreAnArray) {
  const auto document = ParseYaml("---\na: 1\n---\n---\n[b]\n...\n---\nc\n---\n", {}, Documents::kSeveral);
  ASSERT_TRUE(document) << document.error().message;
  EXPECT_TRUE((*document)->several);
  const JsonValue& root = (*document)->root();
  ASSERT_TRUE(root.IsArray());
  ASSERT_EQ(root.Size(), 3U) << "those without content don't count";
  EXPECT_EQ(root[0]["a"].GetInt(), 1);
  EXPECT_TRUE(root[1].IsArray());
  EXPECT_EQ(JsonTextOf(root[2]), "c");
}

TEST(YamlDocuments, OneIsItself) {
  for (const char* text : {"a: 1\n", "---\na: 1\n...\n---\n"}) {
    const auto document = ParseYaml(text, {}, Documents::kSeveral);
    ASSERT_TRUE(document) << text;
    EXPECT_FALSE((*document)->several);
    EXPECT_TRUE((*document)->root().IsObject());
  }
  const auto array = ParseYaml("- a: 1\n", {}, Documents::kSeveral);
  ASSERT_TRUE(array);
  EXPECT_FALSE((*array)->several) << "an array is no list of documents";
}

TEST(YamlDocuments, ABrokenOneBreaksAll) {
  const auto document = ParseYaml("a: 1\n---\nb: [\n", {}, Documents::kSeveral);
  ASSERT_FALSE(document);
  EXPECT_EQ(document.error().code, Code::kYaml);
}

TEST(YamlDocuments, ShareTheBounds) {
  Limits limits;
  limits.values = 10;
  std::string text;
  for (int i = 0; i < 20; ++i) text += "---\nx\n";
  const auto document = ParseYaml(text, limits, Documents::kSeveral);
  ASSERT_FALSE(document);
  EXPECT_EQ(document.error().code, Code::kTooLarge);
}

}  // namespace
}  // namespace prov::ignition
