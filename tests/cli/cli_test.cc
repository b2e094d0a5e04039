// The program as its callers see it: output, messages and exit codes (docs/output.md).
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/crypto.h>

#include <algorithm>
#include <filesystem>

#include "provisioner/base/base64.h"
#include "provisioner/base/rapidjson.h"
#include "tests/cli/program_run.h"
#include "tests/support/paths.h"
#include "tests/support/process.h"
#include "tests/support/program_file.h"
#include "tests/support/sample.h"

namespace prov {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using testing_support::ErrorCode;
using testing_support::Json;
using testing_support::kSample;
using testing_support::ProcessResult;
using testing_support::Provisioner;

constexpr const char* kSamplePassword = "S3cret%40%23%25%26%27p";

std::string ConfigWith(const std::string& proxy_env) {
  return R"({"ignition":{"version":"3.2.0"},"storage":{"files":[{"path":"/etc/mco/proxy.env","contents":{"source":"data:;base64,)" +
         EncodeBase64(proxy_env) + R"("}}]}})";
}

class Bake : public testing_support::ProgramTest {
 protected:
  fs::path root_ = scratch_.path();
};

TEST(Cli, HelpAndVersion) {
  const ProcessResult help = Provisioner({"--help"});
  EXPECT_EQ(help.exit, 0);
  for (const char* word : {"extract", "check", "bake", "Exit codes"}) EXPECT_THAT(help.out, HasSubstr(word));
  const std::string version = Provisioner({"--version"}).out;
  EXPECT_THAT(version, StartsWith("provisioner 0."));
  EXPECT_THAT(version, HasSubstr("\ncommit "));
  EXPECT_THAT(version, HasSubstr("\ncompiled by "));
  for (const char* library : {"Boost", "expat", "fmt", "libyaml", "RapidJSON", "toml++", "zlib"})
    EXPECT_THAT(version, HasSubstr(fmt::format("\n  {:<10} ", library)));
  EXPECT_THAT(version, HasSubstr(fmt::format("\n  OpenSSL    {}", OpenSSL_version(OPENSSL_VERSION_STRING))));
  for (const char* command : {"extract", "check", "bake"}) {
    const ProcessResult own = Provisioner({command, "--help", "all"});
    EXPECT_EQ(own.exit, 0) << command;
    EXPECT_THAT(own.out, HasSubstr("Example:")) << command;
    EXPECT_THAT(own.out, HasSubstr("--output")) << command;
  }
}

// e2e/messages has more than a hundred ways.
TEST(Cli, WrongUseIsExit10AndSaysWhatToDo) {
  const ProcessResult wrong = Provisioner({"bake", kSample, "--out", "/tmp/x", "--scope", ","});
  EXPECT_EQ(wrong.exit, 10);
  EXPECT_THAT(wrong.err, HasSubstr("[usage]"));
  EXPECT_EQ(ErrorCode(Provisioner({"bakee", "--output", "json"})), "usage");
  EXPECT_EQ(ErrorCode(Provisioner({"bake", "--output=json"})), "usage");
  EXPECT_EQ(ErrorCode(Provisioner({"extract"})), "usage") << "a data command always prints a document";
  EXPECT_EQ(Provisioner({"check"}).out, "");
}

TEST(Cli, JsonIsOneDocumentWhateverIsAsked) {
  const auto document = [](std::vector<std::string> words) {
    const ProcessResult result = Provisioner(std::move(words));
    EXPECT_EQ(result.err, "");
    EXPECT_EQ(result.exit, 0);
    return Json(result.out);
  };
  EXPECT_TRUE(document({"--help", "--output", "json"})["commands"].IsArray());
  EXPECT_TRUE(document({"--output=json", "-h"})["commands"].IsArray());
  EXPECT_TRUE(document({"--version", "--output", "json"})["libraries"].IsArray());
  for (const char* command : {"extract", "apply", "service", "explain-code"}) {
    const rapidjson::Document help = document({command, "--help", "--output", "json"});
    EXPECT_STREQ(help["command"].GetString(), command);
    EXPECT_GT(help["options"].Size(), 1U) << command;
  }
  EXPECT_TRUE(document({"--output", "json", "check", kSample}).HasMember("valid")) << "--output before the command";
  EXPECT_EQ(ErrorCode(Provisioner({"--output", "json"})), "usage");
  EXPECT_EQ(Provisioner({"check", "--output", "json", "--output", "text"}).out, "") << "the last one counts";
}

TEST(Cli, HelpHasAShortForm) {
  for (const char* command : {"extract", "bake", "service", "explain-code", "publish"})
    EXPECT_EQ(Provisioner({command, "-h"}).out, Provisioner({command, "--help"}).out) << command;
  for (const char* help : {"help", "--help", "-h"})
    EXPECT_EQ(Provisioner({help, "bake"}).out, Provisioner({"bake", "--help"}).out) << help;
  EXPECT_EQ(Provisioner({"-h"}).out, Provisioner({"--help"}).out);
}

TEST(Cli, WhatWasMeantIsNamed) {
  const std::pair<std::vector<std::string>, std::string> rows[] = {
      {{"extrac", kSample}, "there is no command \"extrac\"; did you mean extract? provisioner --help lists them"},
      {{"--hepl"}, "did you mean --help?"},
      {{"extract", kSample, "--formt", "env"}, "there is no option \"--formt\"; did you mean --format? "},
      {{"extract", kSample, "--format", "jsn"},
       "--format takes one of json, env, pem, not \"jsn\"; did you mean json?"},
      {{"bake", kSample, "--out", "x", "--scope", "machne"}, "not \"machne\"; did you mean machine?"},
      {{"explain", kSample, "--url", "http://a/", "--for", "wininetx"}, "did you mean wininet?"},
      {{"explain", kSample, "--url", "http://a/", "--for", "golang"}, "not \"golang\"; did you mean go?"},
      {{"explain", kSample, "--url", "http://a/", "--for", "cri-o"}, "not \"cri-o\"; did you mean go?"},
      {{"explain", kSample, "--url", "http://a/", "--for", "PowerShell"}, "did you mean dotnet or wininet?"},
      {{"explain", kSample, "--url", "http://a/", "--for", "kublet"}, "did you mean kubelet?"},
      {{"explain", kSample, "--url", "http://a/", "--for", "nodejs"}, "did you mean node?"},
      {{"bake", kSample, "--out", "x", "--format", "folder"}, "did you mean dir?"},
      {{"explain", kSample, "--url", "quay.io"}, "https://host:port/path (--url quay.io)"},
      {{kSample, "extract"}, "the command comes first, as in provisioner extract; "},
      {{"first-boot", kSample, "--phase", "specialise"},
       "--phase takes one of specialize, setup-onrequest, logon, not \"specialise\"; did you mean specialize?"},
      {{"service", "instal"},
       "provisioner service takes one of install, uninstall, not \"instal\"; did you mean install"},
  };
  for (const auto& [words, text] : rows) EXPECT_THAT(Provisioner(words).err, HasSubstr(text));
  EXPECT_THAT(Provisioner({"xyzzy"}).err, Not(HasSubstr("did you mean")));
}

TEST(Cli, AUrlAtTheWrongPlaceKeepsItsPassword) {
  const std::string url = "https://user:c4nary@host.example/x";
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{{url},
                                                                                     {"extract", kSample, url},
                                                                                     {"extract", url},
                                                                                     {"check", "--nope=" + url},
                                                                                     {"check", "--output", url},
                                                                                     {"extract", "--format=" + url},
                                                                                     {"bake", kSample, "--exe", url}}) {
    const ProcessResult result = Provisioner(words);
    EXPECT_NE(result.exit, 0);
    EXPECT_THAT(result.out + result.err, Not(HasSubstr("c4nary"))) << words.front();
  }
}

TEST(Extract, PrintsTheContractsDocument) {
  const ProcessResult result = Provisioner({"extract", kSample});
  ASSERT_EQ(result.exit, 0) << result.err;
  EXPECT_EQ(result.err, "");
  const rapidjson::Document d = Json(result.out);
  EXPECT_STREQ(d["source"]["kind"].GetString(), "MachineConfig");
  EXPECT_STREQ(d["proxy"]["HTTP_PROXY"].GetString(), "http://egress-user:***@proxy.example.com:3128");
  EXPECT_TRUE(d["proxyFile"]["present"].GetBool());
  EXPECT_STREQ(d["proxyFile"]["mode"].GetString(), "0644");
  EXPECT_STREQ(d["trustBundle"]["mode"].GetString(), "0600");
  const auto& certificates = d["trustBundle"]["certificates"];
  ASSERT_EQ(certificates.Size(), 3U);
  EXPECT_STREQ(certificates[0]["store"].GetString(), "ROOT");
  EXPECT_STREQ(certificates[2]["store"].GetString(), "CA");
  EXPECT_STREQ(certificates[0]["notBefore"].GetString(), "2026-01-01T00:00:00Z");
  EXPECT_TRUE(d["findings"].IsArray());
  EXPECT_THAT(result.out, Not(HasSubstr(kSamplePassword)));
}

TEST_F(Bake, APayloadHasTheDigestOfItsSource) {
  const std::string digest = Json(Provisioner({"extract", kSample}).out)["digest"].GetString();
  EXPECT_EQ(digest.size(), 64U);
  const ProcessResult baked =
      Provisioner({"bake", kSample, "--out", At("p"), "--credentials", "none", "--augment", "--service", "kubelet"});
  ASSERT_EQ(baked.exit, 0) << baked.err;
  EXPECT_EQ(Json(Provisioner({"extract", At("p")}).out)["digest"].GetString(), digest);
}

TEST(Extract, ShowsPasswordsOnlyWhenAsked) {
  EXPECT_THAT(Provisioner({"extract", kSample, "--show-secrets"}).out, HasSubstr(kSamplePassword));
  EXPECT_THAT(Provisioner({"extract", kSample, "--output", "json"}).out, Not(HasSubstr(kSamplePassword)));
}

TEST(Extract, ErrorsAreDocumentsWithTheContractsCodes) {
  const ProcessResult missing = Provisioner({"extract", "/no/such/file"});
  EXPECT_EQ(missing.exit, 11);
  EXPECT_EQ(ErrorCode(missing), "not-found");
  const ProcessResult json = Provisioner({"extract", "-"}, "{\"a\":");
  EXPECT_EQ(json.exit, 11);
  EXPECT_EQ(ErrorCode(json), "json");
  EXPECT_EQ(ErrorCode(Provisioner({"extract", "-"}, R"({"kind":"Pod","apiVersion":"v1"})")), "kind");
  const ProcessResult env = Provisioner({"extract", "/no/such/file", "--format", "env"});
  EXPECT_EQ(env.exit, 11);
  EXPECT_EQ(env.out, "") << "no document where plain lines were asked for";
}

TEST(Extract, AMalformedProxyUrlIsAFindingThatKeepsThePassword) {
  const ProcessResult result = Provisioner(
      {"extract", "-"}, ConfigWith("HTTP_PROXY=http://user:c4nary@p:99999\nHTTPS_PROXY=socks5://u:c4nary@p\n"));
  ASSERT_EQ(result.exit, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("\"code\": \"proxy-url\""));
  EXPECT_THAT(result.out, HasSubstr("\"severity\": \"error\""));
  EXPECT_THAT(result.out, Not(HasSubstr("c4nary")));
}

TEST(Extract, NoValueBecomesASecondLine) {
  const std::string source = ConfigWith("HTTP_PROXY=\"http://p:1\nNO_PROXY=*\"\n");
  const ProcessResult lines = Provisioner({"extract", "-", "--format", "env"}, source);
  EXPECT_EQ(lines.exit, 11);
  EXPECT_EQ(lines.out, "");
  EXPECT_THAT(lines.err, HasSubstr("holds a line end"));
  EXPECT_EQ(Provisioner({"extract", "-"}, source).exit, 0) << "the report says what is there";
}

TEST(Extract, NamesNeverReachTheTerminalRaw) {
  const std::string config =
      R"({"apiVersion":"machineconfiguration.openshift.io/v1","kind":"MachineConfig","metadata":{"name":"evil\u001b[31m"},"spec":{"config":{"ignition":{"version":"3.2.0"}}}})";
  const ProcessResult result = Provisioner({"check", "-"}, config);
  EXPECT_THAT(result.out + result.err, Not(HasSubstr("\x1b")));
}

TEST(Check, ExitsByTheWorstFinding) {
  const ProcessResult good = Provisioner({"check", kSample});
  EXPECT_EQ(good.exit, 0) << good.err;
  EXPECT_THAT(good.out, HasSubstr(": valid: 3 certificate(s), 0 error(s)"));
  EXPECT_EQ(Provisioner({"check", kSample, "--strict"}).exit, 0);
  const std::string warned = ConfigWith("HTTP_PROXY=http://p:1\nNO_PROXY=a;b\n");
  EXPECT_EQ(Provisioner({"check", "-"}, warned).exit, 0);
  EXPECT_EQ(Provisioner({"check", "-", "--strict"}, warned).exit, 11);
  EXPECT_EQ(Provisioner({"check", "-"}, ConfigWith("HTTP_PROXY=http://:1\n")).exit, 11);
  const ProcessResult control = Provisioner({"check", "-", "--output", "json"}, ConfigWith("NO_PROXY=a\x01\n"));
  EXPECT_EQ(control.exit, 11);
  EXPECT_EQ(ErrorCode(control), "no-proxy");
}

TEST(Check, SaysKnownLimitsInOneLine) {
  const ProcessResult text = Provisioner({"check", kSample});
  EXPECT_EQ(text.err,
            "provisioner: 5 known limits (winhttp-credentials, clients-disagree): provisioner explain-code "
            "winhttp-credentials, or --verbose\n");
  EXPECT_THAT(text.out, EndsWith(": valid: 3 certificate(s), 0 error(s), 0 warning(s), 5 known limit(s)\n"));
  const ProcessResult all = Provisioner({"check", kSample, "--verbose"});
  EXPECT_EQ(std::ranges::count(all.err, '\n'), 5);
  EXPECT_THAT(all.err, StartsWith("provisioner: known limit [winhttp-credentials]: "));
  EXPECT_EQ(all.out, text.out);
  EXPECT_EQ(Json(Provisioner({"check", kSample, "--output", "json"}))["findings"].Size(), 5U);
}

TEST(Check, SaysWhatNeedsAnActionFirst) {
  const std::string err = Provisioner({"check", "-"}, ConfigWith("HTTP_PROXY=http://:1\nNO_PROXY=a;b\n")).err;
  EXPECT_LT(err.find(": error ["), err.find(": warning [")) << err;
}

TEST(Check, RefusesWhatBakeRefuses) {
  const auto check = [](std::size_t characters) {
    return Provisioner({"check", "-", "--output", "json"},
                       ConfigWith("HTTPS_PROXY=http://p:1\nNO_PROXY=" + std::string(characters, 'a') + "\n"));
  };
  EXPECT_EQ(check(32757).exit, 0) << "with its name 32,767 UTF-16 units, as many as Windows takes";
  const ProcessResult refused = check(32758);
  EXPECT_EQ(refused.exit, 11);
  EXPECT_FALSE(Json(refused)["valid"].GetBool());
  EXPECT_THAT(refused.out, HasSubstr("\"refused\""));
  EXPECT_THAT(refused.out, HasSubstr("32768 UTF-16"));
  const std::string empty = ConfigWith("# no proxy\n");
  EXPECT_THAT(Provisioner({"check", "-"}, empty).err, HasSubstr("warning [sets-nothing]"));
  EXPECT_EQ(Provisioner({"check", "-"}, empty).exit, 0);
  EXPECT_EQ(Provisioner({"check", "-", "--strict"}, empty).exit, 11);
}

TEST(Check, JsonCountsWhatItLists) {
  const ProcessResult result =
      Provisioner({"check", "-", "--output", "json"}, ConfigWith("HTTP_PROXY=http://u:c4nary@p:0\nNO_PROXY=a;b\n"));
  const rapidjson::Document d = Json(result.out);
  EXPECT_FALSE(d["valid"].GetBool());
  EXPECT_EQ(d["errors"].GetInt(), 1);
  EXPECT_GE(d["warnings"].GetInt(), 1);
  EXPECT_THAT(result.out, Not(HasSubstr("c4nary")));
}

TEST(Check, KnownFactsOfTheClusterMustBeInNoProxy) {
  EXPECT_THAT(Provisioner({"check", kSample}).err, Not(HasSubstr("no-proxy-missing")))
      << "the API host of the sample is in its list";
  EXPECT_THAT(Provisioner({"check", kSample, "--api-host", "api.other.example.com"}).err,
              HasSubstr("no-proxy-missing"));
  EXPECT_THAT(Provisioner({"check", kSample, "--service-range", "192.0.2.0/24"}).err, HasSubstr("no-proxy-missing"));
  EXPECT_THAT(Provisioner({"check", kSample, "--metadata-address", "192.0.2.1"}).err, HasSubstr("no-proxy-missing"));
}

TEST_F(Bake, WritesAPayloadAndSaysWhat) {
  const ProcessResult result = Provisioner(
      {"bake", kSample, "--out", At("deep/er/payload"), "--service", "containerd,kubelet", "--service", "Kubelet"});
  ASSERT_EQ(result.exit, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("HTTP_PROXY=http://egress-user:***@proxy.example.com:3128"));
  EXPECT_THAT(result.out, HasSubstr("registry/SYSTEM.hiv"));
  EXPECT_THAT(result.err, HasSubstr("[credentials-machine]"));
  EXPECT_THAT(result.err, HasSubstr("4 known limits (winhttp-credentials, winhttp-cidr, script-only)"));
  EXPECT_THAT(result.err, Not(HasSubstr("no-service")));
  EXPECT_THAT(result.out + result.err, Not(HasSubstr(kSamplePassword)));
  EXPECT_TRUE(fs::exists(root_ / "deep/er/payload/manifest.json"));
  const rapidjson::Document egress = Json(testing_support::ReadAll(At("deep/er/payload/egress.json")));
  EXPECT_EQ(egress["services"].Size(), 2U);
}

TEST_F(Bake, SaysWhereNoServiceGetsTheProxy) {
  const auto severity = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"bake", kSample, "--out", At("p"), "--output", "json"});
    const rapidjson::Document document = Json(Provisioner(words));
    for (const auto& finding : document["findings"].GetArray()) {
      if (finding["code"] == "no-service") return std::string(finding["severity"].GetString());
    }
    return std::string();
  };
  EXPECT_EQ(severity({}), "info");
  EXPECT_EQ(severity({"--with-wmco"}), "info");
  EXPECT_EQ(severity({"--scope", "services,winhttp"}), "warning");
  EXPECT_EQ(severity({"--scope", "winhttp"}), "");
  EXPECT_EQ(severity({"--service", "kubelet"}), "");
  EXPECT_EQ(severity({"--credentials", "services"}), "") << "credentials-services says it";
}

// Rancher keeps the environment of its service itself.
TEST_F(Bake, OfRanchersClusterNoServiceOfItsIsNamed) {
  const std::string cluster =
      Write("rancher.yaml",
            "apiVersion: provisioning.cattle.io/v1\nkind: Cluster\nmetadata: {name: win}\n"
            "spec:\n  agentEnvVars:\n  - {name: HTTPS_PROXY, value: 'http://p.example:3128'}\n");
  const auto said = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"bake", cluster, "--out", At("p"), "--verbose"});
    const ProcessResult result = Provisioner(more);
    EXPECT_EQ(result.exit, 0) << result.err;
    return result.err;
  };
  EXPECT_THAT(said({}), Not(HasSubstr("no-service")));
  EXPECT_THAT(said({}), Not(HasSubstr("service-rancher")));
  EXPECT_THAT(said({"--service", "rke2"}), HasSubstr("warning [service-rancher]: --service rke2 names a service"));
  EXPECT_THAT(said({"--service", "containerd"}), Not(HasSubstr("service-rancher")));
}

// Where the program is in the payload, it runs in place of the scripts.
TEST_F(Bake, WhatScriptsLeaveOutIsSaidWhereTheyDoTheWork) {
  Write("given.exe", testing_support::MakeProgram());
  std::vector<std::string> words = {"bake", kSample, "--out", At("p"), "--scope", "machine,winhttp,wininet"};
  const ProcessResult script = Provisioner(words);
  ASSERT_EQ(script.exit, 0) << script.err;
  EXPECT_THAT(script.err, HasSubstr("[wininet-script]"));
  words.insert(words.end(), {"--exe", At("given.exe")});
  const ProcessResult program = Provisioner(words);
  ASSERT_EQ(program.exit, 0) << program.err;
  EXPECT_THAT(program.err, Not(HasSubstr("[wininet-script]")));
  EXPECT_THAT(program.err, Not(HasSubstr("script-only")));
}

TEST_F(Bake, OneKnownLimitIsOneLineToo) {
  Write("given.exe", testing_support::MakeProgram());
  const std::string source =
      Write("proxy.env", "HTTP_PROXY=http://p:1\nHTTPS_PROXY=http://p:1\nNO_PROXY=10.0.0.0/8,.\n");
  const ProcessResult result = Provisioner({"bake", source, "--out", At("p"), "--exe", At("given.exe")});
  ASSERT_EQ(result.exit, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("provisioner: 1 known limit (winhttp-cidr): provisioner explain-code "));
  EXPECT_THAT(result.err, HasSubstr("warning [winhttp-name]")) << "the settings can be mended";
}

TEST_F(Bake, APolicyForPodsIsCarriedAndComesBack) {
  Write("policy.json", R"({"Type":"L4WFPPROXY","Settings":{"OutboundProxyPort":15001,"UserSID":"network-service"}})");
  const ProcessResult result =
      Provisioner({"bake", kSample, "--out", At("p"), "--hns-policy", At("policy.json"), "--hns-pods", "shop"});
  ASSERT_EQ(result.exit, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("hns         1 policy for pods in the namespace shop"));
  EXPECT_THAT(result.err, HasSubstr("[hns-script]"));
  const rapidjson::Document egress = Json(testing_support::ReadAll(At("p/egress.json")));
  EXPECT_STREQ(egress["scope"][4].GetString(), "hns");
  EXPECT_STREQ(egress["hns"]["pods"].GetString(), "shop");
  EXPECT_STREQ(egress["hns"]["policies"][0]["Settings"]["UserSID"].GetString(), "S-1-5-20");
  ASSERT_EQ(Provisioner({"bake", At("p"), "--out", At("q")}).exit, 0);
  EXPECT_EQ(testing_support::ReadAll(At("q/egress.json")), testing_support::ReadAll(At("p/egress.json")));
  ASSERT_EQ(Provisioner({"bake", kSample, "--out", At("none"), "--scope", "certs"}).exit, 0);
  EXPECT_THAT(testing_support::ReadAll(At("none/egress.json")), Not(HasSubstr("\"hns\"")));
}

TEST_F(Bake, HostsTomlFilesAreCarriedAndComeBack) {
  const std::string source = Write("mirrors.yaml", R"(apiVersion: config.openshift.io/v1
kind: ImageDigestMirrorSet
metadata: {name: mirrors}
spec:
  imageDigestMirrors:
  - source: quay.io
    mirrors: [m.example.com/quay]
---
apiVersion: config.openshift.io/v1
kind: Proxy
metadata: {name: cluster}
status: {httpProxy: "http://p:1", httpsProxy: "http://p:1", noProxy: ".svc"}
)");
  const ProcessResult result =
      Provisioner({"bake", source, "--out", At("p"), "--registry-folder", "c:/containerd/certs.d/"});
  ASSERT_EQ(result.exit, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr(R"(registries  1 file(s) in C:\containerd\certs.d)"));
  EXPECT_THAT(result.err, HasSubstr("[registries-script]"));
  ASSERT_EQ(Provisioner({"bake", At("p"), "--out", At("q")}).exit, 0);
  EXPECT_EQ(testing_support::ReadAll(At("q/egress.json")), testing_support::ReadAll(At("p/egress.json")));
  for (const std::vector<std::string>& words : {std::vector<std::string>{"--registry-folder", R"(C:\x\..\K\y)"},
                                                {"--registry-folder", "certs.d"},
                                                {"--registry-folder", R"(C:\certs.d)", "--scope", "certs"}}) {
    std::vector<std::string> all = {"bake", source, "--out", At("r"), "--output", "json"};
    all.insert(all.end(), words.begin(), words.end());
    EXPECT_EQ(ErrorCode(Provisioner(all)), "usage") << words.at(1);
    EXPECT_FALSE(fs::exists(root_ / "r"));
  }
}

// What a round leaves as it is, a person can still mend.
TEST_F(Bake, MirrorsThatCanNotBeReadAreRefusedByBakeAndCheckWhereTheyAreAskedFor) {
  const std::string source = Write("mirrors.yaml", R"(apiVersion: config.openshift.io/v1
kind: ImageDigestMirrorSet
metadata: {name: mirrors}
spec: {imageDigestMirrors: [{source: 5}]}
---
apiVersion: config.openshift.io/v1
kind: Proxy
metadata: {name: cluster}
status: {httpProxy: "http://p:1", httpsProxy: "http://p:1", noProxy: ".svc"}
)");
  const std::string folder = R"(C:\certs.d)";
  EXPECT_EQ(Provisioner({"bake", source, "--out", At("p")}).exit, 0);
  EXPECT_EQ(Provisioner({"check", source}).exit, 0);
  EXPECT_NE(Provisioner({"bake", source, "--out", At("r"), "--registry-folder", folder}).exit, 0);
  EXPECT_FALSE(fs::exists(root_ / "r"));
  for (const char* command : {"explain", "check"}) {
    const ProcessResult asked = Provisioner({command, source, "--image", "quay.io/a", "--registry-folder", folder});
    EXPECT_NE(asked.exit, 0) << command;
    EXPECT_THAT(asked.err, HasSubstr("imageDigestMirrors")) << command;
  }
}

TEST_F(Bake, APolicyForPodsMustSayWhichAndBeValid) {
  Write("policy.json", R"({"Type":"L4WFPPROXY","Settings":{"OutboundProxyPort":"15001"}})");
  Write("bad.json", R"({"Type":"L4WFPPROXY","Settings":{"OutboundProxyPort":"0"}})");
  const auto refused = [this](std::vector<std::string> words) {
    words.insert(words.begin(), {"bake", kSample, "--out", At("p"), "--output", "json"});
    const std::string code = ErrorCode(Provisioner(words));
    EXPECT_FALSE(fs::exists(root_ / "p")) << testing::PrintToString(words);
    return code;
  };
  EXPECT_EQ(refused({"--hns-policy", At("policy.json")}), "usage");
  EXPECT_EQ(refused({"--hns-pods", "all"}), "usage");
  EXPECT_EQ(refused({"--hns-policy", At("policy.json"), "--hns-pods", "Shop!"}), "usage");
  EXPECT_EQ(refused({"--hns-policy", At("policy.json"), "--hns-pods", "all", "--scope", "certs"}), "usage");
  EXPECT_EQ(refused({"--hns-policy", At("bad.json"), "--hns-pods", "all"}), "policy");
  EXPECT_EQ(refused({"--hns-policy", At("gone.json"), "--hns-pods", "all"}), "not-found");
}

TEST_F(Bake, JsonListsTheFiles) {
  const ProcessResult result =
      Provisioner({"bake", kSample, "--out", At("p"), "--output", "json", "--generation", "5", "--with-wmco"});
  ASSERT_EQ(result.exit, 0) << result.err;
  const rapidjson::Document d = Json(result.out);
  EXPECT_EQ(d["generation"].GetInt(), 5);
  EXPECT_EQ(d["scope"].Size(), 3U) << "WMCO owns the machine variables";
  EXPECT_FALSE(d["holdsCredentials"].GetBool());
  EXPECT_EQ(d["files"].Size(), 14U);
  EXPECT_THAT(result.out, Not(HasSubstr(kSamplePassword)));
}

TEST_F(Bake, TheNameOfAFileNeedsItsFormat) {
  const std::pair<const char*, const char*> rows[] = {
      {"x.zip", "zip"},      {"x.tar", "tar"},       {"x.tgz", "tgz"},      {"x.tar.gz", "tgz"},
      {"x.ISO", "iso"},      {"x.yaml", "userdata"}, {"x.yml", "userdata"}, {"x.json", "userdata"},
      {"x.ps1", "userdata"}, {"x.txt", "userdata"}};
  for (const auto& [name, format] : rows) {
    const ProcessResult result = Provisioner({"bake", "no-such-source", "--out", At(name)});
    EXPECT_EQ(result.exit, 10) << name;
    EXPECT_THAT(result.err, HasSubstr(fmt::format("add --format {}, or choose a name without this ending", format)));
  }
  EXPECT_TRUE(fs::is_empty(root_));
  EXPECT_EQ(Provisioner({"bake", kSample, "--out", At("x.zip"), "--format", "dir"}).exit, 0);
}

TEST_F(Bake, UserDataOfASecretIsNoSecret) {
  const std::string before = Write("before.ps1", "Write-Host hello\n");
  std::vector<std::string> words = {"bake",     kSample,      "--out", At("x.yaml"),  "--format",
                                    "userdata", "--platform", "aws",   "--append-to", before};
  const ProcessResult refused = Provisioner(words);
  EXPECT_EQ(refused.exit, 10);
  EXPECT_THAT(refused.err, HasSubstr("add --secret NAME"));
  words.insert(words.end(), {"--secret", "mine"});
  const ProcessResult manifest = Provisioner(words);
  EXPECT_EQ(manifest.exit, 0) << manifest.err;
}

TEST_F(Bake, StandardInputIsOneDocument) {
  const ProcessResult result = Provisioner({"bake", "-", "--out", At("p"), "--subtract", "-"}, "x");
  EXPECT_EQ(result.exit, 10);
  EXPECT_THAT(result.err, HasSubstr("standard input (-) can't also be SOURCE"));
}

TEST_F(Bake, AMisspelledServiceIsSaid) {
  const ProcessResult result = Provisioner({"bake", kSample, "--out", At("p"), "--service", "containred"});
  EXPECT_EQ(result.exit, 0);
  EXPECT_THAT(result.err,
              HasSubstr("[service-unknown]: --service containred may be misspelled: did you mean containerd?"));
}

TEST_F(Bake, WhatTheEarlierPayloadHadIsMissed) {
  Write("given.exe", testing_support::MakeProgram());
  ASSERT_EQ(Provisioner({"bake", kSample, "--out", At("p"), "--exe", At("given.exe"), "--service", "kubelet"}).exit, 0);
  EXPECT_THAT(Provisioner({"bake", kSample, "--out", At("q")}).err, Not(HasSubstr("option-left-out")));
  const std::string err = Provisioner({"bake", kSample, "--out", At("p")}).err;
  EXPECT_THAT(err, HasSubstr("[option-left-out]: the last run had this option"));
  EXPECT_THAT(err, AllOf(HasSubstr("(--exe)"), HasSubstr("(--service kubelet)")));
  EXPECT_THAT(Provisioner({"bake", kSample, "--out", At("p")}).err, Not(HasSubstr("option-left-out")));
}

TEST_F(Bake, TheSettingsInAPayloadStandForIt) {
  ASSERT_EQ(Provisioner({"bake", kSample, "--out", At("p")}).exit, 0);
  EXPECT_EQ(Provisioner({"extract", At("p/egress.json")}).out, Provisioner({"extract", At("p")}).out);
  fs::copy(At("p/egress.json"), At("egress.json"));
  EXPECT_THAT(Provisioner({"check", At("egress.json")}).err, HasSubstr("is a document that provisioner wrote"));
}

TEST_F(Bake, RefusalsWriteNothing) {
  const std::vector<std::pair<std::string, std::string>> bad = {{"HTTP_PROXY=http://user:c4nary@:1\n", "fail-open"},
                                                                {"NO_PROXY=a\x02\n", "no-proxy"},
                                                                {std::string("HTTP_PROXY=\0", 12), "env-nul"}};
  for (const auto& [text, code] : bad) {
    const ProcessResult result = Provisioner({"bake", "-", "--out", At("p"), "--output", "json"}, ConfigWith(text));
    EXPECT_EQ(result.exit, code == "fail-open" ? 12 : 11) << code;
    EXPECT_EQ(ErrorCode(result), code);
    EXPECT_FALSE(fs::exists(root_ / "p")) << code;
    EXPECT_THAT(result.out + result.err, Not(HasSubstr("c4nary")));
  }
  EXPECT_TRUE(fs::is_empty(root_));
}

TEST_F(Bake, ASourceThatSetsNothingNeedsALeave) {
  const std::pair<std::string, std::string> rows[] = {{ConfigWith("# no proxy\n"), "neither a proxy"},
                                                      {R"({"ignition":{"version":"3.2.0"}})", "makes no statement"}};
  for (const auto& [source, why] : rows) {
    for (const char* format : {"dir", "userdata"}) {
      std::vector<std::string> words = {"bake", "-", "--out", At("p"), "--format", format, "--output", "json"};
      if (std::string_view(format) == "userdata") words.insert(words.end(), {"--platform", "none"});
      const ProcessResult refused = Provisioner(words, source);
      EXPECT_EQ(refused.exit, 12) << refused.out;
      EXPECT_EQ(ErrorCode(refused), "empty");
      EXPECT_THAT(refused.err, HasSubstr(why));
      EXPECT_TRUE(fs::is_empty(root_));
      words.emplace_back("--allow-empty");
      const ProcessResult allowed = Provisioner(words, source);
      EXPECT_EQ(allowed.exit, 0) << allowed.err;
      fs::remove_all(root_ / "p");
    }
  }
}

TEST_F(Bake, WhatTheReviewRefusesIsRefusedBeforeTheWrite) {
  // Only certificates are managed, so nothing but the review looks at NO_PROXY.
  const ProcessResult result =
      Provisioner({"bake", "-", "--out", At("deep/p"), "--scope", "certs"}, ConfigWith("NO_PROXY=a\x02\n"));
  EXPECT_EQ(result.exit, 11);
  EXPECT_TRUE(fs::is_empty(root_));
}

TEST_F(Bake, SubtractExeAndUnwritableTargets) {
  const std::string exe = testing_support::MakeProgram();
  Write("given.exe", exe);
  ASSERT_EQ(Provisioner({"bake", kSample, "--out", At("p"), "--subtract",
                         testing_support::TestsFolder() + "/sample/proxy-root.pem", "--exe", At("given.exe")})
                .exit,
            0);
  EXPECT_EQ(testing_support::ReadAll(At("p/provisioner.exe")), exe);
  EXPECT_EQ(Json(testing_support::ReadAll(At("p/egress.json")))["certificates"].Size(), 2U);
  EXPECT_EQ(Provisioner({"bake", kSample, "--out", At("p"), "--exe", "/no/such.exe"}).exit, 11);
  const ProcessResult another = Provisioner({"bake", kSample, "--out", At("q"), "--exe", kSample, "--output=json"});
  EXPECT_EQ(another.exit, 11);
  EXPECT_EQ(Json(another.out)["error"]["code"].GetString(), std::string("kind")) << another.out;
  EXPECT_FALSE(fs::exists(At("q")));
  Write("x86.xml",
        R"(<unattend xmlns="urn:schemas-microsoft-com:unattend"><settings pass="specialize">)"
        R"(<component name="Microsoft-Windows-Shell-Setup" processorArchitecture="x86" )"
        R"(publicKeyToken="31bf3856ad364e35" language="neutral" versionScope="nonSxS"/></settings></unattend>)");
  const ProcessResult x86 =
      Provisioner({"bake", kSample, "--out", At("q"), "--exe", At("given.exe"), "--unattend", At("x86.xml")});
  EXPECT_EQ(x86.exit, 11);
  EXPECT_THAT(x86.err, HasSubstr("a program for amd64, but the image or answer file is for x86"));
  EXPECT_EQ(Provisioner({"bake", kSample, "--out", At("p"), "--subtract", "/no/such.pem"}).exit, 11);
  EXPECT_EQ(Provisioner({"bake", kSample, "--out", "/proc/nothing/p"}).exit, 13);
  EXPECT_EQ(Json(testing_support::ReadAll(At("p/egress.json")))["certificates"].Size(), 2U)
      << "the earlier payload stays";
}

TEST_F(Bake, AGivenAnswerFileGetsTheCommand) {
  const std::string golden = testing_support::TestsFolder() + "/golden/unattend/list-with-commands.";
  ASSERT_EQ(Provisioner({"bake", kSample, "--out", At("p"), "--unattend", golden + "before.xml"}).exit, 0);
  EXPECT_EQ(testing_support::ReadAll(At("p/unattend.xml")), testing_support::ReadAll(golden + "after.xml"));
  EXPECT_EQ(Provisioner({"bake", At("p"), "--out", At("q")}).exit, 0) << "still a payload";

  const ProcessResult bad =
      Provisioner({"bake", kSample, "--out", At("bad"), "--unattend", kSample, "--output", "json"});
  EXPECT_EQ(bad.exit, 11);
  EXPECT_EQ(ErrorCode(bad), "xml");
  EXPECT_THAT(bad.out, HasSubstr(std::string(kSample) + ": line 1, column 1"));
  EXPECT_FALSE(fs::exists(root_ / "bad"));
  EXPECT_EQ(Provisioner({"bake", kSample, "--out", At("bad"), "--unattend", "/no/such.xml"}).exit, 11);
}

TEST_F(Bake, ABadSourceDateEpochIsAUsageError) {
  const ProcessResult result = testing_support::Run(
      {testing_support::ProvisionerBinary(), "bake", kSample, "--out", At("p")}, "", {{"SOURCE_DATE_EPOCH", "x"}});
  EXPECT_EQ(result.exit, 10);
  EXPECT_THAT(result.err, HasSubstr("SOURCE_DATE_EPOCH"));
}

}  // namespace
}  // namespace prov
