#include "provisioner/source/kube_access.h"

#include <filesystem>

#include "tests/source/kube_helpers.h"
#include "tests/support/result.h"

namespace prov::source {
namespace {

class Access : public KubeTest {
 protected:
  Result<KubeAccess> Open(const std::string& context = "") { return KubeAccess::Open(Request(), context, here_); }
  Result<net::FetchRequest> First(const std::string& context = "") {
    const KubeAccess access = PROV_TRY(Open(context));
    return access.Request("/version");
  }

  static SourceRequest InPod() {
    SourceRequest out;
    out.source = "kube:///worker";
    out.kubeconfig = kInCluster;
    return out;
  }
  // What a cluster gives to a pod.
  void PutAccount(const std::string& token, const std::string& address = "10.0.0.1",
                  const std::string& folder = "account") {
    variables_["KUBERNETES_SERVICE_HOST"] = address;
    variables_["KUBERNETES_SERVICE_PORT"] = "443";
    std::filesystem::create_directories(folder_.At(folder));
    Write(folder + "/token", token);
    Write(folder + "/ca.crt", testing_support::SampleText("proxy-root.pem"));
  }

  std::map<std::string, std::string> variables_;
  KubeEnvironment here_{.environment =
                            [this](const std::string& name) {
                              const auto found = variables_.find(name);
                              return found == variables_.end() ? std::nullopt
                                                               : std::optional<std::string>(found->second);
                            },
                        .account_folder = folder_.At("account")};
};

TEST_F(Access, ARequestHasAllThatGoesWithIt) {
  const auto request = Must(First());
  EXPECT_EQ(request.url, "https://api.example.test:6443/version");
  EXPECT_EQ(request.bearer_token->Reveal(), kToken);
  ASSERT_EQ(request.roots.size(), 1U);
  EXPECT_EQ(request.roots[0], testing_support::SampleCertificates()[0].der);
  EXPECT_FALSE(request.proxy_url);
  EXPECT_FALSE(request.client);
  EXPECT_EQ(request.connect_to, "");
}

TEST_F(Access, AContextMayHaveAPathAndTheSystemsRoots) {
  const auto request = Must(First("a/b:6443/x"));
  EXPECT_EQ(request.url, "https://[fd00::1]:6443/k8s/version");
  EXPECT_TRUE(request.roots.empty());
}

TEST_F(Access, AnotherTlsNameKeepsTheAddress) {
  WriteConfig("    token: t\n", "    tls-server-name: kubernetes.default\n");
  const auto request = Must(First());
  EXPECT_EQ(request.url, "https://kubernetes.default:6443/version");
  EXPECT_EQ(request.connect_to, "api.example.test:6443");
  EXPECT_THAT(request.headers,
              ::testing::Contains(std::pair<std::string, std::string>("Host", "api.example.test:6443")));
}

TEST_F(Access, AClientCertificateComesFromFilesOrData) {
  WriteConfig("    client-certificate: c.pem\n    client-key-data: " + EncodeBase64("KEY") + "\n");
  Write("c.pem", "CERT");
  const auto request = Must(First());
  EXPECT_EQ(request.client->certificate_pem, "CERT");
  EXPECT_EQ(request.client->key_pem.Reveal(), "KEY");
  EXPECT_FALSE(request.bearer_token);
}

TEST_F(Access, ATokenFileIsReadForEachRequest) {
  WriteConfig("    token: old\n    tokenFile: token\n");
  Write("token", "one\n");
  const auto access = Must(Open());
  EXPECT_EQ(access.Request("/")->bearer_token->Reveal(), "one");
  Write("token", "two");
  EXPECT_EQ(access.Request("/")->bearer_token->Reveal(), "two");
  Write("token", " \n");
  EXPECT_EQ(access.Request("/").error().code, Code::kNotFound);
  Write("token", "c4nary\r\nX-Other: 1");
  EXPECT_EQ(access.Request("/").error().code, Code::kType);
  ExpectNoSecret(access.Request("/").error());
}

TEST_F(Access, TheCommandLineWinsOverTheFile) {
  WriteConfig("    token: t\n", "    proxy-url: http://of.the.file:1\n");
  SourceRequest request = Request();
  EXPECT_EQ(KubeAccess::Open(request, "", here_)->Request("/")->proxy_url->Reveal(), "http://of.the.file:1");
  request.proxy_url = Secret("http://given:2");
  request.ca_file = testing_support::SampleFolder() + "proxy-root.pem";
  const auto access = Must(KubeAccess::Open(request, "", here_));
  EXPECT_EQ(access.Request("/")->proxy_url->Reveal(), "http://given:2");
  EXPECT_EQ(access.Request("/")->roots[0], testing_support::SampleCertificates()[1].der);
}

TEST_F(Access, ABundleWithoutCertificatesIsNoReasonToTrustTheSystems) {
  Write("ca.crt", "# nothing\n");
  EXPECT_EQ(Open().error().code, Code::kCert);
  WriteConfig("    token: t\n");
  std::filesystem::remove(folder_.At("ca.crt"));
  EXPECT_EQ(Open().error().code, Code::kNotFound);
}

// Of a node that follows the cluster: each may be somebody else's.
TEST_F(Access, EachFollowedFileIsReadAsSuch) {
  WriteConfig("    client-certificate: c.pem\n    client-key: k.pem\n    tokenFile: token\n");
  Write("c.pem", "CERT");
  Write("k.pem", "KEY");
  Write("token", "t");
  std::vector<std::string> asked;
  std::string refused;
  SourceRequest request = Request();
  request.read_followed = [&](const std::string& path, std::uint64_t limit) -> Result<std::string> {
    asked.push_back(path.substr(path.find_last_of("/\\") + 1));
    if (asked.back() == refused) return Fail(Code::kOwner, "others can change it", path);
    return ReadFile(path, limit);
  };
  const auto access = Must(KubeAccess::Open(request, "", here_));
  ASSERT_TRUE(access.Request("/"));
  EXPECT_THAT(asked, ::testing::ElementsAre("config", "ca.crt", "c.pem", "k.pem", "token"));
  for (const char* name : {"config", "ca.crt", "c.pem", "k.pem"}) {
    refused = name;
    const auto open = KubeAccess::Open(request, "", here_);
    ASSERT_FALSE(open) << name;
    EXPECT_EQ(open.error().code, Code::kOwner) << name;
  }
  refused = "token";
  EXPECT_EQ(access.Request("/").error().code, Code::kOwner) << "it is read anew for each request";
}

TEST_F(Access, APodFindsItsOwnAccount) {
  SourceRequest request = InPod();
  EXPECT_EQ(KubeAccess::Open(request, "", here_).error().code, Code::kNotFound);
  variables_ = {{"KUBERNETES_SERVICE_HOST", "fd00::a"}, {"KUBERNETES_SERVICE_PORT", "443"}};
  EXPECT_EQ(KubeAccess::Open(request, "", here_).error().code, Code::kNotFound) << "without a token";
  PutAccount("of.the.pod", "fd00::a");
  const auto access = Must(KubeAccess::Open(request, "", here_));
  EXPECT_EQ(access.Request("/x")->url, "https://[fd00::a]:443/x");
  EXPECT_EQ(access.Request("/x")->bearer_token->Reveal(), "of.the.pod");
  EXPECT_EQ(KubeAccess::Open(request, "ctx", here_).error().code, Code::kUsage);
  EXPECT_EQ(*DefaultKubeconfig(here_), kInCluster);
}

// kubelet mounts it behind links of its own, which followed files must not have.
TEST_F(Access, APodThatFollowsReadsItsAccountAsItIs) {
  SourceRequest request = InPod();
  request.read_followed = [](const std::string& path, std::uint64_t) -> Result<std::string> {
    return Fail(Code::kOwner, "a link is on the way", path);
  };
  PutAccount("of.the.pod");
  const auto access = Must(KubeAccess::Open(request, "", here_));
  EXPECT_EQ(access.Request("/x")->bearer_token->Reveal(), "of.the.pod");
  request.ca_file = folder_.At("account/ca.crt");
  EXPECT_EQ(KubeAccess::Open(request, "", here_).error().code, Code::kOwner) << "a CA of one's own is a followed file";
}

// The same path outside of the mounts may be a folder that a user of the node made.
TEST_F(Access, AHostProcessTakesItsAccountBelowItsMountsFirst) {
  SourceRequest request = InPod();
  variables_["CONTAINER_SANDBOX_MOUNT_POINT"] = folder_.At("mounts");
  // Without a drive, as it is in a pod.
  here_.account_folder = "/" + std::filesystem::path(folder_.At("account")).relative_path().generic_string();
  const std::string below = "mounts" + here_.account_folder;
  const auto token = [&] { return KubeAccess::Open(request, "", here_)->Request("/")->bearer_token->Reveal(); };
  PutAccount("of.the.node");
  PutAccount("of.the.pod", "10.0.0.1", below);
  EXPECT_EQ(token(), "of.the.pod");
  std::filesystem::remove_all(folder_.At("account"));
  EXPECT_EQ(token(), "of.the.pod");
  EXPECT_EQ(*DefaultKubeconfig(here_), kInCluster);
}

// On Windows, read_account looks at the owner and the rights (path_security.h).
TEST_F(Access, APodsAccountThatOthersCouldHaveWrittenIsRefused) {
  SourceRequest request = InPod();
  PutAccount("of.a.user");
  std::string refused;
  here_.read_account = [&](const std::string& path, std::uint64_t limit) -> Result<std::string> {
    if (path.ends_with(refused)) return Fail(Code::kOwner, "belongs to a user", path);
    return ReadFile(path, limit);
  };
  refused = "/ca.crt";
  EXPECT_EQ(KubeAccess::Open(request, "", here_).error().code, Code::kOwner);
  refused = "/token";
  EXPECT_EQ(KubeAccess::Open(request, "", here_)->Request("/").error().code, Code::kOwner);
}

TEST_F(Access, APersonsFileIsFoundAsKubectlFindsIt) {
  EXPECT_EQ(*DefaultKubeconfig(here_), "");
  SourceRequest request;
  request.source = "kube:///worker";
  EXPECT_EQ(KubeAccess::Open(request, "", here_).error().code, Code::kUsage);
  std::filesystem::create_directory(folder_.At(".kube"));
  Write(".kube/config", "");
  variables_["USERPROFILE"] = folder_.path().string();
  EXPECT_EQ(*DefaultKubeconfig(here_), folder_.path().string() + "/.kube/config");
  variables_["KUBECONFIG"] = "one";
  EXPECT_EQ(*DefaultKubeconfig(here_), "one");
  variables_["KUBECONFIG"] = "one:two";
  if (std::filesystem::path::preferred_separator != '/') variables_["KUBECONFIG"] = "one;two";
  EXPECT_EQ(DefaultKubeconfig(here_).error().code, Code::kUsage);
  request.kubeconfig = "-";
  EXPECT_EQ(KubeAccess::Open(request, "", here_).error().code, Code::kUsage) << "standard input is no kubeconfig";
}

TEST_F(Access, SaysWhoAsks) {
  EXPECT_EQ(Open()->who(), "user \"u\" of context \"here\"");
  EXPECT_FALSE(Open()->anonymous());
  WriteConfig("    {}\n");
  EXPECT_TRUE(Open()->anonymous());
}

}  // namespace
}  // namespace prov::source
