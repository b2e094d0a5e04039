// The page of `explain --html`: its bytes, and that nothing on it is markup but what the program wrote.
#include "provisioner/cli/explain_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "provisioner/cli/explain_page_assets.h"
#include "provisioner/cli/html_page.h"
#include "tests/support/sample.h"

namespace prov::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

// Every place of the page that takes text is filled.
ExplainPage SamplePage() {
  ExplainPage page;
  page.source = "MachineConfig rendered-worker-1";
  page.settings = {{"HTTP_PROXY", "http://user:***@proxy.example.com:3128"}, {"HTTPS_PROXY", ""}};
  page.clients = {{"go", "Go"}, {"dotnet", ".NET"}, {"requests", "requests 2.34"}};
  const PageCell direct{.word = "direct", .entry = "10.0.0.0/8", .note = "NO_PROXY has the address"};
  const PageCell proxy{.word = "proxy",
                       .differs = true,
                       .proxy = "http://user:***@proxy.example.com:3128",
                       .note = "HTTP_PROXY applies; Go goes direct by 10.0.0.0/8",
                       .end = "seen as 203.0.113.9",
                       .way = "allow: line 1 has it; seen as 203.0.113.9 (router.yaml)"};
  const PageCell refused{.word = "refused", .proxy = "http://proxy:3128", .end = "line 2", .way = "deny: line 2"};
  page.rows = {{"http://10.1.2.3/", "", {direct, proxy, direct}},
               {"https://quay.io/", "", {refused, refused, PageCell{.word = "depends"}}},
               {"quay.io", "the URL has no scheme", {}}};
  page.required = {{"https://quay.io/", "through the proxy", {{"go, dotnet", "the router refuses it"}}},
                   {"http://10.1.2.3/", "direct", {}}};
  page.entries = {{.text = "10.0.0.0/8", .kind = "an IPv4 network", .destinations = 1},
                  {.text = "a b", .kind = "nothing", .reason = "it holds a blank"},
                  {.text = "127.0.0.1", .kind = "an IPv4 address", .is_added = true}};
  page.entries_left_out = 2;
  AddWarning(page.findings, "no-proxy-separator", "NO_PROXY entry 'a b' holds a blank", "proxy.env: NO_PROXY");
  AddError(page.findings, "router-destination", "is no rule", "router.yaml, line 2");
  return page;
}

// Text as an attacker who names hosts, entries and objects would like to have it on the page.
constexpr std::string_view kHostile =
    "\"'></td><script>alert(1)</script><img src=x onerror=alert(2)>&lt;\x1b[2J\n\xff\xe2\x80\xae";

ExplainPage Hostile() {
  ExplainPage page = SamplePage();
  const std::string text(kHostile);
  page.source = text;
  for (auto& setting : page.settings) setting.second = text;
  for (PageRow& row : page.rows) {
    row.shown = text;
    if (!row.fault.empty()) row.fault = text;
    for (PageCell& cell : row.cells) cell.entry = cell.proxy = cell.note = cell.end = cell.way = text;
  }
  for (PageRequirement& one : page.required) {
    one.shown = one.wanted = text;
    one.objections = {{text, text}};
  }
  for (PageEntry& entry : page.entries) entry.text = entry.reason = text;
  for (Finding& finding : page.findings) finding.message = finding.where = text;
  return page;
}

std::size_t CountOf(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

// WRITE_GOLDEN=1 writes the file anew: look at the difference before it is committed.
TEST(ExplainPage, IsTheGoldenFile) {
  const std::string golden = testing_support::TestsFolder() + "/golden/explain/page.html";
  const std::string page = RenderExplainPage(SamplePage());
  if (std::getenv("WRITE_GOLDEN") != nullptr) std::ofstream(golden, std::ios::binary) << page;
  EXPECT_EQ(page, testing_support::ReadAll(golden));
  EXPECT_EQ(page, RenderExplainPage(SamplePage()));
}

TEST(ExplainPage, NoTextIsMarkup) {
  const std::string page = RenderExplainPage(Hostile());
  const std::string plain = RenderExplainPage(SamplePage());
  EXPECT_THAT(page, Not(HasSubstr("<script>alert")));
  EXPECT_THAT(page, Not(HasSubstr("<img")));
  EXPECT_EQ(CountOf(page, "<script"), 1U);
  // The same elements as on the harmless page, but for those of texts that are empty there.
  for (const char* tag : {"<tr", "<th", "<td", "<details", "<section", "<a ", "<style", "<meta", "<title"})
    EXPECT_EQ(CountOf(page, tag), CountOf(plain, tag)) << tag;
  for (const char c : {'\x1b', '\xff'}) EXPECT_EQ(page.find(c), std::string::npos) << static_cast<int>(c);
  EXPECT_THAT(page, Not(HasSubstr("\xe2\x80\xae"))) << "an override of the direction of text";
  EXPECT_THAT(page, HasSubstr("&lt;script&gt;alert(1)&lt;/script&gt;"));
  EXPECT_THAT(page, HasSubstr("&amp;lt;\\x1b[2J\\x0a\\xff\\u{202e}"));
}

// Chromium compares the digests; here, that they are those of what is on the page, and that nothing else is allowed.
TEST(ExplainPage, AllowsItsOwnScriptAndStyleOnly) {
  const std::string page = RenderExplainPage(SamplePage());
  const std::string policy = "default-src 'none'; style-src " + PolicySource(PageStyle()) + "; script-src " +
                             PolicySource(ExplainPageScript()) + "; base-uri 'none'; form-action 'none'";
  EXPECT_THAT(page, HasSubstr("<meta http-equiv=\"Content-Security-Policy\" content=\"" + policy + "\">"));
  EXPECT_LT(page.find("Content-Security-Policy"), page.find("<style>"));
  EXPECT_THAT(page, HasSubstr("<style>" + std::string(PageStyle()) + "</style>"));
  EXPECT_THAT(page, HasSubstr("<script>" + std::string(ExplainPageScript()) + "</script>"));
  for (const char* word : {"src=", "style=", "onclick", "@import", "url(", "//cdn", "<link", "<base", "<iframe"})
    EXPECT_THAT(page, Not(HasSubstr(word)));
  for (const std::string_view part : {PageStyle(), ExplainPageScript()})
    EXPECT_THAT(std::string(part), Not(HasSubstr("</"))) << "would end its element";
}

TEST(ExplainPage, TheListAloneNeedsNoScript) {
  ExplainPage page = SamplePage();
  page.rows.clear();
  page.required.clear();
  page.findings.clear();
  const std::string text = RenderExplainPage(page);
  EXPECT_EQ(CountOf(text, "<script"), 0U);
  EXPECT_EQ(CountOf(text, "class=\"matrix\""), 0U);
  EXPECT_THAT(text, HasSubstr("There is nothing to report."));
  EXPECT_THAT(text, HasSubstr("2 entries are not shown here"));
}

TEST(ExplainPage, KnowsItsOwn) {
  EXPECT_TRUE(IsExplainPage(RenderExplainPage(SamplePage())));
  EXPECT_FALSE(IsExplainPage(""));
  EXPECT_FALSE(IsExplainPage("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>x"));
}

TEST(HtmlText, Escapes) {
  EXPECT_EQ(HtmlText("a<b>&\"'c"), "a&lt;b&gt;&amp;&quot;&#39;c");
  EXPECT_EQ(HtmlText("tab\tnul\0"), "tab\\x09nul");
  EXPECT_EQ(HtmlText(std::string_view("\0", 1)), "\\x00");
  EXPECT_EQ(HtmlText("b\xC3\xBC"
                     "cher"),
            "b\xC3\xBC"
            "cher");
  EXPECT_EQ(PolicySource(""), "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='");
}

}  // namespace
}  // namespace prov::cli
