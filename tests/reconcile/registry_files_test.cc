#include "provisioner/reconcile/registry_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "provisioner/reconcile/desired_state.h"
#include "tests/registries/sources.h"
#include "tests/support/finding_codes.h"
#include "tests/support/result.h"
#include "tests/support/sample.h"

namespace prov::reconcile {
namespace {

using testing::Contains;
using testing::HasSubstr;

TEST(RegistryFolder, APathHasOneForm) {
  const std::pair<const char*, const char*> kCases[] = {{R"(C:\containerd\certs.d)", R"(C:\containerd\certs.d)"},
                                                        {"c:/containerd//certs.d/", R"(C:\containerd\certs.d)"},
                                                        {R"(C:\a\.\b\..\c)", R"(C:\a\c)"},
                                                        {R"(d:\..\x)", R"(D:\x)"},
                                                        {R"(C:\Program Files\x)", R"(C:\Program Files\x)"},
                                                        {R"(C:\key)", R"(C:\key)"},
                                                        {R"(D:\k\x)", R"(D:\k\x)"}};
  for (const auto& [given, expected] : kCases) {
    const auto path = CheckRegistryFolder(given);
    ASSERT_TRUE(path) << given << ": " << path.error().message;
    EXPECT_EQ(*path, expected);
    EXPECT_EQ(CheckRegistryFolder(*path), *path);
  }
}

TEST(RegistryFolder, TheOperatorsFolderIsRefusedHoweverItIsWritten) {
  for (const char* path :
       {R"(C:\k)", R"(c:\K\containerd\registries)", "C:/k/", R"(C:\x\..\k\y)", R"(C:\.\\k)", R"(C:\..\K\.\a)"}) {
    const auto refused = CheckRegistryFolder(path);
    ASSERT_FALSE(refused) << path;
    EXPECT_EQ(refused.error().code, Code::kUsage) << path;
    EXPECT_EQ(refused.error().where, "--registry-folder");
    EXPECT_THAT(refused.error().message, HasSubstr("Machine Config Operator")) << path;
  }
}

TEST(RegistryFolder, WhatMayLeadElsewhereIsRefused) {
  for (const char* path : {"",
                           "certs.d",
                           R"(\containerd)",
                           "C:containerd",
                           R"(\\server\share\x)",
                           R"(\\?\C:\x)",
                           R"(\\.\C:\x)",
                           R"(C:\PROGRA~1\x)",
                           R"(C:\x\K~1)",
                           R"(C:\x:stream)",
                           R"(C:\nul)",
                           R"(C:\x\con.d)",
                           R"(C:\k.)",
                           R"(C:\k )",
                           R"(C:\ k)",
                           R"(C:\a;b)",
                           R"(C:\*)",
                           "C:\\a\nb",
                           "C:\\\xC3\xA4",
                           "C:\\",
                           "/etc/containerd/certs.d"}) {
    const auto refused = CheckRegistryFolder(path);
    ASSERT_FALSE(refused) << path;
    EXPECT_EQ(refused.error().code, Code::kUsage) << path;
  }
  EXPECT_FALSE(CheckRegistryFolder("C:\\" + std::string(151, 'a')));
}

TEST(RegistryFiles, AreBelowTheFolder) {
  Findings findings;
  registries::Mirrors mirrors =
      registries::Cluster({registries::Source("host.example:5000", {registries::ForAll("m.example")})});
  const auto made = Must(MakeRegistryFiles(R"(C:\certs.d)", mirrors, {}, findings));
  ASSERT_EQ(made.size(), 1U);
  EXPECT_EQ(made.front().path, R"(C:\certs.d\host.example_5000_\hosts.toml)");
  EXPECT_THAT(made.front().bytes, HasSubstr("[host.\"https://m.example\"]"));
  mirrors.ca_fault = Error{Code::kRegistries, "holds no certificate", "ca.crt"};
  EXPECT_EQ(MakeRegistryFiles(R"(C:\certs.d)", mirrors, {}, findings).error().code, Code::kRegistries);
  mirrors.ca_fault.reset();
  mirrors.fault = Error{Code::kRegistries, "not valid TOML", "registries.conf"};
  EXPECT_EQ(MakeRegistryFiles(R"(C:\certs.d)", mirrors, {}, findings).error().code, Code::kRegistries);
}

TEST(RegistryFiles, AFileThatARecordCanNotTakeIsRefused) {
  Findings findings;
  registries::Mirrors mirrors = registries::Cluster({});
  mirrors.cas = {{"quay.io", {std::string(2U << 20U, 'x')}}};
  EXPECT_TRUE(MakeRegistryFiles(R"(C:\certs.d)", mirrors, {}, findings));
  mirrors.cas.front().certificates.emplace_back(2U << 20U, 'y');
  const Error made = ErrorIn(MakeRegistryFiles(R"(C:\certs.d)", mirrors, {}, findings));
  EXPECT_EQ(made.code, Code::kSizeLimit);
  EXPECT_EQ(made.where, R"(C:\certs.d\quay.io\ca.crt)");
}

DesiredOptions WithFolder() {
  DesiredOptions options;
  options.scope.registries = true;
  options.registry_folder = R"(C:\certs.d)";
  return options;
}

TEST(RegistryFiles, ASilentSourceIsNoReasonToTakeFilesAway) {
  const egress::EgressConfig silent = testing_support::SampleConfig();
  const DesiredState state = MakeDesiredState(silent, WithFolder()).value();
  EXPECT_FALSE(state.scope.registries);
  EXPECT_FALSE(state.left_out.registries);
  EXPECT_THAT(testing_support::CodesOf(state.findings), Contains("registries-silent"));
  EXPECT_FALSE(MakeDesiredState(silent, {}).value().left_out.registries);
}

TEST(RegistryFiles, EachStatementOfASourceCountsWhereTheOptionIsLeftOut) {
  const auto left_out = [](const auto& say) {
    egress::EgressConfig config = testing_support::SampleConfig();
    say(config.mirrors);
    return MakeDesiredState(config, {}).value().left_out.registries;
  };
  EXPECT_TRUE(left_out([](auto& mirrors) { mirrors.places = {"registries.conf"}; }));
  EXPECT_TRUE(left_out([](auto& mirrors) { mirrors.states_no_cas = true; }));
  EXPECT_TRUE(left_out([](auto& mirrors) { mirrors.left_out = true; }));
  EXPECT_FALSE(left_out([](auto& mirrors) { mirrors.fault = Error{Code::kRegistries, "not valid TOML", ""}; }));
  EXPECT_FALSE(left_out([](auto& mirrors) { mirrors.ca_fault = Error{Code::kRegistries, "no certificate", ""}; }));
}

TEST(RegistryFiles, MirrorsThatCanNotBeReadStopNothingElse) {
  egress::EgressConfig config = testing_support::SampleConfig();
  config.mirrors.fault = Error{Code::kRegistries, "not valid TOML", "registries.conf"};
  const DesiredState state = MakeDesiredState(config, WithFolder()).value();
  EXPECT_FALSE(state.environment.empty());
  ASSERT_TRUE(state.files_fault.has_value());
  EXPECT_EQ(state.files_fault->code, Code::kRegistries);
  EXPECT_FALSE(MakeDesiredState(config, {}).value().files_fault.has_value());
}

// A proxy that looks into TLS is in the way of containerd, too, whatever of the trust is taken.
TEST(RegistryFiles, CasStandBesideTheWholeTrustOfTheSource) {
  egress::EgressConfig config = testing_support::SampleConfig();
  config.mirrors = registries::Cluster({});
  config.mirrors.cas = {{"quay.io", {testing_support::SampleCertificates().at(0).der}}};
  DesiredOptions options = WithFolder();
  EXPECT_TRUE(MakeDesiredState(config, options).value().files.empty()) << "Windows' own store has it";
  options.scope.certificates = false;
  const auto files = MakeDesiredState(config, options).value().files;
  ASSERT_EQ(files.size(), 1U);
  options.scope.certificates = true;
  for (const pki::Certificate& one : config.certificates) options.subtract.insert(one.sha256);
  EXPECT_EQ(MakeDesiredState(config, options).value().files, files);
  config.mirrors.cas = {{"quay.io", {"another"}}};
  const auto other = MakeDesiredState(config, WithFolder()).value().files;
  ASSERT_EQ(other.size(), 1U);
  const auto count = [](const std::string& text) {
    std::size_t out = 0;
    for (auto at = text.find("BEGIN"); at != std::string::npos; at = text.find("BEGIN", at + 1)) ++out;
    return out;
  };
  EXPECT_EQ(count(other.front().bytes), config.certificates.size() + 1);
}

}  // namespace
}  // namespace prov::reconcile
