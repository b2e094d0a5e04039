#include "provisioner/egress/proxy_url.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "provisioner/base/text.h"
#include "tests/support/finding_codes.h"
#include "tests/support/result.h"

namespace prov::egress {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;
using testing_support::CodesOf;

constexpr auto kHttp = ProxyVariable::kHttp;
constexpr auto kHttps = ProxyVariable::kHttps;

Result<ProxyUrl> Parse(std::string text, ProxyVariable variable, Findings& findings) {
  return ParseProxyUrl(Secret(std::move(text)), variable, "here", findings);
}

struct Good {
  std::string text;
  std::string scheme;
  std::string host;
  std::uint16_t port;
  std::string user;
  std::string password;
  std::vector<std::string> findings;
};

const Good kGood[] = {
    {"http://proxy.example.com:3128", "http", "proxy.example.com", 3128, "", "", {}},
    {"http://proxy.example.com:3128/", "http", "proxy.example.com", 3128, "", "", {}},
    {"HTTP://PROXY.Example.COM:3128", "http", "proxy.example.com", 3128, "", "", {}},
    {"https://proxy:8443", "https", "proxy", 8443, "", "", {}},
    {"https://proxy", "https", "proxy", 443, "", "", {"proxy-url-port"}},
    {"http://proxy", "http", "proxy", 80, "", "", {"proxy-url-port"}},
    {"http://proxy.example.com.:1", "http", "proxy.example.com.", 1, "", "", {}},
    {"http://p_x:1", "http", "p_x", 1, "", "", {}},
    {"http://-8080:8080/", "http", "-8080", 8080, "", "", {}},
    {"http://10.1.2.3:65535", "http", "10.1.2.3", 65535, "", "", {}},
    {"http://p:03128", "http", "p", 3128, "", "", {}},
    {"http://1.proxy:1", "http", "1.proxy", 1, "", "", {}},
    {"http://0xproxy:1", "http", "0xproxy", 1, "", "", {}},
    {"http://[2001:DB8::1]:3128", "http", "2001:db8::1", 3128, "", "", {}},
    {"http://[::1]", "http", "::1", 80, "", "", {"proxy-url-port"}},
    {"http://[::ffff:10.1.2.3]:3128", "http", "10.1.2.3", 3128, "", "", {}},
    {"http://xn--bcher-kva.example:1", "http", "xn--bcher-kva.example", 1, "", "", {}},
    {"http://b\u00FCcher.example:1", "http", "b\u00FCcher.example", 1, "", "", {"proxy-url-idn"}},
    // userinfo
    {"http://u:p@h:1", "http", "h", 1, "u", "p", {}},
    {"http://user@h:1", "http", "h", 1, "user", "", {}},
    {"http://@h:1", "http", "h", 1, "", "", {}},
    {"http://:@h:1", "http", "h", 1, "", "", {}},
    {"http://u:p:q@h:1", "http", "h", 1, "u", "p:q", {}},
    {"http://u:p%40ss%2F%3f%23@h:1", "http", "h", 1, "u", "p@ss/?#", {}},
    {"http://d%5Cu:%25@h:1", "http", "h", 1, "d\\u", "%", {}},
    {"http://%20%7F:%80@h:1", "http", "h", 1, " \x7F", "\x80", {}},
    {"http://u:p@ss@h:1", "http", "h", 1, "u", "p@ss", {"proxy-url-at"}},
    {"http://u:-._~!$&'()*+,;=@h:1", "http", "h", 1, "u", "-._~!$&'()*+,;=", {}},
    {"http://u:p@[::1]:1", "http", "::1", 1, "u", "p", {}},
    // path, query, fragment
    {"http://p:1/x/%41", "http", "p", 1, "", "", {"proxy-url-path"}},
    {"http://p:1/a b", "http", "p", 1, "", "", {"proxy-url-path"}},
    {"http://p:1?x=%zz", "http", "p", 1, "", "", {"proxy-url-path"}},
    {"http://p:1#f", "http", "p", 1, "", "", {"proxy-url-path"}},
    {"http://wpad.pac:1/package", "http", "wpad.pac", 1, "", "", {"proxy-url-path"}},
    {"http://p?q", "http", "p", 80, "", "", {"proxy-url-port", "proxy-url-path"}},
    // no scheme: Go puts http:// in front
    {"proxy:3128", "http", "proxy", 3128, "", "", {"proxy-url-no-scheme"}},
    {"10.0.0.1:3128", "http", "10.0.0.1", 3128, "", "", {"proxy-url-no-scheme"}},
    {"proxy", "http", "proxy", 80, "", "", {"proxy-url-no-scheme", "proxy-url-port"}},
    {"proxy/x", "http", "proxy", 80, "", "", {"proxy-url-no-scheme", "proxy-url-port", "proxy-url-path"}},
    {"u:p@proxy:3128", "http", "proxy", 3128, "u", "p", {"proxy-url-no-scheme"}},
    {"[::1]:3128", "http", "::1", 3128, "", "", {"proxy-url-no-scheme"}},
};

TEST(ProxyUrl, AcceptsWhatGoUsesAsMeant) {
  for (const Good& c : kGood) {
    Findings findings;
    const auto url = Parse(c.text, kHttps, findings);
    ASSERT_TRUE(url) << c.text << ": " << url.error().message;
    EXPECT_EQ(url->scheme(), c.scheme) << c.text;
    EXPECT_EQ(url->host(), c.host) << c.text;
    EXPECT_EQ(url->port(), c.port) << c.text;
    EXPECT_EQ(url->username(), c.user) << c.text;
    EXPECT_EQ(url->password().Reveal(), c.password) << c.text;
    EXPECT_EQ(url->has_credentials(), c.text.find('@') != std::string::npos) << c.text;
    EXPECT_EQ(url->has_explicit_port(),
              std::find(c.findings.begin(), c.findings.end(), "proxy-url-port") == c.findings.end())
        << c.text;
    EXPECT_EQ(url->Text().Reveal(), c.text);
    EXPECT_THAT(CodesOf(findings), ElementsAreArray(c.findings)) << c.text;
    for (const Finding& f : findings) {
      EXPECT_EQ(f.severity, f.code == "proxy-url-port" ? Severity::kInfo : Severity::kWarning);
      EXPECT_EQ(f.where, "here");
      EXPECT_THAT(f.message, HasSubstr("HTTPS_PROXY"));
    }
    // Without its credentials it is the same proxy.
    Findings again;
    const auto bare = Parse(url->WithoutCredentials().Reveal(), kHttps, again);
    ASSERT_TRUE(bare) << c.text;
    EXPECT_FALSE(bare->has_credentials()) << c.text;
    EXPECT_EQ(bare->HostPort(), url->HostPort()) << c.text;
    EXPECT_EQ(bare->scheme(), url->scheme()) << c.text;
  }
}

struct Bad {
  std::string_view fault;  // a part of the message
  std::string_view texts;
  char between = ' ';

  std::vector<std::string_view> Texts() const { return Split(texts, between); }
};

const Bad kBad[] = {
    {"empty", ""},
    {"invisible", "http://prox\xE2\x80\xAEy.example.com:3128"},
    {"no host", "http:// http://:3128 http:///x http://u:p@ http://u:p@:3128 http://?x :3128 /proxy //proxy:3128"},
    {"two slashes",
     "http:p:1 http:/p:1 http: http:\\\\p:1 https:u:p@h http//p:1 http://http://p:1 http://https://p:1 http://p:1//x"},
    {"neither http nor https", "ftp://p:21 htp://p:1 httpss://p:1"},
    {"SOCKS", "socks5://p:1080 SOCKS5H://p:1080 socks4:p"},
    {"';'", "http;//p:1"},
    {"broken scheme", "htp:/p 1http://p:1"},
    // '@' behind the authority: the password has a delimiter
    {"'@' follows", "http://u:p/ss@h:1 http://u:12/ss@h:1 http://u:p#ss@h:1 http://u:p?ss@h:1 u:p/ss@h:1"},
    {"starts with a blank", " http://p:1", '|'},
    {"blank", "http://p |http://p x:1", '|'},
    {"port is not a number", "http://p:1 ", '|'},
    {"character that a URL can't",
     "http://u:p w@h:1~http://u:p\\w@h:1~http://d\\u:p@h:1~http://u:p\"w@h:1~http://u:p<w@h:1~http://u:p^w@h:1~"
     "http://u:p{w@h:1~http://u:p|w@h:1~http://u:p`w@h:1~http://u:p[w@h:1~http://u:p\u00FCw@h:1",
     '~'},
    {"control character", "http://p\t:1 http://p:1\n http://p:1/\x7F http://u:p\r@h:1"},
    {"control character", std::string_view("http://p\0:1", 11)},
    {"not UTF-8", "http://p\xFF:1"},
    {"quotes", "\"http://p:1\" 'http://p:1'"},
    {"'%'", "http://u:p%zz@h:1 http://u:p%@h:1 http://u%4:p@h:1"},
    {"percent escape", "http://p%20x:1 http://%41:1 http://%C3%BC:1"},
    {"its path", "http://p:1/%zz http://p:1#%zz"},
    {"PAC file",
     "http://wpad.example.com/proxy.pac http://wpad/wpad.dat http://p:1/a/PROXY.PAC?v=2 http://p:1/?file=corp.pac "
     "http://p:1/pac https://p/proxy.js#x http://u:p@p:1/proxy%2Epac wpad.example.com/wpad.dat"},
    {"port is 0", "http://p:0 http://p:00"},
    {"above 65535", "http://p:65536 http://p:99999999999999999999999"},
    {"port is not a number", "http://p:abc http://p:-1 http://p:+1 http://user:secret"},
    {"more than one ':'", "http://::1:3128 http://2001:db8::1 http://p:1:2"},
    {"not closed", "http://[::1:3128"},
    {"follows the bracket", "http://[::1]3128 http://[::1]]:1"},
    {"no IPv6 address", "http://[10.1.2.3]:1 http://[]:1 http://[proxy]:1"},
    {"zone", "http://[fe80::1%25eth0]:1 http://[fe80::1%eth0]:1"},
    {"']'", "http://p]:1"},
    {"','", "http://p,q:1"},
    {"'<'", "http://<proxy>:1"},
    {"'*'", "http://p*:1 *"},
    {"empty label", "http://.p:1 http://p..x:1 http://.:1"},
    {"looks like an IPv4",
     "http://010.0.0.1:1 http://10.0.0:1 http://10.0.0.256:1 http://10.0.0.1.:1 http://1.2.3.4.5:1 "
     "http://2130706433:1 http://0x7f.1:1 http://0x7F000001:1 http://p.0x:1 http://proxy.1:1"},
};

void ExpectUrlRefused(std::string_view text, Code code, std::string_view fault) {
  Findings findings;
  const auto url = Parse(std::string(text), kHttps, findings);
  ASSERT_FALSE(url) << text;
  EXPECT_EQ(url.error().code, code) << text;
  EXPECT_EQ(url.error().where, "here");
  EXPECT_THAT(url.error().message, HasSubstr(std::string(fault))) << testing::PrintToString(text);
  EXPECT_THAT(url.error().message, HasSubstr("HTTPS_PROXY"));
  EXPECT_THAT(url.error().message, HasSubstr(code == Code::kFailOpen ? "direct without an error" : "")) << text;
  EXPECT_THAT(findings, IsEmpty()) << text;
}

TEST(ProxyUrl, RefusesWhatGoWouldNotUseAsMeant) {
  for (const Bad& c : kBad) {
    for (const std::string_view text : c.Texts()) ExpectUrlRefused(text, Code::kProxyUrl, c.fault);
  }
  ExpectUrlRefused("http://" + std::string(254, 'a') + ":1", Code::kProxyUrl, "longer than 253");
}

// Go uses each of these as it is meant.
const Bad kFailOpen[] = {
    {"no port follows", "http://proxy: https://proxy: http://proxy:/ http://u:p@proxy: http://[::1]: proxy:"},
    {"empty user name", "http://:p@h:1 https://:p@h:1 :p@h:1"},
    {"escaped ':'", "http://%3Ap:q@h:1 http://%3a@h:1"},
    {"control character", "http://u:p%00@h:1 http://u:p%0A@h:1 http://u:%1fp@h:1 http://u%09:p@h:1 http://u%0a@h:1"},
    {"holds a ':'", "http://h:1/a:b http://h/a:8080 http://h:1?a:b http://h:1#a:b"},
};

TEST(ProxyUrl, RefusesWhatAnotherClientDropsWithoutAWord) {
  for (const Bad& c : kFailOpen) {
    for (const std::string_view text : c.Texts()) ExpectUrlRefused(text, Code::kFailOpen, c.fault);
  }
}

TEST(ProxyUrl, ThisProgramUsesWhatOtherClientsDrop) {
  const auto takes = [](std::string_view text) {
    Findings findings;
    return ParseProxyUrl(Secret(std::string(text)), kHttps, "here", findings, ProxyReaders::kThisProgram).has_value();
  };
  for (const Bad& c : kFailOpen) {
    for (const std::string_view text : c.Texts()) EXPECT_TRUE(takes(text)) << text;
  }
  Findings findings;
  const auto token =
      Must(ParseProxyUrl(Secret("http://:token@h:"), kHttp, "here", findings, ProxyReaders::kThisProgram));
  EXPECT_EQ(token.password().Reveal(), "token");
  EXPECT_EQ(token.port(), 80);
  EXPECT_THAT(CodesOf(findings), ElementsAre("proxy-url-port"));
  EXPECT_FALSE(ParseProxyUrl(Secret("http://h:x"), kHttp, "here", findings, ProxyReaders::kThisProgram));
}

TEST(ProxyUrl, HttpProxyTakesHttpOnly) {
  Findings findings;
  EXPECT_TRUE(Parse("http://p:1", kHttp, findings));
  const Error url = ErrorIn(Parse("https://p:1", kHttp, findings));
  EXPECT_THAT(url.message, HasSubstr("HTTP_PROXY accepts only http:// proxies"));
}

TEST(ProxyUrl, HostPortPutsBracketsAroundIpv6) {
  Findings findings;
  EXPECT_EQ(Parse("http://[2001:DB8:0::1]:3128", kHttp, findings)->HostPort(), "[2001:db8::1]:3128");
  EXPECT_EQ(Parse("http://Proxy", kHttp, findings)->HostPort(), "proxy:80");
  EXPECT_EQ(Parse("http://[::ffff:10.1.2.3]:1", kHttp, findings)->HostPort(), "10.1.2.3:1");
}

TEST(ProxyUrl, WithoutCredentialsKeepsTheRest) {
  Findings findings;
  const auto bare = [&](std::string text) {
    return Parse(std::move(text), kHttp, findings)->WithoutCredentials().Reveal();
  };
  EXPECT_EQ(bare("HTTP://u:p@ss@Proxy:3128/x"), "HTTP://Proxy:3128/x");
  EXPECT_EQ(bare("u:p@Proxy:3128"), "http://Proxy:3128");
  EXPECT_EQ(bare("u:p@http:80"), "http://http:80");
  EXPECT_EQ(bare("Proxy:3128"), "Proxy:3128");
  EXPECT_EQ(bare("http://Proxy:3128/"), "http://Proxy:3128/");
  EXPECT_EQ(bare("http://@h:1"), "http://h:1");
  EXPECT_EQ(bare("http://u:p@h:1/x?token=t#f"), "http://h:1/x");
  EXPECT_EQ(bare("http://h:1#f?"), "http://h:1");
  EXPECT_EQ(bare("http://h?token=t"), "http://h");
}

TEST(ProxyUrl, TheVariableIsNamedOnce) {
  Findings findings;
  ASSERT_TRUE(ParseProxyUrl(Secret("http://p/x"), kHttp, "proxy.env: HTTP_PROXY", findings));
  ASSERT_TRUE(ParseProxyUrl(Secret("http://p/x"), kHttp, "$.spec.httpProxy", findings));
  ASSERT_EQ(findings.size(), 4U);
  EXPECT_THAT(findings[0].message, StartsWith("the URL has no port"));
  EXPECT_THAT(findings[1].message, StartsWith("the URL has a path"));
  EXPECT_THAT(findings[2].message, StartsWith("HTTP_PROXY: the URL has no port"));
  EXPECT_THAT(findings[3].message, StartsWith("HTTP_PROXY: the URL has a path"));
}

TEST(ProxyUrl, TheDefaultPortOfCurlIsNamedWhereItDiffers) {
  Findings findings;
  ASSERT_TRUE(Parse("http://p", kHttps, findings));
  ASSERT_TRUE(Parse("https://p", kHttps, findings));
  ASSERT_EQ(findings.size(), 2U);
  EXPECT_THAT(findings[0].message, HasSubstr("80 is used (curl takes 1080)"));
  EXPECT_THAT(findings[1].message, HasSubstr("443 is used;"));
}

TEST(ProxyUrl, RedactedHidesThePassword) {
  Findings findings;
  EXPECT_EQ(Parse("http://u:p@ss@h:1", kHttp, findings)->Redacted(), "http://u:***@h:1");
}

// No message or finding holds the password, wherever it stands and whatever is wrong.
TEST(ProxyUrl, MessagesNeverHoldThePassword) {
  for (const std::string before :
       {"http://", "https://", "", "http:", "http:/", "htp://", "socks5://", "http:// ", "http://http://", "//"}) {
    for (const std::string userinfo :
         {"u:XhunterX", "XhunterX", "u:XhunterX/y", "u:XhunterX#", "u:XhunterX?", "u:a@XhunterX", "u:XhunterX%zz",
          "u:XhunterX y", "u:Xhun\"terX", "u:XhunterX:3", "u:XhunterX\\"}) {
      for (const std::string after :
           {"@h:1", "@h:x", "@", "", "@[::1", "@h h", "@10.0.0.256:1", "@b\xC3\xBC:1", "@h/%zz", "@h:1/x", "%40h:1"}) {
        const std::string text = before + userinfo + after;
        Findings findings;
        const auto url = Parse(text, kHttps, findings);
        if (!url) {
          EXPECT_THAT(url.error().message + url.error().where, Not(HasSubstr("XhunterX"))) << text;
        }
        for (const Finding& f : findings) EXPECT_THAT(f.message + f.where, Not(HasSubstr("XhunterX"))) << text;
        // Where nothing says that it is a password, it is a user or a host.
        const bool user_only = userinfo == "XhunterX" || (userinfo == "u:a@XhunterX" && after.empty());
        if (!user_only) {
          EXPECT_THAT(RedactUrl(text), Not(HasSubstr("XhunterX"))) << text;
        }
      }
    }
  }
}

}  // namespace
}  // namespace prov::egress
