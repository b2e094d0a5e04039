#include "provisioner/source/aks_cluster_suffixes.h"

#include <gtest/gtest.h>

#include "tests/source/document_helpers.h"

namespace prov::source {
namespace {

using testing::HasSubstr;

TEST(AksClusterSuffixes, AreAddedWhereTheyLack) {
  const std::pair<const char*, std::string> rows[] = {
      {R"("a")", "a,k,.svc,.cluster.local"},
      {R"("a",".SVC")", "a,.SVC,k,.cluster.local"},
      {R"(".cluster.local",".svc")", ".cluster.local,.svc,k"},
      {R"("x.svc","svc")", "x.svc,svc,k,.svc,.cluster.local"},
  };
  for (const auto& [user, list] : rows) {
    auto config =
        ReadText(std::string(R"({"httpProxy":"http://p:8080/","effectiveNoProxy":["k"],"noProxy":[)") + user + "]}");
    ASSERT_TRUE(config) << Failure(config);
    const std::string digest = config->proxy_file.sha256;
    const std::string before = *config->no_proxy;
    ASSERT_TRUE(AddClusterSuffixes(*config));
    EXPECT_EQ(config->no_proxy, list);
    const bool changed = before != list;
    EXPECT_EQ(MessageOf(config->findings, "aks-cluster-suffixes").empty(), !changed) << list;
    EXPECT_EQ(config->proxy_file.sha256 == digest, !changed) << "the digest is that of what counts";
    ASSERT_TRUE(AddClusterSuffixes(*config));
    EXPECT_EQ(config->no_proxy, list) << "once is enough";
  }
}

TEST(AksClusterSuffixes, AreForClustersOfAksThatHaveAProxy) {
  auto disabled = ReadText(R"({"httpProxyConfig":null,"name":"c"})");
  ASSERT_TRUE(disabled) << Failure(disabled);
  ASSERT_TRUE(AddClusterSuffixes(*disabled));
  EXPECT_FALSE(disabled->no_proxy);
  auto other = ReadText("HTTP_PROXY=http://p:1\nNO_PROXY=a\n");
  ASSERT_TRUE(other) << Failure(other);
  const auto added = AddClusterSuffixes(*other);
  ASSERT_FALSE(added);
  EXPECT_EQ(added.error().code, Code::kKind);
  EXPECT_THAT(added.error().message, HasSubstr("(EnvironmentFile)"));
  EXPECT_EQ(other->no_proxy, "a");
}

}  // namespace
}  // namespace prov::source
