#include "provisioner/egress/no_proxy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "provisioner/base/text.h"
#include "tests/egress/parsed.h"

namespace prov::egress {
namespace {

using namespace std::string_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Kind = NoProxyEntry::Kind;

struct Golden {
  std::string_view no_proxy;
  std::string_view url;
  bool direct;
};

// Measured with x/net/http/httpproxy of Go 1.19. tests/golden/noproxy/decisions.tsv has the usual ones.
const Golden kGolden[] = {
    {".example.com:8080", "http://www.example.com:8080/", true},
    {"foo.*", "http://foo.bar/", false},
    {"10.0.0.0/8", "http://10.1.2.3:8080/", true},
    {"svc", "http://kubernetes.default.svc/", true},
    {".svc", "http://kubernetes.default.svc/", true},
    {".cluster.local", "http://a.b.svc.cluster.local/", true},
    {"0.0.0.0/0", "http://[2001:db8::1]/", false},
    {"::ffff:10.0.0.0/104", "http://10.9.9.9/", true},
    {"10.0.0.1/8", "http://10.9.9.9/", true},
    {"10.1.2.3", "http://[::ffff:10.1.2.3]/", true},
    {"2001:DB8:0::1", "http://[2001:db8::1]/", true},
    {"[2001:db8::1]:443", "https://[2001:db8::1]/", true},
    {"[2001:db8::1]:", "https://[2001:db8::1]/", true},
    {"example.com:", "http://example.com:81/", true},
    {"example.com:http", "http://example.com/", false},
    {"example.com:080", "http://example.com/", false},
    {"example.com:443", "https://a.example.com/", true},
    {"*.example.com:443", "https://a.example.com/", true},
    {"*.example.com:443", "http://a.example.com/", false},
    {"*.*.com", "http://a.b.com/", false},
    {"..example.com", "http://a.example.com/", false},
    {".", "http://example.com./", true},
    {".", "http://example.com/", false},
    {"*.", "http://example.com./", true},
    {"example.com.", "http://a.example.com./", true},
    {"com", "http://example.com/", true},
    {"0.1", "http://10.0.0.1/", true},
    {".0.1", "http://10.0.0.1/", true},
    {"0.1", "http://10.0.1.1/", false},
    {"010.0.0.1", "http://10.0.0.1/", false},
    {"010.0.0.1", "http://010.0.0.1/", true},
    {"10.0.0.256", "http://10.0.0.256/", true},
    {"", "http://[::ffff:127.0.0.1]/", true},
    {"", "http://127.1/", false},
    {":80", "http://example.com/", false},
    {"[]:80", "http://example.com/", false},
    {"[example.com]:80", "http://example.com/", true},
    {"[example.com", "http://example.com/", false},
    {" example.com ,", "http://example.com/", true},
    {"\u00A0example.com\u3000", "http://example.com/", true},
    {"a.com,*:80", "http://example.com/", false},
    {"ex_ample.com", "http://ex_ample.com/", true},
};

TEST(NoProxy, DecidesAsGo) {
  for (const Golden& row : kGolden) {
    const Destination target = To(row.url);
    EXPECT_EQ(GoBypasses(List(row.no_proxy), target.host, target.port), row.direct) << row.no_proxy << " " << row.url;
  }
  EXPECT_FALSE(GoBypasses(List("a"), "", 80));
  EXPECT_TRUE(GoBypasses(List("*"), "", 80));
}

TEST(NoProxy, Classifies) {
  struct {
    std::string_view text;
    Kind kind;
    std::string_view name;  // name, address or network
    int port;               // -1: none
  } const kCases[] = {
      {"*", Kind::kAll, "", -1},
      {"foo.com", Kind::kHost, "foo.com", -1},
      {"FOO.com", Kind::kHost, "foo.com", -1},
      {"foo.com:8080", Kind::kHost, "foo.com", 8080},
      {"foo.com:0", Kind::kHost, "foo.com", 0},
      {"foo.com:", Kind::kHost, "foo.com", -1},
      {"foo.com.", Kind::kHost, "foo.com.", -1},
      {".foo.com", Kind::kSuffix, "foo.com", -1},
      {"*.foo.com", Kind::kSuffix, "foo.com", -1},
      {"*.foo.com:65535", Kind::kSuffix, "foo.com", 65535},
      {".", Kind::kSuffix, "", -1},
      {"10.0.0.256", Kind::kHost, "10.0.0.256", -1},
      {"b\u00FCcher.de", Kind::kHost, "b\u00FCcher.de", -1},
      {"10.1.2.3", Kind::kAddress, "10.1.2.3", -1},
      {"::ffff:10.1.2.3", Kind::kAddress, "10.1.2.3", -1},
      {"10.1.2.3:80", Kind::kAddress, "10.1.2.3", 80},
      {"2001:DB8::1", Kind::kAddress, "2001:db8::1", -1},
      {"[2001:db8::1]:80", Kind::kAddress, "2001:db8::1", 80},
      {"10.1.2.3/8", Kind::kNetwork, "10.0.0.0/8", -1},
      {"2001:db8::/32", Kind::kNetwork, "2001:db8::/32", -1},
  };
  for (const auto& c : kCases) {
    const NoProxy list = List(c.text);
    ASSERT_EQ(list.entries().size(), 1U) << c.text;
    const NoProxyEntry& entry = list.entries()[0];
    EXPECT_EQ(entry.kind, c.kind) << c.text;
    EXPECT_EQ(entry.text, c.text);
    EXPECT_EQ(entry.port ? *entry.port : -1, c.port) << c.text;
    EXPECT_EQ(list.HasAll(), c.kind == Kind::kAll);
    switch (c.kind) {
      case Kind::kAddress:
        ASSERT_TRUE(entry.address) << c.text;
        EXPECT_EQ(entry.address->ToString(), c.name) << c.text;
        break;
      case Kind::kNetwork:
        ASSERT_TRUE(entry.network) << c.text;
        EXPECT_EQ(entry.network->ToString(), c.name) << c.text;
        break;
      default:
        EXPECT_EQ(entry.name, c.name) << c.text;
    }
    EXPECT_EQ(entry.reason, "") << c.text;
  }
}

TEST(NoProxy, SaysWhyAnEntryIsInert) {
  const std::pair<std::string_view, std::string_view> kReasons[] = {
      {"'*' counts only alone", "10.*|*.*.com|foo.*"},
      {"it is a URL", "http://x|http://x:80/"},
      {"not a valid network", "x/y|10.0.0.0/33"},
      {"without brackets", "[::1]"},
      {"no host name has", "a b|a;b|<local>|1::2::3|[a]b]:1|a[:1|a:1]"},
      {"zone", "fe80::1%eth0"},
      {"empty label", "..foo.com|foo..com"},
      {"no host", ":80"},
      {"not a port from 0 to 65535", "foo:99999|foo:123456|foo:080|foo:http"}};
  for (const auto& [reason, texts] : kReasons) {
    for (const std::string_view text : Split(texts, '|')) {
      const NoProxy list = List(text);
      ASSERT_EQ(list.entries().size(), 1U) << text;
      const NoProxyEntry& entry = list.entries()[0];
      EXPECT_EQ(entry.kind, Kind::kInert) << text;
      EXPECT_EQ(entry.text, text);
      EXPECT_THAT(entry.reason, HasSubstr(std::string(reason))) << text;
      EXPECT_TRUE(entry.name.empty() && !entry.port) << text;
    }
  }
}

TEST(NoProxy, KeepsTextAndOrder) {
  const NoProxy list = List(" b.com,, a.com ,b.com,");
  EXPECT_EQ(list.text(), " b.com,, a.com ,b.com,");
  std::vector<std::string> texts;
  for (const NoProxyEntry& entry : list.entries()) texts.push_back(entry.text);
  EXPECT_THAT(texts, ElementsAre("b.com", "a.com", "b.com"));
  EXPECT_THAT(List("").entries(), IsEmpty());
  EXPECT_THAT(List(" , ,").entries(), IsEmpty());
}

TEST(NoProxy, RefusesControlCharactersAndMalformedUtf8) {
  struct {
    std::string text;
    std::string byte;
  } const kBad[] = {{"a\tb", "byte 2"}, {"a,\n", "byte 3"},     {"a\0b"s, "byte 2"}, {"\x7F", "byte 1"},
                    {"a\r", "byte 2"},  {"\xC2\x85", "byte 1"}, {"a\xFF", "byte 2"}, {"ab\xC2", "byte 3"}};
  for (const auto& c : kBad) {
    const auto list = NoProxy::Parse(c.text, "here");
    ASSERT_FALSE(list) << testing::PrintToString(c.text);
    EXPECT_EQ(list.error().code, Code::kNoProxy);
    EXPECT_EQ(list.error().where, "here");
    EXPECT_THAT(list.error().message, HasSubstr(c.byte));
  }
}

TEST(NoProxy, SameSet) {
  EXPECT_TRUE(List("a,b").SameSet(List("b, A ,a,,")));
  EXPECT_TRUE(List("").SameSet(List(" ,")));
  EXPECT_FALSE(List("a,b").SameSet(List("a")));
  EXPECT_FALSE(List("a").SameSet(List("a,b")));
  EXPECT_FALSE(List(".a").SameSet(List("*.a"))) << "other clients read them differently";
  EXPECT_FALSE(List("a b").SameSet(List("a,b")));
}

TEST(NoProxy, IsLinear) {
  std::string text;
  for (int i = 0; i < 200000; ++i) text += "[:,";
  EXPECT_EQ(List(text).entries().size(), 200000U);
  EXPECT_EQ(List(std::string(1000000, ':')).entries().size(), 1U);
  std::string blanks;
  for (int i = 0; i < 200000; ++i) blanks += "\u00A0 ";
  EXPECT_EQ(List(blanks).entries().size(), 0U);
}

TEST(NoProxyItem, AsTheOperatorTakesThem) {
  for (const char* item : {".example.com", "example.com.", ".a.", "a", "10.0.0.1/8", "::1", "fd00::/8", "0.0.0.0/0",
                           "10.0.0.256", "010.0.0.1", "1.2.3.4.5", "a-b.c"})
    EXPECT_TRUE(IsNoProxyItem(item)) << item;
  for (const char* item : {"*.x", "*,a", "A.example", "a_b", "host:443", "[::1]", "10.0.0.0/33", "", ".", "a;b", "a b",
                           "..x", "x..", "b\u00FCcher.example", "http://a", "-a", "a-", "a.-b"})
    EXPECT_FALSE(IsNoProxyItem(item)) << item;
  EXPECT_TRUE(IsNoProxyItem(std::string(253, 'a'))) << "labels may be of any length";
  EXPECT_FALSE(IsNoProxyItem(std::string(254, 'a')));
}

}  // namespace
}  // namespace prov::egress
