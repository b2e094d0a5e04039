#include "provisioner/source/remote_request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/source/fake_web.h"
#include "tests/support/result.h"

namespace prov::source {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

constexpr char kDocumentUrl[] = "https://h.example.com/doc";

class RemoteRequests : public testing::Test {
 protected:
  Result<net::FetchAnswer> Get(const RemoteRequest& request = {.url = kDocumentUrl, .roots = {}}) {
    SourceTime time = time_;
    return Ask(request, web_.Ports(), time);
  }
  Error ErrorOf(const RemoteRequest& request = {.url = kDocumentUrl, .roots = {}}) { return ErrorIn(Get(request)); }

  FakeWeb web_;
  SourceTime time_ = SourceTime::Of({});
};

TEST_F(RemoteRequests, OneThatSucceedsIsOne) {
  web_.Put(kDocumentUrl, FakeWeb::Page("hello"));
  RemoteRequest request{.url = kDocumentUrl, .headers = {{"A", "b"}}, .own_headers = {{"C", "d"}}, .roots = {"der"}};
  request.proxy_url = Secret("http://p:1");
  request.most_bytes = 77;
  const auto answer = Must(Get(request));
  EXPECT_EQ(answer.body, "hello");
  ASSERT_THAT(web_.requests, SizeIs(1));
  const net::FetchRequest& sent = web_.requests[0];
  EXPECT_THAT(sent.headers,
              ElementsAre(std::pair("A", "b"), std::pair("Accept-Encoding", "identity"), std::pair("C", "d")));
  EXPECT_THAT(sent.roots, ElementsAre("der"));
  EXPECT_EQ(sent.proxy_url, Secret("http://p:1"));
  EXPECT_EQ(sent.most_bytes, 77U);
  EXPECT_EQ(sent.connect_seconds, 10);
  EXPECT_EQ(sent.answer_seconds, 10);
  EXPECT_EQ(sent.total_seconds, 60);
  EXPECT_FALSE(sent.bearer_token || sent.client || sent.sink);
  EXPECT_THAT(web_.waits, SizeIs(0));
}

TEST_F(RemoteRequests, WhatMayPassIsTriedAgainAsIgnitionDoes) {
  web_.pages[kDocumentUrl] = {FakeWeb::Dead(), FakeWeb::Page("", 503), FakeWeb::Page("", 500), FakeWeb::Page("hello")};
  EXPECT_EQ(Get()->body, "hello");
  EXPECT_THAT(web_.waits, ElementsAre(200, 400, 800));
}

TEST_F(RemoteRequests, WhatDoesNotPassIsNot) {
  web_.Put(kDocumentUrl, FakeWeb::Dead(Code::kTls));
  EXPECT_EQ(ErrorOf().code, Code::kTls);
  for (const int status : {204, 304, 400, 401, 403, 404, 407, 429}) {
    web_.Put(kDocumentUrl, FakeWeb::Page("x", status));
    const Error error = ErrorOf();
    EXPECT_EQ(error.code, status == 404 ? Code::kNotFound : Code::kNetwork) << status;
    EXPECT_THAT(error.message, HasSubstr("status " + std::to_string(status) + ": "));
    EXPECT_EQ(error.where, kDocumentUrl);
  }
  EXPECT_THAT(web_.waits, SizeIs(0));
}

TEST_F(RemoteRequests, ARefusalIsNamedWithWhatToDo) {
  web_.Put(kDocumentUrl, FakeWeb::Page("", 401));
  EXPECT_THAT(ErrorOf().message, testing::AllOf(HasSubstr("status 401: Unauthorized"), HasSubstr("give the file")));
  web_.Put(kDocumentUrl, FakeWeb::Page("", 403));
  EXPECT_THAT(ErrorOf().message, testing::AllOf(HasSubstr("status 403: Forbidden"), HasSubstr("allow this machine")));
}

TEST_F(RemoteRequests, MessagesNameTheTimeThatWasGiven) {
  web_.Put(kDocumentUrl, FakeWeb::Dead());
  time_ = SourceTime(30);
  ErrorOf();
  ASSERT_GT(web_.requests.size(), 2U);
  for (const net::FetchRequest& request : web_.requests) EXPECT_EQ(request.given_seconds, 30);
  EXPECT_LT(web_.requests.back().total_seconds, 30) << "what is left of it";
  web_.requests.clear();
  time_ = SourceTime::Of({});
  ErrorOf();
  EXPECT_EQ(web_.requests.back().given_seconds, 0) << "nobody gave a time: the bound that was met is named";
}

TEST_F(RemoteRequests, AProxyThatRefusesIsNotAskedAgain) {
  web_.is_temporary = false;
  web_.Put(kDocumentUrl, FakeWeb::Dead());
  EXPECT_EQ(ErrorOf().code, Code::kNetwork);
  EXPECT_THAT(web_.requests, SizeIs(1));
  EXPECT_THAT(web_.waits, SizeIs(0));
}

TEST_F(RemoteRequests, ADeadServerIsGivenUpOn) {
  web_.Put(kDocumentUrl, FakeWeb::Dead());
  EXPECT_EQ(ErrorOf().message, "nobody answers");
  EXPECT_THAT(web_.waits, ElementsAre(200, 400, 800, 1600, 3200));
  web_.waits.clear();
  web_.Put(kDocumentUrl, FakeWeb::Page("", 500));
  EXPECT_THAT(ErrorOf().message, HasSubstr("status 500: it failed; see its log"));
  EXPECT_THAT(web_.waits, SizeIs(5));
}

TEST_F(RemoteRequests, AClockThatIsSetBackChangesNothing) {
  web_.time_passes = false;
  web_.Put(kDocumentUrl, FakeWeb::Dead());
  ErrorOf();
  EXPECT_THAT(web_.waits, SizeIs(5));
}

TEST_F(RemoteRequests, SlowTriesAreFewer) {
  web_.request_takes = 9;
  web_.Put(kDocumentUrl, FakeWeb::Dead());
  ErrorOf();
  EXPECT_THAT(web_.requests, SizeIs(2));
}

// Each try has what is left of all the time there is.
TEST_F(RemoteRequests, NothingTakesLongerThanAsked) {
  time_ = SourceTime(30);
  web_.request_takes = 8;
  web_.Put(kDocumentUrl, FakeWeb::Dead());
  ErrorOf();
  std::vector<int> totals;
  for (const auto& request : web_.requests) totals.push_back(request.total_seconds);
  EXPECT_THAT(totals, ElementsAre(30, 22, 14, 6));
  EXPECT_EQ(web_.requests.back().connect_seconds, 6);
  EXPECT_EQ(web_.requests.back().answer_seconds, 6);
}

TEST_F(RemoteRequests, WaitsGrowNoFurtherThanFiveSeconds) {
  time_ = SourceTime(60);
  web_.Put(kDocumentUrl, FakeWeb::Dead());
  ErrorOf();
  EXPECT_EQ(web_.waits.back(), 5000);
  EXPECT_LT(web_.waits.size(), 20U);
}

TEST_F(RemoteRequests, AServerWithoutATimeOutOfItsOwnHasTheWhole) {
  web_.Put(kDocumentUrl, FakeWeb::Page("hello"));
  RemoteRequest request{.url = kDocumentUrl, .roots = {}};
  request.answer_seconds = 0;
  Get(request);
  EXPECT_EQ(web_.requests[0].answer_seconds, 60);
}

TEST_F(RemoteRequests, AStopEndsThem) {
  web_.Put(kDocumentUrl, FakeWeb::Dead());
  web_.stopped = true;
  EXPECT_THAT(ErrorOf().message, HasSubstr("asked to stop"));
  EXPECT_THAT(web_.requests, SizeIs(1));
  ASSERT_TRUE(web_.requests[0].should_stop);
  EXPECT_TRUE(web_.requests[0].should_stop());
  web_.stopped = false;
  EXPECT_FALSE(web_.requests[0].should_stop());
  // A part of a document has status 200, too.
  web_.Put(kDocumentUrl, FakeWeb::Page("HTTP_PROXY=http://p:1\n"));
  web_.stopped = web_.asks_to_stop = true;
  EXPECT_THAT(ErrorOf().message, HasSubstr("asked to stop"));
  web_.stopped = false;
  EXPECT_TRUE(Get());
  web_.Put(kDocumentUrl, FakeWeb::Page("", 0));  // as a transfer that was stopped ends
  EXPECT_THAT(ErrorOf().message, HasSubstr("asked to stop"));
}

TEST_F(RemoteRequests, RedirectsAreFollowedAFewTimes) {
  RemoteRequest request{
      .url = kDocumentUrl, .headers = {{"A", "b"}}, .own_headers = {{"Authorization", "x"}}, .roots = {}};
  web_.Put(kDocumentUrl, FakeWeb::Redirect("https://H.example.com:443/2"));
  web_.Put("https://H.example.com:443/2", FakeWeb::Redirect("https://h.example.com/3#part", 308));
  web_.Put("https://h.example.com/3", FakeWeb::Redirect("https://other.example.com/4", 301));
  web_.Put("https://other.example.com/4", FakeWeb::Page("hello"));
  EXPECT_EQ(Get(request)->body, "hello");
  ASSERT_THAT(web_.requests, SizeIs(4));
  EXPECT_EQ(web_.Sent("A"), "b");
  EXPECT_EQ(web_.Sent("Authorization"), "");  // of another server's business
  EXPECT_THAT(web_.requests[2].headers, testing::Contains(std::pair<std::string, std::string>("Authorization", "x")));

  web_.Put(kDocumentUrl, FakeWeb::Redirect(kDocumentUrl));
  web_.requests.clear();
  EXPECT_THAT(ErrorOf(request).message, HasSubstr("after 5 redirects"));
  EXPECT_THAT(web_.requests, SizeIs(6));
}

TEST_F(RemoteRequests, RedirectsThatAreNotFollowed) {
  web_.Put(kDocumentUrl, FakeWeb::Redirect("http://h.example.com/doc"));
  EXPECT_THAT(ErrorOf().message, HasSubstr("only from https:// to https://"));
  web_.Put(kDocumentUrl, FakeWeb::Redirect("file:///etc/passwd"));
  EXPECT_EQ(ErrorOf().code, Code::kNetwork);
  web_.Put("http://h.example.com/doc", FakeWeb::Redirect(kDocumentUrl));
  EXPECT_THAT(ErrorOf({.url = "http://h.example.com/doc", .roots = {}}).message, HasSubstr("only from https://"));
  web_.Put(kDocumentUrl, FakeWeb::Redirect(""));
  EXPECT_THAT(ErrorOf().message, HasSubstr("status 302: it points elsewhere"));
  web_.Put(kDocumentUrl, FakeWeb::Redirect("https://other.example.com/"));
  EXPECT_THAT(ErrorOf({.url = kDocumentUrl, .roots = {}, .follow = false}).message, HasSubstr("not followed here"));
}

TEST_F(RemoteRequests, MessagesHideWhatMayBeSecret) {
  const std::string url = "https://h.example.com/doc?sig=hunter2";
  web_.Put(url, FakeWeb::Page("", 403));
  EXPECT_EQ(ErrorOf({.url = url, .roots = {}}).where.find("hunter2"), std::string::npos);
  web_.Put(url, FakeWeb::Redirect("http://u:hunter2@h/?sig=hunter2"));
  const Error error = ErrorOf({.url = url, .roots = {}});
  EXPECT_EQ((error.message + error.where).find("hunter2"), std::string::npos) << error.message;
}

TEST_F(RemoteRequests, NothingChangedIsAnAnswerToWhoAsked) {
  web_.Put(kDocumentUrl, FakeWeb::Page("", 304));
  EXPECT_EQ(Get({.url = kDocumentUrl, .headers = {{"If-None-Match", "\"1\""}}, .roots = {}})->status, 304);
  EXPECT_EQ(ErrorOf().code, Code::kNetwork);
}

TEST_F(RemoteRequests, AServerMayHaveItsOwnMeanings) {
  web_.Put(kDocumentUrl, FakeWeb::Page("", 400));
  RemoteRequest request{.url = kDocumentUrl, .roots = {}};
  request.explain = [](int status) { return std::string(status == 400 ? "of its own" : ""); };
  EXPECT_THAT(ErrorOf(request).message, HasSubstr("status 400: of its own"));
  web_.Put(kDocumentUrl, FakeWeb::Page("", 403));
  EXPECT_THAT(ErrorOf(request).message, HasSubstr("status 403: Forbidden: it does not let"));
}

TEST_F(RemoteRequests, BodiesThatAreNoDocument) {
  struct Row {
    std::string body;
    std::vector<std::pair<std::string, std::string>> headers;
    std::string part;
  };
  const Row rows[] = {
      {"", {}, "sends nothing"},
      {" \r\n\t", {}, "sends nothing"},
      {"\xEF\xBB\xBF\n", {}, "sends nothing"},
      {"<!DOCTYPE html><title>Sign in</title>", {}, "HTML page"},
      {"\xEF\xBB\xBF \n<HTML lang=en>", {}, "HTML page"},
      {"{}", {{"content-type", "Text/HTML; charset=utf-8"}}, "HTML page"},
      {"{}", {{"content-encoding", "gzip"}}, "compressed"},
  };
  for (const Row& row : rows) {
    web_.Put(kDocumentUrl, FakeWeb::Page(row.body, 200, row.headers));
    const Error error = ErrorOf();
    EXPECT_EQ(error.code, Code::kKind) << row.body;
    EXPECT_THAT(error.message, HasSubstr(row.part));
    EXPECT_EQ(error.where, kDocumentUrl);
  }
  web_.Put(kDocumentUrl,
           FakeWeb::Page("<xml/>", 200, {{"content-encoding", "Identity"}, {"content-type", "text/plain"}}));
  EXPECT_TRUE(Get());
}

TEST(SourceTimeOf, ARequestThatSaysSo) {
  SourceRequest request;
  EXPECT_EQ(SourceTime::Of(request).whole(), 60);
  EXPECT_EQ(SourceTime::Of(request).retry(), 10);
  request.timeout_seconds = 300;
  EXPECT_EQ(SourceTime::Of(request).whole(), 300);
  EXPECT_EQ(SourceTime::Of(request).retry(), 300);
}

}  // namespace
}  // namespace prov::source
