// `deploy`: prints the manifests with which a cluster runs this program on each of its Windows nodes.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "provisioner/base/json_writer.h"
#include "provisioner/base/text.h"
#include "provisioner/cli/command.h"
#include "provisioner/cli/deploy_controller.h"
#include "provisioner/cli/deploy_source.h"
#include "provisioner/cli/desired_options.h"
#include "provisioner/cli/manifest_options.h"
#include "provisioner/cli/reporting_options.h"
#include "provisioner/fleet/manifests.h"
#include "provisioner/source/kube_access.h"
#include "provisioner/source/source.h"
#include "provisioner/source/web_source.h"

namespace prov::cli {
namespace {

// Options that are passed to the pod unchanged.
OptionGroup PassedOn() {
  return JoinOptions(
      {DesiredOptionSpecs(),
       {{"ca", "FILE",
         "PEM certificates of the CAs that verify the server of an https:// or mcs:// source: a path on the "
         "nodes, in a folder that only administrators can write",
         Group::kSource},
        ClusterSuffixesOption(),
        IntervalOption(),
        ApprovalOption(),
        MetricsOption()},
       RebootOptionSpecs()});
}

// Whether the path is an absolute path of Windows, on a drive. Pods read nothing but a signed payload from a share.
bool IsNodePath(std::string_view path) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  return path.size() > 3 && is_letter(path[0]) && path[1] == ':' && (path[2] == '\\' || path[2] == '/');
}

// Checks options that the pod checks again, so that a rollout does not fail in the pods.
Result<void> CheckPassedOn(const Arguments& arguments) {
  PROV_TRY(ParseChoices(arguments));
  PROV_TRY(ParseInterval(arguments));
  PROV_TRY(ParseMetrics(arguments));
  PROV_TRY(CheckRebootWindow(arguments));
  for (const std::string_view name : {"ca", "subtract", "hns-policy", "metrics"}) {
    if (!arguments.Has(name) || IsNodePath(arguments.Get(name))) continue;
    const std::string_view such = name == "metrics"
                                      ? R"(C:\Program Files\windows_exporter\textfile_inputs\provisioner.prom)"
                                      : R"(C:\ProgramData\egress\ca.pem)";
    return Fail(
        Code::kUsage,
        fmt::format("takes a full path on the nodes, such as {}, not \"{}\"", such, Printable(arguments.Get(name))),
        fmt::format("--{}", name));
  }
  const std::string reboot = arguments.Get("reboot");
  if (reboot == "annotate" || reboot == "drain") return {};  // the manifest sets the Node
  PROV_TRY(ParseReboot(arguments));
  return {};
}

std::vector<std::string> ArgsOf(const Arguments& arguments, const std::string& source, bool remove) {
  std::vector<std::string> out = {"pod", remove ? "--remove" : EscapedArgument(source)};
  const bool reads_cluster = !remove && source::IsKubeUri(source);
  for (const std::string_view word : {std::string_view(reads_cluster ? "--kubeconfig" : "--node-kubeconfig"),
                                      source::kInCluster, std::string_view("--node"), std::string_view("$(NODE_NAME)")})
    out.emplace_back(word);
  if (remove) return out;
  for (const OptionSpec& option : PassedOn()) {
    if (option.value.empty()) {
      if (arguments.Has(option.name)) out.push_back(fmt::format("--{}", option.name));
      continue;
    }
    for (const std::string& value : arguments.All(option.name))
      out.push_back(fmt::format("--{}={}", option.name, EscapedArgument(value)));
  }
  return out;
}

Result<std::optional<source::KubeTarget>> RightsOf(const std::string& source) {
  if (!source::IsKubeUri(source)) return std::nullopt;
  source::KubeTarget target = PROV_TRY(source::ParseKubeUri(source, {.pool = "worker", .name = {}}));
  if (!target.context.empty()) {
    return Fail(
        Code::kUsage,
        "names a context of a kubeconfig, but pods have no kubeconfig; leave the context out, as in kube:///worker",
        source);
  }
  if (target.kind == source::KubeKind::kPool || target.kind == source::KubeKind::kProxy ||
      source::StatesTrustAlone(target.kind))
    return target;
  return Fail(Code::kUsage,
              "can't be followed by a fleet; give kube:///POOL or kube:///proxy, or for CAs alone "
              "kube:///configmap/NAMESPACE/NAME or kube:///clustertrustbundle/NAME",
              source);
}

// Fails if no pod can use the source. If only its node may lack something, adds a finding.
Result<void> CheckSource(const Arguments& arguments, const std::string& source, Findings& findings) {
  PROV_TRY(CheckDeployedSource(arguments, source, SourceReader::kNodes, findings));
  if (source::IsKubeUri(source)) return {};
  if (!source::IsRemote(source)) {
    if (!IsNodePath(source) && !source.starts_with(R"(\\)")) {
      AddWarning(findings, "deploy-source",
                 "pods read this source on their nodes, and it is not a full path of Windows; give one such as "
                 "C:\\ProgramData\\egress\\payload",
                 Printable(source));
    }
    return {};
  }
  const bool is_web = AsciiLower(source).starts_with("http");
  if (is_web && !PROV_TRY(source::ParseWebSource(source)).hash.empty()) return {};
  if (arguments.Has("ca")) return {};
  AddWarning(findings, "deploy-source",
             "the pods will refuse this source, because a node that follows a server needs a separate CA for it: the "
             "source itself decides which CAs the node's store contains; give --ca FILE, a path on the nodes",
             source);
  return {};
}

// What the cluster asks for differs. One with OpenShift's objects is an OpenShift.
Result<fleet::ClusterKind> ParseCluster(const Arguments& arguments, const std::string& source) {
  if (!arguments.Has(kPlatformOption)) {
    if (!source::IsKubeUri(source)) return fleet::ClusterKind::kKubernetes;
    const auto target = source::ParseKubeUri(source, {.pool = "worker", .name = {}});  // its errors come later
    return target && source::StatesTrustAlone(target->kind) ? fleet::ClusterKind::kKubernetes
                                                            : fleet::ClusterKind::kOpenShift;
  }
  const std::string name = PROV_TRY(OneOf(arguments, kPlatformOption));
  if (name == "openshift") return fleet::ClusterKind::kOpenShift;
  return name == "gke" ? fleet::ClusterKind::kGke : fleet::ClusterKind::kKubernetes;
}

// The default source is an object of OpenShift, which hardly another cluster has.
void ReviewDefaultSource(const Arguments& arguments, fleet::ClusterKind cluster, Findings& findings) {
  if (arguments.Has("source") || cluster == fleet::ClusterKind::kOpenShift) return;
  AddWarning(findings, "deploy-source",
             "the default kube:///worker is a pool of OpenShift; give the URL of a document that the nodes can reach "
             "(with --ca, or with #sha256=DIGEST), a path on the nodes, or for CAs alone "
             "kube:///configmap/NAMESPACE/NAME or kube:///clustertrustbundle/NAME",
             "--source");
}

Result<Outcome> RunDeploy(const Arguments& arguments, machine::Host& /*host*/) {
  const bool json = PROV_TRY(WantsJson(arguments));
  if (!arguments.Has("print")) {
    return Fail(
        Code::kUsage,
        "does not change a cluster by itself; give --print, and pipe the output to kubectl apply --server-side -f -",
        "provisioner deploy");
  }
  if (AsksForController(arguments)) return DeployController(arguments);
  PROV_TRY(RefuseControllersOptions(arguments));
  PROV_TRY(CheckPassedOn(arguments));
  const bool remove = arguments.Has("remove");
  const std::string source = arguments.Get("source", "kube:///worker");
  Findings findings;
  fleet::Deployment deployment;
  deployment.common = PROV_TRY(ParseManifestOptions(arguments, findings));
  deployment.cluster = PROV_TRY(ParseCluster(arguments, source));
  if (!remove) ReviewDefaultSource(arguments, deployment.cluster, findings);
  if (!remove) PROV_TRY(CheckSource(arguments, source, findings));
  if (!remove) deployment.source = PROV_TRY(RightsOf(source));
  deployment.args = ArgsOf(arguments, source, remove);
  deployment.approval = arguments.Has("approval");
  deployment.drains = arguments.Get("reboot") == "drain";
  std::string manifests = fleet::Manifests(deployment);
  if (!json) return Outcome{0, std::move(manifests), std::move(findings)};
  JsonWriter out;
  out.BeginObject().Member("schema", 1).Member("manifests", manifests);
  WriteFindings(out, findings);
  return Outcome{0, out.EndObject().Text(), {}};
}

}  // namespace

Command DeployCommand() {
  CommandSpec spec = {
      "deploy",
      "Print the manifests that run this program on each Windows node of a cluster.",
      "",
      "The manifests are: a namespace, a service account, RBAC rules, admission policies (Kubernetes 1.30 and later),\n"
      "what the kind of cluster asks for, and a DaemonSet of HostProcess pods. templates/kubernetes has the same as a\n"
      "Kustomize base with components. Push the image of bake --format oci to your registry and name it with --image.\n"
      "A node needs its proxy before it can pull this image: bake a payload or user data for that.\n"
      "With --remove the pods remove everything that provisioner set on their nodes; delete the manifests afterwards.\n"
      "Rights that were printed with other options stay: delete these (docs/fleet.md#change-the-options).\n"
      "With --keep-secret or --params, the manifests of the controller instead: a Deployment on Linux that keeps the\n"
      "user data of new machines or the parameters of pods current, the empty Secret that it fills, and its rights.\n"
      "--image is then that of bake --os linux.",
      "  $ provisioner deploy --print --image registry.example.com/provisioner:0.1.0 --service containerd > "
      "fleet.yaml\n"
      "  $ kubectl apply --server-side -f fleet.yaml && provisioner fleet status kube:// --wait 600",
      JoinOptions(
          {{{"print", "", "write YAML documents to standard output", Group::kOutput},
            {"source", "SOURCE",
             "source that the pods follow: kube:///POOL, kube:///proxy, for CAs alone "
             "kube:///configmap/NAMESPACE/NAME or kube:///clustertrustbundle/NAME, a URL (with --ca, or with "
             "#sha256=DIGEST), or a path on the nodes (default: kube:///worker)",
             Group::kSource, true},
            {"remove", "", "print pods that remove everything that provisioner set on their nodes", Group::kRun}},
           ManifestOptionSpecs(),
           KeptObjectOptionSpecs(),
           KeepSecretOnlyOptionSpecs(),
           PassedOn(),
           OutputOptionSpecs()})};
  std::ranges::find(spec.options, "approval", &OptionSpec::name)->help =
      "new settings wait on each node until a rollout of the cluster approves them (provisioner fleet rollout); with "
      "--keep-secret or --params: what is kept is made of the settings that a rollout has confirmed last, and the "
      "controller may run rollouts";
  const auto platform = std::ranges::find(spec.options, kPlatformOption, &OptionSpec::name);
  platform->help =
      "the cluster: openshift (adds SecurityContextConstraints), gke (adds a ResourceQuota for the priority class), "
      "aks or kubernetes (default: openshift with a pool or the Proxy as the source, else kubernetes); with "
      "--keep-secret the platform "
      "of the machines: aws, azure, gcp, vsphere, nutanix, openstack or none";
  platform->group = Group::kTarget;
  platform->choices = kDeployPlatforms;
  return {.spec = std::move(spec), .run = RunDeploy};
}

}  // namespace prov::cli
