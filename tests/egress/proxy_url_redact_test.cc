#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "provisioner/egress/proxy_url.h"

namespace prov::egress {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(RedactUrl, HidesPasswords) {
  const std::pair<std::string, std::string> kCases[] = {
      {"", ""},
      {"http://proxy:3128", "http://proxy:3128"},
      {"http://proxy:3128/path", "http://proxy:3128/path"},
      {"http://proxy/%41", "http://proxy/%41"},
      {"http://proxy/a%3ab", "http://proxy/a%3a***"},
      {"http://proxy", "http://proxy"},
      {"proxy:3128", "proxy:3128"},
      {"http://[2001:db8::1]:3128", "http://[2001:db8::1]:3128"},
      {"http://[2001:db8::1]", "http://[2001:db8::1]"},
      {"http://token@h:1", "http://***@h:1"},
      {"token@h:1", "***@h:1"},
      {"http://@h:1", "http://@h:1"},
      {"http://u:p@h:1", "http://u:***@h:1"},
      {"https://u:p@[::1]:1/x", "https://u:***@[::1]:1/x"},
      {"HTTP://u:p@h:1", "HTTP://u:***@h:1"},
      {"http://:p@h", "http://:***@h"},
      {"http://u:@h", "http://u:***@h"},
      {"http://u:p@ss@h:1", "http://u:***@h:1"},
      {"http://u:p/ss#x?y@h:1", "http://u:***@h:1"},
      {"http://u%3Ap@h:1", "http://u%3A***@h:1"},
      {"http://u%3ap@h:1", "http://u%3a***@h:1"},
      {"http://u:p%40h:1", "http://***"},
      {"http://u:p@ss%40h:1", "http://u:***@***"},
      {"http://user:secret", "http://user:***"},
      {"http://user%3asecret", "http://***"},
      {"http://h:1:2", "http://h:***"},
      {"http://h:123456", "http://h:***"},
      {"http://h:1/a:b", "http://h:***"},
      {"u:p@h:1", "u:***@h:1"},
      {"http:u:p@h", "http:***@h"},
      {"http:p@h", "http:***@h"},
      {"http:/u:p@h", "http:***@h"},
      {"http//u:p@h", "http//u:***@h"},
      {"htp://u:p@h", "htp:***@h"},
      {"user://pw@h", "user:***@h"},
      {"u:p://x@h", "u:***@h"},
      {"http://http://u:p@h", "http://http:***@h"},
      {"http=u:p@h:1;https=u:q@i:2", "http=u:***@i:2"},
      {"u:p@h:1, v:q@i:2", "u:***@i:2"},
      {"http://u:p@h:port", "http://u:***@h:***"},
      {"http://u:p@ss:word", "http://u:***@ss:***"},
      {"http://h:1?token=x", "http://h:1?***"},
      {"http://u:p@h:1/x?token=x", "http://u:***@h:1/x?***"},
      {"http://h:1#x", "http://h:1#***"},
      {"http://[u:p", "http://[u:***"},
      {"http://[u:p]:1", "http://[u:***"},
      {"socks5://u:p@h:1", "socks5://u:***@h:1"},
      {"http://u%", "http://***"},
      {"mcs://u:p@h:22623/worker", "mcs://u:***@h:22623/worker"},
      {"kube://token@context", "kube://***@context"},
      {"[fe80::1%25et:h0]:1", "***"},
      {"[fe80::1]:p", "[fe80::1]:***"},
      {"[dead]:p", "[dead]:***"},
      {"2001:db8::1/a:b", "2001:db8::1/a:***"},
      {"odd://h:secret", "odd://h:***"},
  };
  for (const auto& [text, expected] : kCases) EXPECT_EQ(RedactUrl(text), expected) << text;
}

TEST(RedactUrl, SaysWhetherItHidesSomething) {
  for (const char* text : {"http://token@h:1", "http://u:p@h", "http://u:***@h:1", "http://***@h", "http://u:@h",
                           "http://h:1?token=x", "u:p%40h"}) {
    EXPECT_TRUE(MayHoldCredentials(text)) << text;
  }
  for (const char* text : {"", "http://h:1", "http://@h:1", "proxy:3128", "http://[2001:db8::1]:3128/x"}) {
    EXPECT_FALSE(MayHoldCredentials(text)) << text;
    EXPECT_EQ(RedactUrl(text), text);
  }
}

TEST(RedactUrl, ShowsMereAddresses) {
  for (const char* text :
       {"mcs://host", "mcs://host:22623", "mcs://host:22623/config/worker", "mcs://[2001:db8::1]:22623/worker",
        "kube:///worker", "kube://context/worker", "wss://a.example:8443/x", "vault://host:8200/x", "2001:db8::1",
        "fe80::1/64", "fd00::/129", "::1", "::ffff:10.0.0.1", "10.0.0.0/8", "http://[fe80::1%25eth0]:3128",
        "[fe80::1%eth0]", "https://host:6443", "host:6443"}) {
    EXPECT_EQ(RedactUrl(text), text);
    EXPECT_FALSE(MayHoldCredentials(text)) << text;
  }
}

// What is between a ':' and a later '@' is never in the result, for any text with a secret put there.
TEST(RedactUrl, HoldsForRandomTexts) {
  constexpr unsigned kSeed = 99;
  SCOPED_TRACE(kSeed);
  std::mt19937 random(kSeed);
  constexpr std::string_view kAlphabet = "htp:/@%3A#?[]=;,. \\1";
  const auto noise = [&](unsigned most) {
    std::string out;
    for (std::size_t n = random() % most; n > 0; --n) out.push_back(kAlphabet[random() % kAlphabet.size()]);
    return out;
  };
  for (int i = 0; i < 20000; ++i) {
    const std::string text =
        (random() % 2 == 0 ? "http://" : "") + noise(8) + "user:" + noise(6) + "SECRET" + noise(6) + "@" + noise(8);
    EXPECT_THAT(RedactUrl(text), Not(HasSubstr("SECRET"))) << text;
    Findings findings;
    const auto url = ParseProxyUrl(Secret(text), ProxyVariable::kHttps, "here", findings);
    if (!url) {
      EXPECT_THAT(url.error().message, Not(HasSubstr("SECRET"))) << text;
    }
    for (const Finding& f : findings) EXPECT_THAT(f.message, Not(HasSubstr("SECRET"))) << text;
  }
}

}  // namespace
}  // namespace prov::egress
