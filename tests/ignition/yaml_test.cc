#include "ignition/yaml.h"

#include <gtest/gtest.h>

#include "ignition/yaml_scalar.h"
#include "provisioner/base/json.h"
#include "provisioner/base/text.h"
#include "tests/ignition/helpers.h"
#include "tests/support/result.h"

namespace prov::ignition {
namespace {

using namespace std::string_literals;

// The document as compact JSON, or "<code> where: message".
std::string AsJson(std::string text, const JsonLimits& limits = {}) {
  auto document = ParseYaml(std::move(text), limits);
  if (!document)
    return fmt::format("<{}> {}: {}", InfoOf(document.error().code).name, document.error().where,
                       document.error().message);
  return WriteJson((*document)->root(), 0);
}

TEST(ParseYaml, BuildsTheSameDomAsJson) {
  const std::pair<std::string, std::string> rows[] = {
      {"a: 1", R"({"a":1})"},
      {"a: 1\nb:\n- x\n- p: z\n  q: 'w'\n", R"({"a":1,"b":["x",{"p":"z","q":"w"}]})"},
      {"version: 3.4.0", R"({"version":"3.4.0"})"},
      {"version: 3.2", R"({"version":3.2})"},
      {"a: '1'\nb: \"2\"\nc: |\n  3\nd: >-\n  true\n", R"({"a":"1","b":"2","c":"3\n","d":"true"})"},
      {"a:\nb: ~\nc: null\nd: ''", R"({"a":null,"b":null,"c":null,"d":""})"},
      {"t: 2026-01-15T10:20:30Z", R"({"t":"2026-01-15T10:20:30Z"})"},
      {"a: {b: [], c: {}}", R"({"a":{"b":[],"c":{}}})"},
      {".: {}\n1: x\ntrue: z", R"({".":{},"1":"x","true":"z"})"},
      {"yes: No\nOFF: on\n'on': 'yes'\nNULL: yEs", R"({"true":false,"false":true,"on":"yes","NULL":"yEs"})"},
      {"\"<<\": 1", R"({"<<":1})"},
      {"\"\": 1", R"({"":1})"},
      {"---\na: 1\n---\n", R"({"a":1})"},
      {"---\n---\na: 1\n...\n", R"({"a":1})"},
      {"%YAML 1.1\n---\na: 1\n", R"({"a":1})"},
      {"\"a\\0b\": \"c\\0d\"", "{\"a\\u0000b\":\"c\\u0000d\"}"},
      {"a: data:,%23%20c", R"({"a":"data:,%23%20c"})"},
      {"- - 1\n  - 2\n- 3", "[[1,2],3]"},
      {"a: 9223372036854775807\nb: 9223372036854775808\nc: -9223372036854775808\nd: -9223372036854775809",
       R"({"a":9223372036854775807,"b":9223372036854775808,"c":-9223372036854775808,"d":-9223372036854776000.0})"},
      {"text", "\"text\""},
  };
  for (const auto& [yaml, json] : rows) EXPECT_EQ(AsJson(yaml), json) << yaml;
}

TEST(ParseYaml, RefusesWithThePlace) {
  const std::pair<std::string, std::string_view> rows[] = {
      {"", "<yaml> line 1, column 1: the document is empty"},
      {"# only a comment\n", "<yaml> line 1, column 1: the document is empty"},
      {"---\n---\n", "<yaml> line 1, column 1: the document is empty"},
      {"a: &x 1", "<yaml> line 1, column 4: anchors"},
      {"a: &x {}", "<yaml> line 1, column 4: anchors"},
      {"a: &x []", "<yaml> line 1, column 4: anchors"},
      {"&x a: 1", "<yaml> line 1, column 1: anchors"},
      {"a: &x\n", "anchors"},
      {"a: 1\nb: *a", "<yaml> line 2, column 4: aliases"},
      {"a: 1\né€: *a", "<yaml> line 2, column 5: aliases"},  // columns count characters
      {"a: 1\né€: \xFF", "<yaml> line 2, column 5: invalid UTF-8 (byte 0xff)"},
      {"*a : 1", "aliases"},
      {"a: !!str 1", "<yaml> line 1, column 4: explicit tags"},
      {"a: !foo {}", "explicit tags"},
      {"a: !!seq []", "explicit tags"},
      {"!!str a: 1", "explicit tags"},
      {"a: ! x", "explicit tags"},
      {"a:\n  <<: {b: 1}", "<yaml> line 2, column 3: merge keys"},
      {"a: 1\nb: 2\na: 3", "<yaml> line 3, column 1: the key \"a\" occurs twice"},
      {"a: 1\n'a': 3", "occurs twice"},
      {"[a]: 1", "a mapping key must be a string"},
      {"{a: 1}: 1", "a mapping key must be a string"},
      {"? ", "a mapping key must be a string"},
      {"a: 1\n---\nb: 2", "<yaml> line 3, column 1: several YAML documents"},
      {"a: 1\n---\nx", "several YAML documents"},
      {"a: .inf", "<yaml> line 1, column 4: infinity"},
      {"a: .nan", "infinity and NaN"},
      {"a: 1e999", "infinity and NaN"},
      {"a: [1", "<yaml> line 2, column 1: not YAML: did not find expected ',' or ']'"},
      {"a: b: c", "<yaml> line 1, column 5: not YAML"},
      {"a:\n\t- b", "<yaml> line 2, column 1: not YAML"},
      {"a: \"\\q\"", "not YAML"},
      {"a: x\x01y", "<yaml> line 1, column 5: not YAML: control characters"},
      {"a: 1\nb: \xFF", "<yaml> line 2, column 4: invalid UTF-8 (byte 0xff)"},
  };
  for (const auto& [yaml, says] : rows)
    EXPECT_NE(AsJson(yaml).find(says), std::string::npos) << yaml << " gives " << AsJson(yaml);
}

TEST(ParseYaml, KeepsItsBounds) {
  EXPECT_EQ(AsJson("a: 1", {.input = 4}), R"({"a":1})");
  EXPECT_EQ(AsJson("a: 1", {.input = 3}).substr(0, 11), "<too-large>");
  EXPECT_EQ(AsJson("[[1]]", {.depth = 2}), "[[1]]");
  EXPECT_NE(
      AsJson("[\n[[1]]]", {.depth = 2}).find("<yaml> line 2, column 2: the document is nested deeper than 2 levels"),
      std::string::npos);
  EXPECT_EQ(AsJson("[1,\n2]", {.values = 2}), "<too-large> line 2, column 1: the document has more than 2 values");
  EXPECT_EQ(AsJson(std::string(100000, '[')).substr(0, 6), "<yaml>");
  const auto flow = [](std::size_t depth) { return "a: " + std::string(depth, '[') + std::string(depth, ']'); };
  EXPECT_EQ(AsJson(flow(40)).substr(0, 6), R"({"a":[)");
  EXPECT_NE(AsJson(flow(41)).find("<yaml> line 1, column 44: [ ] and { } are nested deeper"), std::string::npos);
  EXPECT_EQ(AsJson("a: {b: []}\nc: [" + flow(30).substr(3) + "," + flow(30).substr(3) + "]").front(), '{');
  std::string directives;
  for (int i = 0; i < 1001; ++i) directives += "%TAG !a" + std::to_string(i) + "! tag:x\n";
  EXPECT_NE(AsJson(directives + "---\na: b\n").find("<yaml> line 1001, column 1: more than 1000 %TAG"),
            std::string::npos);
  std::string dashes;
  for (int i = 0; i < 20000; ++i) dashes += "- ";
  EXPECT_EQ(AsJson(dashes).substr(0, 6), "<yaml>");
}

TEST(ParseYaml, DoesNotConfuseKeysOfDifferentMappings) {
  EXPECT_EQ(AsJson("a: {b: 1}\nb: {a: {a: 1}}\n"), R"({"a":{"b":1},"b":{"a":{"a":1}}})");
}

TEST(YamlDocuments, SeveralAreAnArray) {
  const auto document = Must(ParseYaml("---\na: 1\n---\n---\n[b]\n...\n---\nc\n---\n", {}, Documents::kSeveral));
  EXPECT_TRUE(document->several);
  const JsonValue& root = document->root();
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
  const auto array = Must(ParseYaml("- a: 1\n", {}, Documents::kSeveral));
  EXPECT_FALSE(array->several) << "an array is no list of documents";
}

TEST(YamlDocuments, ABrokenOneBreaksAll) {
  EXPECT_EQ(ErrorIn(ParseYaml("a: 1\n---\nb: [\n", {}, Documents::kSeveral)).code, Code::kYaml);
}

TEST(YamlDocuments, ShareTheBounds) {
  Limits limits;
  limits.values = 10;
  std::string text;
  for (int i = 0; i < 20; ++i) text += "---\nx\n";
  EXPECT_EQ(ErrorIn(ParseYaml(text, limits, Documents::kSeveral)).code, Code::kTooLarge);
}

// "null", "true", "int 420", "uint 7", "double 1.5", "not finite" or "text".
std::string Resolved(std::string_view text) {
  const PlainScalar scalar = ResolvePlainScalar(text);
  switch (scalar.kind) {
    case PlainScalar::Kind::kNull:
      return "null";
    case PlainScalar::Kind::kBool:
      return scalar.boolean ? "true" : "false";
    case PlainScalar::Kind::kInt:
      return fmt::format("int {}", scalar.integer);
    case PlainScalar::Kind::kUint:
      return fmt::format("uint {}", scalar.unsigned_integer);
    case PlainScalar::Kind::kDouble:
      return fmt::format("double {}", scalar.number);
    case PlainScalar::Kind::kNotFinite:
      return "not finite";
    default:
      return scalar.kind == PlainScalar::Kind::kString ? "text" : "?";
  }
}

TEST(ResolvePlainScalar, AsReadersOfYaml11Do) {
  const std::pair<std::string_view, std::string_view> rows[] = {
      {"null", "|~|null|Null|NULL"},
      {"true", "true|True|TRUE|yes|Yes|YES|on|On|ON|y|Y"},
      {"false", "false|False|FALSE|no|No|NO|off|Off|OFF|n|N"},
      {"int 0", "0|-0|00"},
      {"int 420", "420|0644|0o644|0x1A4"},
      {"int 5", "+5"},
      {"int -7", "-7"},
      {"int 6", "0b110"},
      {"int 9223372036854775807", "9223372036854775807"},
      {"int -9223372036854775807", "-9223372036854775807"},
      {"uint 18446744073709551615", "18446744073709551615"},
      {"double 1.5", "1.5"},
      {"double -1.5", "-1.5"},
      {"double 1", "1."},
      {"double 0.5", ".5"},
      {"double 5", "+.5e1"},
      {"double 1000", "1e3"},
      {"double 420", "4.2e+2"},
      {"double 0.1", "1E-1"},
      {"double 1.8446744073709552e+19", "18446744073709551616"},
      {"double -1.8446744073709552e+19", "-18446744073709551615"},
      {"not finite", ".inf|-.Inf|+.INF|.nan|.NaN|1e999"},
      {"text",
       "yEs|nO|oN|oFF|yy|not|nul|TRue|1.2.3|0899|0x|0xg|0o9|1_000|-|+|.|-.|e3|1e|1e+|1:30|--1|0b2|12a|1.5.|.e1|/etc|"
       "2026-01-15|-.nan|0x-1"},
  };
  for (const auto& [kind, texts] : rows) {
    for (const std::string_view text : Split(texts, '|')) EXPECT_EQ(Resolved(text), kind) << text;
  }
}

TEST(ParseJsonOrYaml, TellsThemApart) {
  EXPECT_EQ((*ParseJsonOrYaml(" \r\n\t{\"a\":1}", {}))->root().MemberCount(), 1U);
  EXPECT_TRUE((*ParseJsonOrYaml("[]", {}))->root().IsArray());
  EXPECT_TRUE((*ParseJsonOrYaml("a: 1", {}))->root().IsObject());
  EXPECT_TRUE((*ParseJsonOrYaml("# c\n{a: 1}", {}))->root().IsObject());
  const auto code = [](std::string text) {
    auto document = ParseJsonOrYaml(std::move(text), {});
    return document ? Code::kInternal : document.error().code;
  };
  EXPECT_EQ(code(""), Code::kJson);
  EXPECT_EQ(code(" \n"), Code::kJson);
  EXPECT_EQ(code("\xEF\xBB\xBF"), Code::kJson);
  EXPECT_EQ(code("\xFF\xFE{\0"s), Code::kJson);
  EXPECT_EQ(code("\xFF\xFE{\0}"s), Code::kJson) << "half a character";
  EXPECT_EQ(code("{a: 1}"), Code::kJson);  // a brace says JSON
  EXPECT_EQ(code("a: [1"), Code::kYaml);
  EXPECT_EQ(code("// comment\n{}"), Code::kJson);
  for (const char* text : {"a: 1", "{\"a\":1}", " [1]"}) {  // as PowerShell and editors on Windows save them
    EXPECT_TRUE(ParseJsonOrYaml(std::string("\xEF\xBB\xBF") + text, {})) << text;
    EXPECT_TRUE(ParseJsonOrYaml("\xFF\xFE" + ToUtf16Le(text), {})) << text;
  }
}

// Any order of documents, in either form and with any separators that their forms allow, gives them all.
TEST(ParseJsonOrYaml, ReadsAnyMixtureOfDocuments) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  for (int round = 0; round < 300; ++round) {
    std::string text;
    std::string wanted = "[";
    bool yaml_before = false;
    const auto count = static_cast<unsigned>(2 + random() % 5);
    for (unsigned i = 0; i < count; ++i) {
      const bool json = random() % 2 == 0;
      const bool separated = random() % 2 == 0 || (!json && yaml_before);
      if (separated) text += "---\n";
      if (random() % 4 == 0 && !json) text += "# a comment\n";
      text +=
          json ? fmt::format("{{ \"k\":\n\t[{}, \"}}\\n{{\"] }}\n", i) : fmt::format("k:\n- {}\n- |-\n  }}\n  {{\n", i);
      if (json && random() % 3 == 0) text += "\n";
      wanted += fmt::format("{}{{\"k\":[{},\"}}\\n{{\"]}}", i > 0 ? "," : "", i);
      yaml_before = !json;
    }
    const auto read = ParseJsonOrYaml(text, {}, Documents::kSeveral);
    ASSERT_TRUE(read) << text << read.error().message << " at " << read.error().where;
    EXPECT_TRUE((*read)->several);
    EXPECT_EQ(WriteJson((*read)->root(), 0), wanted + "]") << text;
    EXPECT_EQ((*read)->values, count * 5U) << text;
    EXPECT_FALSE(ParseJsonOrYaml(text, {.values = count * 5U - 1}, Documents::kSeveral)) << text;
    EXPECT_FALSE(ParseJsonOrYaml(text, {})) << text;
  }
}

// copy /b and cat join files with their marks.
TEST(ParseJsonOrYaml, PassesTheMarksOfJoinedFiles) {
  const std::string mark = "\xEF\xBB\xBF";
  for (const std::string& text :
       {mark + "{\"a\":1}\n" + mark + "{\"b\":2}\n", "{\"a\":1}" + mark + "{\"b\":2}", "{\"a\":1}\n" + mark + "b: 2\n",
        "{\"a\":1}\r\n" + mark + "---\r\nb: 2\r\n", "a: 1\n" + mark + "{\"b\":2}\n",
        "\xFF\xFE" + ToUtf16Le("{\"a\":1}\r\n" + mark + "{\"b\":2}")}) {
    const auto read = ParseJsonOrYaml(text, {}, Documents::kSeveral);
    ASSERT_TRUE(read) << text << read.error().message << " at " << read.error().where;
    EXPECT_EQ(WriteJson((*read)->root(), 0), R"([{"a":1},{"b":2}])") << text;
  }
  EXPECT_TRUE(ParseJsonOrYaml("{\"a\":1}\n" + mark, {}, Documents::kSeveral)) << "an empty file";
}

// In a time that grows with the text alone, also where all of them are in one line.
TEST(ParseJsonOrYaml, ReadsManyDocuments) {
  constexpr std::size_t kCount = 300'000;
  for (const std::string& one : {"{}"s, "{}\n"s, "{}\n---\n"s}) {
    std::string text;
    for (std::size_t i = 0; i < kCount; ++i) text += one;
    const auto read = Must(ParseJsonOrYaml(std::move(text), {}, Documents::kSeveral));
    EXPECT_EQ(read->root().Size(), kCount);
  }
}

TEST(BeginsAsJson, ByItsFirstCharacter) {
  for (const char* text : {"{", "[", " \r\n\t{}"}) EXPECT_TRUE(BeginsAsJson(text)) << text;
  for (const char* text : {"", " ", "a: {}", "-----BEGIN"}) EXPECT_FALSE(BeginsAsJson(text)) << text;
}

}  // namespace
}  // namespace prov::ignition
