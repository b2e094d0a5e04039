// `router` as its callers see it: each action in text and JSON, and what a hurried user writes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "provisioner/base/rapidjson.h"
#include "tests/cli/program_run.h"
#include "tests/support/process.h"

namespace prov {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing_support::ProcessResult;

constexpr const char* kAcls =
    "\nacl dest1 dstdomain .bad.example\nhttp_access deny dest1\n"
    "\nacl dest2 dstdomain .example\nhttp_access allow dest2\n"
    "\nhttp_access deny all\n";

class Router : public testing_support::ProgramTest {
 protected:
  Router() {
    Write("http.txt", "# proxy\n!*.bad.example\n*.example\n");
    Write("redirect.txt", "80 tcp 203.0.113.25\n8080 tcp 203.0.113.26 80\n");
    Write("dns.txt", "443 db.example 8443\n");
    Write("wrong.txt", "*.example\nexa mple\n");
  }

  static ProcessResult Run(std::vector<std::string> words, const std::string& input = "") {
    words.insert(words.begin(), "router");
    return testing_support::Provisioner(std::move(words), input);
  }

  static rapidjson::Document Json(std::vector<std::string> words, int exit = 0) {
    words.insert(words.end(), {"--output", "json"});
    const ProcessResult result = Run(std::move(words));
    EXPECT_EQ(result.exit, exit) << result.err;
    return testing_support::Json(result);
  }

  static void ExpectUsage(std::vector<std::string> words, const std::string& part) {
    const ProcessResult result = Run(words);
    EXPECT_EQ(result.exit, 10) << result.out;
    EXPECT_THAT(result.err, HasSubstr(part));
    EXPECT_EQ(result.out, "");
  }
};

TEST_F(Router, RenderPrintsTheFormAndNothingElse) {
  const ProcessResult squid =
      Run({"render", "--kind", "http-proxy", "--destination", At("http.txt"), "--format", "squid"});
  EXPECT_EQ(squid.exit, 0) << squid.err;
  EXPECT_EQ(squid.out, kAcls);
  EXPECT_EQ(squid.err, "");
  const ProcessResult env = Run({"render", "--kind", "redirect", "--destination", At("redirect.txt"), "--source",
                                 "192.168.12.99/24", "--gateway", "192.168.12.1", "--format", "env"});
  EXPECT_THAT(env.out, AllOf(HasSubstr("192.168.12.99/24"), HasSubstr("192.168.12.1")));
}

TEST_F(Router, AManifestSaysWhereItRuns) {
  const std::vector<std::string> proxy = {"render",       "--kind",      "http-proxy", "--destination",
                                          At("http.txt"), "--namespace", "egress"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), proxy.begin(), proxy.end());
    return more;
  };
  const ProcessResult sdn =
      Run(with({"--format", "manifest", "--source", "192.168.12.99/24", "--gateway", "192.168.12.1"}));
  EXPECT_EQ(sdn.exit, 0);
  EXPECT_THAT(sdn.err, HasSubstr("warning [router-network]: the pod's annotation is for openshift-sdn"));
  const ProcessResult ovn = Run(with({"--format", "manifest", "--egress-ip", "192.168.12.99"}));
  EXPECT_EQ(ovn.exit, 0);
  EXPECT_EQ(ovn.err, "");
  EXPECT_THAT(ovn.out, HasSubstr("kind: EgressIP"));
  ExpectUsage(with({"--format", "env", "--egress-ip", "192.168.12.99"}), "--format manifest");
}

TEST_F(Router, StandardInputInEachPlace) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"render", "--kind", "http-proxy", "--destination", "-", "--format", "squid"},
        {"render", "--format", "squid", "--policy", "-"},
        {"render", "-", "--format", "squid"}}) {
    const ProcessResult result = Run(words, "!*.bad.example\n*.example\n");
    EXPECT_EQ(result.exit, 0) << result.err;
    EXPECT_EQ(result.out, kAcls);
  }
  EXPECT_EQ(Run({"check", "-"}, "*.example\n").exit, 0);
  ExpectUsage({"render", "--policy", "-", "--policy", "-", "--format", "squid"}, "read once");
}

TEST_F(Router, HaproxyGetsRecordsAndNameservers) {
  const ProcessResult result =
      Run({"render", "--kind", "dns-proxy", "--destination", At("dns.txt"), "--format", "haproxy", "--a-records",
           "db.example=3", "other=1", "--nameserver", "10.0.0.2,10.0.0.3"});
  EXPECT_EQ(result.exit, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("    nameserver ns1 10.0.0.2:53\n    nameserver ns2 10.0.0.3:53\n"));
  EXPECT_THAT(result.out, HasSubstr("server-template dest 3 db.example:8443 check resolvers"));
  EXPECT_EQ(result.err, "");
  const ProcessResult own = Run({"render", "--destination", At("dns.txt"), "--format", "haproxy"});
  EXPECT_THAT(own.err, HasSubstr("[router-nameservers]"));
  for (const char* text : {"db.example", "=3", "a=x", "a=1001"})
    ExpectUsage({"render", "--destination", At("dns.txt"), "--format", "haproxy", "--a-records", text}, "NAME=COUNT");
}

TEST_F(Router, AWrongLineIsNamed) {
  const ProcessResult text =
      Run({"render", "--kind", "http-proxy", "--destination", At("wrong.txt"), "--format", "squid"});
  EXPECT_EQ(text.exit, 11);
  EXPECT_EQ(text.out, "");
  EXPECT_THAT(text.err, HasSubstr("[destination]: Bad destination 'exa mple'"));
  EXPECT_THAT(text.err, HasSubstr("wrong.txt: line 2"));
  const auto json = Json({"render", "--kind", "http-proxy", "--destination", At("wrong.txt"), "--format", "squid"}, 11);
  EXPECT_STREQ(json["error"]["code"].GetString(), "destination");
  EXPECT_EQ(json["error"]["where"].GetString(), At("wrong.txt") + ": line 2");
}

TEST_F(Router, ExplainSaysWhy) {
  const auto json = Json({"explain", "--kind", "http-proxy", "--destination", At("http.txt"), "https://a.example/",
                          "http://x.bad.example/", "other.test"});
  ASSERT_EQ(json["decisions"].Size(), 3U);
  const auto& allowed = json["decisions"][0];
  EXPECT_STREQ(allowed["destination"].GetString(), "https://a.example/");
  EXPECT_STREQ(allowed["decision"].GetString(), "allow");
  EXPECT_EQ(allowed["line"].GetInt(), 3);
  EXPECT_STREQ(allowed["to"].GetString(), "a.example:443");
  EXPECT_TRUE(allowed["source"].IsNull());
  EXPECT_EQ(json["decisions"][1]["line"].GetInt(), 2);
  EXPECT_TRUE(json["decisions"][2]["line"].IsNull());
  const ProcessResult text = Run({"explain", "--kind", "redirect", "--destination", At("redirect.txt"), "8080", "81"});
  EXPECT_EQ(
      text.out,
      "DEST  decision  line  note\n"
      "8080  forward      2  line 2 has port 8080 of tcp; to 203.0.113.26:80\n"
      "81    none         -  no line has port 81 of tcp: the router itself gets the packets, and nothing listens\n");
}

TEST_F(Router, AnswersOfDnsStandWhereverTheyAreWritten) {
  Write("network.txt", "203.0.113.0/24\n");
  const std::vector<std::string> ask = {"explain", "--kind", "http-proxy", "--destination", At("network.txt")};
  const auto decision = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = ask;
    words.insert(words.end(), more.begin(), more.end());
    return std::string(Json(words)["decisions"][0]["decision"].GetString());
  };
  EXPECT_EQ(decision({"a.test"}), "depends");
  EXPECT_EQ(decision({"--resolve", "a.test=203.0.113.9", "a.test"}), "allow");
  EXPECT_EQ(decision({"a.test", "--resolve", "b.test=203.0.113.9", "a.test=198.51.100.1"}), "deny");
  EXPECT_EQ(decision({"https://a.test/?x=1.2.3.4"}), "depends");
  Write("hosts.txt", "# two\na.test\n\nb.test\n");
  std::vector<std::string> words = ask;
  words.insert(words.end(), {"--hosts", At("hosts.txt")});
  EXPECT_EQ(Json(words)["decisions"].Size(), 2U);
}

TEST_F(Router, ListsOfHostsAsEditorsSaveThem) {
  const auto ask = [&](const std::string& text) {
    Write("hosts.txt", text);
    return Run({"explain", "--destination", At("http.txt"), "--hosts", At("hosts.txt")});
  };
  for (const std::string& text :
       {std::string("\xEF\xBB\xBF# ours\r\na.example # registry\r\n"), std::string("https://a.example/#top\n"),
        std::string("\xFF\xFE"
                    "a\0.\0e\0x\0a\0m\0p\0l\0e\0\n\0",
                    22)}) {
    const ProcessResult result = ask(text);
    EXPECT_EQ(result.exit, 0) << result.err;
    EXPECT_THAT(result.out, HasSubstr("  allow        3  "));
  }
  for (const char* text : {"", "# nothing\n\n", "a.example\nuser:sesame@a b\n",
                           "\xFF\xFE"
                           "a"}) {
    const ProcessResult result = ask(text);
    EXPECT_EQ(result.exit, 11) << text;
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.err, AllOf(HasSubstr("error [row]: "), HasSubstr("hosts.txt"), Not(HasSubstr("sesame"))));
  }
  EXPECT_THAT(ask("a.example\na..b\n").err,
              AllOf(HasSubstr("\"a..b\" names no destination"), HasSubstr("hosts.txt, line 2")));
  ExpectUsage({"explain", "--destination", "-", "--hosts", "-"}, "read once");
}

TEST_F(Router, CheckTellsEverythingAtOnce) {
  const auto json = Json({"check", At("wrong.txt"), At("redirect.txt")}, 11);
  EXPECT_FALSE(json["valid"].GetBool());
  ASSERT_EQ(json["findings"].Size(), 1U);
  EXPECT_STREQ(json["findings"][0]["code"].GetString(), "router-destination");
  Write("twice.txt", "*.example\nwww.example\n");
  EXPECT_EQ(Run({"check", At("twice.txt")}).exit, 0);
  EXPECT_EQ(Run({"check", At("twice.txt"), "--strict"}).exit, 11);
  const ProcessResult text = Run({"check", At("twice.txt")});
  EXPECT_THAT(text.out, HasSubstr("twice.txt: valid: 0 error(s), 1 warning(s)\n"));
  EXPECT_THAT(text.err, HasSubstr("warning [router-shadowed]"));
  EXPECT_EQ(Run({"check", At("missing.txt")}).exit, 11);
}

TEST_F(Router, WhatAHurriedUserWrites) {
  ExpectUsage({}, "an action is missing: render, check, explain");
  ExpectUsage({"rendr"}, "did you mean render?");
  ExpectUsage({"render"}, "--format");
  ExpectUsage({"render", "--format", "squid"}, "--destination FILE or --policy FILE is missing");
  ExpectUsage({"render", At("http.txt"), "--format", "nftables"}, "nft");
  ExpectUsage({"render", At("http.txt"), "--format", "nft"}, "http-proxy has no form nft");
  ExpectUsage({"render", At("http.txt"), "--destination", At("http.txt"), "--format", "squid"}, "one of the two");
  ExpectUsage({"render", "", "--format", "squid"}, "empty");
  ExpectUsage({"check"}, "FILE is missing");
  ExpectUsage({"check", At("http.txt"), "--format", "squid"}, "--format is an option of router render");
  ExpectUsage({"check", At("http.txt"), "--source", "1.2.3.4"}, "takes no --source");
  ExpectUsage({"check", At("http.txt"), "--node-network", "10.0.0.0"}, "10.0.0.0/16");
  ExpectUsage({"explain", "--destination", At("http.txt")}, "a destination is missing");
  ExpectUsage({"explain", "--destination", At("redirect.txt"), "https://"}, "a port of the router");
  ExpectUsage({"explain", "--destination", At("http.txt"), "a..b"}, "names no destination");
  EXPECT_EQ(Run({"render", At("http.txt"), "--kind", "redirect", "--format", "nft"}).exit, 11);
  EXPECT_EQ(Run({"render", At("missing.txt"), "--format", "squid"}).exit, 11);
}

TEST_F(Router, PasswordsAreNotPrinted) {
  const ProcessResult result =
      Run({"explain", "--destination", At("http.txt"), "https://user:sesame@a.example/", "--output", "json"});
  EXPECT_THAT(result.out, Not(HasSubstr("sesame")));
  EXPECT_THAT(result.err, Not(HasSubstr("sesame")));
}

}  // namespace
}  // namespace prov
