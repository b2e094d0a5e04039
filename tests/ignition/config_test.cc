#include "ignition/config.h"

#include <gtest/gtest.h>

#include "provisioner/base/hash.h"
#include "provisioner/base/text.h"
#include "tests/ignition/helpers.h"

namespace prov::ignition {
namespace {

using namespace std::string_literals;

std::string File(std::string_view path, std::string_view members) {
  return fmt::format(R"({{"path":"{}",{}}})", path, members);
}
std::string Source(std::string_view url) { return fmt::format(R"("contents":{{"source":"{}"}})", url); }

TEST(ConfigRead, GivesContentsModeAndPlace) {
  auto document = MustRead(
      BareFiles("3.4.0", R"({"path":"/x"},{"path":"/a","mode":384,"contents":{"source":"data:,p%2540ss%00"}})"));
  EXPECT_EQ(document.config.version(), "3.4.0");
  const FileContents file = document.config.Read("/a").value().value();
  EXPECT_EQ(file.path, "/a");
  EXPECT_EQ(file.bytes, "p%40ss\0"s);
  EXPECT_EQ(file.mode, 0600U);
  EXPECT_EQ(file.where, "$.storage.files[1]");
}

TEST(ConfigRead, DefaultsAndSpecialModes) {
  const auto mode = [](std::string_view members) {
    auto document = ReadText(BareFiles("3.4.0", File("/a", fmt::format(R"({}{})", Source("data:,"), members))));
    EXPECT_TRUE(document);
    return (*document->config.Read("/a"))->mode;
  };
  EXPECT_EQ(mode(""), 0644U);
  EXPECT_EQ(mode(R"(,"mode":null)"), 0644U);
  EXPECT_EQ(mode(R"(,"mode":0)"), 0U);
  EXPECT_EQ(mode(R"(,"mode":4095)"), 07777U);
}

TEST(ConfigRead, WhatMakesNoStatement) {
  const std::string path = "/a";
  EXPECT_EQ(ShowFile(Bare("3.4.0"), path), "<none>");
  EXPECT_EQ(ShowFile(BareFiles("3.4.0", File("/b", Source("data:,x"))), path), "<none>");
  EXPECT_EQ(ShowFile(BareFiles("3.4.0", File("/a/b", Source("data:,x"))), path), "<none>");
  // Spec 3: a file without contents leaves what is there; spec 2 writes an empty one.
  for (const char* members : {R"("mode":420)", R"("contents":{})", R"("contents":{"source":null})", R"("append":[])",
                              R"("contents":{"verification":{}})"}) {
    EXPECT_EQ(ShowFile(BareFiles("3.4.0", File("/a", members)), path), "<none>") << members;
  }
  for (const char* members :
       {R"("mode":420)", R"("contents":{})", R"("contents":{"source":""})", R"("contents":{"verification":{}})"}) {
    EXPECT_EQ(ShowFile(BareFiles("2.2.0", File("/a", members)), path), "") << members;
  }
  EXPECT_EQ(ShowFile(BareFiles("3.4.0", File("/a", Source(""))), path), "");  // the explicit empty file
  EXPECT_EQ(ShowFile(BareFiles("3.4.0", File("/a", Source("data:,"))), path), "");
}

TEST(ConfigRead, DecodesOnlyWhatIsWanted) {
  const std::string text = BareFiles(
      "3.4.0", File("/bad", R"("contents":{"source":"data:broken","compression":"xz","verification":{"hash":"x"}})") +
                   "," + File("/remote", Source("https://h/x")) + "," + File("/a", Source("data:,fine")));
  EXPECT_EQ(ShowFile(text, "/a"), "fine");
  EXPECT_EQ(ShowFile(text, "/bad"), "<compression> /bad ($.storage.files[0].contents.compression)");
  EXPECT_EQ(ShowFile(text, "/remote"), "<remote-source> /remote ($.storage.files[1].contents.source)");
}

TEST(ConfigRead, ErrorsNameFileAndField) {
  const std::pair<std::string, std::string_view> rows[] = {
      {Source("data:x"), "<data-url> /a ($.storage.files[0].contents.source)"},
      {R"("append":[{"source":"data:,x"},{"source":"data:x"}])", "<data-url> /a ($.storage.files[0].append[1].source)"},
      {R"("contents":{"source":"https://h","httpHeaders":[{"name":"a","value":"b\r\nc"}]})",
       "<invalid-config> /a ($.storage.files[0].contents.source)"},
      {R"("contents":{"source":"https://h","httpHeaders":[{"name":"a\u0000","value":"b"}]})",
       "<invalid-config> /a ($.storage.files[0].contents.source)"},
  };
  for (const auto& [members, shown] : rows)
    EXPECT_EQ(ShowFile(BareFiles("3.4.0", File("/a", members)), "/a"), shown) << members;
}

TEST(ConfigRead, HashFunctionsBySpec) {
  const std::string sha256 =
      fmt::format(R"("contents":{{"source":"data:,x","verification":{{"hash":"sha256-{}"}}}})", ToHex(Sha256("x")));
  const std::string sha512 =
      fmt::format(R"("contents":{{"source":"data:,x","verification":{{"hash":"sha512-{}"}}}})", ToHex(Sha512("x")));
  for (const char* version : {"2.2.0", "3.0.0"}) {
    EXPECT_EQ(ShowFile(BareFiles(version, File("/a", sha256)), "/a").substr(0, 11), "<hash-spec>") << version;
    EXPECT_EQ(ShowFile(BareFiles(version, File("/a", sha512)), "/a"), "x") << version;
  }
  for (const char* version : {"3.1.0", "3.6.0"}) {
    EXPECT_EQ(ShowFile(BareFiles(version, File("/a", sha256)), "/a"), "x") << version;
    EXPECT_EQ(ShowFile(BareFiles(version, File("/a", sha512)), "/a"), "x") << version;
  }
}

TEST(ConfigRead, AppendInSpec3) {
  const std::string gzip = Base64Url(Gzip("C"));
  const std::string append = fmt::format(
      R"("append":[{{"source":"data:,B"}},{{"source":"{0}","compression":"gzip"}},{{"source":"data:,B"}}])", gzip);
  EXPECT_EQ(ShowFile(BareFiles("3.4.0", File("/a", Source("data:,A") + "," + append)), "/a"), "ABCB");
  EXPECT_EQ(ShowFile(BareFiles("3.4.0", File("/a", append)), "/a"), "BCB");  // append alone is legal
  EXPECT_EQ(ShowFile(BareFiles("3.4.0", File("/a", R"("append":[{}])")), "/a"), "");
}

TEST(ConfigRead, AppendAndDuplicatesInSpec2) {
  const auto show = [](std::string_view files) { return ShowFile(BareFiles("2.2.0", files), "/a"); };
  const std::string a = File("/a", Source("data:,A"));
  const std::string b = File("/a", Source("data:,B"));
  const std::string plus = File("/a", R"("append":true,"contents":{"source":"data:,+"})");
  EXPECT_EQ(show(a + "," + b), "B");
  EXPECT_EQ(show(b + "," + a), "A");
  EXPECT_EQ(show(a + "," + plus + "," + plus), "A++");
  EXPECT_EQ(show(a + "," + plus + "," + b), "B");
  EXPECT_EQ(show(plus), "+");
  EXPECT_EQ(show(plus + "," + a), "A");
  EXPECT_EQ(show(a + "," + File("/a", R"("filesystem":"root","contents":{"source":"data:,C"})")), "C");
  EXPECT_EQ(show(a + "," + File("/a", R"("filesystem":"","contents":{"source":"data:,C"})")), "C");
  EXPECT_EQ(show(a + "," + File("/a", R"("filesystem":"data","contents":{"source":"data:,C"})")), "A");
  EXPECT_EQ(show(File("/a", R"("filesystem":"data","contents":{"source":"data:,C"})")), "<none>");
  EXPECT_EQ(show(a + "," + File("/a", R"("append":true,"contents":{"source":"data:x"})")),
            "<data-url> /a ($.storage.files[1].contents.source)");
  auto document =
      ReadText(BareFiles("2.2.0", a + "," + File("/a", R"("mode":384,"contents":{"source":"data:,B"})") + "," + plus));
  EXPECT_EQ((*document->config.Read("/a"))->mode, 0600U);
  EXPECT_EQ((*document->config.Read("/a"))->where, "$.storage.files[2]");
}

TEST(ConfigRead, BoundsOneFile) {
  Limits limits;
  limits.file = 4;
  const std::string text =
      BareFiles("3.4.0", File("/a", Source("data:,AAA") + R"(,"append":[{"source":"data:,B"}])") + "," +
                             File("/b", Source("data:,AAA") + R"(,"append":[{"source":"data:,BB"}])"));
  EXPECT_EQ(ShowFile(text, "/a", nullptr, limits), "AAAB");
  EXPECT_EQ(ShowFile(text, "/b", nullptr, limits), "<too-large> /b ($.storage.files[1].append[0].source)");
}

TEST(ConfigRead, LinksAndDirectories) {
  const auto show = [](std::string_view members, std::string_view version) {
    return ShowFile(Bare(version, fmt::format(R"("storage":{{{}}})", members)), "/etc/a/b");
  };
  for (const char* version : {"2.2.0", "3.4.0"}) {
    EXPECT_EQ(show(R"("links":[{"path":"/etc/a/b","target":"/x"}])", version), "<link> /etc/a/b ($.storage.links[0])");
    EXPECT_EQ(show(R"("links":[{"path":"/etc/x"},{"path":"/etc/a"}])", version),
              "<link> /etc/a/b ($.storage.links[1])");
    EXPECT_EQ(show(R"("links":[{"path":"/etc"}],"files":[{"path":"/etc/a/b"}])", version),
              "<link> /etc/a/b ($.storage.links[0])");
    EXPECT_EQ(show(R"("directories":[{"path":"/etc/a/b"}])", version),
              "<directory> /etc/a/b ($.storage.directories[0])");
    EXPECT_EQ(show(R"("files":[{"path":"/etc/a"},{"path":"/etc/a/b"}])", version),
              "<invalid-config> /etc/a/b ($.storage.files[0])");
    EXPECT_EQ(show(R"("files":[{"path":"/etc/a"}])", version), "<none>");
    EXPECT_EQ(show(R"("links":[{"path":"/etc/a/b/c"},{"path":"/etc/ab"},{"path":"/b"}])", version), "<none>");
    EXPECT_EQ(
        show(
            R"("directories":[{"path":"/etc/a"},{"path":"/"}],"files":[{"path":"/etc/a/b","contents":{"source":"data:,x"}}])",
            version),
        "x");
  }
  // Spec 2 lets them collide; the kind that can't be read wins.
  EXPECT_EQ(show(R"("files":[{"path":"/etc/a/b"}],"links":[{"path":"/etc/a/b"}])", "2.2.0"),
            "<link> /etc/a/b ($.storage.links[0])");
  EXPECT_EQ(show(R"("files":[{"path":"/etc/a/b"}],"directories":[{"path":"/etc/a/b"}])", "2.2.0"),
            "<directory> /etc/a/b ($.storage.directories[0])");
}

TEST(ConfigRead, TakesAnyPathAsAQuestion) {
  auto document = MustRead(BareFiles("3.4.0", File("/a", Source("data:,x"))));
  for (const char* path : {"", "/", "a", "//a", "/a/", "/b/c/d"})
    EXPECT_EQ(Show(document.config.Read(path)), "<none>") << path;
}

TEST(Config, DuplicatePathsInSpec3) {
  const std::pair<std::string_view, std::string_view> rows[] = {
      {R"("files":[{"path":"/a"},{"path":"/b"},{"path":"/a"}])", "$.storage.files[2].path"},
      {R"("files":[{"path":"/a"}],"directories":[{"path":"/a"}])", "$.storage.directories[0].path"},
      {R"("files":[{"path":"/a"}],"links":[{"path":"/a"}])", "$.storage.links[0].path"},
      {R"("directories":[{"path":"/a"}],"links":[{"path":"/b"},{"path":"/a"}])", "$.storage.links[1].path"},
      {R"("links":[{"path":"/a"},{"path":"/a"}])", "$.storage.links[1].path"},
  };
  for (const auto& [members, where] : rows) {
    const std::string storage = fmt::format(R"("storage":{{{}}})", members);
    const Error error = ErrorOf(Bare("3.2.0", storage));
    EXPECT_EQ(error.code, Code::kDuplicatePath) << members;
    EXPECT_EQ(error.where, where) << members;
    EXPECT_NE(error.message.find("/a"), std::string::npos);
    EXPECT_TRUE(ReadText(Bare("2.2.0", storage))) << members;
  }
}

TEST(Config, FilePathsInOrder) {
  auto three = ReadText(Bare(
      "3.4.0",
      R"("storage":{"links":[{"path":"/l"}],"files":[{"path":"/b"},{"path":"/a"}],"directories":[{"path":"/d"}]})"));
  EXPECT_EQ(three->config.FilePaths(), (std::vector<std::string>{"/b", "/a"}));
  auto two = ReadText(BareFiles("2.2.0", R"({"path":"/b"},{"path":"/a"},{"path":"/b"})"));
  EXPECT_EQ(two->config.FilePaths(), (std::vector<std::string>{"/b", "/a"}));
  EXPECT_TRUE(ReadText(Bare("3.4.0"))->config.FilePaths().empty());
}

TEST(Config, UnitsWithDropIns) {
  auto document = MustRead(Bare("3.4.0", R"("systemd":{"units":[
      {"name":"a.service","contents":"[Unit]\n","dropins":[{"name":"10.conf","contents":"x"},{"name":"20.conf"}]},
      {"name":"b.service","enabled":true}]})"));
  const std::vector<Unit> units = document.config.Units();
  ASSERT_EQ(units.size(), 2U);
  EXPECT_EQ(units[0].name, "a.service");
  EXPECT_EQ(units[0].contents, "[Unit]\n");
  ASSERT_EQ(units[0].drop_ins.size(), 2U);
  EXPECT_EQ(units[0].drop_ins[0].name, "10.conf");
  EXPECT_EQ(units[0].drop_ins[0].contents, "x");
  EXPECT_EQ(units[0].drop_ins[1].contents, "");
  EXPECT_EQ(units[1].contents, "");
  EXPECT_TRUE(units[1].drop_ins.empty());
}

TEST(Config, DuplicateUnits) {
  const std::string units = R"("systemd":{"units":[
      {"name":"a","contents":"1","dropins":[{"name":"x","contents":"1"},{"name":"y","contents":"1"}]},
      {"name":"b","contents":"b"},
      {"name":"a","contents":"","dropins":[{"name":"x","contents":"2"}]}]})";
  const Error error = ErrorOf(Bare("3.4.0", units));
  EXPECT_EQ(error.code, Code::kInvalidConfig);
  EXPECT_EQ(error.where, "$.systemd.units[2].name");
  auto document = MustRead(Bare("2.2.0", units));
  const std::vector<Unit> read = document.config.Units();
  ASSERT_EQ(read.size(), 2U);
  EXPECT_EQ(read[0].contents, "1");
  ASSERT_EQ(read[0].drop_ins.size(), 2U);
  EXPECT_EQ(read[0].drop_ins[0].contents, "2");
  EXPECT_EQ(read[0].drop_ins[1].contents, "1");

  const std::string drop_ins =
      R"("systemd":{"units":[{"name":"a","dropins":[{"name":"x"},{"name":"y"},{"name":"x"}]}]})";
  EXPECT_EQ(ErrorOf(Bare("3.4.0", drop_ins)).where, "$.systemd.units[0].dropins[2].name");
  EXPECT_EQ(ErrorOf(Bare("3.4.0", drop_ins)).code, Code::kInvalidConfig);
  EXPECT_TRUE(ReadText(Bare("2.2.0", drop_ins)));
}

TEST(Config, CanBeMoved) {
  auto document = MustRead(BareFiles("3.4.0", File("/a", Source("data:,x"))));
  Config moved = std::move(document.config);
  EXPECT_EQ(Show(moved.Read("/a")), "x");
  auto other = ReadText(Bare("3.1.0"));
  other->config = std::move(moved);
  EXPECT_EQ(Show(other->config.Read("/a")), "x");
  EXPECT_EQ(other->config.version(), "3.4.0");
}

TEST(Config, DuplicateKeysTakeTheLast) {
  EXPECT_EQ(ShowFile(R"({"ignition":{"version":"4.0.0"},"ignition":{"version":"3.2.0"},"storage":1,
                         "storage":{"files":[{"path":"x","path":"/a","contents":{"source":"data:,1","source":"data:,2"}}]}})",
                     "/a"),
            "2");
}

}  // namespace
}  // namespace prov::ignition
