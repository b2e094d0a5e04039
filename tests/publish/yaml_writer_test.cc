#include "provisioner/publish/yaml_writer.h"

#include <gtest/gtest.h>

#include <random>

#include "ignition/yaml.h"
#include "tests/publish/samples.h"

namespace prov::publish {
namespace {

Object FromJson(const std::string& json) { return *ReadAnyObject(json, "test"); }

std::string Yaml(const std::string& json) { return WriteYaml(*FromJson(json).root); }

// The text as the value of a key.
std::string Scalar(std::string_view text) {
  rapidjson::Document object(rapidjson::kObjectType);
  object.AddMember("k", JsonValue(rapidjson::StringRef(text.data(), text.size())), object.GetAllocator());
  const std::string yaml = WriteYaml(object);
  EXPECT_TRUE(yaml.starts_with("k: ") && yaml.ends_with('\n')) << yaml;
  return yaml.substr(3, yaml.size() - 4);
}

TEST(YamlWriter, LooksAsOcPrintsIt) {
  EXPECT_EQ(Yaml(R"({"apiVersion":"v1","metadata":{"name":"a","labels":{"x/y":"true"},"e":{},"l":[]},
                     "list":[{"name":"a","value":"1"},{"b":["x",["w",{"c":1}],{}]}],"none":null,"t":true,"i":-3,"u":18446744073709551615,
                     "d":1.5,"text":"two\nlines\n"})"),
            "apiVersion: v1\n"
            "metadata:\n"
            "  name: a\n"
            "  labels:\n"
            "    x/y: \"true\"\n"
            "  e: {}\n"
            "  l: []\n"
            "list:\n"
            "- name: a\n"
            "  value: \"1\"\n"
            "- b:\n"
            "  - x\n"
            "  - - w\n"
            "    - c: 1\n"
            "  - {}\n"
            "none: null\n"
            "t: true\n"
            "i: -3\n"
            "u: 18446744073709551615\n"
            "d: 1.5\n"
            "text: |\n"
            "  two\n"
            "  lines\n");
}

TEST(YamlWriter, QuotesWhatAReaderCouldTakeForSomethingElse) {
  for (const char* plain :
       {"a", "http://user:pw@proxy:3128", ".svc,10.0.0.0/16,localhost", "10.0.0.0/16", "a b", "/x", "_x", "a:b"})
    EXPECT_EQ(Scalar(plain), plain);
  for (const char* quoted :
       {"",   "true", "Yes", "on", "n",  "null", "1",   "1.5", "0x1f", "1e3",       "12:30", "2026-01-01",
        ".5", "a: b", "a:",  "a ", " a", "a #b", "- a", "*",   "&a",   "!a",        "{a",    "[a",
        "'a", "%a",   "@a",  "`a", "|",  ">",    "?",   "=",   "~",    "127.0.0.1", "a\\b"})
    EXPECT_EQ(Scalar(quoted).front(), '"') << quoted;
  EXPECT_EQ(Scalar("a\x01\r\"\\\xE2\x80\xAE"), "\"a\\x01\\r\\\"\\\\\\u202e\"") << "nor does a terminal turn it around";
}

TEST(YamlWriter, BlocksKeepTheirLineEnds) {
  EXPECT_EQ(Scalar("a\nb"), "|-\n  a\n  b");
  EXPECT_EQ(Scalar("a\nb\n"), "|\n  a\n  b");
  EXPECT_EQ(Scalar("a\n\n\n"), "|+\n  a\n\n\n...") << "a reader sees where the last blank line ends";
  EXPECT_EQ(Scalar(" a\n"), "|2\n   a");
  EXPECT_EQ(Scalar("\n"), "\"\\n\"");
  EXPECT_EQ(Scalar("a\r\nb\n"), "\"a\\r\\nb\\n\"") << "a block would lose the CR";
}

// Reads back what was written, as `text` in several places.
void ExpectKept(const std::string& text) {
  Object object = FromJson("{}");
  auto& memory = object.document->dom.GetAllocator();
  const auto copy = [&] { return JsonValue(text.data(), static_cast<rapidjson::SizeType>(text.size()), memory); };
  JsonValue list(rapidjson::kArrayType);
  list.PushBack(copy(), memory).PushBack(JsonValue(rapidjson::kArrayType).PushBack(copy(), memory), memory);
  JsonValue inner(rapidjson::kObjectType);
  inner.AddMember("the text", copy(), memory);
  inner.AddMember(copy(), JsonValue("key"), memory);
  list.PushBack(inner, memory);
  object.root->AddMember("a", copy(), memory);
  object.root->AddMember("list", list, memory);
  object.root->AddMember("z", copy(), memory);
  const std::string yaml = WriteYaml(*object.root);
  const auto read = ignition::ParseYaml(yaml, JsonLimits());
  ASSERT_TRUE(read) << read.error().message << " " << read.error().where << "\n" << yaml;
  EXPECT_TRUE((*read)->root() == *object.root) << yaml;
}

TEST(YamlWriter, EveryTextIsReadBackAsItWas) {
  for (const char* text : {"a\n",          "\na",
                           " \n a",        "a\n ",
                           "a\n \n",       "\t\n",
                           "\ta\n",        "a\n\tb",
                           "a\n\n",        "-----BEGIN X-----\nAA\n-----END X-----\n",
                           "# a\n",        "---\n",
                           "...\n",        "a\n...\nb",
                           "a: b\n- c",    "x y",
                           "null",         "0o7",
                           "07",           "1_000",
                           "\xE2\x80\xA8", "\xEF\xBB\xBFx\n",
                           "ü\nß\n"})
    ExpectKept(text);
  std::mt19937 random(7);
  const std::vector<std::string> pieces = {
      "a",    "B",  "0", " ", "  ", "\n", "\t", ":", "#", "-",    "'",   "\"", "\\",
      "{",    "]",  ",", "&", "*",  "|",  ">",  "%", "@", "true", "1e3", "ü",  "\xE2\x80\xA9",
      "\x01", "\r", "~", "?", "!",  "=",  "..."};
  for (int i = 0; i < 3000; ++i) {
    std::string text;
    for (std::size_t n = random() % 8; n > 0; --n) text += pieces[random() % pieces.size()];
    ExpectKept(text);
  }
}

TEST(YamlWriter, NumbersAreReadBack) {
  for (const char* number :
       {"1.0", "1e300", "-2.5e-10", "1e20", "0.1", "9223372036854775808", "-9223372036854775808"}) {
    const Object object = FromJson(std::string(R"({"n":)") + number + "}");
    const std::string yaml = WriteYaml(*object.root);
    EXPECT_TRUE((*ignition::ParseYaml(yaml, JsonLimits()))->root() == *object.root) << yaml;
  }
}

TEST(YamlWriter, LongKeysAreReadBack) {
  ExpectKept(std::string(129, 'k'));
  ExpectKept(std::string(2000, 'k'));
}

TEST(YamlWriter, BytesThatAreNotUtf8AreReplaced) { EXPECT_EQ(Scalar("M\xFCller"), "\"M\xEF\xBF\xBDller\""); }

TEST(YamlWriter, DeepNestingStaysSmall) {
  std::string json;
  for (int i = 0; i < 60; ++i) json += R"({"a":)";
  json += "[";
  for (int i = 0; i < 100'000; ++i) json += "1,";
  json += "1]" + std::string(60, '}');
  const std::string yaml = WriteYaml(*FromJson(json).root);
  EXPECT_LT(yaml.size(), 100'000U * 130);
  EXPECT_EQ(ReadAnyObject(std::string(70, '[') + std::string(70, ']'), "deep").error().code, Code::kJson);
}

}  // namespace
}  // namespace prov::publish
