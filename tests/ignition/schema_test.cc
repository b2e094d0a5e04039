// Types and rules of single entries, through the documents that hold them.
#include "ignition/schema.h"

#include <gtest/gtest.h>

#include "tests/ignition/helpers.h"

namespace prov::ignition {
namespace {

TEST(PathProblem, WantsAbsoluteCleanPaths) {
  for (const char* path : {"/", "/a", "/a/b", "/etc/mco/proxy.env", "/a/...", "/a/.b", "/a/b..", "/ a", "/\xC3\xA9"})
    EXPECT_EQ(PathProblem(path), nullptr) << path;
  for (const std::string_view path :
       {"", "a", "a/b", "./a", "//", "//a", "/a/", "/a//b", "/.", "/./a", "/a/.", "/..", "/a/..", "/a/../b"}) {
    EXPECT_NE(PathProblem(path), nullptr) << path;
  }
  EXPECT_NE(PathProblem(std::string_view("/a\0b", 4)), nullptr);
}

struct Row {
  std::string_view file;
  std::string_view code;
  std::string_view where;  // behind "$.storage.files"
};

void Check(std::string_view version, const Row& row) {
  const Error error = ErrorOf(BareFiles(version, row.file));
  EXPECT_EQ(InfoOf(error.code).name, row.code) << version << " " << row.file << ": " << error.message;
  EXPECT_EQ(error.where, fmt::format("$.storage.files{}", row.where)) << version << " " << row.file;
}

TEST(CheckEntries, TypesOfFilesInBothMajors) {
  const Row rows[] = {
      {R"(1)", "type", "[0]"},
      {R"(null)", "type", "[0]"},
      {R"({"path":1})", "type", "[0].path"},
      {R"({"path":"/a"},{"path":[]})", "type", "[1].path"},
      {R"({})", "invalid-config", "[0].path"},
      {R"({"path":null})", "invalid-config", "[0].path"},
      {R"({"path":""})", "invalid-config", "[0].path"},
      {R"({"path":"a"})", "invalid-config", "[0].path"},
      {R"({"path":"/a/../b"})", "invalid-config", "[0].path"},
      {R"({"path":"/a\u0000"})", "invalid-config", "[0].path"},
      {R"({"path":"/a","mode":"0644"})", "type", "[0].mode"},
      {R"({"path":"/a","mode":420.0})", "type", "[0].mode"},
      {R"({"path":"/a","mode":4.2e2})", "type", "[0].mode"},
      {R"({"path":"/a","mode":true})", "type", "[0].mode"},
      {R"({"path":"/a","mode":-1})", "type", "[0].mode"},
      {R"({"path":"/a","mode":4096})", "type", "[0].mode"},
      {R"({"path":"/a","mode":5000000000})", "type", "[0].mode"},
      {R"({"path":"/a","mode":18446744073709551615})", "type", "[0].mode"},
      {R"({"path":"/a","mode":-9223372036854775808})", "type", "[0].mode"},
      {R"({"path":"/a","contents":"data:,x"})", "type", "[0].contents"},
      {R"({"path":"/a","contents":[]})", "type", "[0].contents"},
      {R"({"path":"/a","contents":{"source":1}})", "type", "[0].contents.source"},
      {R"({"path":"/a","contents":{"compression":false}})", "type", "[0].contents.compression"},
      {R"({"path":"/a","contents":{"verification":"x"}})", "type", "[0].contents.verification"},
      {R"({"path":"/a","contents":{"verification":{"hash":1}}})", "type", "[0].contents.verification.hash"},
      {R"({"path":"/a","contents":{"httpHeaders":{}}})", "type", "[0].contents.httpHeaders"},
      {R"({"path":"/a","contents":{"httpHeaders":[1]}})", "type", "[0].contents.httpHeaders[0]"},
      {R"({"path":"/a","contents":{"httpHeaders":[{"name":1}]}})", "type", "[0].contents.httpHeaders[0].name"},
      {R"({"path":"/a","contents":{"httpHeaders":[{"value":1}]}})", "type", "[0].contents.httpHeaders[0].value"},
      {R"({"path":"/a","overwrite":"true"})", "type", "[0].overwrite"},
      {R"({"path":"/a","filesystem":1})", "type", "[0].filesystem"},
  };
  for (const Row& row : rows) {
    for (const char* version : {"2.2.0", "3.4.0"}) Check(version, row);
  }
}

TEST(CheckEntries, AppendDiffersByMajor) {
  Check("3.4.0", {R"({"path":"/a","append":true})", "type", "[0].append"});
  Check("3.4.0", {R"({"path":"/a","append":{}})", "type", "[0].append"});
  Check("3.4.0", {R"({"path":"/a","append":[1]})", "type", "[0].append[0]"});
  Check("3.4.0", {R"({"path":"/a","append":[{},{"source":1}]})", "type", "[0].append[1].source"});
  Check("2.2.0", {R"({"path":"/a","append":[]})", "type", "[0].append"});
  EXPECT_TRUE(ReadText(BareFiles("3.4.0", R"({"path":"/a","append":[{"source":"data:,x"}]})")));
  EXPECT_TRUE(ReadText(BareFiles("2.2.0", R"({"path":"/a","append":true})")));
}

TEST(CheckEntries, OverwriteNeedsASourceInSpec3) {
  const Row rows[] = {
      {R"({"path":"/a","overwrite":true})", "invalid-config", "[0].overwrite"},
      {R"({"path":"/a","overwrite":true,"contents":{}})", "invalid-config", "[0].overwrite"},
      {R"({"path":"/a","overwrite":true,"contents":{"source":null}})", "invalid-config", "[0].overwrite"},
      {R"({"path":"/a","overwrite":true,"append":[{"source":"data:,x"}]})", "invalid-config", "[0].overwrite"},
  };
  for (const Row& row : rows) {
    Check("3.2.0", row);
    if (row.file.find("append") == std::string_view::npos) {
      EXPECT_TRUE(ReadText(BareFiles("2.2.0", row.file))) << row.file;
    }
  }
  EXPECT_TRUE(ReadText(BareFiles("3.2.0", R"({"path":"/a","overwrite":true,"contents":{"source":""}})")));
  EXPECT_TRUE(ReadText(BareFiles("3.2.0", R"({"path":"/a","overwrite":false})")));
}

TEST(CheckEntries, TypesElsewhere) {
  const struct {
    std::string_view members;
    std::string_view code;
    std::string_view where;
  } rows[] = {
      {R"("storage":[])", "type", "$.storage"},
      {R"("storage":{"files":{}})", "type", "$.storage.files"},
      {R"("storage":{"directories":1})", "type", "$.storage.directories"},
      {R"("storage":{"directories":[1]})", "type", "$.storage.directories[0]"},
      {R"("storage":{"directories":[{"path":"x"}]})", "invalid-config", "$.storage.directories[0].path"},
      {R"("storage":{"directories":[{"path":"/a","filesystem":2}]})", "type", "$.storage.directories[0].filesystem"},
      {R"("storage":{"links":[{"path":1}]})", "type", "$.storage.links[0].path"},
      {R"("storage":{"links":[{}]})", "invalid-config", "$.storage.links[0].path"},
      {R"("systemd":1)", "type", "$.systemd"},
      {R"("systemd":{"units":{}})", "type", "$.systemd.units"},
      {R"("systemd":{"units":["a"]})", "type", "$.systemd.units[0]"},
      {R"("systemd":{"units":[{"name":1}]})", "type", "$.systemd.units[0].name"},
      {R"("systemd":{"units":[{}]})", "invalid-config", "$.systemd.units[0].name"},
      {R"("systemd":{"units":[{"name":""}]})", "invalid-config", "$.systemd.units[0].name"},
      {R"("systemd":{"units":[{"name":"a","contents":1}]})", "type", "$.systemd.units[0].contents"},
      {R"("systemd":{"units":[{"name":"a","dropins":{}}]})", "type", "$.systemd.units[0].dropins"},
      {R"("systemd":{"units":[{"name":"a","dropins":[1]}]})", "type", "$.systemd.units[0].dropins[0]"},
      {R"("systemd":{"units":[{"name":"a","dropins":[{}]}]})", "invalid-config", "$.systemd.units[0].dropins[0].name"},
      {R"("systemd":{"units":[{"name":"a","dropins":[{"name":"b","contents":[]}]}]})", "type",
       "$.systemd.units[0].dropins[0].contents"},
  };
  for (const auto& row : rows) {
    for (const char* version : {"2.2.0", "3.4.0"}) {
      const Error error = ErrorOf(Bare(version, row.members));
      EXPECT_EQ(InfoOf(error.code).name, row.code) << row.members << ": " << error.message;
      EXPECT_EQ(error.where, row.where) << row.members;
    }
  }
}

TEST(CheckEntries, NullIsAbsent) {
  for (
      const char* members :
      {R"("storage":null)", R"("storage":{"files":null,"directories":null,"links":null})", R"("systemd":null)",
       R"("systemd":{"units":null})", R"("systemd":{"units":[{"name":"a","contents":null,"dropins":null}]})",
       R"("storage":{"files":[{"path":"/a","mode":null,"contents":null,"append":null,"overwrite":null}]})",
       R"("storage":{"files":[{"path":"/a","contents":{"source":null,"compression":null,"verification":null,"httpHeaders":null}}]})",
       R"("storage":{"files":[{"path":"/a","contents":{"verification":{"hash":null}}}]})",
       R"("passwd":1,"unknown":[])"}) {
    for (const char* version : {"2.2.0", "3.4.0"}) EXPECT_TRUE(ReadText(Bare(version, members))) << members;
  }
}

TEST(Version, MustBeAKnownString) {
  for (const char* ignition : {"{}", R"({"version":null})", R"({"version":3})", R"({"version":3.2})",
                               R"({"version":["3.2.0"]})", R"({"version":"3.2"})"}) {
    const Error error = ErrorOf(fmt::format(R"({{"ignition":{}}})", ignition));
    EXPECT_EQ(error.code, Code::kVersion) << ignition;
    EXPECT_EQ(error.where, "$.ignition.version") << ignition;
  }
  EXPECT_EQ(ErrorOf(R"({"ignition":1})").code, Code::kType);
  EXPECT_EQ(ErrorOf(R"({"ignition":{"version":"3.2.0","config":[]}})").where, "$.ignition.config");
}

TEST(Version, OldAndNewAreFindings) {
  const auto findings = [](const char* version) {
    auto document = ReadText(Bare(version));
    EXPECT_TRUE(document) << version;
    return document ? std::move(document->findings) : Findings{};
  };
  EXPECT_TRUE(findings("2.2.0").empty());
  EXPECT_TRUE(findings("3.6.0").empty());
  for (const char* version : {"2.0.0", "2.1.0"}) {
    const Findings found = findings(version);
    ASSERT_EQ(found.size(), 1U) << version;
    EXPECT_EQ(found[0].code, "old-version");
    EXPECT_EQ(found[0].severity, Severity::kInfo);
    EXPECT_EQ(found[0].where, "$.ignition.version");
  }
  for (const char* version : {"3.7.0", "3.7.0-experimental", "3.9.0"}) {
    const Findings found = findings(version);
    ASSERT_EQ(found.size(), 1U) << version;
    EXPECT_EQ(found[0].code, "newer-version");
    EXPECT_EQ(found[0].severity, Severity::kWarning);
  }
  EXPECT_EQ(ReadText(Bare("3.7.0-experimental"))->config.version(), "3.7.0-experimental");
}

}  // namespace
}  // namespace prov::ignition
