#include "provisioner/source/mcs_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/result.h"

namespace prov::source {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string UrlOf(const std::string& uri) {
  const auto request = McsRequest(uri, "worker", {"der"});
  return request ? request->url : "<" + std::string(InfoOf(request.error().code).name) + ">";
}

TEST(McsSource, Uris) {
  EXPECT_EQ(UrlOf("mcs://api-int.example.com:22623/worker"), "https://api-int.example.com:22623/config/worker");
  EXPECT_EQ(UrlOf("mcs://api-int.example.com/infra"), "https://api-int.example.com:22623/config/infra");
  EXPECT_EQ(UrlOf("mcs://api-int.example.com"), "https://api-int.example.com:22623/config/worker");
  EXPECT_EQ(UrlOf("mcs://api-int.example.com/"), "https://api-int.example.com:22623/config/worker");
  EXPECT_EQ(UrlOf("mcs://10.0.0.5:1/config/worker-rt"), "https://10.0.0.5:1/config/worker-rt");
  EXPECT_EQ(UrlOf("mcs://[fd00::5]/worker"), "https://[fd00::5]:22623/config/worker");
  EXPECT_EQ(UrlOf("mcs://[fd00::5]:22624/worker"), "https://[fd00::5]:22624/config/worker");
  for (const char* uri : {"mcs://", "mcs:///worker", "mcs://:22623/worker", "mcs://h/a/b", "mcs://h/Worker",
                          "mcs://h/..%2f", "mcs://u:p@h/worker", "mcs://h/worker?x=1", "mcs://h/worker#x",
                          "mcs://h:x/worker", "mcs://h:70000/worker", "mcs://a b/worker", "mcs://fd00::5/worker"}) {
    EXPECT_EQ(UrlOf(uri), "<scheme>") << uri;
  }
}

TEST(McsSource, AsksForTheNewestSpecAndFollowsNothing) {
  const auto request = Must(McsRequest("mcs://h/worker", "worker", {"der"}));
  EXPECT_THAT(request.headers,
              ElementsAre(std::pair("Accept", "application/vnd.coreos.ignition+json;version=3.5.0, */*;q=0.1")));
  EXPECT_THAT(request.roots, ElementsAre("der"));
  EXPECT_FALSE(request.follow);
  EXPECT_FALSE(request.proxy_url);
  EXPECT_THAT(request.explain(500), HasSubstr("pool that does not exist"));
  EXPECT_THAT(request.explain(400), HasSubstr("Ignition spec"));
  EXPECT_EQ(request.explain(503), "");
}

TEST(McsSource, WantsItsCa) {
  const Error request = ErrorIn(McsRequest("mcs://h/worker", "worker", {}));
  EXPECT_EQ(request.code, Code::kUsage);
  EXPECT_THAT(request.message, HasSubstr("--ca FILE"));
}

TEST(McsSource, AnswersThatAreNone) {
  net::FetchAnswer answer;
  for (const char* good :
       {"application/json", "Application/JSON; charset=utf-8", "application/vnd.coreos.ignition+json"}) {
    answer.headers = {{"content-type", good}};
    EXPECT_TRUE(CheckMcsAnswer(answer, "there")) << good;
  }
  for (const char* bad : {"", "text/plain", "application/jsonx", "application/octet-stream"}) {
    answer.headers = {{"content-type", bad}};
    const auto checked = CheckMcsAnswer(answer, "there");
    ASSERT_FALSE(checked) << bad;
    EXPECT_EQ(checked.error().code, Code::kKind);
    EXPECT_EQ(checked.error().where, "there");
  }
}

}  // namespace
}  // namespace prov::source
