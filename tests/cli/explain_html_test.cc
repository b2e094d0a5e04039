// `explain --html` as its callers see it. explain_page_test.cc has the page itself, tests/e2e/explain_html_e2e.py what
// a browser makes of it.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "provisioner/base/rapidjson.h"
#include "provisioner/cli/html_page.h"
#include "tests/cli/program_run.h"
#include "tests/support/process.h"
#include "tests/support/sample.h"

namespace prov {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;
using testing_support::ProcessResult;
using testing_support::ReadAll;

const char* const kPageProxyEnv =
    "HTTP_PROXY=http://user:s3cret@proxy.example.com:3128\nHTTPS_PROXY=http://user:s3cret@proxy.example.com:3128\n"
    "NO_PROXY=.svc,10.0.0.0/8,example.com,bad name,http://u:s3cret@pasted\n";

class ExplainHtml : public testing_support::ProgramTest {
 protected:
  ProcessResult Run(std::vector<std::string> words) const {
    words.insert(words.begin(), {"explain", source_});
    return testing_support::Provisioner(std::move(words));
  }
  // The cells of the matrix's row of a destination, in the order of clients.
  static std::vector<std::string> Row(const std::string& page, const std::string& destination) {
    std::vector<std::string> out;
    const std::size_t start = page.find(">" + destination + "</a></th>");
    if (start == std::string::npos) return out;
    const std::size_t end = page.find("</tr>", start);
    for (std::size_t at = page.find("<td", start); at < end; at = page.find("<td", at + 1))
      out.push_back(page.substr(at, page.find("</td>", at) - at));
    return out;
  }

  std::string source_ = Write("proxy.env", kPageProxyEnv);
  std::string page_ = At("page.html");
};

TEST_F(ExplainHtml, HasEachDecisionWithItsEntry) {
  const ProcessResult result = Run({"--url", "http://10.1.2.3/", "--hosts", Write("hosts", "quay.io\n"), "--for",
                                    "go,dotnet,winhttp", "--html", page_});
  ASSERT_EQ(result.exit, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("http://10.1.2.3/\n  go        direct"));
  EXPECT_THAT(result.out, HasSubstr("wrote  " + page_ + "\n"));
  const std::string page = ReadAll(page_);
  const std::vector<std::string> row = Row(page, "http://10.1.2.3/");
  ASSERT_EQ(row.size(), 3U);
  EXPECT_THAT(row[0], HasSubstr("class=\"direct\""));
  EXPECT_THAT(row[0], HasSubstr(">10.0.0.0/8<"));
  EXPECT_THAT(row[1], HasSubstr("class=\"proxy\""));
  EXPECT_THAT(row[1], HasSubstr("not as Go"));
  EXPECT_THAT(row[1], Not(HasSubstr("407")));
  EXPECT_THAT(row[2], HasSubstr("the proxy answers 407"));
  EXPECT_EQ(Row(page, "quay.io").size(), 3U);
  EXPECT_THAT(page, HasSubstr("<code>no-proxy-separator</code>"));
  EXPECT_THAT(page, HasSubstr("<code>clients-disagree</code>"));
  EXPECT_THAT(page, Not(HasSubstr("s3cret")));
  EXPECT_THAT(page, HasSubstr("***"));
}

TEST_F(ExplainHtml, JsonNamesThePageAndStaysAsItIs) {
  const std::vector<std::string> words = {"--url", "http://10.1.2.3/", "--output", "json"};
  std::vector<std::string> more = words;
  more.insert(more.end(), {"--html", page_});
  const ProcessResult with = Run(more);
  ASSERT_EQ(with.exit, 0) << with.err;
  rapidjson::Document document = testing_support::Json(with);
  EXPECT_EQ(document["html"].GetString(), page_);
  document.RemoveMember("html");
  EXPECT_EQ(document, testing_support::Json(Run(words)));
}

TEST_F(ExplainHtml, AnUnreadableUrlIsOnThePageToo) {
  const ProcessResult result = Run({"--url", "quay.io", "https://quay.io/", "--for", "go", "--html", page_});
  EXPECT_EQ(result.exit, 10);
  const std::string page = ReadAll(page_);
  const std::vector<std::string> row = Row(page, "quay.io");
  ASSERT_EQ(row.size(), 1U);
  EXPECT_THAT(row[0], HasSubstr("the URL has no scheme"));
  EXPECT_EQ(Row(page, "https://quay.io/").size(), 1U);
}

TEST_F(ExplainHtml, WayOutAndRequiredDestinations) {
  const std::string list = Write("list.txt", "# registries\n!cdn.quay.io\n*.quay.io\n");
  const std::string required = Write("required.txt", "https://quay.io/ proxy\nhttps://cdn.quay.io/ proxy\n");
  const ProcessResult result = Run({"--required", required, "--through", list, "--for", "go,curl", "--html", page_});
  ASSERT_EQ(result.exit, 4) << result.err;
  const std::string page = ReadAll(page_);
  const std::vector<std::string> row = Row(page, "https://cdn.quay.io/");
  ASSERT_EQ(row.size(), 2U);
  EXPECT_THAT(row[0], HasSubstr("refused"));
  EXPECT_THAT(row[0], HasSubstr("line 2"));
  EXPECT_THAT(page, HasSubstr("1 of 2 would not be reached as required."));
  EXPECT_THAT(page, HasSubstr("<strong>go, curl</strong>"));
  EXPECT_THAT(page, HasSubstr("<th scope=\"col\">Behind the proxy</th>"));
}

TEST_F(ExplainHtml, ReplacesAPageAndNothingElse) {
  const auto run = [&](const std::string& path) { return Run({"--url", "http://a.example/", "--html", path}); };
  ASSERT_EQ(run(page_).exit, 0);
  EXPECT_EQ(run(page_).exit, 0) << "again";
  const ProcessResult refused = run(source_);
  EXPECT_EQ(refused.exit, 13);
  EXPECT_EQ(refused.out, "");
  EXPECT_THAT(refused.err, HasSubstr("error [target]"));
  EXPECT_THAT(refused.err, HasSubstr("choose another --html"));
  EXPECT_EQ(ReadAll(source_), kPageProxyEnv);
  const std::string fleet = Write("fleet.html", cli::HtmlHead("provisioner fleet status", "Nodes"));
  EXPECT_THAT(run(fleet).err, HasSubstr("already exists and is a page of provisioner fleet status; choose another"));
  EXPECT_EQ(run("-").exit, 10);
  EXPECT_FALSE(fs::exists("-"));
  EXPECT_EQ(Run({"--html", At("none.html")}).exit, 10) << "no destination";
  EXPECT_FALSE(fs::exists(At("none.html")));
}

TEST_F(ExplainHtml, RefusesMoreThanABrowserShows) {
  std::string hosts;
  for (int i = 0; i < 2'001; ++i) hosts += fmt::format("host{}.example\n", i);
  const ProcessResult refused = Run({"--hosts", Write("hosts", hosts), "--for", "go", "--html", page_});
  EXPECT_EQ(refused.exit, 11);
  EXPECT_THAT(refused.err, HasSubstr("2000 destinations at most, and 2001 are asked for"));
  EXPECT_FALSE(fs::exists(page_));
}

}  // namespace
}  // namespace prov
