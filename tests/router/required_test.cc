#include "provisioner/router/required.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/result.h"

namespace prov::router {
namespace {

using egress::Route;
using testing::HasSubstr;
using testing::Not;

std::vector<Requirement> ReadRequired(const std::string& text) {
  auto read = ReadRequirements(text, "required.txt");
  EXPECT_TRUE(read) << (read ? "" : read.error().message);
  return read ? *std::move(read) : std::vector<Requirement>();
}

Error RequiredError(const std::string& text) { return ErrorIn(ReadRequirements(text, "required.txt")); }

TEST(Required, LinesOfTheList) {
  const std::vector<Requirement> list = ReadRequired(
      "# registries\r\nhttps://quay.io/ proxy 10.42.253.45\r\n\n registry.redhat.io\tproxy # by name\n"
      "http://10.0.0.1:8080/x direct\nhttps://a.example/#part 2001:db8::1\n2001:db8::7\n");
  ASSERT_EQ(list.size(), 5U);
  EXPECT_EQ(list[0].line, 2U);
  EXPECT_EQ(list[0].shown, "https://quay.io/");
  EXPECT_EQ(list[0].route, Route::kProxy);
  EXPECT_EQ(list[0].source, IpAddress::Parse("10.42.253.45"));
  EXPECT_EQ(list[1].line, 4U);
  EXPECT_EQ(list[1].to.scheme, "https");
  EXPECT_EQ(list[1].to.port, 443);
  EXPECT_EQ(list[1].route, Route::kProxy);
  EXPECT_FALSE(list[1].source);
  EXPECT_EQ(list[2].route, Route::kDirect);
  EXPECT_FALSE(list[3].route);
  EXPECT_EQ(list[3].source, IpAddress::Parse("2001:db8::1"));
  EXPECT_EQ(list[4].to.authority, "[2001:db8::7]");
}

TEST(Required, WhatEditorsSave) {
  EXPECT_EQ(ReadRequired("\xEF\xBB\xBFquay.io\n")[0].to.name, "quay.io");
  EXPECT_EQ(ReadRequired(std::string("\xFF\xFEq\0u\0a\0y\0.\0i\0o\0\n\0", 18))[0].to.name, "quay.io");
  EXPECT_EQ(RequiredError(std::string("\xFF\xFEq\0u", 5)).code, Code::kRow);
}

TEST(Required, WrongLinesAreNamed) {
  for (const char* text :
       {"quay.io\nhttp://[::1/ proxy\n", "quay.io\nhttps://a.example/ proxied\n",
        "quay.io\nhttps://a.example/ 10.0.0.1 proxy\n", "quay.io\nhttps://a.example/ proxy 10.0.0.300\n",
        "quay.io\nhttps://a.example/ proxy 10.0.0.1 more\n"}) {
    const Error error = RequiredError(text);
    EXPECT_EQ(error.code, Code::kRow) << text;
    EXPECT_EQ(error.where, "required.txt, line 2") << text;
  }
}

// A client compares these as the text of one host, so an answer would say nothing of what was meant.
TEST(Required, PatternsAndNetworksAreNoDestinations) {
  for (const char* text : {"*.quay.io direct\n", "https://*.quay.io/ proxy\n", "a.example,b.example\n",
                           "10.0.0.0/8 direct\n", "2001:db8::/32\n"}) {
    EXPECT_EQ(RequiredError(text).code, Code::kRow) << text;
  }
  EXPECT_THAT(RequiredError("10.0.0.0/8\n").message, HasSubstr("is a network"));
  EXPECT_THAT(RequiredError("*.quay.io\n").message, HasSubstr("an asterisk"));
  EXPECT_EQ(ReadRequired("10.0.0.1/\n10.0.0.1/x\nhttps://10.0.0.1/8\nquay.io/8\nquay.io/*,\n").size(), 5U);
}

// A list that lost its lines must not pass.
TEST(Required, AnEmptyListIsAnError) {
  EXPECT_EQ(RequiredError("").code, Code::kRow);
  EXPECT_EQ(RequiredError("# nothing\n\n").code, Code::kRow);
}

TEST(Required, PasswordsAreHidden) {
  EXPECT_THAT(ReadRequired("https://user:sesame@a.example/\n")[0].shown, Not(HasSubstr("sesame")));
  EXPECT_THAT(RequiredError("quay.io http://user:sesame@proxy.example:3128\n").message, Not(HasSubstr("sesame")));
}

RequestPath Way(RequestPath::End end, Verdict verdict, const char* source = "", const char* note = "the note") {
  RequestPath out;
  out.end = end;
  out.verdict = verdict;
  out.source = source;
  out.note = note;
  return out;
}

egress::ClientDecision Client(Route route, std::string_view entry = {},
                              egress::ClientDecision::Why why = egress::ClientDecision::Why::kApplies) {
  return {.route = route, .why = why, .proxy = {}, .entry = entry};
}

std::string ObjectionTo(const char* line, const egress::ClientDecision& decision, const RequestPath* way) {
  return Objection(ReadRequired(line)[0], decision, way);
}

TEST(Required, AClientGoesAsRequiredOrNot) {
  const egress::ClientDecision proxy = Client(Route::kProxy);
  const egress::ClientDecision direct = Client(Route::kDirect);
  EXPECT_EQ(ObjectionTo("quay.io", proxy, nullptr), "");
  EXPECT_EQ(ObjectionTo("quay.io", direct, nullptr), "");
  EXPECT_EQ(ObjectionTo("quay.io direct", direct, nullptr), "");
  EXPECT_EQ(ObjectionTo("quay.io proxy", direct, nullptr), "goes direct, and must go through the proxy");
  EXPECT_EQ(ObjectionTo("quay.io direct", proxy, nullptr), "goes through the proxy, and must go direct");
  EXPECT_EQ(ObjectionTo("quay.io proxy", Client(Route::kDirect, ".io"), nullptr),
            "goes direct by .io of NO_PROXY, and must go through the proxy");
  using Why = egress::ClientDecision::Why;
  EXPECT_THAT(ObjectionTo("quay.io proxy", Client(Route::kDirect, {}, Why::kUnset), nullptr),
              HasSubstr("no proxy is set for it"));
  EXPECT_THAT(ObjectionTo("quay.io proxy", Client(Route::kDirect, {}, Why::kNotCarried), nullptr),
              HasSubstr("can't hold the proxy"));
  EXPECT_THAT(ObjectionTo("quay.io", Client(Route::kInvalid), nullptr), HasSubstr("can't use its proxy"));
}

TEST(Required, ARouterLetsItOutOrNot) {
  const egress::ClientDecision proxy = Client(Route::kProxy);
  const RequestPath denied = Way(RequestPath::End::kRouter, Verdict::kDeny);
  EXPECT_EQ(ObjectionTo("quay.io", proxy, &denied), "is refused: the note");
  EXPECT_EQ(ObjectionTo("quay.io proxy 10.42.253.45", proxy, &denied), "is refused: the note");
  const RequestPath none = Way(RequestPath::End::kRouter, Verdict::kNone);
  EXPECT_EQ(ObjectionTo("quay.io", proxy, &none), "is refused: the note");
  const RequestPath depends = Way(RequestPath::End::kRouter, Verdict::kDepends);
  EXPECT_EQ(ObjectionTo("quay.io", proxy, &depends), "is not certain: the note");
  const RequestPath unknown = Way(RequestPath::End::kUnknown, Verdict::kNone);
  EXPECT_EQ(ObjectionTo("quay.io", proxy, &unknown), "the note");
  const RequestPath forwarded = Way(RequestPath::End::kRouter, Verdict::kForward);
  EXPECT_EQ(ObjectionTo("quay.io proxy", proxy, &forwarded), "");
}

TEST(Required, TheOutsideSeesTheRightAddressOrNot) {
  const egress::ClientDecision proxy = Client(Route::kProxy);
  const RequestPath allowed = Way(RequestPath::End::kRouter, Verdict::kAllow, "10.42.253.45");
  EXPECT_EQ(ObjectionTo("quay.io proxy", proxy, &allowed), "");
  EXPECT_EQ(ObjectionTo("quay.io proxy 10.42.253.45", proxy, &allowed), "");
  EXPECT_EQ(ObjectionTo("quay.io 10.42.253.46", proxy, &allowed),
            "leaves with 10.42.253.45, and must leave with 10.42.253.46");
  const RequestPath direct = Way(RequestPath::End::kDirect, Verdict::kNone);
  EXPECT_THAT(ObjectionTo("quay.io 10.42.253.46", Client(Route::kDirect), &direct), HasSubstr("not known here"));
  EXPECT_EQ(ObjectionTo("quay.io direct", Client(Route::kDirect), &direct), "");
  const RequestPath nameless = Way(RequestPath::End::kRouter, Verdict::kAllow);
  EXPECT_EQ(ObjectionTo("quay.io 10.42.253.45", proxy, &nameless),
            "leaves with an address that no file gives, and must leave with 10.42.253.45");
}

}  // namespace
}  // namespace prov::router
