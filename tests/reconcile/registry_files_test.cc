#include "provisioner/reconcile/registry_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/registries/sources.h"

namespace prov::reconcile {
namespace {

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
  const auto made = MakeRegistryFiles(R"(C:\certs.d)", mirrors, {}, findings);
  ASSERT_TRUE(made);
  ASSERT_EQ(made->size(), 1U);
  EXPECT_EQ(made->front().path, R"(C:\certs.d\host.example_5000_\hosts.toml)");
  EXPECT_THAT(made->front().bytes, HasSubstr("[host.\"https://m.example\"]"));
  mirrors.fault = Error{Code::kRegistries, "not valid TOML", "registries.conf"};
  EXPECT_EQ(MakeRegistryFiles(R"(C:\certs.d)", mirrors, {}, findings).error().code, Code::kRegistries);
}

}  // namespace
}  // namespace prov::reconcile
