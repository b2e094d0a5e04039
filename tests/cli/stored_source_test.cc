// From a command line to what a node remembers of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "provisioner/cli/command.h"
#include "provisioner/cli/settings_spec.h"
#include "tests/cli/settings_of_words.h"
#include "tests/support/result.h"

namespace prov::cli {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::Ne;

Result<node::SettingsSpec> Remembered(const std::vector<std::string>& words) {
  const Arguments arguments = PROV_TRY(ParseArguments(FirstBootCommand().spec, words));
  return SpecToRemember(PROV_TRY(ParseSettingsSpec(arguments)));
}

TEST(StoredSource, KeepsHowAServerIsAsked) {
  const auto spec =
      Must(Remembered({"mcs://h/worker", "--pool", "infra", "--ca", "ca.pem", "--source-proxy", "http://u:a,b@p:1",
                       "--source-timeout", "30", "--service", "containerd,kubelet", "--add-cluster-suffixes"}));
  EXPECT_EQ(spec.source.source, "mcs://h/worker");
  EXPECT_EQ(spec.source.selection.pool, "infra");
  EXPECT_EQ(spec.source.proxy_url, Secret("http://u:a,b@p:1"));
  EXPECT_EQ(spec.source.timeout_seconds, 30);
  EXPECT_TRUE(spec.source.add_cluster_suffixes);
  EXPECT_THAT(spec.choices.services.value(), ElementsAre("containerd", "kubelet"));
  EXPECT_THAT(spec.source.ca_file, testing::AllOf(EndsWith("ca.pem"), Ne("ca.pem"))) << "absolute";
}

TEST(StoredSource, KeepsWhatIsTakenOfIt) {
  const auto spec = Must(Remembered({"/p/worker.json", "--hns-policy", "policy.json", "--hns-pods", "shop", "--scope",
                                     "certs,hns", "--subtract", "minus.pem", "--credentials", "none"}));
  EXPECT_EQ(spec.choices.hns_pods, "shop");
  ASSERT_TRUE(spec.choices.scope);
  EXPECT_THAT(spec.choices.scope->Names(), ElementsAre("certs", "hns"));
  EXPECT_EQ(spec.choices.credentials, reconcile::CredentialPolicy::kNone);
  EXPECT_THAT(spec.choices.hns_policy_file.value(), testing::AllOf(EndsWith("policy.json"), Ne("policy.json")));
  EXPECT_THAT(spec.choices.subtract_file.value(), testing::AllOf(EndsWith("minus.pem"), Ne("minus.pem")));
}

TEST(StoredSource, KeepsTheWholePathOfAKubeconfig) {
  const auto spec = Must(Remembered({"kube:///worker", "--kubeconfig", "config"}));
  EXPECT_THAT(spec.source.kubeconfig, testing::AllOf(EndsWith("config"), Ne("config")));
}

TEST(StoredSource, IsReadAgainFromItsWords) {
  const std::string digest(64, 'a');
  const std::vector<std::string> rows[] = {
      {"kube:///worker"},
      {R"(C:\egress files\worker.json)", "--pool", "infra", "--name", "rendered-1", "--add-cluster-suffixes"},
      {"https://h/a#sha256=" + digest, "--ca", "ca.pem", "--source-proxy", "http://p:1", "--source-timeout", "30"},
      {"kube:///worker", "--kubeconfig", "in-cluster", "--scope", "machine,certs", "--credentials", "none"},
      {"w.json", "--service", "containerd,kubelet", "--trust", digest, "--with-wmco", "--winhttp-octets", "--augment"},
      {"w.json", "--registry-folder", R"(C:\Program Files\containerd\certs.d)"},
      {"w.json", "--hns-policy", "p.json", "--hns-pods", "all", "--subtract", "minus.pem"},
  };
  const auto parse = [](const std::vector<std::string>& words) {
    return ParseSettingsSpec(ParseArguments(ApplyCommand().spec, words).value()).value();
  };
  for (const auto& row : rows) EXPECT_EQ(parse(TypedWords(WordsOf(parse(row)))), parse(row)) << WordsOf(parse(row));
  EXPECT_EQ(WordsOf(parse({"https://u:c4nary@h/a?token=c4nary", "--source-proxy", "http://u:c4nary@p:1"})),
            "SOURCE --source-proxy URL");
}

TEST(StoredSource, IsNotStandardInput) { EXPECT_EQ(Remembered({"-"}).error().code, Code::kUsage); }

}  // namespace
}  // namespace prov::cli
