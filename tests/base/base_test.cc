// Error table, findings, secrets, hashes, JSON writer.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <set>
#include <type_traits>
#include <vector>

#include "provisioner/base/clock.h"
#include "provisioner/base/error.h"
#include "provisioner/base/finding.h"
#include "provisioner/base/hash.h"
#include "provisioner/base/json_writer.h"
#include "provisioner/base/rapidjson.h"
#include "provisioner/base/result.h"
#include "provisioner/base/secret.h"
#include "provisioner/base/text.h"

namespace prov {
namespace {

template <class T>
concept Streamable = requires(std::ostream& out, const T& value) { out << value; };

TEST(Secret, CannotBeStreamedFormattedOrConverted) {
  static_assert(Streamable<std::string> && fmt::is_formattable<std::string>::value, "the checks themselves work");
  static_assert(!Streamable<Secret>);
  static_assert(!fmt::is_formattable<Secret>::value);
  static_assert(!fmt::is_formattable<std::optional<Secret>>::value);
  static_assert(!fmt::is_formattable<std::vector<Secret>>::value);
  static_assert(!std::is_convertible_v<Secret, std::string>);
  static_assert(!std::is_convertible_v<Secret, std::string_view>);
  static_assert(!std::is_convertible_v<std::string, Secret>);
  EXPECT_EQ(Secret("p").Reveal(), "p");
  EXPECT_TRUE(Secret().empty());
  EXPECT_EQ(Secret("a"), Secret("a"));
}

TEST(Error, EveryCodeHasAUniqueNameAndAnExitOfTheContract) {
  std::set<std::string_view> names;
  const std::set<int> exits = {10, 11, 12, 13, 14, 15, 20};
  for (const CodeInfo& info : AllCodes()) {
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
    EXPECT_TRUE(exits.contains(info.exit)) << info.name;
    EXPECT_FALSE(info.meaning.empty()) << info.name;
    EXPECT_EQ(InfoOf(info.code).name, info.name);
  }
  EXPECT_EQ(InfoOf(Code::kHashMismatch).name, "hash-mismatch");
  EXPECT_EQ(InfoOf(Code::kFailOpen).exit, 12);
}

Result<int> Half(int n) {
  if (n % 2 != 0) return Fail(Code::kType, "odd", "n");
  return n / 2;
}
Result<int> Quarter(int n) { return PROV_TRY(Half(PROV_TRY(Half(n)))); }

TEST(Result, TryCarriesTheErrorUpwards) {
  EXPECT_EQ(Quarter(12), 3);
  const Result<int> bad = Quarter(6);
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().message, "odd");
  EXPECT_EQ(bad.error().where, "n");
}

TEST(Hash, KnownDigests) {
  EXPECT_EQ(ToHex(Sha1("abc")), "a9993e364706816aba3e25717850c26c9cd0d89d");
  EXPECT_EQ(ToHex(Sha256("")), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(Sha512("abc").size(), 64U);
  EXPECT_EQ(ToHex(Sha512("abc")).substr(0, 16), "ddaf35a193617aba");
}

TEST(Clock, UtcAsTextAndBack) {
  for (const std::int64_t time : {0LL, 951'782'400LL, 1'700'000'000LL, 253'402'300'799LL, -1LL})
    EXPECT_EQ(ParseUtc(FormatUtc(time)), time) << FormatUtc(time);
  for (const char* text :
       {"", "2026-01-01", "2026-01-01T00:00:00", "2026-01-01 00:00:00Z", "2026-02-29T00:00:00Z", "2026-01-01T24:00:00Z",
        "2026-01-01T00:00:60Z", "2026-01-01T00:00:00+00:00", "2O26-01-01T00:00:00Z"})
    EXPECT_EQ(ParseUtc(text), std::nullopt) << text;
}

// RFC 7914, section 11.
TEST(Hash, Pbkdf2OfTheRfc) {
  EXPECT_EQ(ToHex(Pbkdf2Sha256("passwd", "salt", 1)),
            "55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc");
  EXPECT_EQ(ToHex(Pbkdf2Sha256("Password", "NaCl", 80000)),
            "4ddcd8f60b98be21830cee5ef22701f9641a4418d04c0414aeff08876b34ab56");
}

TEST(JsonWriter, WritesMembersInOrder) {
  JsonWriter json;
  json.BeginObject().Member("schema", 1).Member("text", "a\"b\n").Member("yes", true).Key("none").Null();
  json.Key("list").BeginArray().Int(-1).String("x").EndArray();
  Findings findings;
  AddWarning(findings, "env-line", "m", "w");
  WriteFindings(json, findings);
  EXPECT_EQ(
      json.EndObject().Text(),
      "{\n  \"schema\": 1,\n  \"text\": \"a\\\"b\\n\",\n  \"yes\": true,\n  \"none\": null,\n  \"list\": [\n    -1,\n  "
      "  \"x\"\n  ],\n"
      "  \"findings\": [\n    {\n      \"severity\": \"warning\",\n      \"code\": \"env-line\",\n"
      "      \"message\": \"m\",\n      \"where\": \"w\"\n    }\n  ]\n}\n");
}

TEST(JsonWriter, MalformedUtf8BecomesReplacementCharacters) {
  JsonWriter json;
  EXPECT_EQ(json.String("a\xff\xfe z").Text(), "\"a\xEF\xBF\xBD\xEF\xBF\xBD z\"\n");
}

// At each place of a long string: RapidJSON looks at blocks of 16 bytes where it may.
TEST(JsonWriter, EscapesEachControlCharacterWhereverItStands) {
  for (char control = 1; control < 0x20; ++control) {
    for (std::size_t at = 0; at < 40; ++at) {
      std::string text(40, 'a');
      text[at] = control;
      JsonWriter json;
      const std::string document = json.String(text).Text();
      EXPECT_EQ(std::ranges::count_if(document, [](char c) { return c >= 0 && c < 0x20; }), 1)  // the final line feed
          << "0x" << std::hex << static_cast<int>(control) << " at " << std::dec << at;
      rapidjson::Document read;
      ASSERT_FALSE(read.Parse(document.c_str()).HasParseError());
      EXPECT_EQ(std::string(read.GetString(), read.GetStringLength()), text);
    }
  }
}

TEST(JsonWriter, EscapesWhatSteersATerminal) {
  JsonWriter json;
  EXPECT_EQ(json.String("CN=\xc2\x9b"
                        "31m \xe2\x80\xae \xc3\xbc")
                .Text(),
            "\"CN=\\u009b31m \\u202e \xc3\xbc\"\n");
}

TEST(CappedFindings, KeepsTwentyOfACodeAndCountsTheRest) {
  Findings f;
  {
    CappedFindings capped(f, "file");
    for (int i = 0; i < 25; ++i) capped.Warn("pem-other", "m", "line");
    capped.Add(Severity::kInfo, "pem-trusted", "m", "line");
  }
  ASSERT_EQ(f.size(), 22U);
  EXPECT_EQ(f[19], (Finding{Severity::kWarning, "pem-other", "m", "line"}));
  EXPECT_EQ(f[20].code, "pem-trusted");
  EXPECT_EQ(f[21], (Finding{Severity::kWarning, "pem-other", "and 5 more of the same kind", "file"}));
}

}  // namespace
}  // namespace prov
