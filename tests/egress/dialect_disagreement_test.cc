#include "provisioner/egress/dialect_disagreement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

#include "provisioner/egress/augment.h"

namespace prov::egress {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;

Findings ReviewBare(const std::string& text) {
  return ReviewDisagreements(NoProxy::Parse(text, "here").value(), "there");
}
// Of a list that has what all clients want for the node itself.
Findings ReviewBesideLoopback(const std::string& text) { return ReviewBare("127.0.0.1," + text); }

auto Says(const std::string& one, const std::string& two) {
  return Field(&Finding::message, AllOf(HasSubstr(one), HasSubstr(two)));
}

TEST(Disagreement, AgreementIsSilent) {
  EXPECT_THAT(ReviewBesideLoopback(""), IsEmpty());
  EXPECT_THAT(ReviewBesideLoopback("10.1.2.3"), IsEmpty());
  EXPECT_THAT(ReviewBesideLoopback("foo.com,.foo.com"), IsEmpty());
  EXPECT_THAT(ReviewBesideLoopback("http://nothing,<x>"), IsEmpty());
  EXPECT_THAT(ReviewBesideLoopback("localhost"), IsEmpty()) << "nothing is below it";
}

TEST(Disagreement, TheNodeItself) {
  for (const char* text : {"", "10.1.2.3", "localhost"}) {
    EXPECT_THAT(ReviewBare(text), ElementsAre(Says("itself (127.0.0.1): Go, WinHTTP go direct, curl, .NET use", "add")))
        << text;
  }
  EXPECT_THAT(ReviewBare("127.0.0.0/8"), ElementsAre(Says("itself (127.0.0.1): Go, curl, WinHTTP go", "add")));
  for (const char* text : {"127.0.0.1", "localhost,127.0.0.1"}) EXPECT_THAT(ReviewBare(text), IsEmpty()) << text;
}

TEST(Disagreement, NetworksNamesAndDots) {
  EXPECT_THAT(
      ReviewBesideLoopback("10.0.0.0/8,172.30.0.0/16"),
      ElementsAre(Says("(10.0.0.0/8, 172.30.0.0/16): Go, curl go direct, .NET, WinHTTP use the proxy", "name the")));
  EXPECT_THAT(ReviewBesideLoopback("foo.com"),
              ElementsAre(Says("(foo.com): Go, curl, WinHTTP go direct, .NET use", "--augment")));
  EXPECT_THAT(ReviewBesideLoopback(".foo.com"),
              ElementsAre(Says("(.foo.com): curl, .NET go direct, Go, WinHTTP use", "without the dot")));
  EXPECT_THAT(ReviewBesideLoopback("*.foo.com"),
              ElementsAre(Says("(*.foo.com): Go, WinHTTP go direct, curl, .NET use", "names below")));
  EXPECT_THAT(ReviewBesideLoopback("foo.com:8080"), ElementsAre(Says("(foo.com:8080)", "port")));
  EXPECT_THAT(ReviewBesideLoopback("2001:db8::1"),
              ElementsAre(Says("Go, curl, WinHTTP go direct, .NET use", "brackets")));
  EXPECT_THAT(ReviewBare("*"), ElementsAre(Says("Go, curl, WinHTTP go direct, .NET use", "'*'")));
}

// What nodes and images have is older than 8.18, so a list that only later ones read is not taken for read.
TEST(Disagreement, TheOlderCurlCounts) {
  EXPECT_THAT(ReviewBesideLoopback("fd02::/112"),
              ElementsAre(Says("(fd02::/112): Go go direct, curl before 8.18, .NET, WinHTTP use", "name the")));
  EXPECT_THAT(ReviewBesideLoopback("2001:DB8:0::1,[2001:db8::1]"),
              ElementsAre(Says("(2001:DB8:0::1): Go, .NET, WinHTTP go direct, curl before 8.18 use", "explain")));
}

TEST(Disagreement, FewFindingsForManyEntries) {
  std::string text;
  for (int i = 0; i < 300; ++i) text += "a" + std::to_string(i) + ".example,10." + std::to_string(i % 256) + ".0.0/16,";
  const Findings findings = ReviewBesideLoopback(text);
  EXPECT_THAT(findings,
              ElementsAre(Says("10.4.0.0/16 and 295 more", "network"), Says("a4.example and 295 more", "below")));
  for (const Finding& f : findings) {
    EXPECT_EQ(f.code, "clients-disagree");
    EXPECT_EQ(f.severity, Severity::kWarning);
    EXPECT_EQ(f.where, "there");
  }
}

TEST(Disagreement, AHostileListCostsNoMoreThanALongOne) {
  std::string text;
  while (text.size() < (1U << 20U)) text += "a" + std::to_string(text.size()) + ",";
  const Findings findings = ReviewBesideLoopback(text);
  EXPECT_LE(findings.size(), 4U);  // WinHTTP's list ends earlier, too
  // GoogleTest's own expressions know no brackets on Windows.
  const std::regex many("and [0-9]{5,} more");
  for (const Finding& f : findings) EXPECT_FALSE(std::regex_search(f.message, many)) << f.message;
  EXPECT_THAT(ReviewBare(std::string(1U << 20U, 'a')), IsEmpty());
}

TEST(Disagreement, WhatAugmentAddsEndsIt) {
  const NoProxy list = NoProxy::Parse("foo.com,2001:db8::1,10.1.2.3/32", "here").value();
  EXPECT_EQ(ReviewDisagreements(list, "").size(), 4U);
  EXPECT_THAT(ReviewBare(Augment(list).text), IsEmpty());
}

}  // namespace
}  // namespace prov::egress
