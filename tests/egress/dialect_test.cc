// The dialects against measured answers (../shared, where it is) and against the project's own golden file.
#include "provisioner/egress/dialect.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>

#include "provisioner/base/text.h"
#include "provisioner/egress/dialect_explain.h"
#include "tests/egress/parsed.h"
#include "tests/support/paths.h"

namespace prov::egress {
namespace {

// A column of the matrix and the dialect that it is about. WinHTTP's is about a list that holds ';' for ','.
const std::map<std::string, Dialect, std::less<>> kColumns = {
    {"goHEAD", Dialect::kGo},
    {"curlHEAD", Dialect::kCurl},
    {"curl7.88.1", Dialect::kCurl7},
    {"net<=10(model)", Dialect::kDotnet},
    {"net11(model)", Dialect::kDotnet11},
    {"py3.11urllib", Dialect::kPython},
    {"requests2.34", Dialect::kRequests},
    {"java17(,->|)", Dialect::kJava},
    {"win-winhttp(model of third-party measurements,,->;)", Dialect::kWinHttp}};

std::string Answer(Dialect dialect, std::string list, std::string_view url) {
  Bypass found;
  if (dialect == Dialect::kWinHttp) {
    std::ranges::replace(list, ',', ';');
    found = CompileBypassList(dialect, list)->Find(To(url));
  } else {
    found = CompileNoProxy(dialect, List(list))->Find(To(url));
  }
  if (found.kind == Bypass::Kind::kInvalid) return "INVALID";
  return found.kind == Bypass::Kind::kNo ? "P" : "D";
}

TEST(Dialect, AgreesWithTheMeasuredMatrix) {
  std::ifstream file(testing_support::TestsFolder() + "/../../shared/cases/noproxy/matrix.tsv");
  if (!file) GTEST_SKIP() << "NOT RUN: no ../shared/cases/noproxy/matrix.tsv";
  std::string line;
  std::getline(file, line);
  std::vector<std::string> titles;
  for (const std::string_view title : Split(line, '\t')) titles.emplace_back(title);
  std::map<Dialect, int> asked;
  while (std::getline(file, line)) {
    const std::vector<std::string_view> cells = Split(line, '\t');
    ASSERT_EQ(cells.size(), titles.size()) << line;
    for (std::size_t i = 2; i < cells.size(); ++i) {
      const auto column = kColumns.find(titles[i]);
      if (column == kColumns.end() || cells[i].starts_with('?')) continue;
      ++asked[column->second];
      EXPECT_EQ(Answer(column->second, std::string(cells[0]), cells[1]), cells[i])
          << titles[i] << ": '" << cells[0] << "' " << cells[1];
    }
  }
  EXPECT_EQ(asked.size(), kColumns.size());
  for (const auto& [dialect, count] : asked) EXPECT_GT(count, 30) << NameOf(dialect);
}

// tests/golden/noproxy/decisions.tsv: what `explain` says, reviewed against the rules of each dialect.
TEST(Dialect, AgreesWithTheGoldenFile) {
  const std::string path = testing_support::TestsFolder() + "/golden/noproxy/decisions.tsv";
  std::ifstream file(path);
  ASSERT_TRUE(file) << path;
  const Secret proxy("http://proxy.example:3128");
  std::string made;
  std::string whole;
  int rows = 0;
  for (std::string line; std::getline(file, line);) {
    whole += line + "\n";
    const std::vector<std::string_view> cells = Split(line, '\t');
    if (line.starts_with('#') || cells.size() < 2) {
      made += line + "\n";
      continue;
    }
    ++rows;
    const auto explainer = Explainer::Make({proxy, proxy, std::string(cells[0]), false});
    ASSERT_TRUE(explainer) << line;
    made += std::string(cells[0]) + "\t" + std::string(cells[1]);
    for (std::size_t i = 0; i < kDialectCount; ++i) {
      const ClientDecision decision = explainer->Decide(static_cast<Dialect>(i), To(cells[1]));
      made += decision.route == Route::kProxy ? "\tP" : decision.route == Route::kDirect ? "\tD" : "\tI";
    }
    made += "\n";
  }
  EXPECT_GT(rows, 80);
  if (made == whole) return;
  const std::string actual = testing::TempDir() + "decisions.tsv";
  std::ofstream(actual) << made;
  ADD_FAILURE() << path << " differs from what is decided now: " << actual;
}

TEST(Dialect, NamesTheFirstEntry) {
  const auto entry = [](Dialect dialect, std::string_view list, std::string_view url) {
    const auto compiled = CompileNoProxy(dialect, List(list));
    return std::string(compiled->Find(To(url)).entry);
  };
  for (const Dialect dialect : {Dialect::kGo, Dialect::kCurl, Dialect::kCurl8, Dialect::kCurl7, Dialect::kPython}) {
    EXPECT_EQ(entry(dialect, "b.com, .Foo.com,foo.com", "http://a.foo.com/"), ".Foo.com") << NameOf(dialect);
  }
  EXPECT_EQ(entry(Dialect::kRequests, ".Foo.com,.foo.com,com", "http://a.foo.com/"), ".foo.com");  // minds case first
  EXPECT_EQ(entry(Dialect::kRequests, ".Foo.com,x", "http://a.foo.com/"), ".Foo.com");
  EXPECT_EQ(entry(Dialect::kDotnet, "foo.com,.com", "http://a.foo.com/"), ".com");
  EXPECT_EQ(entry(Dialect::kJava, "foo.com, x,*.com", "http://a.foo.com/"), "*.com");
  EXPECT_EQ(entry(Dialect::kCurl7, "a.com b.com", "http://b.com/"), "b.com");
  EXPECT_EQ(entry(Dialect::kRequests, "a.com b.com", "http://a.comb.com/"), "a.comb.com");
}

// Measured with Node.js 24.22 and 26.12: D direct, P to the proxy; the http module, then fetch of 26, then fetch of 24.
TEST(Dialect, NodeReadsTheListInThreeWays) {
  struct Row {
    const char* list;
    const char* url;
    const char* answers;
  };
  const Row rows[] = {
      {"foo.com", "http://a.foo.com/", "PDD"},
      {".foo.com", "http://foo.com/", "DDD"},
      {".foo.com", "http://xfoo.com/", "PPP"},
      {"*.foo.com", "http://foo.com/", "PPD"},
      {"*.foo.com", "http://a.foo.com/", "DDD"},
      {"foo.com", "http://foo.com./", "PDP"},
      {"foo.com.", "http://foo.com/", "PDP"},
      {".", "http://foo.com./", "DPD"},
      {"a.com b.com", "http://b.com/", "PDD"},
      {"a.com,*", "http://b.com/", "DDP"},
      {"*", "http://localhost/", "DDD"},
      {".*", "http://b.com/", "PDP"},
      {"*:8080", "http://b.com:8080/", "PDP"},
      {"*:8080", "http://b.com/", "PPP"},
      {"foo.com:80", "http://foo.com/", "DDD"},
      {"foo.com:80", "http://a.foo.com/", "PDD"},
      {"foo.com:443", "http://foo.com/", "PPP"},
      {"foo.com:080", "http://foo.com/", "PDD"},
      {"foo.com:0", "http://foo.com/", "PDD"},
      {"foo.com:65616", "http://foo.com/", "PPP"},
      {".foo.com:80", "http://a.foo.com/", "PDD"},
      {"10.0.0.0/8", "http://10.0.0.0/", "PPP"},
      {"0.0.1", "http://10.0.0.1/", "PDD"},
      {"10.0.0.1", "http://10.1/", "DDD"},
      {"10.0.0.1", "http://10.0.0.1./", "DDD"},
      {"10.0.0.1-10.0.0.9", "http://10.0.0.5/", "DPP"},
      {"10.0.0.1 - 10.0.0.9-x", "http://10.0.0.9/", "DPP"},
      {"10.0.0.1-10.0.0.9", "http://10.0.0.10/", "PPP"},
      {"::1-::9", "http://[::5]/", "PPP"},
      {"::1", "http://[::1]/", "DDP"},
      {"[::1]", "http://[0::1]/", "PDD"},
      {"[::1]:80", "http://[::1]/", "PDD"},
      {"::1:80", "http://[::1]/", "DPP"},
      {"::ffff:a00:1", "http://[::ffff:10.0.0.1]/", "DDP"},
      {"", "http://localhost/", "PPP"},
  };
  for (const Row& row : rows) {
    std::string answers;
    for (const Dialect dialect : {Dialect::kNodeHttp, Dialect::kNodeFetch, Dialect::kNodeFetch24})
      answers += Answer(dialect, row.list, row.url);
    EXPECT_EQ(answers, row.answers) << row.list << " " << row.url;
  }
}

TEST(Dialect, NamesGoThereAndBack) {
  for (std::size_t i = 0; i < kDialectCount; ++i) {
    const auto dialect = static_cast<Dialect>(i);
    EXPECT_EQ(DialectOf(NameOf(dialect)), dialect);
    EXPECT_FALSE(TitleOf(dialect).empty());
  }
  EXPECT_FALSE(DialectOf("wget"));
}

TEST(Destination, HasTheFormsThatClientsCompare) {
  const Destination v4 = To("HTTP://u:p@0X7F.1:080/x");
  EXPECT_EQ(v4.scheme, "http");
  EXPECT_EQ(v4.host, "0X7F.1");
  EXPECT_EQ(v4.name, "0x7f.1");
  EXPECT_EQ(v4.authority_port, "0x7f.1:080");
  EXPECT_EQ(v4.name_port, "0x7f.1:80");
  EXPECT_EQ(v4.normal, "127.0.0.1");
  EXPECT_EQ(v4.url_host, "127.0.0.1");
  EXPECT_FALSE(v4.address);
  const Destination v6 = To("https://[2001:DB8:0::1]:8443");
  EXPECT_EQ(v6.name, "2001:db8:0::1");
  EXPECT_EQ(v6.authority_port, "[2001:db8:0::1]:8443");
  EXPECT_EQ(v6.normal_authority, "[2001:db8::1]");
  EXPECT_EQ(To("http://[::ffff:a00:1]/").normal, "::ffff:10.0.0.1");
  EXPECT_EQ(To("http://[::a00:1]/").normal, "::10.0.0.1");
  EXPECT_EQ(To("http://[::1]/").normal, "::1");
  EXPECT_EQ(To("http://[::ffff:a00:1]/").url_host, "::ffff:a00:1");
  EXPECT_EQ(To("http://1.2.3.4./").url_host, "1.2.3.4");
  EXPECT_EQ(To("http://Foo.com./").url_host, "foo.com.");
  for (const char* text :
       {"1.2.3.4.5", "256.1", "1.2.3.256", "0x.1", "08.1", "1..2", "4294967296", "a.1", "1.2.3.4."}) {
    EXPECT_EQ(To(std::string("http://") + text + "/").normal, text);
  }
  EXPECT_EQ(To("http://4294967295/").normal, "255.255.255.255");
  EXPECT_EQ(To("http://1.65535/").normal, "1.0.255.255");
  EXPECT_FALSE(ParseDestination("http://" + std::string(1025, 'a') + "/"));
  EXPECT_FALSE(ParseDestination("foo.com"));
}

// A zone is of the machine alone. Clients compare the address without it; urllib compares the text.
TEST(Destination, AnAddressMayHaveAZone) {
  for (const char* url :
       {"http://[fe80::1%25eth0]:8080/", "http://[FE80::1%eth0]:8080/", "http://[fe80::1%25]:8080/"}) {
    const auto to = ParseDestination(url);
    ASSERT_TRUE(to) << url;
    EXPECT_EQ(to->name, "fe80::1") << url;
    EXPECT_EQ(to->port, 8080) << url;
    for (const Dialect dialect : {Dialect::kGo, Dialect::kCurl, Dialect::kDotnet11})
      EXPECT_EQ(CompileNoProxy(dialect, *NoProxy::Parse("fe80::/10", "l"))->Find(*to).kind, Bypass::Kind::kEntry)
          << url;
    EXPECT_EQ(CompileNoProxy(Dialect::kPython, *NoProxy::Parse("[fe80::1]:8080", "l"))->Find(*to).kind,
              Bypass::Kind::kNo);
    EXPECT_FALSE(ParseRequestTarget(url)) << "requests are made to no zone";
  }
  EXPECT_EQ(ParseDestination("http://[fe80::1%25Eth0]/")->authority, "[fe80::1%eth0]");
  EXPECT_EQ(ParseDestination(RequestUrlOf("fe80::1%eth0"))->name, "fe80::1");
  EXPECT_TRUE(ParseDestination("http://[fe80::1%25eth0]/")->has_zone);
  EXPECT_FALSE(ParseDestination("http://[fe80::1]/")->has_zone);
  for (const char* url : {"http://[fe80::1%]/", "http://[fe80::1%25e/h]/", "http://[fe80::1%e%h]/", "http://[a%25b]/",
                          "http://10.0.0.1%25eth0/", "http://fe80::1%25eth0/"}) {
    EXPECT_FALSE(ParseDestination(url)) << url;
  }
}

TEST(BypassList, WhatIsNoListOfOurs) {
  const auto answer = [](Dialect dialect, std::string_view list, std::string_view url) {
    return CompileBypassList(dialect, list)->Find(To(url)).kind;
  };
  using Kind = Bypass::Kind;
  EXPECT_EQ(answer(Dialect::kWinHttp, "10.0.0.0/8", "http://a.com/"), Kind::kInvalid);
  EXPECT_EQ(answer(Dialect::kWinInet, "10.0.0.0/8", "http://a.com/"), Kind::kEntry);  // everything
  EXPECT_EQ(answer(Dialect::kWinHttp, "<local>", "http://intranet/"), Kind::kEntry);
  EXPECT_EQ(answer(Dialect::kWinHttp, "<local>", "http://[::1]/"), Kind::kNo);
  EXPECT_EQ(answer(Dialect::kWinHttp, "a.com b.com", "http://b.com/"), Kind::kEntry);
  EXPECT_EQ(answer(Dialect::kWinHttp, "a.com,b.com", "http://b.com/"), Kind::kNo);
  EXPECT_EQ(answer(Dialect::kWinInet, "a.com,b.com", "http://b.com/"), Kind::kEntry);
  EXPECT_EQ(answer(Dialect::kWinHttp, "", "http://localhost/"), Kind::kNo);
  for (const char* url : {"http://LOCALHOST/", "http://127.0.0.1/", "http://[::1]/", "http://169.254.169.254/",
                          "http://[fe80::1]/", "http://loopback/"}) {
    EXPECT_EQ(answer(Dialect::kWinInet, "", url), Kind::kImplicit) << url;
  }
  EXPECT_EQ(answer(Dialect::kWinInet, "", "http://127.0.0.2/"), Kind::kNo);
  EXPECT_EQ(answer(Dialect::kWinInet, "", "http://[fec0::1]/"), Kind::kNo);
}

}  // namespace
}  // namespace prov::egress
