#include "provisioner/source/machine_config_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "provisioner/base/base64.h"
#include "tests/source/document_helpers.h"
#include "tests/support/result.h"
#include "tests/support/sample.h"

namespace prov::source {
namespace {

using egress::EgressConfig;
using testing::Not;

std::string FileEntry(std::string_view path, std::string_view text) {
  return R"({"path":")" + std::string(path) + R"(","mode":420,"overwrite":true,"contents":{"source":"data:;base64,)" +
         EncodeBase64(text) + R"("}})";
}

std::string Ignition(const std::vector<std::string>& files, std::string_view units = "",
                     std::string_view version = "3.2.0") {
  std::string list;
  for (const std::string& file : files) list += (list.empty() ? "" : ",") + file;
  return R"({"ignition":{"version":")" + std::string(version) + R"("},"storage":{"files":[)" + list +
         R"(]},"systemd":{"units":[)" + std::string(units) + "]}}";
}

Result<EgressConfig> ReadConfigText(std::string bytes) {
  return Finish(PROV_TRY(ReadMachineConfig(PROV_TRY(ignition::ReadConfig(std::move(bytes), "test", {}, {}, nullptr)))));
}

TEST(MachineConfigSource, ReadsTheShippedSample) {
  const auto config = Must(ReadConfigText(testing_support::SampleText("rendered-worker.json")));
  EXPECT_EQ(config.source.kind, "MachineConfig");
  EXPECT_TRUE(config.source.name.starts_with("rendered-worker-"));
  EXPECT_EQ(config.source.ignition_version, "3.4.0");
  EXPECT_EQ(config.http_proxy->Reveal(), "http://egress-user:S3cret%40%23%25%26%27p@proxy.example.com:3128")
      << "decoded exactly once";
  EXPECT_EQ(config.https_proxy, config.http_proxy);
  EXPECT_TRUE(config.no_proxy->starts_with(".cluster.local,"));
  ASSERT_EQ(config.certificates.size(), 3U);
  EXPECT_EQ(config.certificates[0].subject, "CN=Example Corp Root CA,O=Example Corp");
  EXPECT_EQ(config.trust_file.mode, 0600U);
  EXPECT_EQ(config.proxy_file.mode, 0644U);
  EXPECT_TRUE(config.proxy_file.present);
  EXPECT_EQ(config.facts.api_host, "api-int.sample.example.com");
}

TEST(MachineConfigSource, AFileWithoutVariablesIsTheExplicitEmpty) {
  const auto config =
      Must(ReadConfigText(Ignition({FileEntry(kProxyEnvPath, "# only a comment\n"), FileEntry(kTrustBundlePath, "")})));
  EXPECT_TRUE(config.proxy_file.present);
  EXPECT_FALSE(config.http_proxy.has_value());
  EXPECT_TRUE(config.trust_file.present);
  EXPECT_TRUE(config.certificates.empty());
  EXPECT_THAT(config.findings, Not(HasCode("no-proxy-file")));
}

TEST(MachineConfigSource, AnAbsentFileMakesNoStatementAndIsReported) {
  const auto config = Must(ReadConfigText(Ignition({})));
  EXPECT_FALSE(config.proxy_file.present);
  EXPECT_FALSE(config.trust_file.present);
  EXPECT_THAT(config.findings, HasCode("no-proxy-file"));
  EXPECT_THAT(config.findings, HasCode("no-trust-file"));
}

TEST(MachineConfigSource, AnEmptyAssignmentIsKept) {
  const auto config = Must(ReadConfigText(Ignition({FileEntry(kProxyEnvPath, "HTTP_PROXY=\nNO_PROXY=a\n")})));
  ASSERT_TRUE(config.http_proxy.has_value());
  EXPECT_TRUE(config.http_proxy->empty());
  EXPECT_EQ(config.no_proxy, "a");
}

TEST(MachineConfigSource, LowerCaseNamesAreFindingsNotSettings) {
  const auto config = Must(ReadConfigText(Ignition({FileEntry(kProxyEnvPath, "http_proxy=http://p:1\n")})));
  EXPECT_FALSE(config.http_proxy.has_value());
  EXPECT_THAT(config.findings, HasCode("env-lower-case"));
  EXPECT_THAT(config.findings, HasCode("not-read"));
  EXPECT_FALSE(egress::StatesProxy(config)) << "a URL that does not count is no statement that there is none";
}

TEST(MachineConfigSource, ABrokenBundleIsAnErrorNotAnEmptyOne) {
  EXPECT_EQ(ErrorIn(ReadConfigText(Ignition({FileEntry(kTrustBundlePath, "<html><body>503</body></html>")}))).code,
            Code::kCert);
  EXPECT_EQ(ErrorIn(ReadConfigText(Ignition({FileEntry(kProxyEnvPath, std::string("HTTP_PROXY=a\0b\n", 15))}))).code,
            Code::kEnvNul);
}

TEST(MachineConfigSource, UnreadableClusterFactsAreIgnored) {
  const auto config =
      Must(ReadConfigText(Ignition({FileEntry("/etc/kubernetes/apiserver-url.env", std::string("A=\0", 3))})));
  EXPECT_EQ(config.facts.api_host, "");
}

TEST(LegacyEnvironment, FilesOf42To44) {
  const std::string text =
      "[Service]\nEnvironment=HTTP_PROXY=http://u:p%40ss@p:1\nEnvironment=NO_PROXY=.svc,localhost\n";
  const auto config =
      Must(ReadConfigText(Ignition({FileEntry("/etc/systemd/system/crio.service.d/10-default-env.conf", text),
                                    FileEntry("/etc/systemd/system/kubelet.service.d/10-default-env.conf", text)},
                                   "", "2.2.0")));
  EXPECT_EQ(config.http_proxy->Reveal(), "http://u:p%40ss@p:1") << "no doubling of % here";
  EXPECT_EQ(config.no_proxy, ".svc,localhost");
  EXPECT_EQ(config.proxy_file.path, "/etc/systemd/system/kubelet.service.d/10-default-env.conf") << "kubelet's wins";
  EXPECT_THAT(config.findings, HasCode("legacy-environment"));
  EXPECT_THAT(config.findings, Not(HasCode("legacy-differs")));
}

std::string DropIn(const std::string& unit, const std::string& lines) {
  return R"({"name":")" + unit + R"(","dropins":[{"name":"10-mco-default-env.conf","contents":"[Service]\n)" + lines +
         R"("}]})";
}

TEST(LegacyEnvironment, WhatEachPlaceSays) {
  const std::string crio = R"({"name":"crio.service","contents":"[Service]\nExecStart=/bin/true\n"})";
  const std::string pivot = R"({"name":"pivot.service","contents":"[Service]\nEnvironment=HTTP_PROXY=http://p:1\n"})";
  const std::string a = DropIn("kubelet.service", R"(Environment=HTTP_PROXY=http://a:1\n)");
  const std::string b = DropIn("crio.service", R"(Environment=HTTP_PROXY=http://b:1\n)");
  const struct {
    const char* why;
    std::string config;
    bool present;
    std::string_view path;
    std::string http_proxy;
    bool differs = false;
  } rows[] = {
      {"4.5 and 4.6", Ignition({}, a), true, "kubelet.service/10-mco-default-env.conf", "http://a:1"},
      {"units that carry the lines", Ignition({}, pivot), true, "pivot.service", "http://p:1"},
      {"they disagree", Ignition({}, a + "," + b), true, "kubelet.service/10-mco-default-env.conf", "http://a:1", true},
      {"proxy.env wins", Ignition({FileEntry(kProxyEnvPath, "HTTP_PROXY=http://new:1\n")}, a), true, kProxyEnvPath,
       "http://new:1"},
      {"it points to proxy.env",
       Ignition({}, DropIn("kubelet.service", R"(EnvironmentFile=/etc/mco/proxy.env\n)") + "," + crio), false,
       kProxyEnvPath, ""},
      {"the explicit empty", Ignition({}, DropIn("kubelet.service", "")), true,
       "kubelet.service/10-mco-default-env.conf", ""},
  };
  for (const auto& row : rows) {
    const auto config = ReadConfigText(row.config);
    ASSERT_TRUE(config) << row.why << ": " << config.error().message;
    EXPECT_EQ(config->proxy_file.present, row.present) << row.why;
    EXPECT_EQ(config->proxy_file.path, row.path) << row.why;
    EXPECT_EQ(config->http_proxy ? config->http_proxy->Reveal() : "", row.http_proxy) << row.why;
    EXPECT_EQ(HasFinding(config->findings, "legacy-differs"), row.differs) << row.why;
  }
}

}  // namespace
}  // namespace prov::source
