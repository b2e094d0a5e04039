#include "provisioner/cli/deploy_controller.h"

#include <fmt/format.h>

#include <optional>
#include <tuple>
#include <vector>

#include "provisioner/base/json_writer.h"
#include "provisioner/base/text.h"
#include "provisioner/cli/bake_user_data.h"
#include "provisioner/cli/deploy_source.h"
#include "provisioner/cli/desired_options.h"
#include "provisioner/cli/manifest_options.h"
#include "provisioner/cli/reporting_options.h"
#include "provisioner/fleet/approver.h"
#include "provisioner/fleet/controller_manifests.h"
#include "provisioner/source/kube_access.h"
#include "provisioner/source/kube_uri.h"
#include "provisioner/source/source.h"
#include "provisioner/userdata/user_data_secret.h"

namespace prov::cli {
namespace {

constexpr std::string_view kKeepSecret = "keep-secret";
constexpr std::string_view kArch = "arch";
constexpr std::string_view kFleetNamespaceOption = "fleet-namespace";

// Options that are passed to the controller unchanged.
OptionGroup ControllerOptionSpecs() {
  return JoinOptions({KeepSecretOnlyOptionSpecs(), DesiredOptionSpecs(), {ClusterSuffixesOption(), IntervalOption()}});
}

std::vector<std::string> ControllerArgs(const Arguments& arguments, const std::string& source,
                                        const fleet::ControllerDeployment& deployment) {
  const std::string lease = fmt::format("{}/{}", deployment.common.name_space, fleet::ControllerObjectName(deployment));
  std::vector<std::string> out = {"controller", fmt::format("--source={}", EscapedArgument(source))};
  if (source::IsKubeUri(source)) out.push_back(fmt::format("--kubeconfig={}", source::kInCluster));
  if (arguments.Has(kKeepSecret)) out.push_back(fmt::format("--secret={}", arguments.Get(kKeepSecret)));
  out.push_back(fmt::format("--lease={}", lease));
  if (!deployment.fleet.empty()) {
    out.emplace_back("--approval");
    if (deployment.fleet != fleet::kFleetNamespace)
      out.push_back(fmt::format("--fleet-namespace={}", deployment.fleet));
  }
  for (const OptionSpec& option : ControllerOptionSpecs()) {
    if (option.value.empty()) {
      if (arguments.Has(option.name)) out.push_back(fmt::format("--{}", option.name));
      continue;
    }
    for (const std::string& value : arguments.All(option.name))
      out.push_back(fmt::format("--{}={}", option.name, EscapedArgument(value)));
  }
  if (arguments.Has(kParamsOption))
    out.push_back(fmt::format("--params={}", arguments.Get(kParamsOption)));  // last: as in the base
  return out;
}

// The source that the controller may read; nullopt: it is not in the cluster.
Result<std::optional<source::KubeTarget>> FollowedBy(const Arguments& arguments, const std::string& source,
                                                     Findings& findings) {
  PROV_TRY(CheckDeployedSource(arguments, source, SourceReader::kController, findings));
  if (!source::IsKubeUri(source)) return std::nullopt;
  source::KubeTarget target = PROV_TRY(source::ParseKubeUri(source, {.pool = "worker", .name = {}}));
  const bool followed = target.kind == source::KubeKind::kPool || source::StatesTrustAlone(target.kind);
  if (followed && target.context.empty()) return target;
  return Fail(Code::kUsage,
              "can't be followed by the controller; give a pool, such as kube:///worker, whose config has the same "
              "proxy and CAs, or for CAs alone kube:///configmap/NAMESPACE/NAME or kube:///clustertrustbundle/NAME",
              source);
}

// The Secret of --keep-secret, and what its user data is made of.
Result<void> ParseKeptSecret(const Arguments& arguments, fleet::ControllerDeployment& out, Findings& findings) {
  const userdata::UserDataOptions user_data = PROV_TRY(ParseUserDataOptions(arguments));
  PROV_TRY(userdata::CheckSecretPlatform(user_data.secret_form, user_data.platform));
  std::tie(out.machines, out.secret) = PROV_TRY(NameInNamespace(arguments, kKeepSecret));
  PROV_TRY(userdata::CheckSecretName(out.secret));
  if (user_data.secret_form == userdata::SecretForm::kClusterApi) out.secret_type = "cluster.x-k8s.io/secret";
  out.machine_sets = arguments.Has("machine-sets");
  if (!arguments.Has("append-to-secret")) {
    if (user_data.wmco) AddWithoutKeys("--keep-secret", "--append-to-secret", findings);
    return {};
  }
  const auto [name_space, name] = PROV_TRY(NameInNamespace(arguments, "append-to-secret"));
  if (name_space != out.machines)
    return Fail(Code::kUsage, "names another namespace than --keep-secret; machines read both in the same one",
                "--append-to-secret");
  PROV_TRY(CheckAppendedSecret(out.secret, name, kKeepSecret));
  out.operators_secret = name;
  return {};
}

}  // namespace

OptionGroup KeptObjectOptionSpecs() {
  return {
      {kKeepSecret, "NAMESPACE/NAME",
       "print the manifests of the controller, which keeps user data in this Secret: see provisioner controller. "
       "Name a new one, as applying the manifests may empty a Secret that was made by kubectl apply",
       Group::kUserData},
      {kParamsOption, "NAMESPACE/NAME",
       "print the manifests of the controller, which keeps the parameters of pod-env --format admission-policy in "
       "this ConfigMap; also with --keep-secret",
       Group::kTarget},
      {"restricted", "",
       "have the controller's namespace admit restricted pods alone, and so none of the pods on nodes", Group::kTarget},
      FleetNamespaceOption(),
      {kArch, "ARCH", "what the controller's image is for: amd64 as released (default), or arm64", Group::kTarget,
       false, "amd64 arm64"}};
}

OptionSpec FleetNamespaceOption() {
  return {kFleetNamespaceOption, "NAME",
          "with --approval: namespace of the pods on nodes, where the confirmed settings are (default: that of deploy "
          "--namespace)",
          Group::kTarget};
}

Result<std::string> ParseFleetNamespace(const Arguments& arguments, std::string_view fallback) {
  const std::string place = fmt::format("--{}", kFleetNamespaceOption);
  if (arguments.Has(kFleetNamespaceOption) && !arguments.Has("approval"))
    return Fail(Code::kUsage, "needs --approval; add it", place);
  std::string out = arguments.Get(kFleetNamespaceOption, fallback);
  if (source::IsKubeName(out)) return out;
  return Fail(Code::kUsage, "takes the name of a namespace", place);
}

bool AsksForController(const Arguments& arguments) {
  return arguments.Has(kKeepSecret) || arguments.Has(kParamsOption);
}

OptionGroup KeepSecretOnlyOptionSpecs() {
  return JoinOptions(
      {{{"append-to-secret", "NAMESPACE/NAME", "put our step before the script of this Secret, which is not changed",
         Group::kUserData},
        {"machine-sets", "", "also name the MachineSets for Windows in the Secret's namespace that name another Secret",
         Group::kRun},
        {"other-secret", "NAME",
         "with --machine-sets: a Secret that MachineSets may also name, such as that of another controller; may be "
         "repeated",
         Group::kRun}},
       KeptUserDataOptionSpecs()});
}

Result<void> CheckKeptOptions(const Arguments& arguments, std::string_view secret, std::string_view except) {
  for (const std::string& name : arguments.All("other-secret")) {
    if (!arguments.Has("machine-sets")) return Fail(Code::kUsage, "needs --machine-sets; add it", "--other-secret");
    if (!source::IsKubeName(name))
      return Fail(Code::kUsage, "takes the name of a Secret beside the kept one", "--other-secret");
  }
  if (arguments.Has(secret)) return {};
  for (const OptionSpec& option : KeepSecretOnlyOptionSpecs()) {
    if (!arguments.Has(option.name) || option.name == except) continue;
    return Fail(Code::kUsage, fmt::format("belongs to --{} NAMESPACE/NAME; add it", secret),
                fmt::format("--{}", option.name));
  }
  return {};
}

Result<void> CheckAppendedSecret(std::string_view kept, std::string_view appended, std::string_view option) {
  if (kept != appended) return {};
  return Fail(Code::kUsage,
              fmt::format("names the Secret of --{}, whose script would be put before itself; name the one whose "
                          "script machines run today",
                          option),
              "--append-to-secret");
}

Result<void> RefuseControllersOptions(const Arguments& arguments) {
  if (arguments.Has(kPlatformOption) && userdata::PlatformOf(arguments.Get(kPlatformOption))) {
    return Fail(Code::kUsage,
                "is a platform of machines, which is for --keep-secret; name the cluster: openshift, aks, gke or "
                "kubernetes",
                "--platform");
  }
  for (const std::string_view name : {std::string_view("restricted"), kArch, kFleetNamespaceOption}) {
    if (!arguments.Has(name)) continue;
    return Fail(Code::kUsage, "belongs to --keep-secret or --params; leave it out, as the pods on nodes are not such",
                fmt::format("--{}", name));
  }
  return CheckKeptOptions(arguments, kKeepSecret, kPlatformOption);
}

Result<Outcome> DeployController(const Arguments& arguments) {
  PROV_TRY(OneOf(arguments, kPlatformOption));
  if (arguments.Has(kPlatformOption) && !userdata::PlatformOf(arguments.Get(kPlatformOption)))
    return Fail(Code::kUsage,
                "names a kind of cluster, which is for the pods on nodes; with --keep-secret name the platform of the "
                "machines, such as aws, else leave it out",
                "--platform");
  for (const std::string_view name : {"remove", "metrics", "reboot", "reboot-window", "subtract", "hns-policy"}) {
    if (!arguments.Has(name)) continue;
    return Fail(Code::kUsage,
                "is for the pods on nodes, and can't be used with --keep-secret or --params; leave it out",
                fmt::format("--{}", name));
  }
  if (arguments.Has("ca")) {
    return Fail(Code::kUsage,
                "is a path on the nodes, and the controller's image trusts Debian's CAs; for a server with another CA "
                "mount that into the Deployment, and add --ca FILE to its args",
                "--ca");
  }
  PROV_TRY(ParseChoices(arguments));
  PROV_TRY(ParseInterval(arguments, kLongestKeepInterval));
  PROV_TRY(CheckKeptOptions(arguments, kKeepSecret));
  fleet::ControllerDeployment deployment;
  Findings findings;
  if (arguments.Has(kKeepSecret)) PROV_TRY(ParseKeptSecret(arguments, deployment, findings));
  if (arguments.Has(kParamsOption))
    std::tie(deployment.params_name_space, deployment.params) = PROV_TRY(NameInNamespace(arguments, kParamsOption));
  const std::string source = arguments.Get("source", "kube:///worker");
  deployment.common = PROV_TRY(ParseManifestOptions(arguments, findings));
  deployment.architecture = PROV_TRY(OneOf(arguments, kArch));
  deployment.restricted = arguments.Has("restricted");
  deployment.source = PROV_TRY(FollowedBy(arguments, source, findings));
  const std::string fleet = PROV_TRY(ParseFleetNamespace(arguments, deployment.common.name_space));
  if (arguments.Has("approval")) deployment.fleet = fleet;
  deployment.args = ControllerArgs(arguments, source, deployment);
  std::string manifests = fleet::ControllerManifests(deployment);
  if (!PROV_TRY(WantsJson(arguments))) return Outcome{0, std::move(manifests), std::move(findings)};
  JsonWriter out;
  out.BeginObject().Member("schema", 1).Member("manifests", manifests);
  WriteFindings(out, findings);
  return Outcome{0, out.EndObject().Text(), {}};
}

Result<std::pair<std::string, std::string>> NameInNamespace(const Arguments& arguments, std::string_view option) {
  const std::string text = arguments.Get(option);
  const std::size_t slash = text.find('/');
  const std::string name_space = text.substr(0, slash);
  const std::string name = slash == std::string::npos ? "" : text.substr(slash + 1);
  if (source::IsKubeName(name_space) && source::IsKubeName(name)) return std::pair(name_space, name);
  return Fail(Code::kUsage, "takes NAMESPACE/NAME, such as openshift-machine-api/windows-user-data-kept",
              fmt::format("--{}", option));
}

}  // namespace prov::cli
