#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "provisioner/base/text.h"
#include "provisioner/egress/no_proxy.h"
#include "tests/egress/parsed.h"

namespace prov::egress {
namespace {

using testing::HasSubstr;

std::vector<std::string> LintCodes(const Findings& findings) {
  std::vector<std::string> out;
  for (const Finding& f : findings) {
    EXPECT_EQ(f.where, "here");
    const bool info = f.code == "no-proxy-all" || f.code == "no-proxy-host-bits" || f.code == "no-proxy-trailing-dot";
    EXPECT_EQ(f.severity, info ? Severity::kInfo : Severity::kWarning) << f.code;
    out.emplace_back(f.code);
  }
  return out;
}

TEST(NoProxyLint, FindsOddities) {
  const std::pair<std::string_view, std::vector<std::string>> kCases[] = {
      {"", {}},
      {".cluster.local,.svc,10.0.0.0/16,127.0.0.1,169.254.169.254,api-int.example.com,localhost,[::1]:80,a.b:8080", {}},
      {"a.com;b.com", {"no-proxy-separator"}},
      {"a.com b.com", {"no-proxy-separator"}},
      {"a.com b.com,c d", {"no-proxy-separator", "no-proxy-separator"}},
      {"10.*", {"no-proxy-inert"}},
      {"http://x,[::1],10.0.0.0/33", {"no-proxy-inert", "no-proxy-inert", "no-proxy-inert"}},
      {"10.0.0.1-10.0.0.9,.10.0.0.1-10.0.0.9,10.0.0.1-10.0.0.9:80",
       {"no-proxy-inert", "no-proxy-inert", "no-proxy-inert"}},
      {"a-b.c,10-0-0-1.a,10.0.0.1-a,10.0.0.1-,-10.0.0.9,ip-10.0.0.1", {}},
      {"10.0.0.256", {"no-proxy-odd-address"}},
      {"10.", {"no-proxy-odd-address", "no-proxy-trailing-dot"}},
      {"010.0.0.1", {"no-proxy-odd-address"}},
      {"b\u00FCcher.de", {"no-proxy-idn"}},
      {"metadata.google.internal.", {"no-proxy-trailing-dot"}},
      {".", {"no-proxy-trailing-dot"}},
      {"0.0.0.0/0", {"no-proxy-wide"}},
      {"10.0.0.0/0", {"no-proxy-wide"}},
      {"::/0", {"no-proxy-wide"}},
      {"10.0.0.1/8", {"no-proxy-host-bits"}},
      {"::ffff:10.0.0.0/104", {}},
      {"*", {"no-proxy-all"}},
      {"*,*", {"no-proxy-all"}},
      {"*,a.com", {"no-proxy-wide"}},
      {"a.com,*", {"no-proxy-wide"}},
  };
  for (const auto& [text, codes] : kCases) EXPECT_EQ(LintCodes(LintNoProxy(List(text), {}, "here")), codes) << text;
}

TEST(NoProxyLint, FindsWhatIsMissing) {
  const ClusterFacts facts{"api-int.example.com", {"172.30.0.0/16", "fd02::/112"}, "169.254.169.254"};
  struct {
    std::string_view text;
    std::vector<std::string> missing;
  } const kCases[] = {
      {"", {"api-int.example.com", "169.254.169.254", "172.30.0.0/16", "fd02::/112"}},
      {"*", {}},
      {".example.com,169.254.0.0/16,172.16.0.0/12,fd00::/8", {}},
      {"api-int.example.com,169.254.169.254,172.30.0.0/16,fd02::/112", {}},
      {"api-int.example.com:6443,169.254.169.254:80,172.30.0.0/17,fd02::/112", {"172.30.0.0/16"}},
      {"api-int.example.com:443,169.254.169.254:443,172.30.0.0/16,0.0.0.0/0", {"api-int.example.com", "fd02::/112"}},
  };
  for (const auto& c : kCases) {
    std::vector<std::string> missing;
    for (const Finding& f : LintNoProxy(List(c.text), facts, "here")) {
      if (f.code != "no-proxy-missing") continue;
      for (const std::string what : {"api-int.example.com", "169.254.169.254", "172.30.0.0/16", "fd02::/112"}) {
        if (f.message.find(what) != std::string::npos) missing.push_back(what);
      }
    }
    EXPECT_EQ(missing, c.missing) << c.text;
  }
  const Findings odd = LintNoProxy(List("a"), {"", {"nonsense"}, ""}, "here");
  ASSERT_EQ(odd.size(), 1U);
  EXPECT_THAT(odd[0].message, HasSubstr("not a valid network"));
}

TEST(NoProxyLint, SaysWhichEntryIsMeant) {
  const Findings shown = LintNoProxy(List("a,%PATH%,a%20b"), {}, "here");
  ASSERT_EQ(shown.size(), 2U);
  EXPECT_THAT(shown[0].message, testing::StartsWith("NO_PROXY entry '%PATH%' matches nothing"));
  EXPECT_THAT(shown[1].message, testing::StartsWith("NO_PROXY entry 'a%20b' matches nothing"));
  const Findings hidden = LintNoProxy(List("a,,u%3As3cret%40p"), {}, "here");
  ASSERT_EQ(hidden.size(), 1U);
  EXPECT_THAT(hidden[0].message, testing::StartsWith("entry 2 of NO_PROXY ('***') matches nothing"));
}

TEST(NoProxyLint, StaysShort) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "a" + std::to_string(i) + "*,";
  const Findings findings = LintNoProxy(List(text), {}, "here");
  ASSERT_EQ(findings.size(), 21U);
  EXPECT_THAT(findings.back().message, HasSubstr("980 more"));
  EXPECT_EQ(findings.back().code, "no-proxy-inert");
  const Findings one = LintNoProxy(List(std::string(99, 'a') + "\xC3\xBC" + std::string(100000, '*')), {}, "here");
  ASSERT_EQ(one.size(), 1U);
  EXPECT_LT(one[0].message.size(), 400U);
  EXPECT_TRUE(IsUtf8(one[0].message));
}

}  // namespace
}  // namespace prov::egress
