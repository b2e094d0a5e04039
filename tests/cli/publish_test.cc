// `publish` as its callers see it, and what becomes of its files: kubectl reads them back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "provisioner/base/rapidjson.h"
#include "tests/cli/program_run.h"
#include "tests/publish/samples.h"
#include "tests/support/process.h"

namespace prov {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing_support::Json;
using testing_support::ProcessResult;
using testing_support::Provisioner;
using testing_support::ReadAll;

class Publish : public testing_support::ProgramTest {
 protected:
  Publish() {
    Write("proxy.yaml", publish::FullProxy());
    Write("infrastructure.yaml", publish::Aws("us-west-2"));
    Write("network.yaml", publish::NetworkYaml());
    Write("install-config.yaml", publish::InstallConfigYaml());
    Write("user.yaml", publish::UserBundle());
    Write("system.pem", publish::Pem("proxy-root"));
  }

  std::string Out(const std::string& name) const { return ReadAll(At("out/" + name)); }

  ProcessResult Publishing(const std::vector<std::string>& more) const {
    std::vector<std::string> words = {
        "publish",       "--proxy",          At("proxy.yaml"),   "--infrastructure",        At("infrastructure.yaml"),
        "--network",     At("network.yaml"), "--install-config", At("install-config.yaml"), "--user-ca",
        At("user.yaml"), "--system-ca",      At("system.pem")};
    words.insert(words.end(), more.begin(), more.end());
    return Provisioner(words);
  }
  ProcessResult RunAll() const { return Publishing({"--out", At("out")}); }
};

TEST_F(Publish, PrintsTheContractsDocument) {
  const ProcessResult result = Publishing({});
  EXPECT_EQ(result.exit, 0) << result.err;
  EXPECT_THAT(result.err, IsEmpty());
  const rapidjson::Document document = Json(result.out);
  EXPECT_TRUE(document["valid"].GetBool());
  EXPECT_TRUE(document["errors"].Empty());
  EXPECT_TRUE(document["findings"].IsArray());
  EXPECT_STREQ(document["status"]["httpProxy"].GetString(), "http://user:***@proxy.example.com:3128");
  EXPECT_STREQ(document["status"]["httpsProxy"].GetString(), "http://user:***@proxy.example.com:3128");
  EXPECT_STREQ(document["status"]["noProxy"].GetString(),
               ".cluster.local,.example.com,.svc,.us-west-2.compute.internal,10.0.0.0/16,10.128.0.0/14,127.0.0.1,"
               "169.254.169.254,172.30.0.0/16,api-int.test.cluster.com,localhost,registry.local");
  EXPECT_FALSE(fs::exists(At("out")));
}

TEST_F(Publish, TheFormOfHyperShift) {
  const ProcessResult result = Publishing({"--internal-apiserver-address"});
  EXPECT_EQ(result.exit, 0) << result.err;
  EXPECT_THAT(Json(result.out)["status"]["noProxy"].GetString(), HasSubstr(",.hypershift.local,"));
}

TEST_F(Publish, AnInvalidSpecIsExit11AndWritesNothing) {
  Write("proxy.yaml", publish::ProxyYaml("  httpProxy: ftp://u:c4nary@p:1\n"));
  const ProcessResult result = Publishing({"--out", At("out")});
  EXPECT_EQ(result.exit, 11);
  const rapidjson::Document document = Json(result.out);
  EXPECT_FALSE(document["valid"].GetBool());
  EXPECT_STREQ(document["errors"][0].GetString(), "httpProxy requires a 'http' URI scheme");
  EXPECT_STREQ(document["status"]["httpProxy"].GetString(), "");
  EXPECT_THAT(result.out + result.err, Not(HasSubstr("c4nary")));
  EXPECT_FALSE(fs::exists(At("out")));
}

TEST_F(Publish, WrongUseIsExit10) {
  EXPECT_EQ(Provisioner({"publish"}).exit, 10);
  EXPECT_STREQ(Json(Provisioner({"publish"}).out)["error"]["code"].GetString(), "usage");
  EXPECT_EQ(Publishing({"--out", ""}).exit, 10);
  EXPECT_EQ(Publishing({"more"}).exit, 10);
}

TEST_F(Publish, WhatCannotBeReadOrWrittenIsNamed) {
  EXPECT_EQ(Publishing({"--user-ca", At("missing.yaml")}).exit, 11);
  Write("file", "");
  const ProcessResult result = Publishing({"--out", At("file")});
  EXPECT_EQ(result.exit, 13);
  EXPECT_STREQ(Json(result.out)["error"]["code"].GetString(), "target");
  Write("network.yaml", "kind: Pod\n");
  EXPECT_STREQ(Json(Publishing({}).out)["error"]["code"].GetString(), "kind");
}

TEST_F(Publish, WritesTheFilesAndSaysSo) {
  const ProcessResult result = RunAll();
  ASSERT_EQ(result.exit, 0) << result.out << result.err;
  const rapidjson::Document document = Json(result.out);
  ASSERT_EQ(document["files"].Size(), 4U);
  for (const auto& file : document["files"].GetArray()) {
    const fs::path path = file["path"].GetString();
    EXPECT_EQ(fs::file_size(path), file["bytes"].GetUint64()) << path;
    const bool secret = ReadAll(path.string()).find(publish::kPassword) != std::string::npos;
    EXPECT_STREQ(file["mode"].GetString(), secret ? "0600" : "0644") << path;
  }
  EXPECT_THAT(result.out + result.err, Not(HasSubstr(publish::kPassword)));
  const std::string before = Out("proxy.yaml") + Out("proxy.env") + Out("trusted-ca-bundle.yaml");
  EXPECT_EQ(RunAll().out, result.out);
  EXPECT_EQ(Out("proxy.yaml") + Out("proxy.env") + Out("trusted-ca-bundle.yaml"), before);
}

TEST_F(Publish, WhatOthersCouldNotReadTheyStillCannot) {
  if (fs::path::preferred_separator == '\\') GTEST_SKIP() << "Windows' files have no modes";
  Write("proxy.yaml", publish::ProxyYaml("  httpProxy: http://p:1\n"));
  fs::permissions(At("proxy.yaml"), fs::perms::owner_read | fs::perms::owner_write);
  const ProcessResult result = RunAll();
  ASSERT_EQ(result.exit, 0) << result.out << result.err;
  EXPECT_EQ(fs::status(At("out/proxy.yaml")).permissions() & fs::perms::all,
            fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_NE(fs::status(At("out/ca-bundle.crt")).permissions() & fs::perms::others_read, fs::perms::none);
}

TEST_F(Publish, KubectlReadsWhatIsWritten) {
  if (!testing_support::HasKubectl()) GTEST_SKIP() << "NOT RUN: no kubectl";
  ASSERT_EQ(RunAll().exit, 0);
  ProcessResult result =
      testing_support::Kubectl({"label", "--local", "-f", At("out/trusted-ca-bundle.yaml"), "a=1", "-o", "json"});
  ASSERT_EQ(result.exit, 0) << result.err;
  const rapidjson::Document map = testing_support::ParsedJson(result.out);
  EXPECT_EQ(map["data"]["ca-bundle.crt"].GetString(), Out("ca-bundle.crt"));
  result = testing_support::Kubectl({"annotate", "--local", "-f", At("out/proxy.yaml"), "a=1", "-o", "json"});
  ASSERT_EQ(result.exit, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr(publish::kPassword));
}

}  // namespace
}  // namespace prov
