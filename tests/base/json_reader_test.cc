#include "provisioner/base/json_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/result.h"

namespace prov {
namespace {

using testing::HasSubstr;

Error ErrorOf(std::string_view text) { return ErrorIn(ParseJsonDocument(text, "f.json")); }

TEST(JsonReader, GivesEachTypeAndNamesThePathOfAWrongOne) {
  const auto root = Must(ParseJsonDocument(
      R"({"a":{"b":[1,"x",true,null]},"n":null,"big":9223372036854775807,"d":1.5,"t":"aGVsbG8="})", "f.json"));
  const auto items = Must(root.Get("a")->Get("b")->Items());
  EXPECT_EQ(items.at(0).Integer(), 1);
  EXPECT_EQ(items.at(1).Text(), "x");
  EXPECT_EQ(items.at(2).Bool(), true);
  EXPECT_EQ(root.Get("big")->Integer(), 9223372036854775807);
  EXPECT_FALSE(root.Get("d")->Integer());
  EXPECT_EQ(root.Find("n").value(), std::nullopt);
  EXPECT_EQ(root.Find("absent").value(), std::nullopt);
  const Error wrong = ErrorIn(items.at(1).Integer());
  EXPECT_EQ(wrong.code, Code::kType);
  EXPECT_EQ(wrong.where, "f.json: $.a.b[1]");
  EXPECT_EQ(root.Get("absent").error().where, "f.json: $");
  EXPECT_EQ(root.Get("t", &JsonNode::Bytes), "hello");
  EXPECT_EQ(items.at(1).Bytes().error().message, "is not base64");
  for (const auto& node : items) {
    EXPECT_FALSE(node.Members());
    EXPECT_FALSE(node.Items());
    EXPECT_FALSE(node.Find("x"));
  }
}

TEST(JsonReader, ListsMembersInOrder) {
  const auto members = Must(ParseJsonDocument(R"({"z":1,"a":2})", "f")->Members());
  ASSERT_EQ(members.size(), 2U);
  EXPECT_EQ(members.at(0).first, "z");
  EXPECT_EQ(members.at(1).second.Integer(), 2);
}

TEST(JsonReader, RefusesWhatIsNotStrictJson) {
  for (const std::string_view text : {"", "{", "{}x", "{\"a\":1,}", "\xFF\xFE{", "{\"a\":\"\x1b\"}"}) {
    EXPECT_EQ(ErrorOf(text).code, Code::kJson) << text;
    EXPECT_THAT(ErrorOf(text).where, HasSubstr("f.json: line 1, column "));
  }
  EXPECT_THAT(ErrorOf(R"({"a":{"k":1,"k":2}})").message, HasSubstr("\"k\" occurs twice"));
}

TEST(JsonReader, BoundsNesting) {
  const auto nested = [](std::size_t n) { return std::string(n, '[') + std::string(n, ']'); };
  EXPECT_TRUE(ParseJsonDocument(nested(64), "f"));
  EXPECT_THAT(ErrorOf(nested(65)).message, HasSubstr("64 levels"));
  EXPECT_THAT(ErrorOf(nested(3'000'000)).message, HasSubstr("64 levels"));
}

TEST(JsonReader, ANewerSchemaIsNamedAsSuch) {
  EXPECT_TRUE(ParseSchemaOne(R"({"schema":1})", "f"));
  EXPECT_EQ(ParseSchemaOne(R"({"schema":2})", "f").error().code, Code::kVersion);
  EXPECT_EQ(ParseSchemaOne(R"({"schema":"1"})", "f").error().code, Code::kType);
  EXPECT_EQ(ParseSchemaOne("[]", "f").error().code, Code::kType);
}

}  // namespace
}  // namespace prov
