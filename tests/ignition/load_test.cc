// replace, merge (3.x) and append (2.x).
#include "ignition/load.h"

#include <gtest/gtest.h>

#include "provisioner/base/hash.h"
#include "provisioner/base/text.h"
#include "tests/ignition/helpers.h"

namespace prov::ignition {
namespace {

// {"source": url, more members}
std::string Reference(std::string_view url, std::string_view more = "") {
  return fmt::format(R"({{"source":"{}"{}{}}})", url, more.empty() ? "" : ",", more);
}
std::string Inline(const std::string& config) { return Reference(Base64Url(config)); }

// A config with `references` as the value of ignition.config.
std::string Referring(std::string_view version, std::string_view references, std::string_view members = "") {
  return fmt::format(R"({{"ignition":{{"version":"{}","config":{}}}{}{}}})", version, references,
                     members.empty() ? "" : ",", members);
}
std::string Merging(const std::vector<std::string>& references, std::string_view members = "") {
  return Referring("3.2.0", fmt::format(R"({{"merge":[{}]}})", fmt::join(references, ",")), members);
}
std::string Storage(std::string_view files) { return fmt::format(R"("storage":{{"files":[{}]}})", files); }

constexpr std::string_view kReference = "$.ignition.config.merge[0].source";

TEST(Merge, ChildWinsPerField) {
  const std::string child = BareFiles(
      "3.2.0",
      R"({"path":"/a","mode":384,"contents":{"source":"data:,child"}},{"path":"/c","contents":{"source":"data:,c"}})");
  const std::string parent = Merging(
      {Inline(child)},
      Storage(
          R"({"path":"/a","mode":420,"contents":{"source":"data:,parent"}},{"path":"/b","contents":{"source":"data:,b"}})"));
  auto document = MustRead(parent);
  const FileContents file = document.config.Read("/a").value().value();
  EXPECT_EQ(file.bytes, "child");
  EXPECT_EQ(file.mode, 0600U);
  EXPECT_EQ(file.where, "$.ignition.config.merge[0].source: $.storage.files[0]");
  EXPECT_EQ(Show(document.config.Read("/b")), "b");
  EXPECT_EQ(Show(document.config.Read("/c")), "c");
  EXPECT_EQ(document.config.FilePaths(), (std::vector<std::string>{"/a", "/b", "/c"}));
}

TEST(Merge, FieldsTheChildLeavesOutStay) {
  const std::string mode_only = BareFiles("3.2.0", R"({"path":"/a","mode":384})");
  const std::string parent =
      Merging({Inline(mode_only)}, Storage(R"({"path":"/a","contents":{"source":"data:,parent"}})"));
  auto document = MustRead(parent);
  const FileContents file = document.config.Read("/a").value().value();
  EXPECT_EQ(file.bytes, "parent");
  EXPECT_EQ(file.mode, 0600U);
}

TEST(Merge, StaleCompressionIsNamed) {
  const std::string child = BareFiles("3.2.0", R"({"path":"/a","contents":{"source":"data:,plain"}})");
  const std::string gzip = Base64Url(Gzip("parent"));
  const std::string parent =
      Merging({Inline(child)},
              Storage(fmt::format(R"({{"path":"/a","contents":{{"source":"{}","compression":"gzip"}}}})", gzip)));
  auto document = MustRead(parent);
  auto file = document.config.Read("/a");
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().code, Code::kDecompress);
  EXPECT_NE(file.error().message.find("fixed in 4.20"), std::string::npos);
  EXPECT_EQ(file.error().where, "/a ($.ignition.config.merge[0].source: $.storage.files[0].contents.source)");
  // The cure that the message names.
  const std::string cured = BareFiles("3.2.0", R"({"path":"/a","contents":{"source":"data:,plain","compression":""}})");
  EXPECT_EQ(
      ShowFile(
          Merging({Inline(cured)},
                  Storage(fmt::format(R"({{"path":"/a","contents":{{"source":"{}","compression":"gzip"}}}})", gzip))),
          "/a"),
      "plain");
}

TEST(Merge, HashIsAFieldToo) {
  const std::string hash = fmt::format("sha256-{}", ToHex(Sha256("parent")));
  const std::string child = BareFiles("3.2.0", R"({"path":"/a","contents":{"source":"data:,child"}})");
  const std::string members = Storage(
      fmt::format(R"({{"path":"/a","contents":{{"source":"data:,parent","verification":{{"hash":"{}"}}}}}})", hash));
  EXPECT_EQ(ShowFile(Merging({Inline(child)}, members), "/a"),
            "<hash-mismatch> /a ($.ignition.config.merge[0].source: $.storage.files[0].contents.verification.hash)");
  EXPECT_EQ(ShowFile(Merging({}, members), "/a"), "parent");
}

TEST(Merge, AppendListsGrow) {
  const std::string child = BareFiles("3.2.0", R"({"path":"/a","append":[{"source":"data:,C"}]})");
  const std::string parent = Merging(
      {Inline(child)}, Storage(R"({"path":"/a","contents":{"source":"data:,A"},"append":[{"source":"data:,B"}]})"));
  EXPECT_EQ(ShowFile(parent, "/a"), "ABC");
}

TEST(Merge, OtherListReplaces) {
  const std::string link = Bare("3.2.0", R"("storage":{"links":[{"path":"/a","target":"/x"}]})");
  EXPECT_EQ(ShowFile(Merging({Inline(link)}, Storage(R"({"path":"/a","contents":{"source":"data:,A"}})")), "/a"),
            "<link> /a ($.ignition.config.merge[0].source: $.storage.links[0])");
  const std::string file = BareFiles("3.2.0", R"({"path":"/a","contents":{"source":"data:,F"}})");
  EXPECT_EQ(ShowFile(Merging({Inline(file)}, R"("storage":{"links":[{"path":"/a","target":"/x"}]})"), "/a"), "F");
}

TEST(Merge, LaterChildrenAndGrandchildrenWin) {
  const auto with = [](std::string_view text) {
    return BareFiles("3.2.0", fmt::format(R"({{"path":"/a","contents":{{"source":"data:,{}"}}}})", text));
  };
  EXPECT_EQ(ShowFile(Merging({Inline(with("1")), Inline(with("2"))}), "/a"), "2");
  const std::string nested =
      Merging({Inline(with("grandchild"))}, Storage(R"({"path":"/a","contents":{"source":"data:,child"}})"));
  EXPECT_EQ(ShowFile(Merging({Inline(nested)}), "/a"), "grandchild");
  EXPECT_EQ(ShowFile(Merging({Inline(nested), Inline(with("last"))}), "/a"), "last");
}

TEST(Merge, UnitsByName) {
  const std::string child = Bare(
      "3.2.0",
      R"("systemd":{"units":[{"name":"a","dropins":[{"name":"x","contents":"child"},{"name":"z","contents":"z"}]},{"name":"b"}]})");
  auto document = MustRead(
      Merging({Inline(child)},
              R"("systemd":{"units":[{"name":"a","contents":"p","dropins":[{"name":"x","contents":"parent"}]}]})"));
  const std::vector<Unit> units = document.config.Units();
  ASSERT_EQ(units.size(), 2U);
  EXPECT_EQ(units[0].contents, "p");
  ASSERT_EQ(units[0].drop_ins.size(), 2U);
  EXPECT_EQ(units[0].drop_ins[0].contents, "child");
  EXPECT_EQ(units[0].drop_ins[1].contents, "z");
}

TEST(Merge, VersionsOfChildren) {
  EXPECT_TRUE(ReadText(Merging({Inline(Bare("3.0.0")), Inline(Bare("3.5.0"))})));
  EXPECT_EQ(ReadText(Merging({Inline(Bare("3.5.0"))}))->config.version(), "3.2.0");
  const Error mixed = ErrorOf(Merging({Inline(Bare("2.2.0"))}));
  EXPECT_EQ(mixed.code, Code::kVersion);
  EXPECT_EQ(mixed.where, "$.ignition.config.merge[0].source: $.ignition.version");
  EXPECT_EQ(ErrorOf(Merging({Inline("{}")})).code, Code::kVersion);
  auto newer = MustRead(Merging({Inline(Bare("3.8.0"))}));
  ASSERT_EQ(newer.findings.size(), 1U);
  EXPECT_EQ(newer.findings[0].where, "$.ignition.config.merge[0].source: $.ignition.version");
}

TEST(Merge, FileHashFunctionsFollowTheVersionOfTheirConfig) {
  const std::string file = fmt::format(
      R"({{"path":"/a","contents":{{"source":"data:,x","verification":{{"hash":"sha256-{}"}}}}}})", ToHex(Sha256("x")));
  EXPECT_EQ(ShowFile(Merging({Inline(BareFiles("3.5.0", file))}), "/a"), "x");
  EXPECT_EQ(ShowFile(Merging({Inline(BareFiles("3.0.0", file))}), "/a").substr(0, 11), "<hash-spec>");
}

TEST(Merge, ReferencesMayBePackedAndHashed) {
  const std::string config = BareFiles("3.2.0", R"({"path":"/a","contents":{"source":"data:,x"}})");
  const std::string url = Base64Url(Gzip(config));
  const std::string hash = ToHex(Sha512(config));
  const auto merge = [&](std::string_view hex) {
    return Merging({Reference(url, fmt::format(R"("compression":"gzip","verification":{{"hash":"sha512-{}"}})", hex))});
  };
  EXPECT_EQ(ShowFile(merge(hash), "/a"), "x");
  EXPECT_EQ(ShowFile(merge(AsciiUpper(hash)), "/a"), "<hash-mismatch> $.ignition.config.merge[0].verification.hash");
  EXPECT_EQ(ErrorOf(Merging({Reference(PlainUrl(config), R"("compression":"gzip")")})).code, Code::kDecompress);
}

TEST(Merge, BrokenReferences) {
  const std::pair<std::string, std::pair<std::string_view, std::string_view>> rows[] = {
      {Merging({"{}"}), {"invalid-config", kReference}},
      {Merging({R"({"source":null})"}), {"invalid-config", kReference}},
      {Merging({R"({"source":""})"}), {"invalid-config", kReference}},
      {Merging({R"({"source":1})"}), {"type", kReference}},
      {Merging({"1"}), {"type", "$.ignition.config.merge[0]"}},
      {Merging({Inline(Bare("3.2.0")), Inline(Bare("3.2.0"))}),
       {"invalid-config", "$.ignition.config.merge[1].source"}},
      {Merging({Reference("data:x")}), {"data-url", kReference}},
      {Merging({Reference("ftp://h/x")}), {"scheme", kReference}},
      {Merging({Reference("data:,")}), {"json", "$.ignition.config.merge[0].source: line 1, column 1"}},
      {Merging({Inline("{\n}}")}), {"json", "$.ignition.config.merge[0].source: line 2, column 2"}},
      {Merging({Inline("[]")}), {"type", "$.ignition.config.merge[0].source: $"}},
      {Merging({Inline("ignition: {version: 3.2.0}")}),
       {"json", "$.ignition.config.merge[0].source: line 1, column 1"}},
      {Merging({Inline(BareFiles("3.2.0", R"({"path":"a"})"))}),
       {"invalid-config", "$.ignition.config.merge[0].source: $.storage.files[0].path"}},
      {Referring("3.2.0", R"({"merge":{}})"), {"type", "$.ignition.config.merge"}},
      {Referring("3.2.0", R"({"replace":[]})"), {"type", "$.ignition.config.replace"}},
      {Referring("3.2.0", R"({"replace":{"source":""}})"), {"invalid-config", "$.ignition.config.replace.source"}},
      {Referring("3.2.0", R"([])"), {"type", "$.ignition.config"}},
      {Referring("2.2.0", R"({"append":[{}]})"), {"invalid-config", "$.ignition.config.append[0].source"}},
  };
  for (const auto& [text, expected] : rows) {
    const Error error = ErrorOf(text);
    EXPECT_EQ(InfoOf(error.code).name, expected.first) << text << ": " << error.message;
    EXPECT_EQ(error.where, expected.second) << text;
  }
}

TEST(Merge, NothingIsAlsoWrittenAsEmptyObjects) {
  for (const char* config :
       {"null", "{}", R"({"replace":{}})", R"({"replace":null,"merge":null})", R"({"replace":{"verification":{}}})",
        R"({"merge":[]})", R"({"replace":{"source":null}})"}) {
    EXPECT_TRUE(ReadText(Referring("3.2.0", config))) << config;
  }
  for (const char* config : {"{}", R"({"replace":{"source":"","verification":{}}})", R"({"append":[]})"})
    EXPECT_TRUE(ReadText(Referring("2.2.0", config))) << config;
}

TEST(Replace, DropsTheParent) {
  const std::string other = BareFiles("3.5.0", R"({"path":"/b","contents":{"source":"data:,b"}})");
  const std::string text =
      Referring("3.2.0", fmt::format(R"({{"replace":{},"merge":[{{"source":"https://never/read"}}]}})", Inline(other)),
                Storage(R"({"path":"/a","contents":{"source":"data:,a"}})"));
  auto document = MustRead(text);
  EXPECT_EQ(document.config.version(), "3.5.0");
  EXPECT_EQ(Show(document.config.Read("/a")), "<none>");
  EXPECT_EQ(Show(document.config.Read("/b")), "b");
  EXPECT_EQ((*document.config.Read("/b"))->where, "$.ignition.config.replace.source: $.storage.files[0]");
}

TEST(Replace, WithinAChildReplacesOnlyTheChild) {
  const std::string other = BareFiles("3.2.0", R"({"path":"/b","contents":{"source":"data:,b"}})");
  const std::string child = Referring("3.2.0", fmt::format(R"({{"replace":{}}})", Inline(other)),
                                      Storage(R"({"path":"/c","contents":{"source":"data:,c"}})"));
  const std::string text = Merging({Inline(child)}, Storage(R"({"path":"/a","contents":{"source":"data:,a"}})"));
  EXPECT_EQ(ShowFile(text, "/a"), "a");
  EXPECT_EQ(ShowFile(text, "/b"), "b");
  EXPECT_EQ(ShowFile(text, "/c"), "<none>");
}

TEST(Spec2References, AppendAndReplace) {
  const auto with = [](std::string_view text, std::string_view more) {
    return BareFiles("2.2.0", fmt::format(R"({{"path":"/a",{}"contents":{{"source":"data:,{}"}}}})", more, text));
  };
  const std::string parent_file = Storage(R"({"path":"/a","contents":{"source":"data:,A"}})");
  const auto appending = [&](const std::string& child) {
    return Referring("2.2.0", fmt::format(R"({{"append":[{0},{0}]}})", Inline(child)), parent_file);
  };
  EXPECT_EQ(ShowFile(appending(with("B", "")), "/a"), "B");
  EXPECT_EQ(ShowFile(appending(with("B", R"("append":true,)")), "/a"), "ABB");  // the same source twice is legal here
  EXPECT_EQ(ShowFile(Referring("2.2.0", fmt::format(R"({{"replace":{}}})", Inline(with("R", ""))), parent_file), "/a"),
            "R");
  // merge is no member of spec 2, append none of spec 3.
  EXPECT_TRUE(ReadText(Referring("2.2.0", R"({"merge":[{"source":"https://h"}]})")));
  EXPECT_TRUE(ReadText(Referring("3.2.0", R"({"append":[{"source":"https://h"}]})")));
}

TEST(RemoteReferences, AreErrorsWithoutAFetcher) {
  const std::string pointer = Merging({Reference("https://core:hunter2@api-int.x:22623/config/worker?t=hunter2")});
  const Error error = ErrorOf(pointer);
  EXPECT_EQ(error.code, Code::kMergeRemote);
  EXPECT_EQ(error.where, kReference);
  EXPECT_NE(error.message.find("https://api-int.x:22623/config/worker"), std::string::npos);
  EXPECT_EQ(error.message.find("hunter2"), std::string::npos);
  EXPECT_EQ(ErrorOf(Referring("3.2.0", R"({"replace":{"source":"http://h/x"}})")).where,
            "$.ignition.config.replace.source");
  EXPECT_EQ(ErrorOf(Referring("2.2.0", R"({"append":[{"source":"http://h/x"}]})")).code, Code::kMergeRemote);
}

TEST(RemoteReferences, AreFetched) {
  FakeFetcher fetcher;
  fetcher.pages["https://h/worker"] = BareFiles(
      "3.2.0", R"({"path":"/a","contents":{"source":"https://h/a","httpHeaders":[{"name":"N","value":"child"}]}})");
  fetcher.pages["https://h/a"] = "fetched";
  const std::string text = Merging(
      {Reference("https://h/worker",
                 R"("httpHeaders":[{"name":"Accept","value":"x"},{"name":"Gone","value":null},{"value":"y"}])")},
      Storage(
          R"({"path":"/a","contents":{"httpHeaders":[{"name":"N","value":"parent"},{"name":"M","value":"parent"}]}})"));
  auto document = MustRead(text, &fetcher);
  EXPECT_EQ(fetcher.last_headers, (std::vector<std::pair<std::string, std::string>>{{"Accept", "x"}}));
  EXPECT_EQ(Show(document.config.Read("/a")), "fetched");
  EXPECT_EQ(fetcher.last_headers, (std::vector<std::pair<std::string, std::string>>{{"N", "child"}, {"M", "parent"}}));
  EXPECT_EQ(ErrorOf(Merging({Reference("https://h/none")}), &fetcher).code, Code::kNetwork);
}

TEST(References, AreBounded) {
  FakeFetcher fetcher;
  fetcher.pages["https://h/self"] = Merging({Reference("https://h/self")});
  const Error endless = ErrorOf(Merging({Reference("https://h/self")}), &fetcher);
  EXPECT_EQ(endless.code, Code::kTooLarge);
  EXPECT_NE(endless.message.find("16 levels"), std::string::npos);
  EXPECT_EQ(fetcher.urls.size(), 16U);

  fetcher.pages["https://h/replace"] = Referring("3.2.0", R"({"replace":{"source":"https://h/replace"}})");
  EXPECT_EQ(ErrorOf(Referring("3.2.0", R"({"replace":{"source":"https://h/replace"}})"), &fetcher).code,
            Code::kTooLarge);

  Limits limits;
  limits.merge_depth = 0;
  EXPECT_EQ(ErrorOf(Merging({Inline(Bare("3.2.0"))}), nullptr, limits).code, Code::kTooLarge);
  limits = {};
  limits.merged_configs = 2;
  EXPECT_TRUE(ReadText(Merging({Inline(Bare("3.1.0")), Inline(Bare("3.2.0"))}), nullptr, limits));
  EXPECT_EQ(
      ErrorOf(Merging({Inline(Bare("3.1.0")), Inline(Bare("3.2.0")), Inline(Bare("3.3.0"))}), nullptr, limits).where,
      "$.ignition.config.merge[2].source");
  limits = {};
  limits.merged_configs_total = 2 * Bare("3.1.0").size();
  EXPECT_TRUE(ReadText(Merging({Inline(Bare("3.1.0")), Inline(Bare("3.2.0"))}), nullptr, limits));
  const Error total =
      ErrorOf(Merging({Inline(Bare("3.1.0")), Inline(Bare("3.2.0")), Inline(Bare("3.3.0"))}), nullptr, limits);
  EXPECT_EQ(total.code, Code::kTooLarge);
  EXPECT_EQ(total.where, "$.ignition.config.merge[2].source");
  // The number of values is shared, too: each of these has more than half of what is allowed.
  limits = {};
  limits.values = 40;
  const auto many = [](int name) {
    return R"({"ignition":{"version":"3.1.0"},"x":[)" + std::to_string(name) + R"(,0,0,0,0,0,0,0,0,0,0,0]})";
  };
  EXPECT_TRUE(ReadText(Merging({Inline(many(1))}), nullptr, limits));
  const Error values = ErrorOf(Merging({Inline(many(1)), Inline(many(2))}), nullptr, limits);
  EXPECT_EQ(values.code, Code::kTooLarge);
  EXPECT_EQ(values.where.substr(0, 35), "$.ignition.config.merge[1].source: ");
  const std::string bomb = Base64Url(Gzip(std::string(50 << 20, ' '), 9));
  limits.merged_configs_total = 1 << 20;
  EXPECT_EQ(ErrorOf(Merging({Reference(bomb, R"("compression":"gzip")")}), nullptr, limits).code, Code::kTooLarge);
}

}  // namespace
}  // namespace prov::ignition
