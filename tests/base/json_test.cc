#include "provisioner/base/json.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iterator>

#include "tests/support/result.h"

namespace prov {
namespace {

using namespace std::string_literals;

Error JsonError(std::string text, const JsonLimits& limits = {}) {
  auto document = ParseJson(std::move(text), limits);
  if (document) return {Code::kInternal, "no error", ""};
  return document.error();
}

TEST(ParseJson, ReadsInPlace) {
  auto document = Must(ParseJson(" {\"a\\u00e9\\n\":\"x\\u0000y\", \"b\":[1,-2,1.5,true,null,\"\"]}\n", {}));
  const JsonValue& root = document->root();
  const JsonValue* a = JsonMember(&root, "a\xC3\xA9\n");
  ASSERT_NE(a, nullptr);
  EXPECT_EQ(JsonTextOf(*a), "x\0y"s);  // embedded NULs count
  const std::string& buffer = document->buffer;
  EXPECT_TRUE(a->GetString() >= buffer.data() && a->GetString() < buffer.data() + buffer.size());
  const JsonValue* b = JsonMember(&root, "b");
  ASSERT_TRUE(b != nullptr && b->IsArray());
  EXPECT_EQ(b->Size(), 6U);
}

TEST(ParseJson, SaysWhere) {
  const struct {
    std::string text;
    std::string_view where;
    std::string_view says;
  } rows[] = {
      {"", "line 1, column 1", "empty"},
      {"  \n ", "line 2, column 2", "empty"},
      {"{", "line 1, column 2", "Missing a name"},
      {"{\"a\":1,\n \"b\" 2}", "line 2, column 6", "Missing a colon"},
      {"{\"a\":\"\\n\\n\\n\\n\",\n\"b\":x}", "line 2, column 5", "Invalid value"},  // escapes must not move the lines
      {"{\"ä€😀\":1,\"b\":x}", "line 1, column 14", "Invalid value"},               // columns count characters
      {"[\"é\",\n \"é\\u00e9\", x]", "line 2, column 13", "Invalid value"},
      {"[\"é\",\n\"é\xC3\"]", "line 2, column 3", "invalid UTF-8"},
      {"[\"é\", \"\0\"]"s, "line 1, column 8", "NUL"},
      {"{\"a\":1,}", "line 1, column 8", "Missing a name"},
      {"[1,]", "line 1, column 4", "Invalid value"},
      {"{\"a\":1}\n{}", "line 2, column 1", "must not be followed"},
      {"{\"a\":1} x", "line 1, column 9", "must not be followed"},
      {"/*c*/{}", "line 1, column 1", "Invalid value"},
      {"{//c\n}", "line 1, column 2", "Missing a name"},
      {"{'a':1}", "line 1, column 2", "Missing a name"},
      {"{\"a\":NaN}", "line 1, column 6", "Invalid value"},
      {"{\"a\":01}", "line 1, column 7", "Missing a comma"},
      {"{\"a\":1.}", "line 1, column 8", "fraction"},
      {"{\"a\":1e999}", "line 1, column 6", "too big"},
      {"{\"a\":\"b\nc\"}", "line 1, column 8", "control character"},
      {"{\"a\":\"\\q\"}", "line 1, column 7", "escape"},
      {"{\"a\":\"\\ud800\"}", "line 1, column 7", "surrogate"},
      {"{\"a\":\"\\ud800\\u0041\"}", "line 1, column 7", "surrogate"},
      {"{\"a\":\"\\u12g4\"}", "line 1, column 7", "hex digit"},
      {"{\"a\":\"b", "line 1, column 8", "closing quotation"},
      {"\xEF\xBB\xBF{}", "line 1, column 1", "byte order mark"},
      {"\xFF\xFE{\0}\0"s, "line 1, column 1", "UTF-16"},
      {"\xFE\xFF\0{\0}"s, "line 1, column 1", "UTF-16"},
      {"{\n\"a\":\"\xC3\"}", "line 2, column 6", "invalid UTF-8 (byte 0xc3)"},
      {"{\"a\":\"\xED\xA0\x80\"}", "line 1, column 7", "invalid UTF-8"},
      {"{}\0{}"s, "line 1, column 3", "NUL"},
      {"{\"a\":\"x\0y\"}"s, "line 1, column 8", "NUL"},
  };
  for (const auto& row : rows) {
    const Error error = JsonError(row.text);
    EXPECT_EQ(error.code, Code::kJson) << row.text;
    EXPECT_EQ(error.where, row.where) << row.text << ": " << error.message;
    EXPECT_NE(error.message.find(row.says), std::string::npos) << row.text << ": " << error.message;
  }
}

std::string Repeated(std::size_t times, std::string_view text) {
  std::string out;
  for (; times > 0; --times) out += text;
  return out;
}

TEST(ParseJson, BoundsNesting) {
  const auto nested = [](std::size_t depth, std::string_view open, std::string_view close) {
    return fmt::format("{}1{}", Repeated(depth, open), Repeated(depth, close));
  };
  EXPECT_TRUE(ParseJson(nested(1000, "[", "]"), {}));
  EXPECT_TRUE(ParseJson(nested(1000, "{\"a\":", "}"), {}));
  EXPECT_TRUE(ParseJson(R"([[],[],{},["[[[[[["]])", {.depth = 2}));  // brackets in strings and closed ones don't count
  EXPECT_EQ(JsonError(nested(1001, "[", "]")).code, Code::kJson);
  EXPECT_NE(JsonError(nested(1001, "{\"a\":", "}")).message.find("deeper than 1000"), std::string::npos);
  const Error error = JsonError(nested(2'000'000, "[", ""));
  EXPECT_EQ(error.code, Code::kJson);
  EXPECT_NE(error.message.find("deeper than 1000"), std::string::npos);
}

TEST(ParseJson, BoundsSizeAndValues) {
  EXPECT_TRUE(ParseJson("[1,2]", {.input = 5}));
  EXPECT_EQ(JsonError("[1,2]", {.input = 4}).code, Code::kTooLarge);
  EXPECT_TRUE(ParseJson("[1,2]", {.values = 3}));
  const Error error = JsonError("[1,\n2]", {.values = 2});
  EXPECT_EQ(error.code, Code::kTooLarge);
  EXPECT_EQ(error.where.substr(0, 6), "line 2");
}

TEST(ParseJson, NeedsNoCopyWhenThereIsRoom) {
  std::string text;
  text.reserve(4096);
  fmt::format_to(std::back_inserter(text), R"({{"a":"{:x>1000}"}})", "");
  const char* before = text.data();
  auto document = Must(ParseJson(std::move(text), {}));
  EXPECT_EQ(document->buffer.data(), before);
}

TEST(ParseJson, NamesWhatEditorsAllow) {
  for (const char* text : {"// c\n{}", "{\n  // c\n}", "{\"a\":1, /* c */ \"b\":2}", "[1 /* c */]"}) {
    EXPECT_THAT(JsonError(text).message, testing::HasSubstr("remove comments")) << text;
  }
  for (const char* text : {"{\"a\":1,\n}", "[1, ]", "{\"a\":\"b\\n\",}"}) {
    EXPECT_THAT(JsonError(text).message, testing::HasSubstr("a comma before a closing bracket")) << text;
  }
  for (const char* text : {"{]", "[}", "{\"a\":/}", "[1"}) {
    EXPECT_THAT(JsonError(text).message, testing::Not(testing::HasSubstr("JSONC"))) << text;
  }
}

TEST(ParseJson, ARepeatedKeyIsRefusedOnRequest) {
  const auto error = [](std::string text) { return JsonError(std::move(text), {.repeated_keys = false}); };
  EXPECT_EQ(error("[\n {\"a\":1, \"b\":2,\n  \"a\":3}]").where, "line 3, column 3");
  EXPECT_EQ(error("{\"x\":{\"a\":1},\n \"a\":2,\"\\\"\":3,\"\\\"\":4}").where, "line 2, column 15");
  EXPECT_EQ(error("{\"a\":1,\"\\u0061\":2}").message, "the key \"a\" occurs twice");
  EXPECT_TRUE(ParseJson(R"({"a":{"a":1},"b":{"a":[{"a":1},{"a":2}]}})", {.repeated_keys = false}));
  EXPECT_TRUE(ParseJson(R"({"a":1,"a":2})", {}));
}

TEST(WriteJson, InOneLineOrIndentedWithItsMembersInOrder) {
  const auto document = Must(ParseJson("{\"b\":1,\"a\":[\"x\xE2\x80\xAE\",{}]}", {}));
  EXPECT_EQ(WriteJson(document->root(), 0), R"({"b":1,"a":["x\u202e",{}]})");
  EXPECT_EQ(WriteJson(document->root(), 4),
            "{\n    \"b\": 1,\n    \"a\": [\n        \"x\\u202e\",\n        {}\n    ]\n}\n");
}

TEST(RepeatedMember, IsFound) {
  const auto repeated = [](const char* text) { return RepeatedMember((*ParseJson(text, {}))->root()).has_value(); };
  EXPECT_TRUE(repeated(R"({"a":1,"b":2,"a":null})"));
  EXPECT_FALSE(repeated(R"({"a":1,"A":2,"b":{"a":1}})"));
  EXPECT_FALSE(repeated("{}"));
}

TEST(JsonMember, TakesTheLastAndSkipsNull) {
  auto document = Must(ParseJson(R"({"a":1,"b":null,"a":2,"c":3,"c":null})", {}));
  const JsonValue& root = document->root();
  EXPECT_EQ(JsonMember(&root, "a")->GetInt(), 2);
  EXPECT_EQ(JsonMember(&root, "b"), nullptr);
  EXPECT_EQ(JsonMember(&root, "c"), nullptr);
  EXPECT_EQ(JsonMember(&root, "A"), nullptr);
  EXPECT_EQ(JsonMember(nullptr, "a"), nullptr);
}

TEST(JsonTypeName, NamesAll) {
  auto document = Must(ParseJson(R"([null,true,false,{},[],"",1,-1,18446744073709551615,1.5])", {}));
  std::vector<std::string_view> names;
  for (const JsonValue& value : document->root().GetArray()) names.push_back(JsonTypeName(value));
  EXPECT_EQ(names, (std::vector<std::string_view>{"null", "a boolean", "a boolean", "an object", "an array", "a string",
                                                  "an integer", "an integer", "an integer",
                                                  "a number that is not an integer"}));
}

TEST(JsonAssertion, IsNeverSilent) {
  auto document = Must(ParseJson("[1]", {}));
  EXPECT_DEATH(document->root().MemberBegin(), "JSON access violates");
}

TEST(Json, RawControlCharactersAreRefusedWhereverTheyStand) {
  for (char c = 1; c < 0x20; ++c) {
    for (const std::size_t before : {0U, 1U, 15U, 16U, 17U, 64U}) {
      const std::string text = "{\"" + std::string(before, 'x') + c + std::string(40, 'y') + "\":1}";
      const auto document = ParseJson(text, {});
      ASSERT_FALSE(document) << static_cast<int>(c) << " after " << before;
      EXPECT_EQ(document.error().code, Code::kJson);
    }
  }
}

}  // namespace
}  // namespace prov
