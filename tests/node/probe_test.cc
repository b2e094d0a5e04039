#include "provisioner/node/probe.h"

#include "tests/node/node_helpers.h"
#include "tests/support/result.h"

namespace prov::node {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

class ProbeTest : public NodeTest {
 protected:
  ProbeTest() { host_.waits_left = 100; }

  std::vector<Probed> Run(const std::vector<std::string>& urls, const ProbeOptions& options = {}) {
    return Must(Probe(host_, host_, config_, urls, options, findings_));
  }

  egress::EgressConfig config_ = SampleSettings().config;
  Findings findings_;
};

TEST_F(ProbeTest, TheWayThatAGoClientTakes) {
  const auto probed = Run({"HTTPS://registry.example.org/v2/", "https://api.svc/healthz", "http://10.0.1.1/"});
  ASSERT_THAT(probed, SizeIs(3));
  EXPECT_EQ(probed[0].via, "http://user:***@proxy.example.com:3128");
  EXPECT_TRUE(probed[0].ok());
  EXPECT_EQ(probed[0].status, 200);
  EXPECT_EQ(probed[0].tries, 1);
  EXPECT_EQ(probed[1].via, "direct");
  EXPECT_THAT(host_.requests[0], HasSubstr("c4nary"));
  EXPECT_THAT(host_.requests[1], Not(HasSubstr("via")));
  EXPECT_THAT(findings_, IsEmpty());
}

TEST_F(ProbeTest, WhatNodesLeaveOutIsNotTrusted) {
  config_.certificates[0].rejected = true;
  Run({"https://a.org/"});
  EXPECT_THAT(host_.requests.back(), HasSubstr("with 2 roots"));
  ProbeOptions options;
  options.trusted = {config_.certificates[0].sha256};
  Run({"https://a.org/"}, options);
  EXPECT_THAT(host_.requests.back(), HasSubstr("with 3 roots"));
}

TEST_F(ProbeTest, AFailureThatPassesIsNone) {
  host_.first_answers = {Fail(Code::kNetwork, "the proxy ended the connection"), 503};
  const auto probed = Run({"https://a.org/"});
  EXPECT_TRUE(probed[0].ok());
  EXPECT_EQ(probed[0].status, 200);
  EXPECT_EQ(probed[0].tries, 3);
}

TEST_F(ProbeTest, ThreeTriesAndNoMore) {
  host_.answer = 503;
  const std::int64_t start = host_.now;
  const auto probed = Run({"https://a.org/", "https://b.org/"});
  EXPECT_THAT(host_.requests, SizeIs(6));
  EXPECT_EQ(host_.now - start, 4) << "a second between two tries";
  EXPECT_EQ(probed[1].status, 503);
  EXPECT_EQ(probed[1].error->code, Code::kNetwork);
  EXPECT_THAT(probed[1].error->message, HasSubstr("status 503"));
}

TEST_F(ProbeTest, WhatCannotPassIsTriedOnce) {
  host_.notes.is_temporary = false;
  host_.answer = Fail(Code::kTls, "the certificate does not hold");
  EXPECT_EQ(Run({"https://a.org/"})[0].error->code, Code::kTls);
  EXPECT_THAT(host_.requests, SizeIs(1));
}

TEST_F(ProbeTest, AStopEndsTheTries) {
  host_.waits_left = 0;
  host_.answer = 503;
  EXPECT_EQ(Run({"https://a.org/"})[0].tries, 1);
}

TEST_F(ProbeTest, AllOfThemHaveABound) {
  host_.answer = 503;
  const auto probed = Run({"https://a.org/", "https://b.org/", "https://c.org/"}, {.total_seconds = 3});
  EXPECT_EQ(probed[0].tries, 3);
  EXPECT_EQ(probed[1].tries, 1) << "the second try would start too late";
  EXPECT_EQ(probed[1].status, 503);
  EXPECT_EQ(probed[2].tries, 0);
  EXPECT_THAT(probed[2].error->message, HasSubstr("was not requested"));
}

// Takes two seconds for each request, and keeps how long they might have taken.
class SlowHttp final : public net::Http {
 public:
  explicit SlowHttp(std::int64_t& now) : now_(now) {}
  Result<int> Get(const net::HttpRequest& request) override {
    timeouts.push_back(request.timeout_seconds);
    now_ += 2;
    return 200;
  }
  Result<net::FetchAnswer> Fetch(const net::FetchRequest& /*request*/) override {
    return Fail(Code::kInternal, "not asked here");
  }
  std::vector<int> timeouts;

 private:
  std::int64_t& now_;
};

TEST_F(ProbeTest, TheLastRequestEndsWithAllOfThem) {
  SlowHttp http(host_.now);
  const std::vector<std::string> urls = {"https://a.org/", "https://b.org/", "https://c.org/", "https://d.org/"};
  const auto probed = Must(Probe(http, host_, config_, urls, {.timeout_seconds = 4, .total_seconds = 6}, findings_));
  EXPECT_THAT(http.timeouts, ElementsAre(4, 4, 2));
  EXPECT_EQ(probed[3].tries, 0);
}

TEST_F(ProbeTest, NothingIsRequestedIfOneUrlIsNone) {
  for (const char* url : {"no url", "ftp://user:hunter2@a.org/", "https://", "https://user:hunter2@a.org/"}) {
    const auto probed = Probe(host_, host_, config_, {"https://a.org/", url}, {}, findings_);
    ASSERT_FALSE(probed) << url;
    EXPECT_EQ(probed.error().code, Code::kUsage);
    EXPECT_THAT(probed.error().where, StartsWith("--probe "));
    EXPECT_THAT(probed.error().message + probed.error().where, Not(HasSubstr("hunter2")));
  }
  EXPECT_THAT(host_.requests, IsEmpty());
}

TEST_F(ProbeTest, NothingIsRequestedThroughAMalformedProxy) {
  config_.https_proxy = Secret("http://user:hunter2@proxy:99999");
  const auto probed = Run({"https://a.org/"});
  EXPECT_EQ(probed[0].error->code, Code::kProxyUrl);
  EXPECT_THAT(probed[0].via + probed[0].error->message + probed[0].error->where, Not(HasSubstr("hunter2")));
  EXPECT_THAT(host_.requests, IsEmpty());
}

TEST_F(ProbeTest, SaysWhoseCertificatesCount) {
  config_.certificates.clear();
  Run({"https://a.org/", "https://b.org/"});
  EXPECT_THAT(Codes(findings_), ElementsAre("probe-trust"));
  EXPECT_THAT(host_.requests[0], HasSubstr("with 0 roots"));
}

TEST_F(ProbeTest, PassesOnWhatOthersDontCopeWith) {
  AddWarning(host_.notes.findings, "probe-digest", "only Digest");
  Run({"https://a.org/"});
  EXPECT_THAT(Codes(findings_), ElementsAre("probe-digest"));
}

TEST_F(ProbeTest, SecretsOfAUrlStayThere) {
  const auto probed = Run({"https://a.org/?token=hunter2"});
  EXPECT_THAT(probed[0].url, Not(HasSubstr("hunter2")));
}

}  // namespace
}  // namespace prov::node
