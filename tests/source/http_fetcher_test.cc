#include "provisioner/source/http_fetcher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "provisioner/source/roots.h"
#include "tests/source/fake_web.h"
#include "tests/support/result.h"
#include "tests/support/sample.h"

namespace prov::source {
namespace {

using ignition::FetchOrder;
using ignition::ResourceUse;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing_support::SampleText;

constexpr char kWorkerUrl[] = "https://api-int.example.com:22623/config/worker";

std::vector<std::string> Der(const std::string& name) { return *ParseRoots(SampleText(name), name); }

FetchOrder Order(std::string url = kWorkerUrl) {
  FetchOrder out;
  out.url = std::move(url);
  out.use = ResourceUse::kConfig;
  out.limit = 1000;
  out.settings.authorities = {SampleText("corporate-root.pem")};
  return out;
}

class HttpFetchers : public testing::Test {
 protected:
  HttpFetchers() { web_.Put(kWorkerUrl, FakeWeb::Page("{}", 200, {{"etag", "\"1\""}})); }

  Result<std::string> Fetch(const FetchOrder& order, Trust trust = {}) {
    return HttpFetcher(request_, std::move(trust), web_.Ports(), time_).Fetch(order);
  }
  Error ErrorOf(const FetchOrder& order, Trust trust = {}) { return ErrorIn(Fetch(order, std::move(trust))); }

  FakeWeb web_;
  SourceRequest request_;
  SourceTime time_ = SourceTime::Of({});
};

TEST_F(HttpFetchers, AsksAsTheConfigSays) {
  FetchOrder order = Order();
  order.headers = {{"X-Pool", "worker"}};
  order.settings.answer_seconds = 33;
  order.settings.total_seconds = 44;
  EXPECT_EQ(*Fetch(order), "{}");
  const net::FetchRequest& sent = web_.requests.at(0);
  EXPECT_EQ(sent.roots, Der("corporate-root.pem"));
  EXPECT_EQ(sent.answer_seconds, 33);
  EXPECT_EQ(sent.total_seconds, 44);
  EXPECT_EQ(sent.most_bytes, 1000U);
  EXPECT_FALSE(sent.proxy_url);
  EXPECT_EQ(web_.Sent("Accept"), "application/vnd.coreos.ignition+json;version=3.5.0, */*;q=0.1");
  EXPECT_EQ(web_.Sent("X-Pool"), "worker");
}

TEST_F(HttpFetchers, AsksForTheSpecThatTheConfigHas) {
  FetchOrder order = Order();
  order.spec_major = 2;
  Fetch(order);
  EXPECT_EQ(web_.Sent("Accept"), "application/vnd.coreos.ignition+json;version=2.2.0, */*;q=0.1");
  order.headers = {{"accept", "mine"}};
  Fetch(order);
  EXPECT_EQ(web_.Sent("Accept"), "");
  EXPECT_EQ(web_.Sent("accept"), "mine");
  order = Order();
  order.use = ResourceUse::kFile;
  Fetch(order);
  EXPECT_EQ(web_.Sent("Accept"), "");
}

TEST_F(HttpFetchers, TimeOutsStayWithinTheRequestsPatience) {
  FetchOrder order = Order();
  for (const int seconds : {0, 1000}) {
    order.settings.answer_seconds = seconds;
    order.settings.total_seconds = seconds;
    Fetch(order);
    EXPECT_EQ(web_.requests.back().answer_seconds, 60);
    EXPECT_EQ(web_.requests.back().total_seconds, 60);
  }
}

TEST_F(HttpFetchers, TheCasOfTheConfigCountAlone) {
  const Trust ca = {Der("proxy-root.pem"), false};
  FetchOrder order = Order();
  order.settings.authorities = {SampleText("corporate-root.pem") + SampleText("corporate-intermediate.pem"),
                                SampleText("proxy-root.pem")};
  Fetch(order, ca);
  EXPECT_THAT(web_.requests.back().roots, SizeIs(3));
  order.settings.authorities.clear();
  Fetch(order, ca);
  EXPECT_EQ(web_.requests.back().roots, ca.roots);
  Fetch(order, {{}, true});
  EXPECT_THAT(web_.requests.back().roots, IsEmpty());
}

// No roots would mean those of the system: a file must not get its sender believed by them.
TEST_F(HttpFetchers, NothingIsAskedWithoutATrust) {
  FetchOrder order = Order();
  order.settings.authorities.clear();
  const Error config = ErrorOf(order);
  EXPECT_EQ(config.code, Code::kMergeRemote);
  EXPECT_THAT(config.message, HasSubstr("--ca FILE"));
  EXPECT_EQ(config.where, "");
  order.use = ResourceUse::kFile;
  EXPECT_EQ(ErrorOf(order).code, Code::kRemoteSource);
  for (const char* bad : {"", "no certificate", "# only a comment\n"}) {
    order.settings.authorities = {bad};
    EXPECT_EQ(ErrorOf(order, {{}, true}).code, Code::kCert) << bad;
  }
  EXPECT_THAT(web_.requests, IsEmpty());
}

TEST_F(HttpFetchers, OtherSchemesAreRefused) {
  for (const char* url :
       {"tftp://h/x", "s3://bucket/x", "gs://bucket/x", "arn:aws:s3:::bucket/x", "HTTP://h/x", "http://h/x"}) {
    EXPECT_EQ(ErrorOf(Order(url), {{}, true}).code, Code::kMergeRemote) << url;
  }
  EXPECT_THAT(ErrorOf(Order("https://user:hunter2@h/x")).message, HasSubstr("credentials"));
  EXPECT_THAT(ErrorOf(Order("https://user:hunter2@h/x")).message, testing::Not(HasSubstr("hunter2")));
  EXPECT_THAT(web_.requests, IsEmpty());
}

TEST_F(HttpFetchers, PlainHttpIsFineWithAHash) {
  web_.Put("http://h/x", FakeWeb::Page("hello"));
  FetchOrder order = Order("http://h/x");
  order.settings.authorities.clear();
  order.has_hash = true;
  EXPECT_EQ(*Fetch(order), "hello");
  EXPECT_TRUE(web_.requests.back().has_digest);
  EXPECT_EQ(*Fetch(Order()), "{}");
  EXPECT_FALSE(web_.requests.back().has_digest);
}

// Each may take a minute by itself; a config may refer to hundreds.
TEST_F(HttpFetchers, AllTogetherAreBounded) {
  web_.request_takes = 25;
  for (const int left : {60, 35, 10}) {
    EXPECT_EQ(*Fetch(Order()), "{}");
    EXPECT_EQ(web_.requests.back().total_seconds, left);
  }
  const Error error = ErrorOf(Order());
  EXPECT_EQ(error.code, Code::kNetwork);
  EXPECT_THAT(error.message, HasSubstr("with all that it refers to, may take 60 seconds (--source-timeout)"));
  EXPECT_EQ(error.where, kWorkerUrl);
  EXPECT_THAT(web_.requests, SizeIs(3));
}

TEST_F(HttpFetchers, AFailureForWantOfTimeSaysSo) {
  web_.request_takes = 40;
  Fetch(Order());
  web_.Put(kWorkerUrl, FakeWeb::Dead());
  EXPECT_THAT(ErrorOf(Order()).message,
              testing::AllOf(testing::StartsWith("nobody answers"), HasSubstr("may take 60")));
}

TEST_F(HttpFetchers, AClockThatIsSetTakesNoTime) {
  for (const std::int64_t jump : {-86'400, 86'400}) {
    web_.request_takes = jump;
    EXPECT_EQ(*Fetch(Order()), "{}");
  }
  web_.request_takes = 0;
  Fetch(Order());
  EXPECT_EQ(web_.requests.back().total_seconds, 60);
}

TEST_F(HttpFetchers, TheProxyOfTheConfig) {
  FetchOrder order = Order();
  order.settings.https_proxy = Secret("http://u:p@proxy:3128");
  order.settings.http_proxy = Secret("http://other:3128");
  Fetch(order);
  EXPECT_EQ(web_.requests.back().proxy_url, Secret("http://u:p@proxy:3128"));
  order.settings.no_proxy = {"x", ".example.com"};
  Fetch(order);
  EXPECT_FALSE(web_.requests.back().proxy_url);
  order.settings.no_proxy = {};
  // Other clients drop this one; we hand user and password over by themselves.
  order.settings.https_proxy = Secret("http://:token@proxy:3128");
  Fetch(order);
  EXPECT_EQ(web_.requests.back().proxy_url, Secret("http://:token@proxy:3128"));
  order.settings.https_proxy = Secret("http://u:hunter2@pro xy:1");
  const Error error = ErrorOf(order);
  EXPECT_EQ(error.code, Code::kProxyUrl);
  EXPECT_THAT(error.message + error.where, testing::Not(HasSubstr("hunter2")));
  request_.proxy_url = Secret("http://mine:1");
  Fetch(order);
  EXPECT_EQ(web_.requests.back().proxy_url, Secret("http://mine:1"));
}

TEST_F(HttpFetchers, HeadersMustBeHeaders) {
  for (const char* name : {"A b", "A:", "\xC3\xA4"}) {
    FetchOrder order = Order();
    order.headers = {{name, "x"}};
    EXPECT_EQ(ErrorOf(order).code, Code::kInvalidConfig) << name;
  }
}

class Remembered : public HttpFetchers {
 protected:
  Remembered() {
    SourceCache cache;
    HttpFetcher fetcher(request_, {}, web_.Ports(&cache), time_);
    fetcher.Fetch(Order());
    FetchOrder pinned = Order("https://h/pinned");
    pinned.has_hash = true;
    web_.Put(pinned.url, FakeWeb::Page("pinned"));
    fetcher.Fetch(pinned);
    known_ = fetcher.fetched();
    web_.requests.clear();
  }

  std::vector<Fetched> known_;
};

TEST_F(Remembered, ATagIsSentBack) {
  ASSERT_THAT(known_, SizeIs(2));
  EXPECT_EQ(known_[0].etag, "\"1\"");
  web_.Put(kWorkerUrl, FakeWeb::Page("", 304));
  EXPECT_TRUE(*HttpFetcher(request_, {}, web_.Ports(), time_).StillSame(known_));
  EXPECT_THAT(web_.Urls(), ElementsAre(kWorkerUrl));  // what has a hash can't change
  EXPECT_EQ(web_.Sent("If-None-Match"), "\"1\"");
}

TEST_F(Remembered, TheSameBytesAreTheSame) {
  web_.Put(kWorkerUrl, FakeWeb::Page("{}", 200, {{"etag", "\"2\""}}));
  EXPECT_TRUE(*HttpFetcher(request_, {}, web_.Ports(), time_).StillSame(known_));
  EXPECT_EQ(known_[0].etag, "\"2\"");
}

TEST_F(Remembered, OtherBytesAreNotFetchedTwice) {
  web_.pages[kWorkerUrl] = {FakeWeb::Page("{ }"), FakeWeb::Dead(Code::kTls)};
  HttpFetcher fetcher(request_, {}, web_.Ports(), time_);
  EXPECT_FALSE(*fetcher.StillSame(known_));
  EXPECT_EQ(known_[0].etag, "\"1\"") << "it is the tag of what is remembered";
  EXPECT_EQ(*fetcher.Fetch(Order()), "{ }");
  EXPECT_EQ(fetcher.Fetch(Order()).error().code, Code::kTls);
}

TEST_F(Remembered, AFailureIsNoChange) {
  web_.Put(kWorkerUrl, FakeWeb::Dead(Code::kTls));
  EXPECT_EQ(HttpFetcher(request_, {}, web_.Ports(), time_).StillSame(known_).error().code, Code::kTls);
}

}  // namespace
}  // namespace prov::source
