#include "provisioner/egress/win_http_bypass.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "provisioner/base/text.h"
#include "tests/egress/parsed.h"

namespace prov::egress {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::vector<std::string> WarningCodes(const Findings& findings) {
  std::vector<std::string> out;
  for (const Finding& f : findings) {
    EXPECT_EQ(f.severity, Severity::kWarning);
    out.emplace_back(f.code);
  }
  return out;
}

std::string BypassList(std::string_view no_proxy, bool octets, Findings& findings) {
  const NoProxy list = List(no_proxy);
  const auto out = TranslateForWinHttp(Url("http://p:3128"), std::nullopt, &list, octets, findings);
  EXPECT_TRUE(out);
  if (!out) return {};
  EXPECT_TRUE(ValidateWinHttp(*out)) << out->bypass;
  return out->bypass;
}

TEST(WinHttpBypass, TranslatesProxies) {
  struct {
    std::string http;
    std::string https;
    std::string expected;  // "" for nullopt
    std::vector<std::string> findings;
  } const kCases[] = {
      {"", "", "", {}},
      {"http://p:3128", "", "http=p:3128", {}},
      {"", "http://p:3128", "https=p:3128", {}},
      {"http://P:3128", "http://p:3128/", "p:3128", {}},
      {"http://p:3128", "http://q:3128", "http=p:3128;https=q:3128", {}},
      {"http://p", "http://p", "p:80", {}},
      {"http://[2001:DB8::1]:3128", "http://[2001:db8::1]:3128", "[2001:db8::1]:3128", {}},
      {"http://p:1", "https://p:1", "http=p:1", {"winhttp-https-proxy"}},
      {"", "https://p:1", "", {"winhttp-https-proxy"}},
      {"http://u:pw@p:1", "http://u:pw@p:1", "p:1", {"winhttp-credentials", "winhttp-credentials"}},
      {"http://u:pw@p:1", "", "http=p:1", {"winhttp-credentials"}},
      {"http://b\u00FCcher:1", "http://p:1", "https=p:1", {"winhttp-idn"}},
      {"http://b\u00FCcher:1", "", "", {"winhttp-idn"}},
      {"http://b\u00FCcher:1", "https://u:pw@p:1", "", {"winhttp-idn", "winhttp-https-proxy"}},
  };
  for (const auto& c : kCases) {
    Findings findings;
    const auto http = c.http.empty() ? std::nullopt : Url(c.http, ProxyVariable::kHttp);
    const auto https = c.https.empty() ? std::nullopt : Url(c.https);
    const auto out = TranslateForWinHttp(http, https, nullptr, false, findings);
    EXPECT_EQ(out ? out->proxy : "", c.expected) << c.http << " " << c.https;
    EXPECT_THAT(WarningCodes(findings), ElementsAreArray(c.findings)) << c.http << " " << c.https;
    for (const Finding& f : findings) EXPECT_THAT(f.message, Not(HasSubstr("pw")));
    if (out) {
      EXPECT_TRUE(ValidateWinHttp(*out)) << out->proxy;
      EXPECT_EQ(out->bypass, "localhost;127.0.0.1;[::1]");
    }
  }
}

TEST(WinHttpBypass, TranslatesEntries) {
  const std::string implicit = "localhost;127.0.0.1;[::1]";
  struct {
    std::string_view no_proxy;
    std::string expected;  // after the implicit ones
    std::vector<std::string> findings;
  } const kCases[] = {
      {"", "", {}},
      {"foo.com", ";foo.com;*.foo.com", {}},
      {"FOO.com", ";foo.com;*.foo.com", {}},
      {".foo.com", ";*.foo.com", {}},
      {"*.foo.com", ";*.foo.com", {}},
      {"localhost,127.0.0.1,::1", ";*.localhost", {}},
      {"foo.com,.foo.com,foo.com,bar", ";foo.com;*.foo.com;bar;*.bar", {}},
      {"10.1.2.3", ";10.1.2.3", {}},
      {"::ffff:10.1.2.3", ";10.1.2.3", {}},
      {"2001:DB8:0::1", ";[2001:db8::1]", {}},
      {"10.1.2.3/32,2001:db8::2/128", ";10.1.2.3;[2001:db8::2]", {}},
      {"10.0.0.0/8,a,10.1.2.0/31", ";a;*.a", {"winhttp-cidr"}},
      {"2001:db8::/32", "", {"winhttp-cidr"}},
      {"0.0.0.0/0", "", {"winhttp-cidr"}},
      {"foo.com:443,10.1.2.3:80,.a:1,[::2]:1", "", {"winhttp-port"}},
      {"b\u00FCcher.de,.\xC3\xBC", "", {"winhttp-idn"}},
      {".", "", {"winhttp-name"}},
      {"10.*,http://x,a b,a;b,<local>,[::2],..x", "", {}},
      {"metadata.google.internal.", ";metadata.google.internal.;*.metadata.google.internal.", {}},
      {"foo.com:443,10.0.0.0/8,\xC3\xBC,.", "", {"winhttp-port", "winhttp-cidr", "winhttp-idn", "winhttp-name"}},
  };
  for (const auto& c : kCases) {
    Findings findings;
    EXPECT_EQ(BypassList(c.no_proxy, false, findings), implicit + c.expected) << c.no_proxy;
    EXPECT_THAT(WarningCodes(findings), ElementsAreArray(c.findings)) << c.no_proxy;
    for (const Finding& f : findings) EXPECT_EQ(f.where, "NO_PROXY");
  }
}

TEST(WinHttpBypass, NamesWhatIsLeftOut) {
  Findings findings;
  BypassList("10.0.0.0/8,a,172.30.0.0/16", false, findings);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_THAT(findings[0].message, HasSubstr("10.0.0.0/8, 172.30.0.0/16"));
  EXPECT_THAT(findings[0].message, HasSubstr("--winhttp-octets"));
  findings.clear();
  std::string many;
  for (int i = 0; i < 30; ++i) many += "h" + std::to_string(i) + ":1,";
  BypassList(many, false, findings);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_THAT(findings[0].message, HasSubstr("h19:1 and 10 more"));
  findings.clear();
  BypassList(std::string(254, 'a'), false, findings);
  EXPECT_THAT(WarningCodes(findings), ElementsAre("winhttp-name"));
  EXPECT_LT(findings[0].message.size(), 300U);
}

TEST(WinHttpBypass, AllIsAll) {
  for (const std::string_view text : {"*", "*,foo", "foo,*", "10.0.0.0/8,*,a:1"}) {
    Findings findings;
    EXPECT_EQ(BypassList(text, false, findings), "*");
    EXPECT_EQ(BypassList(text, true, findings), "*");
    EXPECT_THAT(findings, IsEmpty());
  }
}

TEST(WinHttpBypass, Octets) {
  const std::string implicit = "localhost;127.*;[::1]";
  struct {
    std::string_view no_proxy;
    std::string expected;
    std::vector<std::string> findings;
  } const kCases[] = {
      {"", "", {"winhttp-octets"}},
      {"10.0.0.0/8", ";10.*", {"winhttp-octets"}},
      {"172.30.0.0/16", ";172.30.*", {"winhttp-octets"}},
      {"172.30.4.0/24", ";172.30.4.*", {"winhttp-octets"}},
      {"10.128.0.0/14", ";10.128.*;10.129.*;10.130.*;10.131.*", {"winhttp-octets"}},
      {"10.1.2.0/23", ";10.1.2.*;10.1.3.*", {"winhttp-octets"}},
      {"10.1.2.252/30", ";10.1.2.252;10.1.2.253;10.1.2.254;10.1.2.255", {"winhttp-octets"}},
      {"252.0.0.0/7", ";252.*;253.*", {"winhttp-octets"}},
      {"127.0.0.0/8", "", {"winhttp-octets"}},
      {"0.0.0.0/0,fd00::/8", "", {"winhttp-cidr", "winhttp-octets"}},
  };
  for (const auto& c : kCases) {
    Findings findings;
    EXPECT_EQ(BypassList(c.no_proxy, true, findings), implicit + c.expected) << c.no_proxy;
    EXPECT_THAT(WarningCodes(findings), ElementsAreArray(c.findings)) << c.no_proxy;
  }
  for (const auto& [text, entries] : std::vector<std::pair<std::string, long>>{{"172.16.0.0/12", 16},
                                                                               {"10.0.0.0/9", 128},
                                                                               {"10.0.0.0/25", 128},
                                                                               {"128.0.0.0/1", 128},
                                                                               {"10.1.1.0/17", 128}}) {
    Findings findings;
    const std::string list = BypassList(text, true, findings);
    EXPECT_EQ(std::count(list.begin(), list.end(), ';'), 2 + entries) << text;
  }
}

TEST(WinHttpBypass, IsBounded) {
  std::string text;
  for (int i = 0; i < 10000; ++i) text += "host" + std::to_string(i) + ".example.com,";
  Findings findings;
  const std::string list = BypassList(text + "z", false, findings);
  EXPECT_LE(list.size(), kMaxWinHttpBypass);
  EXPECT_GT(list.size(), kMaxWinHttpBypass - 100);
  EXPECT_TRUE(list.ends_with(";z;*.z")) << "a short one still fits";
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].code, "winhttp-length");
}

TEST(WinHttpBypass, ValidateAccepts) {
  for (const auto& [proxy, bypass] : std::vector<std::pair<std::string, std::string>>{
           {"", ""},
           {"p:1", ""},
           {"p:65535", "*"},
           {"http=p:1", "a;*.a"},
           {"https=p:1", "10.1.2.3"},
           {"http=p:1;https=[::1]:2", "10.*;10.1.*;10.1.2.*;[::1];localhost"},
           {"p.example.com:3128", "a_b.c-d"},
       }) {
    EXPECT_TRUE(ValidateWinHttp({proxy, bypass})) << proxy << " " << bypass;
  }
}

TEST(WinHttpBypass, ValidateRefuses) {
  const auto refuses = [](const std::string& proxy, const std::string& bypass, std::string_view where) {
    const auto result = ValidateWinHttp({proxy, bypass});
    ASSERT_FALSE(result) << proxy << " " << bypass;
    EXPECT_EQ(result.error().code, Code::kFailOpen);
    EXPECT_EQ(result.error().where, where);
  };
  for (const std::string_view bypass :
       Split("a/b 10.0.0.0/8 .a a;.a <local> a;<local> <-loopback> *;a a;* *.* *a a* a.* *. ** a;;b ; a; a,b a:80 "
             "[::1]:80 [::1 [10.1.2.3] [a:b] [] 10.1.2.3.* 256.* 010.* .* *.a.* 10.*.1 10..* http://a u@a "
             "b\u00FCcher *..a a..b",
             ' '))
    refuses("p:1", std::string(bypass), "WinHttpSettings bypass list");
  for (const char* bypass : {"a b", "a; b", "a\tb", "a\n"}) refuses("p:1", bypass, "WinHttpSettings bypass list");
  for (const std::string_view proxy :
       Split("p p: p:0 p:65536 p:999999 p:x :1 http://p:1 u:p@p:1 p:1;q:1 ftp=p:1 http=p http=p:1; https=p:1;http=p:1 "
             "http=p:1;https=p:1;ftp=p:1 http=http=p:1 ::1:1 [p]:1 b\u00FCcher:1 .p:1 *:1 http=p:1;http=q:1",
             ' '))
    refuses(std::string(proxy), "", "WinHttpSettings proxy");
  refuses("p:1 ", "", "WinHttpSettings proxy");
  EXPECT_FALSE(ValidateWinHttp({"", "a"}));
  EXPECT_FALSE(ValidateWinHttp({"p:1", std::string(kMaxWinHttpBypass + 1, 'a')}));
}

}  // namespace
}  // namespace prov::egress
