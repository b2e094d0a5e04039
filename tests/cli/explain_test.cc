// `explain` as its callers see it, and what `check` and `bake` take from it.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "provisioner/base/rapidjson.h"
#include "tests/cli/program_run.h"
#include "tests/support/process.h"
#include "tests/support/sample.h"

namespace prov {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing_support::Json;
using testing_support::ProcessResult;
using testing_support::Provisioner;

const char* const kProxyEnv =
    "HTTP_PROXY=http://user:s3cret@proxy.example.com:3128\nHTTPS_PROXY=http://proxy.example.com:3128\n"
    "NO_PROXY=.svc,10.0.0.0/8,example.com\n";

class Explain : public testing_support::ProgramTest {
 protected:
  std::string source_ = Write("proxy.env", kProxyEnv);
};

TEST_F(Explain, JsonOfTheContract) {
  const ProcessResult result = Provisioner(
      {"explain", source_, "--url", "http://10.1.2.3/", "https://quay.io/", "--for", "go,dotnet", "--output", "json"});
  ASSERT_EQ(result.exit, 0) << result.err;
  const rapidjson::Document document = Json(result);
  const auto& decisions = document["decisions"];
  ASSERT_EQ(decisions.Size(), 4U);
  EXPECT_STREQ(decisions[0]["url"].GetString(), "http://10.1.2.3/");
  EXPECT_STREQ(decisions[0]["client"].GetString(), "go");
  EXPECT_STREQ(decisions[0]["decision"].GetString(), "direct");
  EXPECT_STREQ(decisions[0]["entry"].GetString(), "10.0.0.0/8");
  EXPECT_TRUE(decisions[0]["proxy"].IsNull());
  EXPECT_STREQ(decisions[1]["client"].GetString(), "dotnet");
  EXPECT_STREQ(decisions[1]["decision"].GetString(), "proxy");
  EXPECT_TRUE(decisions[1]["entry"].IsNull());
  EXPECT_THAT(decisions[1]["proxy"].GetString(), HasSubstr("proxy.example.com:3128"));
  EXPECT_THAT(decisions[1]["note"].GetString(), HasSubstr(".NET 11"));
  EXPECT_STREQ(decisions[3]["url"].GetString(), "https://quay.io/");
  EXPECT_THAT(result.out, Not(HasSubstr("s3cret")));
}

TEST_F(Explain, TenClientsByDefault) {
  const ProcessResult result = Provisioner({"explain", source_, "--url", "http://example.com/", "--output", "json"});
  ASSERT_EQ(result.exit, 0) << result.err;
  const rapidjson::Document document = Json(result);
  std::vector<std::string> clients;
  for (const auto& one : document["decisions"].GetArray()) clients.emplace_back(one["client"].GetString());
  EXPECT_THAT(clients, ElementsAre("go", "curl", "curl8", "curl7", "dotnet", "winhttp", "wininet", "python", "requests",
                                   "java"));
}

TEST_F(Explain, ProgramsStandForTheirClients) {
  const auto clients = [&](const char* names) {
    std::vector<std::string> out;
    const ProcessResult result =
        Provisioner({"explain", source_, "--url", "http://example.com/", "--for", names, "--output", "json"});
    EXPECT_EQ(result.exit, 0) << result.err;
    for (const auto& one : Json(result)["decisions"].GetArray()) out.emplace_back(one["client"].GetString());
    return out;
  };
  EXPECT_THAT(clients("kubelet,containerd,go"), ElementsAre("go"));
  EXPECT_THAT(clients("node,nodehttp,nodefetch24"), ElementsAre("nodehttp", "nodefetch", "nodefetch24"));
}

TEST_F(Explain, NodeUsesNoProxyWithoutItsOwnVariable) {
  const ProcessResult without = Provisioner({"explain", source_, "--url", "https://quay.io/", "--for", "node"});
  EXPECT_EQ(without.exit, 0) << without.err;
  EXPECT_THAT(without.out, HasSubstr("  nodefetch proxy    http://proxy.example.com:3128: if NODE_USE_ENV_PROXY=1"));
  EXPECT_THAT(without.err, HasSubstr("[node-env-proxy]"));
  EXPECT_THAT(Provisioner({"explain", source_, "--url", "https://quay.io/"}).err, Not(HasSubstr("node-env-proxy")));
  const std::string none = Write("none.env", "NO_PROXY=.svc\n");
  EXPECT_THAT(Provisioner({"explain", none, "--url", "https://quay.io/", "--for", "node"}).err,
              Not(HasSubstr("node-env-proxy")));
  const std::string set = Write("set.env", std::string(kProxyEnv) + "NODE_USE_ENV_PROXY=1\n");
  const ProcessResult with =
      Provisioner({"explain", set, "--url", "https://quay.io/", "--for", "nodefetch,nodefetch24"});
  EXPECT_THAT(with.out, HasSubstr("  nodefetch24 proxy    http://proxy.example.com:3128: HTTPS_PROXY applies\n"));
  EXPECT_THAT(with.err, Not(HasSubstr("node-env-proxy")));
}

// A proxy that some client drops without a word.
TEST_F(Explain, WhatSomeClientDropsIsInvalidAndNoError) {
  for (const char* url : {"http://proxy:", "http://:sesame@proxy:3128", "http://u:sesame%0A@proxy:3128"}) {
    const std::string source = Write("open.env", fmt::format("HTTPS_PROXY={}\nNO_PROXY=.svc,localhost\n", url));
    const ProcessResult explained = Provisioner({"explain", source, "--url", "https://a.com/", "--output", "json"});
    EXPECT_EQ(explained.exit, 0) << explained.err;
    const rapidjson::Document document = Json(explained);
    for (const auto& one : document["decisions"].GetArray()) {
      EXPECT_STREQ(one["decision"].GetString(), "invalid") << url;
      EXPECT_THAT(one["note"].GetString(), HasSubstr("direct without an error")) << url;
    }
    const ProcessResult checked = Provisioner({"check", source});
    EXPECT_EQ(checked.exit, 11) << url;
    EXPECT_THAT(checked.err, HasSubstr("error [fail-open]")) << url;
    EXPECT_THAT(explained.out + explained.err + checked.out + checked.err, Not(HasSubstr("sesame"))) << url;
  }
}

TEST_F(Explain, ATableOfHosts) {
  const std::string hosts =
      Write("hosts", "# comment\nexample.com\n\nsub.example.com:8443 # another\n10.1.2.3\n2001:db8::1\n");
  const ProcessResult result = Provisioner({"explain", source_, "--hosts", hosts, "--for", "go,dotnet"});
  EXPECT_EQ(result.exit, 0) << result.err;
  EXPECT_EQ(result.out,
            "destination           go        dotnet\n"
            "example.com           direct    direct\n"
            "sub.example.com:8443  direct    proxy*\n"
            "10.1.2.3              direct    proxy*\n"
            "2001:db8::1           proxy     proxy\n"
            "* differs from Go, whose reading the cluster uses; --url shows why\n");
  EXPECT_EQ(Json(Provisioner({"explain", source_, "--hosts", hosts, "--output", "json"}))["decisions"].Size(), 40U);
}

TEST_F(Explain, ATableSaysWhereTheProxyAnswers407) {
  const std::string source = Write("user.env", "HTTPS_PROXY=http://u:p@p:1\nNO_PROXY=10.0.0.0/8\n");
  const std::string hosts = Write("hosts", "quay.io\n10.1.2.3\n");
  EXPECT_EQ(Provisioner({"explain", source, "--hosts", hosts, "--for", "containerd,winhttp,dotnet"}).out,
            "destination  go        winhttp     dotnet\n"
            "quay.io      proxy     proxy 407   proxy\n"
            "10.1.2.3     direct    proxy 407*  proxy*\n"
            "* differs from Go, whose reading the cluster uses; --url shows why\n"
            "407 the proxy's answer: the client's settings can't hold user and password\n");
}

TEST_F(Explain, HostsAsWindowsEditorsSaveThem) {
  const std::string plain = Write("plain", "example.com\n");
  const std::string marked = Write("marked",
                                   "\xEF\xBB\xBF"
                                   "example.com\r\n");
  EXPECT_EQ(Provisioner({"explain", source_, "--hosts", marked, "--for", "go"}).out,
            Provisioner({"explain", source_, "--hosts", plain, "--for", "go"}).out);
  const ProcessResult wide = Provisioner({"explain", source_, "--hosts",
                                          Write("wide", {"\xFF\xFE"
                                                         "a\0\n\0",
                                                         6})});
  EXPECT_EQ(wide.exit, 0) << wide.err;
  const ProcessResult cut = Provisioner({"explain", source_, "--hosts",
                                         Write("cut", {"\xFF\xFE"
                                                       "a\0\n",
                                                       5})});
  EXPECT_EQ(cut.exit, 11);
  EXPECT_THAT(cut.err, HasSubstr("UTF-16"));
}

TEST_F(Explain, TextNamesEntryAndReason) {
  const ProcessResult result =
      Provisioner({"explain", source_, "--url", "https://a.example.com/", "--for", "go,dotnet"});
  EXPECT_EQ(result.out,
            "https://a.example.com/\n"
            "  go        direct   example.com: NO_PROXY has the host\n"
            "  dotnet    proxy    http://proxy.example.com:3128: HTTPS_PROXY applies; Go goes direct by example.com; "
            ".NET takes a name without a leading dot for that host alone\n");
}

TEST_F(Explain, Augment) {
  const ProcessResult text = Provisioner({"explain", source_, "--augment"});
  EXPECT_EQ(text.out,
            "NO_PROXY=.svc,10.0.0.0/8,example.com,.example.com,127.0.0.1,::1,[::1]\n"
            "  added: .example.com, 127.0.0.1, ::1, [::1]\n");
  const rapidjson::Document document = Json(Provisioner(
      {"explain", source_, "--augment", "--url", "http://a.example.com/", "--for", "dotnet", "--output", "json"}));
  EXPECT_STREQ(document["augmented"]["noProxy"].GetString(),
               ".svc,10.0.0.0/8,example.com,.example.com,127.0.0.1,::1,[::1]");
  EXPECT_EQ(document["augmented"]["added"].Size(), 4U);
  EXPECT_STREQ(document["decisions"][0]["entry"].GetString(), ".example.com");
}

TEST_F(Explain, AUrlThatWasPastedIntoNoProxyIsShownWithoutItsPassword) {
  const std::string source = Write("pasted.env", "HTTP_PROXY=http://proxy:1\nNO_PROXY=.svc,http://u:s3cret@proxy:1\n");
  EXPECT_THAT(Provisioner({"explain", source, "--augment"}).out, HasSubstr("NO_PROXY=.svc,http://u:***@proxy:1"));
  const auto asked = Json(Provisioner({"explain", source, "--augment", "--output", "json"}));
  EXPECT_THAT(asked["augmented"]["noProxy"].GetString(), HasSubstr(".svc,http://u:***@proxy:1"));
  EXPECT_STREQ(Json(Provisioner({"extract", source}))["proxy"]["NO_PROXY"].GetString(), ".svc,http://u:***@proxy:1");
  EXPECT_STREQ(Json(Provisioner({"extract", source, "--show-secrets"}))["proxy"]["NO_PROXY"].GetString(),
               ".svc,http://u:s3cret@proxy:1");
  EXPECT_THAT(Provisioner({"extract", source, "--format", "env"}).out,
              HasSubstr("\nNO_PROXY=.svc,http://u:s3cret@proxy:1\n"));
  const ProcessResult baked = Provisioner({"bake", source, "--out", At("payload")});
  EXPECT_THAT(baked.out, HasSubstr("NO_PROXY=.svc,http://u:***@proxy:1"));
  EXPECT_THAT(baked.out + baked.err, Not(HasSubstr("s3cret")));
}

TEST_F(Explain, RefusesWhatItCantAnswer) {
  EXPECT_EQ(Provisioner({"explain", source_}).exit, 10);
  EXPECT_EQ(Provisioner({"explain", source_, "--url", "example.com"}).exit, 10);
  EXPECT_EQ(Provisioner({"explain", source_, "--url", "http://a/", "--for", "wget"}).exit, 10);
  EXPECT_EQ(Provisioner({"explain", At("none"), "--url", "http://a/"}).exit, 11);
  const ProcessResult row = Provisioner({"explain", source_, "--hosts", Write("hosts", "ok\nu:sesame@[x\n")});
  EXPECT_EQ(row.exit, 11);
  EXPECT_THAT(row.err, HasSubstr("line 2"));
  EXPECT_THAT(row.err, Not(HasSubstr("sesame")));
  // A list that lost its lines is not an answer.
  for (const char* text : {"", "# nothing\n\n"}) {
    const ProcessResult empty = Provisioner({"explain", source_, "--hosts", Write("empty", text), "--output", "json"});
    EXPECT_EQ(empty.exit, 11) << text;
    EXPECT_THAT(empty.err, HasSubstr("names no destination")) << text;
  }
}

TEST_F(Explain, ABadUrlDoesNotStopTheOthers) {
  const std::vector<std::string> words = {
      "explain",          source_, "--url", "quay.io", "https://quay.io/", "http://u:sesame@[x/",
      "http://10.1.2.3/", "--for", "go"};
  const ProcessResult text = Provisioner(words);
  EXPECT_EQ(text.exit, 10);
  EXPECT_THAT(text.out, HasSubstr("https://quay.io/\n  go        proxy"));
  EXPECT_THAT(text.out, HasSubstr("http://10.1.2.3/\n  go        direct"));
  EXPECT_THAT(text.out, HasSubstr("quay.io\n  -         invalid  the URL has no scheme"));
  EXPECT_THAT(text.err, HasSubstr("error [request-url]: the URL has no scheme"));
  EXPECT_THAT(text.err, HasSubstr("--url quay.io"));
  std::vector<std::string> more = words;
  more.insert(more.end(), {"--output", "json"});
  const ProcessResult result = Provisioner(more);
  EXPECT_EQ(result.exit, 10);
  const rapidjson::Document document = Json(result);
  std::vector<std::string> decisions;
  for (const auto& one : document["decisions"].GetArray()) decisions.emplace_back(one["decision"].GetString());
  EXPECT_THAT(decisions, ElementsAre("invalid", "proxy", "invalid", "direct"));
  EXPECT_STREQ(document["error"]["code"].GetString(), "usage");
  EXPECT_STREQ(document["error"]["where"].GetString(), "--url quay.io");
  EXPECT_THAT(text.out + text.err + result.out + result.err, Not(HasSubstr("sesame")));
  // Alone it is an error as any other.
  const rapidjson::Document alone = Json(Provisioner({"explain", source_, "--url", "quay.io", "--output", "json"}));
  EXPECT_STREQ(alone["error"]["code"].GetString(), "usage");
  EXPECT_FALSE(alone.HasMember("decisions"));
}

TEST_F(Explain, MessagesShowWhereSomethingIs) {
  EXPECT_THAT(Provisioner({"explain", "/no@where/proxy.env", "--url", "http://a/"}).err,
              HasSubstr("/no@where/proxy.env"));
  EXPECT_THAT(Provisioner({"explain", source_, "--url", "mcs://h:22623/x?y", "--for", "go"}).out,
              HasSubstr("mcs://h:22623/x?***\n"));
}

TEST_F(Explain, AUrlsOwnPasswordIsHidden) {
  const ProcessResult result = Provisioner({"explain", source_, "--url", "https://me:sesame@a.example.com/?t=sesame"});
  EXPECT_EQ(result.exit, 0);
  EXPECT_THAT(result.out, Not(HasSubstr("sesame")));
  EXPECT_THAT(result.out, HasSubstr("a.example.com"));
}

TEST_F(Explain, CheckWarnsWhereClientsDisagree) {
  std::map<std::string, int> codes;
  const rapidjson::Document document = Json(Provisioner({"check", source_, "--output", "json"}));
  for (const auto& one : document["findings"].GetArray()) ++codes[one["code"].GetString()];
  EXPECT_EQ(codes["clients-disagree"], 4);  // networks, names below a bare name, the name behind a dot, loopback
  const std::string without = Write("no-proxy.env", "NO_PROXY=10.0.0.0/8\n");
  EXPECT_THAT(Provisioner({"check", without}).err, Not(HasSubstr("clients-disagree")));
}

TEST_F(Explain, CheckSaysWhatWinHttpCantHold) {
  // It is about clients, and no fault of the settings; what else the list loses clients-disagree says.
  const std::string network =
      Write("net.env",
            "HTTP_PROXY=http://proxy.example.com:3128\nHTTPS_PROXY=https://proxy.example.com:3129\n"
            "NO_PROXY=127.0.0.1,10.0.0.0/8\n");
  const ProcessResult strict = Provisioner({"check", network, "--strict"});
  EXPECT_EQ(strict.exit, 0) << strict.err;
  EXPECT_THAT(strict.err, HasSubstr("warning [winhttp-https-proxy]: HTTPS_PROXY"));
  EXPECT_THAT(strict.err, Not(HasSubstr("winhttp-cidr")));
  EXPECT_THAT(Provisioner({"check", Write("bad.env", "HTTPS_PROXY=https://:1\n")}).err, Not(HasSubstr("winhttp-")));
}

TEST_F(Explain, BakeAugments) {
  const std::string out = At("payload");
  const ProcessResult baked = Provisioner({"bake", source_, "--out", out, "--augment"});
  ASSERT_EQ(baked.exit, 0) << baked.err;
  EXPECT_THAT(baked.err, HasSubstr("no-proxy-augmented"));
  const rapidjson::Document document = Json(testing_support::ReadAll(out + "/egress.json"));
  EXPECT_STREQ(document["proxy"]["NO_PROXY"].GetString(),
               ".svc,10.0.0.0/8,example.com,.example.com,127.0.0.1,::1,[::1]");
  // A payload is a source: the additions are a part of it.
  EXPECT_THAT(Provisioner({"explain", out, "--augment"}).out, HasSubstr("nothing to add"));
}

}  // namespace
}  // namespace prov
