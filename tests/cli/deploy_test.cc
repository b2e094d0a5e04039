// `deploy --print` against the manifests of tests/golden/deploy, and against the Kustomize base.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <regex>
#include <set>

#include "provisioner/cli/command.h"
#include "provisioner/payload/host_process_image.h"
#include "tests/support/memory_host.h"
#include "tests/support/paths.h"
#include "tests/support/sample.h"

namespace prov::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing_support::ReadAll;

constexpr const char* kImage = "registry.example.com/provisioner:0.1.0";

Result<Outcome> Deploy(const std::vector<std::string>& words) {
  const Command command = DeployCommand();
  const auto arguments = ParseArguments(command.spec, words);
  if (!arguments) return std::unexpected(arguments.error());
  testing_support::MemoryHost host;
  return command.run(*arguments, host);
}

// An image is named by the words, or for them.
std::vector<std::string> WithImage(std::vector<std::string> words) {
  if (std::ranges::find(words, "--image") == words.end()) words.insert(words.end(), {"--image", kImage});
  return words;
}

std::string Printed(std::vector<std::string> words) {
  words.emplace_back("--print");
  const auto outcome = Deploy(WithImage(words));
  EXPECT_TRUE(outcome) << outcome.error().message << outcome.error().where;
  return outcome ? outcome->out : "";
}

std::string Golden(const std::string& name) {
  return ReadAll(testing_support::TestsFolder() + "/golden/deploy/" + name + ".yaml");
}

TEST(Deploy, PrintsWhatTheGoldenFileHolds) {
  EXPECT_EQ(Printed({"--image", kImage, "--service", "containerd", "--service", "kubelet"}), Golden("worker"));
}

TEST(Deploy, OptionsChangeTheArgsAndTheRights) {
  const std::string printed =
      Printed({"--image", kImage, "--source", "kube:///proxy", "--with-wmco", "--interval", "300", "--metrics",
               "C:\\$HOME\\p.prom", "--reboot", "annotate", "--api-server", "api-int.example.test:6443"});
  for (const char* part :
       {"  resources: [proxies]\n  resourceNames: [cluster]\n  verbs: [get, list, watch]\n---\n",
        "kind: Role\nmetadata:\n  name: egress-provisioner-source\n  namespace: openshift-config\n",
        "  resources: [configmaps]\n  verbs: [get]\n",
        "kind: RoleBinding\nmetadata:\n  name: egress-provisioner-source\n  namespace: openshift-config\n",
        R"x(args: ["pod", "kube:///proxy", "--kubeconfig", "in-cluster", "--node", "$(NODE_NAME)", "--with-wmco", )x"
        R"("--interval=300", "--metrics=C:\\$$HOME\\p.prom", "--reboot=annotate"])",
        "        - name: KUBERNETES_SERVICE_HOST\n          value: \"api-int.example.test\"\n"
        "        - name: KUBERNETES_SERVICE_PORT\n          value: \"6443\"\n"})
    EXPECT_THAT(printed, HasSubstr(part));
  EXPECT_THAT(printed, Not(HasSubstr("machineconfiguration")));
}

TEST(Deploy, TheControllersHalfRefusesWhatItCanNotBe) {
  const auto refused = [](std::vector<std::string> words) {
    words.insert(words.end(), {"--print", "--image", kImage});
    const auto outcome = Deploy(words);
    return outcome ? std::string("printed") : outcome.error().where + " " + outcome.error().message;
  };
  const std::vector<std::string> keep = {"--keep-secret", "machines/ours"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), keep.begin(), keep.end());
    return refused(more);
  };
  EXPECT_THAT(with({}), HasSubstr("--platform is missing"));
  EXPECT_THAT(with({"--platform", "aws", "--append-to-secret", "other/theirs"}), HasSubstr("another namespace"));
  EXPECT_THAT(with({"--platform", "aws", "--append-to-secret", "machines/ours"}),
              HasSubstr("names the Secret of --keep-secret"));
  EXPECT_THAT(with({"--platform", "aws", "--source", "kube:///proxy"}), HasSubstr("give a pool"));
  EXPECT_THAT(with({"--platform", "aws", "--source", "C:\\x"}), HasSubstr("has no files"));
  EXPECT_THAT(with({"--platform", "aws", "--other-secret", "b"}), HasSubstr("needs --machine-sets"));
  EXPECT_THAT(with({"--platform", "aws", "--machine-sets", "--other-secret", "n/b"}),
              HasSubstr("the name of a Secret"));
  EXPECT_THAT(with({"--platform", "aws", "--remove"}), HasSubstr("is for the pods on nodes"));
  EXPECT_THAT(with({"--platform", "aws", "--source", ""}), HasSubstr("is empty"));
  EXPECT_THAT(with({"--platform", "aws", "--source", "ftp://h/x"}),
              AllOf(HasSubstr("not ftp://"), Not(HasSubstr("path on the nodes"))));
  EXPECT_THAT(with({"--platform", "aws", "--source", "mcs://h/worker"}),
              AllOf(HasSubstr("the CA of a Machine Config Server"), HasSubstr("not mcs://")));
  EXPECT_THAT(with({"--platform", "aws", "--source", "http://h/w.json"}), HasSubstr("#sha256="));
  EXPECT_THAT(with({"--platform", "aws", "--add-cluster-suffixes"}), HasSubstr("is for AKS"));
  EXPECT_THAT(with({"--platform", "aws", "--source", "https://h/w.json", "--ca", "C:\\ca.pem"}),
              HasSubstr("trusts Debian's CAs"));
  EXPECT_EQ(with({"--platform", "aws", "--source", "https://h/w.json"}), "printed");
  EXPECT_THAT(refused({"--keep-secret", "ours", "--platform", "aws"}), HasSubstr("takes NAMESPACE/NAME"));
  EXPECT_THAT(refused({"--keep-secret", "machines/windows-user-data", "--platform", "aws"}), HasSubstr("own Secret"));
  EXPECT_THAT(refused({"--append-to-secret", "a/b"}), HasSubstr("belongs to --keep-secret"));
  EXPECT_THAT(refused({"--params", "a/b", "--platform", "aws"}), HasSubstr("belongs to --keep-secret"));
  EXPECT_THAT(refused({"--params", "a"}), HasSubstr("takes NAMESPACE/NAME"));
}

TEST(Deploy, TheControllerGetsNoRightToWhatItDoesNotKeep) {
  const std::string params = Printed({"--params", "pods/values", "--source", "kube:///windows"});
  EXPECT_THAT(
      params,
      HasSubstr("resources: [configmaps]\n  resourceNames: [\"values\"]\n  verbs: [get, list, watch, patch]\n"));
  EXPECT_THAT(params,
              HasSubstr("  name: egress-provisioner-controller-values-a6b9a544-params\n  namespace: \"pods\"\n"));
  EXPECT_THAT(params, HasSubstr("\"--params=pods/values\"]"));
  EXPECT_THAT(params, Not(HasSubstr("secrets")));
  EXPECT_THAT(params, Not(HasSubstr("kind: ConfigMap"))) << "pod-env prints it, with its values";
  const std::string both = Printed({"--params", "pods/values", "--keep-secret", "pods/ours", "--platform", "aws"});
  EXPECT_THAT(both, HasSubstr("\"--secret=pods/ours\""));
  EXPECT_THAT(both, HasSubstr("\"--params=pods/values\"]"));
  EXPECT_THAT(Printed({"--keep-secret", "pods/ours", "--platform", "aws"}), Not(HasSubstr("configmaps")));
}

// The names of all objects but the Namespace and what is kept: "KIND NAMESPACE/NAME".
std::set<std::string> ObjectsOf(const std::string& printed) {
  std::set<std::string> out;
  const std::regex object("kind: ([A-Za-z]+)\nmetadata:\n  name: (.+)\n(?:  namespace: (.+)\n)?");
  for (std::sregex_iterator at(printed.begin(), printed.end(), object), end; at != end; ++at) {
    if ((*at)[1] != "Namespace" && (*at)[1] != "Secret")
      out.insert(fmt::format("{} {}/{}", (*at)[1].str(), (*at)[3].str(), (*at)[2].str()));
  }
  return out;
}

// Else the second would take the rights, the Lease or the Deployment of the first.
TEST(Deploy, TwoControllersHaveNoObjectInCommon) {
  const std::vector<std::string> which[] = {
      {"--keep-secret", "openshift-machine-api/windows-user-data-kept", "--params", "egress-provisioner/pod-params"},
      {"--params", "egress-provisioner/pod-params"},
      {"--keep-secret", "openshift-machine-api/second"},
      {"--keep-secret", "other/second"},
      {"--keep-secret", "openshift-machine-api/windows-user-data-kept", "--namespace", "two"},
      {"--keep-secret", "openshift-machine-api/second", "--namespace", "two"},
      {"--params", "two/pod-params", "--namespace", "two"},
      {"--keep-secret", "machines/" + std::string(60, 'x') + "1"},
      {"--keep-secret", "machines/" + std::string(60, 'x') + "2"},
      {"--keep-secret", "machines/a.b"},
      {"--keep-secret", "machines/a-b"},
      {"--keep-secret", "machines-a/b"},
  };
  std::set<std::string> all;
  std::size_t count = 0;
  for (std::vector<std::string> words : which) {
    const bool keeps = words.front() == "--keep-secret";
    if (keeps) words.insert(words.end(), {"--platform", "aws", "--append-to-secret"});
    if (keeps) words.push_back(words[1].substr(0, words[1].find('/')) + "/theirs");
    const std::set<std::string> objects = ObjectsOf(Printed(words));
    EXPECT_GE(objects.size(), 8U);
    count += objects.size();
    all.insert(objects.begin(), objects.end());
    for (const std::string& one : objects) {
      if (!one.starts_with("Deployment ")) continue;
      EXPECT_LE(one.substr(one.find('/') + 1).size(), 63U) << one << ": a label's value";
    }
  }
  EXPECT_EQ(all.size(), count);
}

TEST(Deploy, AnotherControllersNameIsEverywhere) {
  const std::string printed = Printed({"--keep-secret", "machines/ours", "--platform", "aws", "--append-to-secret",
                                       "machines/theirs", "--machine-sets", "--params", "pods/values"});
  const std::string name = "egress-provisioner-controller-ours-b08d86a7";
  for (const std::string& line :
       {"  name: " + name, "  resourceNames: [" + name + "]", "      serviceAccountName: " + name,
        "      app.kubernetes.io/name: " + name, "        app.kubernetes.io/name: " + name,
        "  name: " + name + "-lease", "  name: " + name + "-secret", "  name: " + name + "-operator",
        "  name: " + name + "-machine-sets", "  name: " + name + "-params"})
    EXPECT_THAT(printed, HasSubstr(line + "\n"));
  EXPECT_THAT(printed, HasSubstr("\"--lease=egress-provisioner/" + name + "\""));
  EXPECT_THAT(printed, Not(HasSubstr("name: egress-provisioner-controller\n  namespace"))) << "an object, or a subject";
}

// Everything in one namespace, as in a cluster that is not OpenShift.
TEST(Deploy, TheControllersRolesHaveDifferentNames) {
  const std::string printed = Printed({"--namespace", "one-place", "--keep-secret", "one-place/ours", "--platform",
                                       "aws", "--secret-form", "machine-api", "--append-to-secret", "one-place/theirs",
                                       "--machine-sets", "--params", "one-place/values"});
  std::set<std::string> names;
  const std::regex role("kind: Role\nmetadata:\n  name: (\\S+)\n  namespace: one-place\n");
  std::size_t roles = 0;
  for (std::sregex_iterator at(printed.begin(), printed.end(), role), end; at != end; ++at, ++roles)
    names.insert((*at)[1]);
  EXPECT_EQ(roles, 5U);
  EXPECT_EQ(names.size(), roles);
}

TEST(Deploy, TheSecretHasTheFormThatIsAskedFor) {
  const std::string printed =
      Printed({"--keep-secret", "default/win", "--platform", "openstack", "--secret-form", "cluster-api"});
  EXPECT_THAT(printed, HasSubstr("type: cluster.x-k8s.io/secret\n"));
  EXPECT_THAT(printed, HasSubstr("\"--secret-form=cluster-api\""));
}

TEST(Deploy, PodsWaitForApprovalIfAskedTo) {
  EXPECT_THAT(Printed({"--approval"}), HasSubstr(R"x("--node", "$(NODE_NAME)", "--approval")x"));
  EXPECT_THAT(Printed({}), Not(HasSubstr("--approval")));
  EXPECT_THAT(Printed({"--namespace", "elsewhere", "--approval"}),
              HasSubstr("  name: egress-provisioner-confirmed\n  namespace: \"elsewhere\"\n"));
}

TEST(Deploy, WhatARolloutNeedsComesWithApproval) {
  std::set<std::string> with = ObjectsOf(Printed({"--approval"}));
  for (const char* name :
       {"Role egress-provisioner/egress-provisioner-confirmed",
        "RoleBinding egress-provisioner/egress-provisioner-confirmed", "ClusterRole /egress-provisioner-rollout",
        "Role egress-provisioner/egress-provisioner-rollout", "ValidatingAdmissionPolicy /egress-provisioner-rollout",
        "ValidatingAdmissionPolicyBinding /egress-provisioner-rollout"})
    EXPECT_EQ(with.erase(name), 1U) << name;
  EXPECT_EQ(with, ObjectsOf(Printed({})));
}

TEST(Deploy, WhatACoordinatorOfRebootsNeedsComesWithDrain) {
  const std::string printed = Printed({"--reboot", "drain", "--reboot-window", "01:00-05:00"});
  EXPECT_THAT(printed, HasSubstr(R"("--reboot=drain", "--reboot-window=01:00-05:00"])"));
  std::set<std::string> with = ObjectsOf(printed);
  for (const char* name :
       {"ClusterRole /egress-provisioner-reboot", "Role egress-provisioner/egress-provisioner-reboot",
        "ValidatingAdmissionPolicy /egress-provisioner-reboot",
        "ValidatingAdmissionPolicyBinding /egress-provisioner-reboot"})
    EXPECT_EQ(with.erase(name), 1U) << name;
  EXPECT_EQ(with, ObjectsOf(Printed({})));
}

TEST(Deploy, TheControllerMayRunRolloutsIfAskedTo) {
  const std::vector<std::string> keep = {"--params", "pods/values"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), keep.begin(), keep.end());
    return Printed(more);
  };
  const std::string name = "egress-provisioner-controller-values-a6b9a544-";
  std::set<std::string> objects = ObjectsOf(with({"--approval"}));
  for (const char* one : {"Role egress-provisioner/{}waits", "RoleBinding egress-provisioner/{}waits",
                          "RoleBinding egress-provisioner/{}rollout", "ClusterRoleBinding /{}rollout"})
    EXPECT_EQ(objects.erase(fmt::format(fmt::runtime(one), name)), 1U) << one;
  EXPECT_EQ(objects, ObjectsOf(with({})));
  EXPECT_THAT(with({"--approval"}), HasSubstr(R"("--approval", "--params=pods/values"])"));
  EXPECT_THAT(with({"--approval"}), Not(HasSubstr("--fleet-namespace")));
  const std::string apart = with({"--approval", "--fleet-namespace", "fleet-x", "--restricted"});
  EXPECT_THAT(apart, HasSubstr(R"("--approval", "--fleet-namespace=fleet-x", "--params=pods/values"])"));
  EXPECT_THAT(apart, HasSubstr(fmt::format("  name: {}waits\n  namespace: fleet-x\n", name)));
  EXPECT_THAT(with({"--approval", "--namespace", "fleet-x"}), HasSubstr(R"("--fleet-namespace=fleet-x")"))
      << "one overlay has both halves";
}

TEST(Deploy, PodsThatRemoveReadNoSource) {
  const std::string removes = Printed({"--remove"});
  EXPECT_THAT(removes,
              HasSubstr(R"(args: ["pod", "--remove", "--node-kubeconfig", "in-cluster", "--node", "$(NODE_N)"));
  std::set<std::string> rest = ObjectsOf(Printed({}));
  EXPECT_EQ(rest.erase("ClusterRole /egress-provisioner-source"), 1U);
  EXPECT_EQ(rest.erase("ClusterRoleBinding /egress-provisioner-source"), 1U);
  EXPECT_EQ(ObjectsOf(removes), rest);
}

std::string WithoutMarks(std::string manifest) {
  manifest = std::regex_replace(manifest, std::regex("\n +# deploy: [a-z-]+"), "");
  return std::regex_replace(manifest, std::regex("  # deploy: [a-z-]+"), "");
}

// The namespace, and the files that these components name in their order, less the marks and with what the component
// `nodes` patches.
std::string Base(const std::vector<std::string>& components) {
  const std::string folder = testing_support::TestsFolder() + "/../templates/kubernetes/";
  std::string out = ReadAll(folder + "namespace.yaml");
  if (std::ranges::find(components, "nodes") != components.end())
    out = std::regex_replace(out, std::regex(": restricted  #"), ": privileged  #");
  for (const std::string& component : components) {
    std::ifstream list(folder + component + "/kustomization.yaml");
    for (std::string line; std::getline(list, line);) {
      if (line.starts_with("- ") && line.ends_with(".yaml"))
        out += "---\n" + ReadAll(folder + component + "/" + line.substr(2));
    }
  }
  return WithoutMarks(std::move(out));
}

TEST(Deploy, TheKustomizeBaseSaysTheSame) {
  const std::vector<std::string> nodes = {"--image", "provisioner", "--source", "kube:///worker", "--platform"};
  const auto on = [&](std::vector<std::string> cluster) {
    cluster.insert(cluster.begin(), nodes.begin(), nodes.end());
    return Printed(cluster);
  };
  EXPECT_EQ(Base({"openshift", "nodes"}), Printed({"--image", "provisioner"}));
  EXPECT_EQ(Base({"openshift", "nodes"}), on({"openshift"}));
  EXPECT_EQ(Base({"gke", "nodes"}), on({"gke"}));
  EXPECT_EQ(Base({"nodes"}), on({"aks"}));
  EXPECT_EQ(Base({"nodes"}), on({"kubernetes"}));
  const std::string args = R"x("$(NODE_NAME)")x";
  std::string waits = Base({"openshift", "approval", "nodes"});
  waits.replace(waits.rfind(args), args.size(), args + R"(, "--approval")");
  EXPECT_EQ(waits, on({"openshift", "--approval"})) << "who keeps an overlay patches the args";
  std::string drains = Base({"reboots", "nodes"});
  drains.replace(drains.rfind(args), args.size(), args + R"(, "--reboot=drain")");
  EXPECT_EQ(drains, on({"aks", "--reboot", "drain"}));
  std::vector<std::string> keeper = {"--image",
                                     "provisioner-controller",
                                     "--keep-secret",
                                     "openshift-machine-api/windows-user-data-kept",
                                     "--append-to-secret",
                                     "openshift-machine-api/windows-user-data",
                                     "--platform",
                                     "aws",
                                     "--restricted"};
  EXPECT_EQ(Base({"controller"}), Printed(keeper));
  keeper.insert(keeper.end(), {"--machine-sets", "--params", "egress-provisioner/pod-params"});
  const std::string all = Printed(keeper);
  EXPECT_THAT(all, HasSubstr(R"("--machine-sets", "--platform=aws", "--params=egress-provisioner/pod-params"])"));
  const std::string folder = testing_support::TestsFolder() + "/../templates/kubernetes/";
  keeper.emplace_back("--approval");
  const std::string rollout = "controller/controller-rollout.yaml";
  EXPECT_THAT(Printed(keeper), HasSubstr("---\n" + WithoutMarks(ReadAll(folder + rollout))));
  for (const char* part : {"controller/controller-machine-sets.yaml", "pods/controller-params.yaml"})
    EXPECT_THAT(all, HasSubstr("---\n" + WithoutMarks(ReadAll(folder + part)))) << part;
}

// The image is that of the release, wherever its manifests are printed.
TEST(Deploy, TheControllersPodsStayOnNodesOfItsImage) {
  EXPECT_THAT(Printed({"--params", "pods/values"}), HasSubstr("kubernetes.io/arch: amd64\n"));
  EXPECT_THAT(Printed({"--params", "pods/values", "--arch", "arm64"}), HasSubstr("kubernetes.io/arch: arm64\n"));
  EXPECT_FALSE(Deploy(WithImage({"--print", "--params", "pods/values", "--arch", "x86_64"})));
}

// Whichever of the two is applied last, the pods on nodes are admitted, and the namespace is not changed.
TEST(Deploy, BothHalvesPrintTheSameNamespace) {
  const auto first = [](const std::string& printed) { return printed.substr(0, printed.find("---\n")); };
  const std::string nodes = first(Printed({}));
  EXPECT_EQ(first(Printed({"--params", "pods/values"})), nodes);
  EXPECT_THAT(nodes, HasSubstr("pod-security.kubernetes.io/enforce: privileged\n"));
  EXPECT_THAT(first(Printed({"--params", "pods/values", "--restricted"})),
              HasSubstr("pod-security.kubernetes.io/enforce: restricted\n"));
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"--print", "--restricted"}, {"--print", "--arch", "amd64"}}) {
    const auto outcome = Deploy(WithImage(words));
    ASSERT_FALSE(outcome);
    EXPECT_THAT(outcome.error().message, HasSubstr("belongs to --keep-secret"));
  }
}

// One is deleted by this label, and the namespace with what else is in it stays.
TEST(Deploy, ALabelTellsWhatIsOfWhichHalf) {
  const std::regex object("\nkind: ([A-Za-z]+)\n[^]*?\n    app.kubernetes.io/component: ([a-z]+)\n");
  const auto components = [&](const std::string& printed) {
    std::set<std::string> out;
    for (std::sregex_iterator at(printed.begin(), printed.end(), object), end; at != end; ++at)
      out.insert((*at)[1] == "Namespace" ? fmt::format("Namespace {}", (*at)[2].str()) : (*at)[2].str());
    return out;
  };
  EXPECT_THAT(components(Printed({"--platform", "gke", "--source", "kube:///worker", "--approval"})),
              testing::ElementsAre("Namespace namespace", "nodes"));
  EXPECT_THAT(components(Printed(
                  {"--keep-secret", "machines/ours", "--platform", "aws", "--params", "pods/values", "--approval"})),
              testing::ElementsAre("Namespace namespace", "controller"));
}

TEST(Deploy, NamesWhatTheClustersOwnRulesAskFor) {
  const std::vector<std::string> words = {"--namespace",      "windows-egress", "--pull-secret", "login",
                                          "--priority-class", "urgent",         "--platform",    "gke",
                                          "--source",         "kube:///proxy"};
  const std::string nodes = Printed(words);
  EXPECT_THAT(nodes, Not(HasSubstr("namespace: egress-provisioner\n")));
  EXPECT_THAT(nodes, HasSubstr("kind: Namespace\nmetadata:\n  name: windows-egress\n"));
  EXPECT_THAT(nodes, HasSubstr("      imagePullSecrets:\n      - name: \"login\"\n"));
  EXPECT_THAT(nodes, HasSubstr("      priorityClassName: \"urgent\"\n"));
  EXPECT_THAT(nodes, HasSubstr("      values: [\"urgent\"]\n")) << "the quota is for the class that the pods have";
  const std::string keeper = Printed({"--namespace", "on", "--pull-secret", "login", "--priority-class", "urgent",
                                      "--keep-secret", "machines/ours", "--platform", "aws"});
  EXPECT_THAT(keeper, Not(HasSubstr("namespace: egress-provisioner\n")));
  EXPECT_THAT(keeper, HasSubstr("  namespace: \"on\"\n")) << "not a truth value";
  EXPECT_THAT(keeper, HasSubstr("\"--lease=on/egress-provisioner-controller-ours-062e331f\""));
  EXPECT_THAT(keeper, HasSubstr("      imagePullSecrets:\n      - name: \"login\"\n"));
  EXPECT_THAT(keeper, HasSubstr("      priorityClassName: \"urgent\"\n"));
}

// Another cluster than OpenShift refuses the object, and one with OpenShift's source is an OpenShift.
TEST(Deploy, PrintsOpenShiftsOwnObjectsForOpenShiftAlone) {
  const std::string kind = "kind: SecurityContextConstraints";
  const std::string url = "http://h.example.com/aks.json#sha256=" + std::string(64, 'a');
  EXPECT_THAT(Printed({"--source", "kube:///proxy"}), HasSubstr(kind));
  EXPECT_THAT(Printed({"--source", url}), Not(HasSubstr(kind)));
  EXPECT_THAT(Printed({"--source", url, "--platform", "openshift"}), HasSubstr(kind));
  EXPECT_THAT(Printed({"--remove", "--platform", "aks"}), Not(HasSubstr(kind)));
}

// A pool is OpenShift's: pods elsewhere would wait for an object that no cluster of theirs has.
TEST(Deploy, WarnsOfTheDefaultSourceOnOtherClustersThanOpenShift) {
  const auto is_warned = [](const std::vector<std::string>& words) {
    const auto outcome = Deploy(WithImage(words));
    EXPECT_TRUE(outcome);
    return std::ranges::find(outcome->findings, "deploy-source", &Finding::code) != outcome->findings.end();
  };
  for (const char* platform : {"aks", "gke", "kubernetes"}) {
    EXPECT_TRUE(is_warned({"--print", "--platform", platform})) << platform;
    EXPECT_FALSE(is_warned({"--print", "--platform", platform, "--source", "kube:///configmap/a/b"})) << platform;
    EXPECT_FALSE(is_warned({"--print", "--platform", platform, "--remove"})) << "pods that remove follow no source";
  }
  EXPECT_FALSE(is_warned({"--print", "--platform", "openshift"}));
}

TEST(Deploy, GivesRightsForItsSourceAlone) {
  const std::string windows = Printed({"--source", "kube:///windows"});
  EXPECT_THAT(windows, HasSubstr("resourceNames: [\"windows\"]\n"));
  const std::string url = Printed({"--source", "https://h.example.com/worker.json"});
  EXPECT_THAT(url, Not(HasSubstr("egress-provisioner-source")));
  EXPECT_THAT(url, HasSubstr("\"pod\", \"https://h.example.com/worker.json\", \"--node-kubeconfig\", \"in-cluster\""));
}

// No image is guessed, and a tag is said to be less than a digest.
TEST(Deploy, NeedsAnImageBestByItsDigest) {
  for (const std::vector<std::string>& half : {std::vector<std::string>{"--print"}, {"--print", "--params", "a/b"}}) {
    const auto with = [&](const std::string& image) {
      std::vector<std::string> words = half;
      words.insert(words.end(), {"--image", image});
      return Deploy(words);
    };
    const auto missing = Deploy(half);
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().code, Code::kUsage);
    EXPECT_EQ(missing.error().where, "--image");
    for (const std::string tagged : {"registry.example.com/provisioner:0.1.0", "registry.example.com/provisioner"}) {
      const auto outcome = with(tagged);
      ASSERT_TRUE(outcome) << outcome.error().message;
      ASSERT_EQ(outcome->findings.size(), 1U);
      EXPECT_EQ(outcome->findings.front().code, "deploy-tag");
      EXPECT_THAT(outcome->findings.front().message,
                  HasSubstr(tagged.ends_with(":0.1.0") ? "names a tag, which" : "so the tag latest counts"));
      EXPECT_THAT(outcome->out, HasSubstr("image: \"" + tagged + "\"\n"));
    }
    for (const auto& [image, text] :
         {std::pair("docker://registry.example.com/provisioner:1", "without a scheme"), std::pair("a b", "has blanks"),
          std::pair("registry.example.com/Provisioner:1", "upper-case")}) {
      const auto refused = with(image);
      ASSERT_FALSE(refused) << image;
      EXPECT_THAT(refused.error().message, HasSubstr(text));
    }
    const std::string digest = "registry.example.com/provisioner@sha256:" + std::string(64, 'a');
    const auto outcome = with(digest);
    ASSERT_TRUE(outcome) << outcome.error().message;
    EXPECT_TRUE(outcome->findings.empty());
    EXPECT_THAT(outcome->out, HasSubstr("image: \"" + digest + "\"\n"));
  }
}

// A ConfigMap or ClusterTrustBundle alone, by its name, in its namespace.
TEST(Deploy, GivesRightsToTheCertificatesThatAreItsSource) {
  const auto rule = [](std::string_view group, std::string_view resource, std::string_view name) {
    return fmt::format(
        "rules:\n- apiGroups: [{}]\n  resources: [{}]\n  resourceNames: [\"{}\"]\n  verbs: [get, list, watch]\n", group,
        resource, name);
  };
  const std::string map = Printed({"--source", "kube:///configmap/trust-store/corporate:root.pem"});
  EXPECT_THAT(map, HasSubstr(rule("\"\"", "configmaps", "corporate")));
  EXPECT_THAT(map, HasSubstr("kind: Role\nmetadata:\n  name: egress-provisioner-source\n  namespace: trust-store\n"));
  EXPECT_THAT(map, HasSubstr("\"pod\", \"kube:///configmap/trust-store/corporate:root.pem\", \"--kubeconfig\""));
  const std::string bundle = Printed({"--source", "kube:///clustertrustbundle/example.com:s:corporate"});
  EXPECT_THAT(bundle, HasSubstr(rule("certificates.k8s.io", "clustertrustbundles", "example.com:s:corporate")));
  for (const std::string& printed : {map, bundle}) {
    EXPECT_THAT(printed, HasSubstr("  name: egress-provisioner-source\nsubjects:\n- kind: ServiceAccount\n  name: "
                                   "egress-provisioner\n"));
    EXPECT_THAT(printed, Not(HasSubstr("machineconfiguration")));
    EXPECT_THAT(printed, Not(HasSubstr("SecurityContextConstraints"))) << "any cluster has such objects";
  }
  const std::string keeper = Printed(
      {"--keep-secret", "machines/ours", "--platform", "aws", "--source", "kube:///configmap/trust-store/corporate"});
  EXPECT_THAT(keeper, HasSubstr(rule("\"\"", "configmaps", "corporate")));
  EXPECT_THAT(keeper, HasSubstr("  name: egress-provisioner-controller-ours-b08d86a7-source\nsubjects:\n- kind: "
                                "ServiceAccount\n  name: egress-provisioner-controller-ours-b08d86a7\n"));
  EXPECT_THAT(keeper, HasSubstr("    app.kubernetes.io/component: controller\n"));
  EXPECT_THAT(keeper, Not(HasSubstr("component: nodes")));
}

TEST(Deploy, RefusesWhatNoPodWouldTake) {
  struct Row {
    std::vector<std::string> words;
    const char* text;
  };
  const std::vector<Row> rows = {
      {{}, "kubectl apply --server-side -f -"},
      {{"--print", "--source", "kube://admin/worker"}, "pods have no kubeconfig"},
      {{"--print", "--source", "kube:///machineconfig/x"}, "kube:///POOL"},
      {{"--print", "--source", "kube:///hostedcluster/clusters/one"}, "can't be followed by a fleet"},
      {{"--print", "--image", ""}, "is empty"},
      {{"--print", "--source", ""}, "is empty"},
      {{"--print", "--source", "ftp://h/x"}, "not ftp://"},
      {{"--print", "--add-cluster-suffixes"}, "is for AKS"},
      {{"--print", "--add-cluster-suffixes", "--source", "MCS://h/worker", "--ca", "C:\\ca.pem"}, "is for AKS"},
      {{"--print", "--ca", "ca.pem"}, "a full path on the nodes"},
      {{"--print", "--ca", R"(\\h\share\ca.pem)"}, "a full path on the nodes"},
      {{"--print", "--subtract", "/etc/ssl/certs.pem"}, "a full path on the nodes"},
      {{"--print", "--hns-policy", "policy.json", "--hns-pods", "all"}, "a full path on the nodes"},
      {{"--print", "--reboot", "annotate", "--metrics", "C:\\x.txt"}, ".prom"},
      {{"--print", "--reboot", "annotate", "--reboot-window", "01:00-02:00"}, "needs --reboot now or drain"},
      {{"--print", "--interval", "3600", "--reboot", "now", "--reboot-window", "01:00-02:00"}, "open for 3600 s"},
      {{"--print", "--metrics", ""}, ".prom"},
      {{"--print", "--metrics", "relative.prom"}, "a full path on the nodes"},
      {{"--print", "--metrics", R"(\\h\share\p.prom)"}, "a full path on the nodes"},
      {{"--print", "--params", "a/b", "--fleet-namespace", "c"}, "needs --approval"},
      {{"--print", "--params", "a/b", "--approval", "--fleet-namespace", "C"}, "takes the name of a namespace"},
      {{"--print", "--approval", "--fleet-namespace", "c"}, "belongs to --keep-secret"},
      {{"--print", "--reboot", "later"}, "never, now, annotate"},
      {{"--print", "--reboot", "now", "--reboot-window", "1-2"}, "takes times in UTC"},
      {{"--print", "--interval", "0"}, "takes 1 to 86400"},
      {{"--print", "--params", "n/p", "--interval", "1801"}, "takes 1 to 1800"},
      {{"--print", "--scope", "everything"}, "machine"},
      {{"--print", "--api-server", "https://api"}, "HOST:PORT"},
      {{"--print", "--namespace", "Windows"}, "the name of an object"},
      {{"--print", "--namespace", ""}, "the name of an object"},
      {{"--print", "--pull-secret", "a b"}, "the name of an object"},
      {{"--print", "--priority-class", "a\nb"}, "the name of an object"},
      {{"--print", "--platform", "eks"}, "openshift"},
      {{"--print", "--platform", "aws"}, "is for --keep-secret"},
      {{"--print", "--platform", ""}, "is empty (an unset variable?); it takes one of openshift"},
      {{"--print", "--namespace", "openshift-machine-api"}, "of the cluster itself"},
      {{"--print", "--namespace", "default"}, "of the cluster itself"},
      {{"--print", "--keep-secret", "n/s", "--platform", ""}, "takes one of openshift"},
      {{"--print", "--keep-secret", "n/s", "--platform", "Windows"}, "takes one of openshift"},
      {{"--print", "--params", "n/p", "--platform", "aks"}, "else leave it out"},
      {{"--print", "--keep-secret", "n/s", "--platform", "aks"}, "such as aws"},
      {{"--print", "--api-server", "api:"}, "HOST:PORT"},
      {{"--print", "--api-server", "api:port"}, "HOST:PORT"},
      {{"--print", "--api-server", "api:0"}, "1 to 65535"},
      {{"--print", "--api-server", "api:65536"}, "1 to 65535"},
      {{"--print", "--api-server", "[fd00::1]:99999"}, "1 to 65535"},
  };
  for (const Row& row : rows) {
    const auto outcome = Deploy(WithImage(row.words));
    ASSERT_FALSE(outcome) << row.text;
    EXPECT_EQ(outcome.error().code, Code::kUsage) << row.text;
    EXPECT_THAT(outcome.error().message, HasSubstr(row.text));
  }
}

TEST(Deploy, SaysWhatPodsCouldNotUse) {
  const auto codes = [](const std::string& source, std::vector<std::string> words) {
    words.insert(words.end(), {"--print", "--source", source});
    const auto outcome = Deploy(WithImage(words));
    EXPECT_TRUE(outcome) << outcome.error().message;
    return outcome ? std::ranges::count(outcome->findings, "deploy-source", &Finding::code) : 0;
  };
  EXPECT_EQ(codes("https://h.example.com/worker.json", {}), 1) << "each pod would refuse it";
  EXPECT_EQ(codes("mcs://h.example.com/worker", {}), 1);
  EXPECT_EQ(codes("worker.json", {}), 1) << "a file of this machine";
  EXPECT_EQ(codes("/work/worker.json", {}), 1);
  EXPECT_EQ(codes("https://h.example.com/worker.json", {"--ca", "C:\\egress\\ca.pem"}), 0);
  EXPECT_EQ(codes("http://h.example.com/worker.json#sha256=" + std::string(64, 'a'), {}), 0);
  EXPECT_EQ(codes("C:\\egress\\payload", {}), 0);
  EXPECT_EQ(codes(R"(\\h\share\payload)", {}), 0) << "a signed one may be there";
  EXPECT_EQ(codes("kube:///worker", {}), 0);
  EXPECT_THAT(Printed({"--source", "https://h.example.com/w.json", "--ca", "C:\\egress\\ca.pem"}),
              HasSubstr(R"("--ca=C:\\egress\\ca.pem")"));
}

// Else the pods would have another digest than `fleet status --add-cluster-suffixes` wants.
TEST(Deploy, PodsReadAnAksDocumentAsItIsAskedFor) {
  const std::string source = "http://h.example.com/aks.json#sha256=" + std::string(64, 'a');
  EXPECT_THAT(Printed({"--source", source, "--add-cluster-suffixes"}), HasSubstr("\"--add-cluster-suffixes\""));
  EXPECT_THAT(Printed({"--source", source}), Not(HasSubstr("--add-cluster-suffixes")));
  EXPECT_THAT(Printed({"--source", source, "--add-cluster-suffixes", "--remove"}),
              Not(HasSubstr("--add-cluster-suffixes")));
}

// Whoever may read the DaemonSet could read them.
TEST(Deploy, RefusesASourceWithCredentials) {
  const auto outcome = Deploy(WithImage({"--print", "--source", "https://user:c4nary@h.example.com/worker.json"}));
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, Code::kScheme);
  EXPECT_THAT(outcome.error().message + outcome.error().where, Not(HasSubstr("c4nary")));
  const auto keeper = Deploy(WithImage({"--print", "--keep-secret", "machines/ours", "--platform", "aws", "--source",
                                        "https://user:c4nary@h.example.com/worker.json"}));
  ASSERT_FALSE(keeper);
  EXPECT_EQ(keeper.error().code, Code::kScheme);
  EXPECT_THAT(keeper.error().message + keeper.error().where, Not(HasSubstr("c4nary")));
}

// A query may be a token. The controller's half has its source in a Deployment.
TEST(Deploy, SaysWhoReadsTheQueryOfASource) {
  const std::string url = "https://h.example.com/a.json?token=c4nary#sha256=" + std::string(64, 'a');
  for (const auto& [half, object] : {std::pair<std::vector<std::string>, std::string>{{}, "DaemonSets"},
                                     {{"--params", "pods/values"}, "Deployments"}}) {
    std::vector<std::string> words = half;
    words.insert(words.end(), {"--print", "--source", url});
    const auto outcome = Deploy(WithImage(words));
    ASSERT_TRUE(outcome) << outcome.error().message;
    const auto finding = std::ranges::find(outcome->findings, "deploy-source", &Finding::code);
    ASSERT_NE(finding, outcome->findings.end()) << object;
    EXPECT_THAT(finding->message, HasSubstr(object));
    EXPECT_THAT(finding->message + finding->where, Not(HasSubstr("c4nary")));
  }
}

TEST(Deploy, StartsTheProgramWhereTheImageHasIt) {
  EXPECT_THAT(Printed({}), HasSubstr(fmt::format("command: ['{}']", payload::ProgramInContainer())));
}

TEST(Deploy, TakesAddressesOfEachFamily) {
  const std::string six = Printed({"--api-server", "[fd00::1]:6443"});
  EXPECT_THAT(six, HasSubstr("value: \"fd00::1\"\n"));
  EXPECT_THAT(six, HasSubstr("value: \"6443\"\n"));
  EXPECT_THAT(Printed({"--api-server", "api.example.test"}), HasSubstr("value: \"443\"\n"));
}

}  // namespace
}  // namespace prov::cli
