#include "provisioner/registries/registries_conf.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "tests/support/result.h"

namespace prov::registries {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

Result<std::vector<Registry>> Parse(std::string_view text) {
  Findings findings;
  return ParseRegistriesConf(text, "registries.conf", findings);
}

// The form in which OpenShift's machine-config operator writes it.
TEST(RegistriesConf, IsReadAsOpenShiftWritesIt) {
  const auto all =
      Must(Parse("unqualified-search-registries = [\"registry.access.redhat.com\", \"docker.io\"]\n"
                 "short-name-mode = \"\"\n"
                 "\n"
                 "[[registry]]\n"
                 "  prefix = \"\"\n"
                 "  location = \"quay.io/org\"\n"
                 "  blocked = true\n"
                 "\n"
                 "  [[registry.mirror]]\n"
                 "    location = \"mirror.example.com:5000/org/\"\n"
                 "    pull-from-mirror = \"digest-only\"\n"
                 "\n"
                 "  [[registry.mirror]]\n"
                 "    location = \"other.example.com/org\"\n"
                 "    insecure = true\n"
                 "    pull-from-mirror = \"tag-only\"\n"
                 "\n"
                 "[[registry]]\n"
                 "  prefix = \"*.example.org\"\n"
                 "  insecure = true\n"));
  const Registry quay{"quay.io/org",
                      "quay.io/org",
                      true,
                      false,
                      {{"mirror.example.com:5000/org", false, MirrorUse::kDigestOnly},
                       {"other.example.com/org", true, MirrorUse::kTagOnly}}};
  EXPECT_THAT(all, ElementsAre(quay, Registry{"*.example.org", "", false, true, {}}));
}

TEST(RegistriesConf, MirrorsOfARegistryByDigestOnlyAreSo) {
  const auto all =
      Must(Parse("[[registry]]\nlocation = \"a.example.com\"\nmirror-by-digest-only = true\n"
                 "[[registry.mirror]]\nlocation = \"m.example.com\"\n"
                 "[[registry]]\nlocation = \"b.example.com\"\n[[registry.mirror]]\nlocation = \"m.example.com\"\n"));
  ASSERT_THAT(all, SizeIs(2));
  EXPECT_EQ(all.front().mirrors.front().use, MirrorUse::kDigestOnly);
  EXPECT_EQ(all.back().mirrors.front().use, MirrorUse::kAll);
}

TEST(RegistriesConf, TheFirstOfAPrefixCounts) {
  const auto all = Must(
      Parse("[[registry]]\nprefix = \"a\"\nlocation = \"one\"\n[[registry]]\nprefix = \"a\"\nlocation = \"two\"\n"));
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_EQ(all.front().location, "one");
}

TEST(RegistriesConf, ADropInReplacesRegistriesOfItsPrefixes) {
  std::vector<Registry> all = {{"a", "one", false, false, {}}, {"b", "b", false, false, {}}};
  MergeRegistries({{"c", "c", false, false, {}}, {"a", "two", true, false, {}}}, all);
  ASSERT_THAT(all, SizeIs(3));
  EXPECT_EQ(all[0].location, "two");
  EXPECT_TRUE(all[0].blocked);
  EXPECT_EQ(all[2].prefix, "c");
}

TEST(RegistriesConf, RefusesWhatTheToolsRefuseAndSaysWhere) {
  struct Row {
    std::string_view text, message, where;
  };
  const std::vector<Row> rows = {
      {"[[registry]\n", "not valid TOML", "line 1"},
      {"[[[", "not valid TOML", "line 1"},
      {"[", "not valid TOML", "line 1"},
      {"[=", "not valid TOML", "line 1"},
      {"[[ ]]", "not valid TOML", "line 1"},
      {"a.", "not valid TOML", "line 1"},
      {"a. = 1", "not valid TOML", "line 1"},
      {"[a.\n]", "not valid TOML", "line 1"},
      {"[registries.search]\nregistries = ['a']\n", "version 1", "line 1"},
      {"registry = 1\n", "[[registry]]", "line 1"},
      {"[[registry]]\nblocked = true\n", "neither a prefix nor a location", "line 1"},
      {"[[registry]]\nprefix = \"a.example.com\"\n", "without a location", "line 1"},
      {"[[registry]]\nprefix = \"*.example.com/path\"\n", "wildcard", "line 2"},
      {"[[registry]]\nlocation = \"https://a.example.com\"\n", "scheme", "line 2"},
      {"[[registry]]\nlocation = 1\n", "has to be a text", "line 2"},
      {"[[registry]]\nlocation = \"a\"\nblocked = \"yes\"\n", "true or false", "line 3"},
      {"[[registry]]\nlocation = \"a\"\npull-from-mirror = \"all\"\n", "belongs to a mirror", "line 3"},
      {"[[registry]]\nlocation = \"a\"\n[[registry.mirror]]\ninsecure = true\n", "no location", "line 3"},
      {"[[registry]]\nlocation = \"a\"\n[[registry.mirror]]\nlocation = \"m\"\npull-from-mirror = \"never\"\n",
       "not \"never\"", "line 5"},
      {"[[registry]]\nlocation = \"a\"\nmirror-by-digest-only = true\n[[registry.mirror]]\nlocation = \"m\"\n"
       "pull-from-mirror = \"all\"\n",
       "mirror-by-digest-only", "line 6"},
      {"[[registry]]\nprefix = \"a\"\nlocation = \"x\"\n[[registry]]\nprefix = \"b\"\nlocation = \"x\"\nblocked = "
       "true\n",
       "differ in \"blocked\"", "line 4"},
      {"[[registry]]\nprefix = \"a\"\nlocation = \"x\"\ninsecure = true\n[[registry]]\nprefix = \"b\"\nlocation = "
       "\"x\"\n",
       "differ in \"insecure\"", "line 5"},
  };
  for (const Row& row : rows) {
    const auto read = Parse(row.text);
    ASSERT_FALSE(read) << row.text;
    EXPECT_EQ(read.error().code, Code::kRegistries) << row.text;
    EXPECT_THAT(read.error().message, HasSubstr(std::string(row.message))) << row.text;
    EXPECT_THAT(read.error().where, HasSubstr("registries.conf: " + std::string(row.where))) << row.text;
  }
}

TEST(RegistriesConf, NamesKeysThatNoVersionHas) {
  Findings findings;
  Must(ParseRegistriesConf(
      "colour = 1\n[[registry]]\nlocation = \"a\"\nmirrors = []\n[[registry.mirror]]\nlocation = \"m\"\nport = 1\n",
      "f", findings));
  ASSERT_THAT(findings, SizeIs(3));
  for (const Finding& one : findings) EXPECT_EQ(one.code, "not-read");
}

TEST(RegistriesConf, AnEmptyFileHasNoRegistry) {
  const auto all = Must(Parse("# nothing\n"));
  EXPECT_THAT(all, IsEmpty());
}

}  // namespace
}  // namespace prov::registries
