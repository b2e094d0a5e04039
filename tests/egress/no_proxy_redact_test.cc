#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "provisioner/egress/no_proxy.h"

namespace prov::egress {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(RedactNoProxy, AnOrdinaryListStaysAsItIs) {
  for (const char* list : {"", ",", "*", ".svc,.cluster.local,localhost,10.0.0.0/16,127.0.0.1", "a, .b ,\tc,",
                           "::1, fd00::/8 ,[::1],[::1]:80", "fe80::1%eth0,10.0.0.0/33,fd00::/200",
                           "a.b:8080,*.c:80,010.0.0.1,%PATH%,a%20b,100%", "https://arm.example,b\u00FCcher.de"}) {
    EXPECT_EQ(RedactNoProxy(list), list);
  }
}

TEST(RedactNoProxy, APastedUrlLosesItsPassword) {
  const std::pair<std::string_view, std::string_view> kCases[] = {
      {"http://user:secret@proxy:3128,.svc", "http://user:***@proxy:3128,.svc"},
      {".svc,user:secret@proxy", ".svc,user:***@proxy"},
      {".svc, http://token@proxy:1 ,b", ".svc, http://***@proxy:1 ,b"},
      {"http://u:secret", "http://u:***"},
      {"http://p:1/?token=secret,b", "http://p:1/?***,b"},
      {"p?token=secret", "p?***"},
      {"http://u:s%2Cecret@p:1,http://v:secret@q", "http://u:***@p:1,http://v:***@q"},
      {"http://u:se,cret@p:1", "http://u:***,***@p:1"},
      {"u%3Asecret%40p", "***"},
      {"secret%40p,u%3asecret,secret%2Fp,u%253Asecret%2540p", "***,***,***,***"},
      {"a;http://u:secret@p", "a;http:***@p"},
  };
  for (const auto& [list, expected] : kCases) EXPECT_EQ(RedactNoProxy(list), expected);
}

TEST(RedactNoProxy, ABypassListHasOtherSeparators) {
  EXPECT_EQ(RedactNoProxy("<local>;*.svc;[::1] 10.*;http://u:secret@p:1", "; "),
            "<local>;*.svc;[::1] 10.*;http://u:***@p:1");
}

TEST(RedactNoProxy, NoFindingRepeatsThePassword) {
  for (const char* entry :
       {"http://u:s3cret@p:1", "u:s3cret@p", "http://u:s3cret", "u:s3cret", "http://p:1/?t=s3cret", "u:s3cret@p;b",
        "u:s3cret@10.0.0.1/8", "u%3As3cret%40p", "x u:s3cret@h", "http://u:s3cret,x@h;u:s3cret@i"}) {
    const auto list = NoProxy::Parse(entry, "here");
    ASSERT_TRUE(list) << entry;
    const Findings findings = LintNoProxy(*list, {}, "here");
    for (const Finding& finding : findings) EXPECT_THAT(finding.message, Not(HasSubstr("s3cret"))) << entry;
  }
}

}  // namespace
}  // namespace prov::egress
