#include "provisioner/egress/dialect_explain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/egress/parsed.h"
#include "tests/support/no_proxy_cases.h"
#include "tests/support/result.h"

namespace prov::egress {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using Why = ClientDecision::Why;

const char* const kProxy = "http://user:s3cret@proxy.example:3128";

Explainer Make(const ClientSettings& settings) {
  auto made = Explainer::Make(settings);
  EXPECT_TRUE(made);
  return *std::move(made);
}
Explainer WithNoProxy(std::string no_proxy, bool octets = false) {
  return Make({Secret(kProxy), Secret(kProxy), std::move(no_proxy), octets});
}
std::string Note(const Explainer& explainer, Dialect dialect, std::string_view url) {
  const Destination to = To(url);
  return explainer.Note(dialect, to, explainer.Decide(dialect, to));
}

TEST(Explainer, GoIsDecide) {
  testing_support::NoProxyCases cases(differential::Seed("ExplainerGoIsDecide"));
  for (int i = 0; i < 5000; ++i) {
    const std::string list = cases.List();
    const std::string url = cases.Url();
    const auto decided = Decide(Secret(kProxy), Secret(kProxy), list, url);
    ASSERT_TRUE(decided) << list << "  " << url;
    const Explainer explainer = WithNoProxy(list);
    const ClientDecision ours = explainer.Decide(Dialect::kGo, To(url));
    EXPECT_EQ(ours.route, decided->route) << list << "  " << url;
    EXPECT_EQ(ours.proxy, decided->proxy);
    EXPECT_EQ(ours.entry, decided->entry.value_or("")) << list << "  " << url;
  }
}

TEST(Explainer, ProxiesAreRedactedAndBareWhereOnlyHostAndPortAreKnown) {
  const Explainer explainer = WithNoProxy("");
  for (const Dialect dialect : kDialects) {
    const ClientDecision decision = explainer.Decide(dialect, To("https://quay.io/"));
    EXPECT_EQ(decision.route, Route::kProxy) << NameOf(dialect);
    EXPECT_THAT(std::string(decision.proxy), HasSubstr("proxy.example:3128"));
    EXPECT_THAT(std::string(decision.proxy), Not(HasSubstr("s3cret")));
    EXPECT_THAT(Note(explainer, dialect, "https://quay.io/"), Not(HasSubstr("s3cret")));
  }
  EXPECT_EQ(explainer.Decide(Dialect::kWinHttp, To("https://quay.io/")).proxy, "proxy.example:3128");
  EXPECT_THAT(Note(explainer, Dialect::kWinHttp, "https://quay.io/"), HasSubstr("407"));
}

TEST(Explainer, AMalformedProxyIsInvalidUnlessNoProxyHasTheHost) {
  const Explainer explainer = Make({Secret("http://u:p@ss zebra@proxy:x"), Secret(), "foo.com", false});
  for (const Dialect dialect : kDialects) {
    EXPECT_EQ(explainer.Decide(dialect, To("http://bar.com/")).route, Route::kInvalid) << NameOf(dialect);
    EXPECT_EQ(explainer.Decide(dialect, To("https://bar.com/")).why, Why::kUnset) << NameOf(dialect);
    EXPECT_THAT(Note(explainer, dialect, "http://bar.com/"), Not(HasSubstr("zebra")));
  }
  EXPECT_EQ(explainer.Decide(Dialect::kGo, To("http://foo.com/")).why, Why::kEntry);
  EXPECT_EQ(explainer.Decide(Dialect::kGo, To("ftp://foo.com/")).why, Why::kScheme);
}

// Measured with another value in each variable.
TEST(Explainer, OtherSchemesTakeTheVariableThatTheClientTakes) {
  const Explainer explainer = Make({Secret("http://plain:1"), Secret("http://tls:2"), "foo.com", false});
  const auto proxy = [&](Dialect dialect, std::string_view url) {
    return std::string(explainer.Decide(dialect, To(url)).proxy);
  };
  for (const Dialect dialect : {Dialect::kDotnet, Dialect::kDotnet11}) {
    EXPECT_EQ(proxy(dialect, "ws://a.com/"), "http://plain:1");
    EXPECT_EQ(proxy(dialect, "wss://a.com/"), "http://tls:2");
    EXPECT_EQ(proxy(dialect, "ftp://a.com/"), "http://tls:2");
    EXPECT_EQ(proxy(dialect, "gopher://a.com/"), "http://tls:2");
    EXPECT_EQ(explainer.Decide(dialect, To("wss://foo.com/")).why, Why::kEntry);
  }
  for (const Dialect dialect : {Dialect::kCurl, Dialect::kCurl8}) {
    EXPECT_EQ(proxy(dialect, "ws://a.com/"), "http://plain:1");
    EXPECT_EQ(proxy(dialect, "wss://a.com/"), "http://tls:2");
    EXPECT_EQ(explainer.Decide(dialect, To("ftp://a.com/")).why, Why::kScheme);
  }
  for (const Dialect dialect : {Dialect::kGo, Dialect::kCurl7, Dialect::kWinHttp, Dialect::kJava})
    EXPECT_EQ(explainer.Decide(dialect, To("wss://a.com/")).why, Why::kScheme) << NameOf(dialect);
  EXPECT_EQ(Note(explainer, Dialect::kDotnet, "wss://a.com/"),
            "HTTPS_PROXY applies; Go goes direct: it has proxies for http and https only");
  const Explainer plain = Make({Secret("http://plain:1"), Secret(), "", false});
  EXPECT_EQ(plain.Decide(Dialect::kDotnet, To("wss://a.com/")).why, Why::kUnset);
  EXPECT_EQ(plain.Decide(Dialect::kDotnet, To("ws://a.com/")).route, Route::kProxy);
}

// Measured: a WebSocket has the port of its scheme where its URL has none.
TEST(Explainer, EntriesWithAPortHoldForWebSocketsOfNode) {
  const Explainer explainer =
      Make({Secret("http://plain:1"), Secret("http://tls:2"), "a.com:080,b.com:443,c.com:81", false});
  for (const Dialect dialect : {Dialect::kNodeFetch, Dialect::kNodeFetch24}) {
    const auto why = [&](std::string_view url) { return explainer.Decide(dialect, To(url)).why; };
    EXPECT_EQ(why("ws://a.com/"), Why::kEntry);
    EXPECT_EQ(why("wss://a.com/"), Why::kApplies);
    EXPECT_EQ(why("wss://b.com/"), Why::kEntry);
    EXPECT_EQ(why("ws://b.com/"), Why::kApplies);
    EXPECT_EQ(why("ws://c.com:81/"), Why::kEntry);
  }
}

TEST(Explainer, DotnetIgnoresTheCaseOfAllLetters) {
  const auto direct = [](std::string_view entry, std::string_view host) {
    const Explainer explainer = WithNoProxy(std::string(entry));
    return explainer.Decide(Dialect::kDotnet, To("http://" + std::string(host) + "/")).route == Route::kDirect;
  };
  // Pairs of the same letters.
  for (const auto& [one, other] :
       {std::pair("B\u00DCCHER.example", "b\u00FCcher.example"), std::pair("\u00C0\u00DE.a", "\u00E0\u00FE.a"),
        std::pair("\u0100\u0136.a", "\u0101\u0137.a"), std::pair("\u0139\u0147.a", "\u013A\u0148.a"),
        std::pair("\u014A\u0176.a", "\u014B\u0177.a"), std::pair("\u0179\u017D.a", "\u017A\u017E.a"),
        std::pair("\u0178.a", "\u00FF.a"), std::pair("\u0391\u03A9.a", "\u03B1\u03C9.a"),
        std::pair("\u03A3.a", "\u03C3.a"), std::pair("\u0400\u0410\u042F.a", "\u0450\u0430\u044F.a")}) {
    EXPECT_TRUE(direct(one, other)) << one;
    EXPECT_TRUE(direct(other, one)) << one;
    EXPECT_TRUE(direct("." + std::string(one), "x." + std::string(other))) << one;
  }
  EXPECT_FALSE(direct("b\u00FCcher.example", "xn--bcher-kva.example"));
  EXPECT_FALSE(direct("\u00D7.a", "\u00F7.a")) << "no letters";
  EXPECT_FALSE(direct("\u00DF.a", "ss.a"));
}

TEST(Explainer, CurlHasThreeReadings) {
  const auto direct = [](std::string list, std::string_view url) {
    std::string out;
    const Explainer explainer = WithNoProxy(std::move(list));
    for (const Dialect dialect : {Dialect::kCurl, Dialect::kCurl8, Dialect::kCurl7}) {
      if (explainer.Decide(dialect, To(url)).route == Route::kDirect)
        out += (out.empty() ? "" : " ") + std::string(NameOf(dialect));
    }
    return out;
  };
  EXPECT_EQ(direct("10.0.0.0/8", "http://10.1.2.3/"), "curl curl8 curl7");
  EXPECT_EQ(direct("fd02::/112", "http://[fd02::1]/"), "curl");
  EXPECT_EQ(direct("::1/128", "http://[::1]/"), "curl");
  EXPECT_EQ(direct("2001:DB8:0::1", "http://[2001:db8::1]/"), "curl");
  EXPECT_EQ(direct("2001:db8::1", "http://[2001:DB8:0::1]/"), "curl curl8 curl7");
  EXPECT_EQ(direct("10.1.2.255/", "http://10.1.2.255/"), "curl8 curl7");
  EXPECT_EQ(direct("10.1.2.255/x", "http://10.1.2.255/"), "curl8 curl7");
  EXPECT_EQ(direct("foo.com bar.com", "http://bar.com/"), "curl7");
  EXPECT_EQ(direct("10.0.0.1.", "http://10.0.0.1./"), "curl8 curl7");
  EXPECT_EQ(direct("10.0.0.0/8", "http://10.0.0.1./"), "curl");
  EXPECT_EQ(direct("10.0.0.1", "http://10.0.0.1./"), "curl curl8 curl7");
  const Explainer explainer = WithNoProxy("fd02::/112,0.0.0.0/0");
  EXPECT_THAT(Note(explainer, Dialect::kCurl8, "http://[fd02::1]/"), HasSubstr("curl 8.18 and later"));
  EXPECT_THAT(Note(explainer, Dialect::kCurl8, "http://10.0.0.1/"), HasSubstr("length 0"));
}

TEST(Explainer, WinHttpIsAboutTheListThatIsWritten) {
  const Explainer explainer = WithNoProxy("foo.com,10.0.0.0/8,10.1.2.3/32,2001:db8::1,*.bar.com");
  const auto entry = [&](std::string_view url) {
    return std::string(explainer.Decide(Dialect::kWinHttp, To(url)).entry);
  };
  EXPECT_EQ(entry("http://a.foo.com/"), "foo.com");
  EXPECT_EQ(entry("http://a.bar.com/"), "*.bar.com");
  EXPECT_EQ(entry("http://[2001:db8::1]/"), "2001:db8::1");
  EXPECT_EQ(entry("http://10.1.2.3/"), "10.0.0.0/8");  // the first that has the address
  EXPECT_EQ(explainer.Decide(Dialect::kWinHttp, To("http://10.9.9.9/")).route, Route::kProxy);
  EXPECT_THAT(Note(explainer, Dialect::kWinHttp, "http://10.9.9.9/"), HasSubstr("--winhttp-octets"));
  EXPECT_EQ(explainer.Decide(Dialect::kWinHttp, To("http://127.0.0.1/")).why, Why::kImplicit);
  const Explainer octets = WithNoProxy("10.0.0.0/8", true);
  EXPECT_EQ(octets.Decide(Dialect::kWinHttp, To("http://10.9.9.9/")).entry, "10.0.0.0/8");
  EXPECT_EQ(octets.Decide(Dialect::kWinHttp, To("http://10.evil.example/")).route, Route::kDirect);
}

TEST(Explainer, AProxyThatWinHttpCantHoldLeavesItDirect) {
  const Explainer explainer = Make({Secret("http://p:1"), Secret("https://p:2"), "", false});
  EXPECT_EQ(explainer.Decide(Dialect::kWinHttp, To("https://a.com/")).why, Why::kNotCarried);
  EXPECT_EQ(explainer.Decide(Dialect::kWinInet, To("https://a.com/")).route, Route::kDirect);
  EXPECT_EQ(explainer.Decide(Dialect::kWinHttp, To("http://a.com/")).route, Route::kProxy);
  EXPECT_EQ(explainer.Decide(Dialect::kGo, To("https://a.com/")).route, Route::kProxy);
}

TEST(Explainer, WinInetHasAListOnlyWhereItIsAskedFor) {
  const Explainer explainer = WithNoProxy("foo.com");
  for (const char* url : {"http://foo.com/", "https://bar.com/"}) {
    EXPECT_THAT(Note(explainer, Dialect::kWinInet, url), HasSubstr("where --scope has wininet")) << url;
    EXPECT_THAT(Note(explainer, Dialect::kWinHttp, url), Not(HasSubstr("--scope"))) << url;
  }
  EXPECT_THAT(Note(explainer, Dialect::kWinInet, "http://localhost/"), Not(HasSubstr("--scope")));
}

TEST(Explainer, SaysWhoCantSpeakTlsToAProxy) {
  const std::string fails = "can't speak TLS to a proxy, so these requests fail";
  const Explainer explainer = Make({Secret("http://p:1"), Secret("https://p:2"), "foo.com", false});
  for (const Dialect dialect : {Dialect::kPython, Dialect::kJava}) {
    EXPECT_EQ(explainer.Decide(dialect, To("https://a.com/")).route, Route::kProxy);
    EXPECT_THAT(Note(explainer, dialect, "https://a.com/"), HasSubstr(fails)) << NameOf(dialect);
    EXPECT_THAT(Note(explainer, dialect, "http://a.com/"), Not(HasSubstr(fails)));
    EXPECT_THAT(Note(explainer, dialect, "https://foo.com/"), Not(HasSubstr(fails))) << "direct";
  }
  for (const Dialect dialect : {Dialect::kGo, Dialect::kCurl, Dialect::kRequests})
    EXPECT_THAT(Note(explainer, dialect, "https://a.com/"), Not(HasSubstr(fails)));
}

TEST(Explainer, NotesSayWhereClientsAndVersionsDiffer) {
  const Explainer explainer = WithNoProxy("foo.com,.bar.com,10.0.0.0/8,*.baz.com,2001:db8::1");
  EXPECT_THAT(Note(explainer, Dialect::kDotnet, "http://10.1.2.3/"), HasSubstr(".NET 11"));
  EXPECT_THAT(Note(explainer, Dialect::kDotnet, "http://a.foo.com/"), HasSubstr("that host alone"));
  EXPECT_THAT(Note(explainer, Dialect::kCurl, "http://bar.com/"), HasSubstr("leading dot"));
  EXPECT_THAT(Note(explainer, Dialect::kCurl, "http://a.baz.com/"), HasSubstr("'*.'"));
  EXPECT_THAT(Note(explainer, Dialect::kPython, "http://[2001:db8::1]/"), HasSubstr("brackets"));
  EXPECT_THAT(Note(explainer, Dialect::kRequests, "http://localhost/"), HasSubstr("loopback"));
  EXPECT_EQ(Note(explainer, Dialect::kDotnet, "http://foo.com/"), "NO_PROXY has the host");
  EXPECT_THAT(Note(explainer, Dialect::kCurl, "http://quay.io/"), HasSubstr("http_proxy"));
}

// Every pair of answers that differ comes with a reason.
TEST(Explainer, EachDifferenceFromGoIsExplained) {
  testing_support::NoProxyCases cases(differential::Seed("ExplainerDifferences"));
  int differences = 0;
  for (int i = 0; i < 3000; ++i) {
    const Explainer explainer = WithNoProxy(cases.List());
    const Destination to = To(cases.Url());
    const bool go_direct = explainer.Decide(Dialect::kGo, to).route == Route::kDirect;
    for (const Dialect dialect : kDialects) {
      const ClientDecision decision = explainer.Decide(dialect, to);
      if ((decision.route == Route::kDirect) == go_direct) continue;
      ++differences;
      EXPECT_THAT(explainer.Note(dialect, to, decision), HasSubstr("Go ")) << NameOf(dialect);
    }
  }
  EXPECT_GT(differences, 1000);
}

TEST(Explainer, NodeFetchTakesTheProxyForHttpWhereThereIsNoOther) {
  const Explainer plain = Make({Secret("http://p:1"), Secret(), "", false});
  for (const Dialect dialect : {Dialect::kNodeFetch, Dialect::kNodeFetch24}) {
    for (const char* url : {"http://a.com/", "https://a.com/", "ws://a.com/", "wss://a.com/"})
      EXPECT_EQ(plain.Decide(dialect, To(url)).route, Route::kProxy) << url;
    EXPECT_EQ(plain.Decide(dialect, To("ftp://a.com/")).why, Why::kScheme);
  }
  EXPECT_EQ(plain.Decide(Dialect::kNodeHttp, To("https://a.com/")).why, Why::kUnset);
  EXPECT_EQ(plain.Decide(Dialect::kNodeHttp, To("ws://a.com/")).why, Why::kScheme);
  const Explainer tls = Make({Secret(), Secret("http://p:2"), "", false});
  EXPECT_EQ(tls.Decide(Dialect::kNodeFetch, To("http://a.com/")).why, Why::kUnset);
  const Explainer both = Make({Secret("http://p:1"), Secret("http://p:2"), "", false});
  EXPECT_EQ(both.Decide(Dialect::kNodeFetch, To("https://a.com/")).proxy, "http://p:2");
}

TEST(Explainer, NodeNeedsAFourthVariable) {
  ClientSettings settings{Secret("http://p:1"), Secret("http://p:1"), "foo.com,*.bar.com,10.0.0.1-10.0.0.9", false};
  const Explainer unset = Make(settings);
  EXPECT_EQ(Note(unset, Dialect::kNodeHttp, "https://a.com/"), "if NODE_USE_ENV_PROXY=1 is set, HTTPS_PROXY applies");
  settings.node_env_proxy = true;
  const Explainer set = Make(settings);
  EXPECT_EQ(Note(set, Dialect::kNodeFetch, "https://a.com/"), "HTTPS_PROXY applies");
  EXPECT_EQ(Note(set, Dialect::kNodeHttp, "http://a.foo.com/"),
            "HTTP_PROXY applies; Go goes direct by foo.com; Node.js http takes a name without a leading dot for that "
            "host alone");
  EXPECT_EQ(Note(set, Dialect::kNodeHttp, "http://10.0.0.5/"),
            "NO_PROXY has the host; Go uses the proxy; Node.js http reads ranges of addresses");
  EXPECT_EQ(Note(set, Dialect::kNodeFetch, "http://bar.com/"), "HTTP_PROXY applies; Node.js 24 goes direct");
}

// With NODE_USE_ENV_PROXY=1 Node.js reads both URLs when it starts.
TEST(Explainer, NodeEndsAtItsStartWithSomeUrls) {
  for (const char* url : {"p:1", "http://p:1/x", "http://p:1?x", "http://p:1/#f", "http://u:%FF@p:1"}) {
    const Explainer explainer = Make({Secret("http://ok:1"), Secret(url), "foo.com", false});
    for (const Dialect dialect : {Dialect::kNodeHttp, Dialect::kNodeFetch, Dialect::kNodeFetch24}) {
      EXPECT_EQ(explainer.Decide(dialect, To("http://foo.com/")).route, Route::kInvalid) << url;
      EXPECT_THAT(Note(explainer, dialect, "http://foo.com/"),
                  AllOf(HasSubstr("Node.js ends at its start, because of HTTPS_PROXY"), Not(HasSubstr("Go goes"))))
          << url;
    }
    EXPECT_EQ(explainer.Decide(Dialect::kGo, To("https://a.com/")).route, Route::kProxy) << url;
  }
  for (const char* url : {"http://p:1/", "http://p", "http://u:p@p:1", "https://p:1/?#"}) {
    const Explainer explainer = Make({Secret(), Secret(url), "", false});
    EXPECT_EQ(explainer.Decide(Dialect::kNodeHttp, To("https://a.com/")).route, Route::kProxy) << url;
  }
}

// Node's fetch takes HTTP_PROXY for https, and Go does not.
TEST(Explainer, ADifferenceFromGoSaysWhatGoDoes) {
  const Explainer explainer = Make({Secret("http://p:1"), Secret(), "", false, true});
  EXPECT_EQ(Note(explainer, Dialect::kNodeFetch, "https://a.com/"),
            "HTTP_PROXY applies; Go goes direct: it takes HTTP_PROXY for http alone");
}

// Measured with curl 7.88.1: error 5.
TEST(Explainer, CurlRefusesABlankAndAnAtInTheUrl) {
  for (const char* url : {"http://u:p@w@p:1", "http://u@v:p@p:1", "http://p:1/a b"}) {
    const Explainer explainer = Make({Secret(), Secret(url), "foo.com", false});
    for (const Dialect dialect : {Dialect::kCurl, Dialect::kCurl8, Dialect::kCurl7}) {
      EXPECT_EQ(explainer.Decide(dialect, To("https://a.com/")).route, Route::kInvalid) << url;
      EXPECT_THAT(Note(explainer, dialect, "https://a.com/"), HasSubstr("curl refuses HTTPS_PROXY with an error"))
          << url;
      EXPECT_EQ(explainer.Decide(dialect, To("https://foo.com/")).route, Route::kDirect) << url;
    }
    EXPECT_EQ(explainer.Decide(Dialect::kGo, To("https://a.com/")).route, Route::kProxy) << url;
  }
  const Explainer escaped = Make({Secret(), Secret("http://u:p%40w@p:1/a%20b"), "", false});
  EXPECT_EQ(escaped.Decide(Dialect::kCurl, To("https://a.com/")).route, Route::kProxy);
}

// Measured with Node.js 26.12.1: ERR_INVALID_ARG_VALUE. 24 connects.
TEST(Explainer, NodesFetchCantSpeakTlsToAnAddress) {
  for (const char* url : {"https://10.9.8.7:3128", "https://[2001:db8::1]:3128"}) {
    const Explainer explainer = Make({Secret(), Secret(url), "", false, true});
    EXPECT_THAT(Note(explainer, Dialect::kNodeFetch, "https://a.com/"), HasSubstr("so these requests fail")) << url;
    EXPECT_THAT(Note(explainer, Dialect::kNodeFetch24, "https://a.com/"), Not(HasSubstr("fail"))) << url;
  }
  const Explainer named = Make({Secret(), Secret("https://p:3128"), "", false, true});
  EXPECT_THAT(Note(named, Dialect::kNodeFetch, "https://a.com/"), Not(HasSubstr("fail")));
}

TEST(Explainer, NodeRefusesAZone) {
  const Explainer explainer = Make({Secret(), Secret("http://p:1"), "fe80::1", false, true});
  for (const Dialect dialect : {Dialect::kNodeHttp, Dialect::kNodeFetch, Dialect::kNodeFetch24}) {
    EXPECT_EQ(explainer.Decide(dialect, To("https://[fe80::1%25eth0]/")).route, Route::kInvalid);
    EXPECT_EQ(Note(explainer, dialect, "https://[fe80::1%25eth0]/"),
              "Node.js refuses the request's URL, because its address has a zone");
  }
  EXPECT_EQ(explainer.Decide(Dialect::kGo, To("https://[fe80::1%25eth0]/")).route, Route::kDirect);
}

// The modules http and https compare the letters; fetch reads the URL.
TEST(Explainer, NodeHttpKnowsNoSchemeWithCapitals) {
  ClientSettings settings;
  settings.https_proxy = Secret("HTTP://proxy.example:3128");
  const Explainer explainer = Explainer::Make(settings).value();
  const Destination to = To("https://a.example/");
  const ClientDecision decision = explainer.Decide(Dialect::kNodeHttp, to);
  EXPECT_EQ(decision.route, Route::kDirect);
  EXPECT_THAT(explainer.Note(Dialect::kNodeHttp, to, decision), HasSubstr("HTTPS_PROXY has capital letters"));
  for (const Dialect other : {Dialect::kNodeFetch, Dialect::kGo, Dialect::kDotnet})
    EXPECT_EQ(explainer.Decide(other, to).route, Route::kProxy) << NameOf(other);
}

TEST(Explainer, ControlCharactersAreNoList) {
  EXPECT_EQ(ErrorIn(Explainer::Make({Secret(kProxy), Secret(), "a\tb", false})).code, Code::kNoProxy);
}

}  // namespace
}  // namespace prov::egress
