#include "provisioner/source/kube_uri.h"

#include <gtest/gtest.h>

namespace prov::source {
namespace {

TEST(KubeUri, SaysWhatIsReadFromWhere) {
  const struct {
    const char* uri;
    const char* context;
    KubeKind kind;
    const char* name;
    const char* name_space = "";
    const char* key = "";
  } cases[] = {
      {"kube://", "", KubeKind::kPool, "worker"},
      {"kube:///", "", KubeKind::kPool, "worker"},
      {"KUBE:///infra/", "", KubeKind::kPool, "infra"},
      {"kube://admin@prod", "admin@prod", KubeKind::kPool, "worker"},
      {"kube://prod/machineconfigpool/proxy", "prod", KubeKind::kPool, "proxy"},
      {"kube://a%2Fb:6443%2Fkube:admin/worker", "a/b:6443/kube:admin", KubeKind::kPool, "worker"},
      {"kube:///machineconfig/rendered-worker-1", "", KubeKind::kMachineConfig, "rendered-worker-1"},
      {"kube:///controllerconfig", "", KubeKind::kControllerConfig, "machine-config-controller"},
      {"kube:///controllerconfig/machine-config-controller", "", KubeKind::kControllerConfig,
       "machine-config-controller"},
      {"kube:///proxy/cluster", "", KubeKind::kProxy, "cluster"},
      {"kube:///configmap", "", KubeKind::kPool, "configmap"},
      {"kube:///configmap/trust/corporate.v2", "", KubeKind::kConfigMap, "corporate.v2", "trust"},
      {"kube://admin/configmap/trust/corporate:Root_CA.pem", "admin", KubeKind::kConfigMap, "corporate", "trust",
       "Root_CA.pem"},
      {"kube:///clustertrustbundle/corporate", "", KubeKind::kClusterTrustBundle, "corporate"},
      {"kube:///clustertrustbundle/example.com:signer:live", "", KubeKind::kClusterTrustBundle,
       "example.com:signer:live"},
      {"kube:///hostedcluster/clusters/one", "", KubeKind::kHostedCluster, "one", "clusters"},
      {"kube:///ranchercluster/fleet-default/one", "", KubeKind::kRancherCluster, "one", "fleet-default"},
  };
  for (const auto& c : cases) {
    const auto target = ParseKubeUri(c.uri, {});
    ASSERT_TRUE(target) << c.uri << ": " << target.error().message;
    EXPECT_EQ(target->context, c.context) << c.uri;
    EXPECT_EQ(target->kind, c.kind) << c.uri;
    EXPECT_EQ(target->name, c.name) << c.uri;
    EXPECT_EQ(target->name_space, c.name_space) << c.uri;
    EXPECT_EQ(target->key, c.key) << c.uri;
  }
}

TEST(KubeUri, TheOptionsSayWhatItDoesNot) {
  EXPECT_EQ(ParseKubeUri("kube:///", {.pool = "infra"})->name, "infra");
  EXPECT_EQ(ParseKubeUri("kube:///worker", {.pool = "infra"})->name, "worker");
  const auto named = ParseKubeUri("kube:///worker", {.name = "rendered-worker-1"});
  ASSERT_TRUE(named);
  EXPECT_EQ(named->kind, KubeKind::kMachineConfig);
  for (const char* uri : {"kube:///proxy", "kube:///configmap/trust/corporate"})
    EXPECT_FALSE(ParseKubeUri(uri, {.name = "rendered-worker-1"})) << uri;
}

TEST(KubeUri, RefusesWhatIsNone) {
  for (const char* uri : {"https://a/b",
                          "kube:/worker",
                          "kube:///Worker",
                          "kube:///a..b",
                          "kube:///-a",
                          "kube:///a/b",
                          "kube:///secret/x",
                          "kube:///machineconfig/a/b",
                          "kube:///worker?x=1",
                          "kube:///worker#x",
                          "kube://a b/worker",
                          "kube://a%2/worker",
                          "kube://a%zz/worker",
                          "kube:///proxy/other",
                          "kube:///%2e%2e",
                          "kube:///machineconfigpool/..",
                          "kube://\xff/",
                          "kube:///configmap/a",
                          "kube:///configmap/a/b/c",
                          "kube:///configmap/a/b:",
                          "kube:///configmap/a/b:c:d",
                          "kube:///configmap/A/b",
                          "kube:///configmap/a/:b",
                          "kube:///clustertrustbundle/a/b",
                          "kube:///clustertrustbundle/:a",
                          "kube:///hostedcluster/one",
                          "kube:///hostedcluster/a/b:c",
                          "kube:///pod/a/b"}) {
    const auto target = ParseKubeUri(uri, {});
    ASSERT_FALSE(target) << uri;
    EXPECT_EQ(target.error().code, Code::kUsage) << uri;
    EXPECT_EQ(target.error().where, uri);
  }
  EXPECT_FALSE(ParseKubeUri("kube:///" + std::string(254, 'a'), {}));
}

TEST(KubeUri, EscapesForUrls) { EXPECT_EQ(PercentEncode("metadata.name=a b/\xc3"), "metadata.name%3Da%20b%2F%C3"); }

}  // namespace
}  // namespace prov::source
