// What is written as YAML against PyYAML's own reader, which reads YAML 1.1: words such as `yes`, numbers and dates
// stay texts.
#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <iostream>
#include <string>
#include <string_view>

#include "provisioner/publish/yaml_writer.h"
#include "tests/differential/seed.h"
#include "tests/support/process.h"
#include "tests/support/scratch_folder.h"

namespace prov::publish {
namespace {

constexpr std::array<std::string_view, 60> kPieces = {
    "a",    "B",    "0",    "1",     " ",      "  ",     "\n",         "\t",         ":",       "#",    "-",   "'",
    "\"",   "\\",   "{",    "]",     ",",      "&",      "*",          "|",          ">",       "%",    "@",   "true",
    "yes",  "No",   "off",  "y",     "null",   "~",      "1e3",        "1.0",        "0x10",    "0o7",  "0b1", "1_0",
    ".inf", "-.5",  "+1",   "12:30", "=",      "<<",     "?",          "2026-01-01", "T10:00Z", "!",    "...", "---",
    "\r",   "\x01", "\x7F", "ü",     "\u0085", "\u2028", "\U0001F600", "\uFEFF",     "\u202E",  "k: v", " #c", "- i"};

constexpr std::string_view kCompare = R"(
import json, sys, yaml
with open(sys.argv[1], encoding="utf-8") as file:
    read = yaml.load(file, Loader=yaml.SafeLoader)
with open(sys.argv[2], encoding="utf-8") as file:
    wanted = json.load(file)
wrong = [row for row in zip(read, wanted) if row[0] != row[1]]
print("%d of %d differ: %r" % (len(wrong), len(wanted), wrong[:5]))
sys.exit(len(read) != len(wanted) or bool(wrong))
)";

TEST(YamlWriter, PyYamlReadsBackWhatWasWritten) {
  if (testing_support::Run({"python3", "-c", "import yaml"}).exit != 0) {
    std::cout << "SKIPPED: python3-yaml is missing; scripts/setup installs it\n";
    GTEST_SKIP();
  }
  differential::Random random(differential::Seed("YAML"));
  rapidjson::Document texts(rapidjson::kArrayType);
  auto& memory = texts.GetAllocator();
  const auto add = [&](const std::string& text) {
    const auto copy = [&] { return JsonValue(text.data(), static_cast<rapidjson::SizeType>(text.size()), memory); };
    JsonValue object(rapidjson::kObjectType);
    object.AddMember("text", copy(), memory).AddMember(copy(), copy(), memory);
    texts.PushBack(object, memory).PushBack(copy(), memory);
  };
  for (const std::string_view piece : kPieces) add(std::string(piece));
  for (int i = 0; i < 2000; ++i) {
    std::string text;
    for (std::size_t n = 1 + random.Below(7); n > 0; --n) text += random.Pick(kPieces);
    add(text);
  }
  const testing_support::ScratchFolder folder;
  const std::string yaml = folder.At("texts.yaml");
  const std::string json = folder.At("texts.json");
  std::ofstream(yaml, std::ios::binary) << WriteYaml(texts);
  std::ofstream(json, std::ios::binary) << WriteJson(texts, 0);
  const auto result = testing_support::Run({"python3", "-c", std::string(kCompare), yaml, json});
  EXPECT_EQ(result.exit, 0) << result.out << result.err;
}

}  // namespace
}  // namespace prov::publish
