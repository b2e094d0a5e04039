// `pod-env`: the variables that AKS' webhook would add to the pods of a manifest, as patches or as an admission policy;
// and which pods of a cluster lack them.
#include "provisioner/publish/pod_env.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <initializer_list>
#include <iterator>
#include <utility>

#include "provisioner/base/file.h"
#include "provisioner/base/json_writer.h"
#include "provisioner/cli/cluster_pods.h"
#include "provisioner/cli/command.h"
#include "provisioner/cli/running_pods.h"
#include "provisioner/cli/version.h"
#include "provisioner/egress/no_proxy.h"
#include "provisioner/egress/review.h"
#include "provisioner/node/source_reader.h"
#include "provisioner/publish/pod_policy.h"
#include "provisioner/publish/yaml_writer.h"
#include "provisioner/source/kube_uri.h"

namespace prov::cli {
namespace {

using egress::EgressConfig;
using publish::PatchKind;
using publish::PodEnvObject;
using publish::ProxyValues;

constexpr std::string_view kPodEnvCommand = "provisioner pod-env";
constexpr std::string_view kPolicyFormat = "admission-policy";
constexpr std::int64_t kRestartSeconds = 600;  // for one workload
constexpr std::int64_t kLongestRestart = 86400;

struct PodEnvOptions {
  source::SourceSpec source;
  std::string pods;         // the file
  bool patch_only = false;  // --format patch
  bool policy = false;      // --format admission-policy
  bool json = false;        // of the policy
  bool show_secrets = false;
  bool check = false;    // exit with 4 if a patch would change a pod
  bool restart = false;  // roll workloads whose pods are outdated
  std::int64_t wait_seconds = kRestartSeconds;
  std::string patch_name;
  publish::PodEnvRequest request;
  publish::PodPolicy admission;

  bool ChecksCluster() const { return check && source::IsKubeUri(pods); }
};

// Errors: usage for the first of these options that was given.
Result<void> RefuseOptions(const Arguments& arguments, std::initializer_list<std::string_view> names,
                           std::string_view why) {
  for (const std::string_view name : names) {
    if (arguments.Has(name)) return Fail(Code::kUsage, std::string(why), fmt::format("--{}", name));
  }
  return {};
}

// --check prints no patches; reading from a cluster needs --check.
Result<PodEnvOptions> CheckedOptions(PodEnvOptions options) {
  if (!options.check) {
    if (!source::IsKubeUri(options.pods)) return options;
    return Fail(Code::kUsage, "names a cluster, which needs --check; give a file to get patches", options.pods);
  }
  if (options.patch_only)
    return Fail(Code::kUsage, "--check prints no patches; leave out --format patch", std::string(kPodEnvCommand));
  if (options.restart && !options.ChecksCluster())
    return Fail(Code::kUsage, "rolls the workloads of a cluster; give --pod kube://[CONTEXT]", "--restart");
  options.request.patch = PatchKind::kNone;
  return options;
}

Result<PodEnvOptions> ParsePolicyOptions(const Arguments& arguments, PodEnvOptions out) {
  PROV_TRY(RefuseOptions(arguments, {"pod", "patch", "check", "restart", "wait"},
                         "is not for --format admission-policy, which is for every pod of the selected namespaces; "
                         "leave the option out"));
  if (arguments.Has("namespace-selector")) {
    out.admission.namespaces =
        PROV_TRY(publish::ParseLabelSelector(arguments.Get("namespace-selector"), "--namespace-selector"));
  }
  if (arguments.Has("params"))
    out.admission.params_place = PROV_TRY(publish::ParsePodParamsPlace(arguments.Get("params"), "--params"));
  return out;
}

// The place of the pods; a check of the cluster that the source is in needs no --pod. Errors: usage.
Result<std::string> PodsOf(const Arguments& arguments, bool check) {
  std::string pods = arguments.Get("pod");
  if (pods.empty() && check && source::IsKubeUri(arguments.positional())) return arguments.positional();
  if (!pods.empty()) return pods;
  return Fail(Code::kUsage, "--pod FILE is missing; give a Pod, Deployment or other workload as JSON or YAML",
              std::string(kPodEnvCommand));
}

Result<PodEnvOptions> ParsePodEnvOptions(const Arguments& arguments) {
  PodEnvOptions out;
  out.json = PROV_TRY(WantsJson(arguments));
  const std::string format = PROV_TRY(OneOf(arguments, "format"));
  out.patch_only = format == "patch";
  out.policy = format == kPolicyFormat;
  out.patch_name = PROV_TRY(OneOf(arguments, "patch"));
  if (out.patch_name == "json") out.request.patch = PatchKind::kJson;
  out.show_secrets = arguments.Has("show-secrets");
  if (arguments.Has("trust")) out.request.trust = PROV_TRY(publish::ParsePodTrust(arguments.Get("trust"), "--trust"));
  out.restart = arguments.Has("restart");
  out.check = arguments.Has("check") || out.restart;
  if (!out.policy) {
    PROV_TRY(RefuseOptions(arguments, {"namespace-selector", "params"},
                           "is for --format admission-policy; give that, or leave the option out"));
    out.pods = PROV_TRY(PodsOf(arguments, out.check));
  }
  out.source = PROV_TRY(ParseSourceSpec(arguments));
  if (out.policy) return ParsePolicyOptions(arguments, std::move(out));
  if (!out.restart) PROV_TRY(RefuseOptions(arguments, {"wait"}, "is for --restart; leave the option out"));
  out.wait_seconds = PROV_TRY(Number(arguments, "wait", kRestartSeconds));
  if (out.wait_seconds > kLongestRestart)
    return Fail(Code::kUsage, fmt::format("takes 0 to {} seconds", kLongestRestart), "--wait");
  return CheckedOptions(std::move(out));
}

Result<publish::Object> ReadPods(const std::string& path) {
  return publish::ReadManifest(PROV_TRY(ReadFile(path, publish::kObjectLimits.input)), path);
}

ProxyValues Redacted(const ProxyValues& values) {
  const auto shown = [](const Secret& url) { return Secret(egress::RedactUrl(url.Reveal())); };
  return {shown(values.http_proxy), shown(values.https_proxy), egress::RedactNoProxy(values.no_proxy)};
}

bool HasPassword(const ProxyValues& values) { return Redacted(values) != values; }

void ReviewTrust(const EgressConfig& config, const PodEnvOptions& options, Findings& out) {
  if (!options.request.trust) {
    if (config.certificates.empty()) return;
    AddInfo(out, "pod-env-trust",
            "AKS brings trusted certificates to nodes only: pods that talk to a proxy which opens TLS need the bundle "
            "in their image or by a volume (--trust configmap/NAME)",
            config.trust_file.path);
    return;
  }
  const std::string map = fmt::format("configmap/{}", options.request.trust->config_map);
  if (options.policy && !options.admission.namespaces) {
    AddWarning(out, "pod-trust-missing",
               "without --namespace-selector the variables of the bundle are set in every namespace, and where the "
               "ConfigMap is missing they name a file that is not there, so TLS fails; give --namespace-selector "
               "egress-provisioner/trust=true, and that label to the namespaces that have the ConfigMap",
               map);
  }
  if (options.policy) {
    AddInfo(out, "pod-policy-import",
            "the policy mounts the ConfigMap and sets the variables, but can't import certificates into the store of "
            "a Windows container; for programs that ask Windows (.NET, WinHTTP) patch their workloads with --format "
            "patch --trust",
            map);
  }
  AddInfo(out, "pod-trust",
          "programs that read the bundle from a variable trust only this bundle (except Node.js), so the key of the "
          "ConfigMap must also contain public CAs; on Windows, the container imports one certificate from each key "
          "that ends in .cer when it starts as ContainerAdministrator",
          map);
}

// Findings about the source's meaning for pods, besides its review and ReviewTrust().
Result<Findings> ReviewSource(const EgressConfig& config, std::int64_t now_unix) {
  Findings out = PROV_TRY(egress::Review(config, {}, now_unix));
  DropFindings(out, "untrusted");  // certificates that Windows' stores don't get; pods' bundles are others
  Findings told;                   // dropped: the review reports them
  PROV_TRY(egress::ParseProxySettings(config, told));
  if (publish::ProxyValuesOf(config).IsEmpty()) {
    AddWarning(out, "pod-env-nothing",
               "the source has no proxy, so the patches add no proxy variables; those that pods already have stay",
               config.proxy_file.path);
  }
  return out;
}

void WriteObject(JsonWriter& json, const PodEnvObject& object) {
  json.BeginObject().Member("kind", object.kind).Member("name", object.name).Member("namespace", object.name_space);
  json.Member("os", object.windows ? "windows" : "linux").Member("optedOut", object.opted_out);
  json.Key("containers").BeginArray();
  for (const publish::PodContainer& container : object.containers) {
    json.BeginObject().Member("name", container.name).Member("init", container.init);
    json.Strings("added", container.added);
    json.Strings("stale", container.stale);
    json.Strings("kept", container.kept);
    json.Member("mounts", container.mounts).Member("imports", container.imports);
    json.Member("untrusted", container.untrusted).Member("envFrom", container.env_from).EndObject();
  }
  json.EndArray().Member("addsVolume", object.adds_volume).Key("patch").Json(WriteJson(object.patch, 0)).EndObject();
}

Result<Outcome> ReportPatches(const publish::Object& pods, const EgressConfig& config, PodEnvOptions options,
                              Findings findings) {
  if (!options.show_secrets) options.request.shown = Redacted(options.request.proxy);
  const publish::PodEnvReport report = PROV_TRY(publish::MakePodEnv(pods, options.request));
  findings.insert(findings.end(), report.findings.begin(), report.findings.end());
  if (options.request.shown && HasPassword(options.request.proxy)) {
    AddInfo(findings, "pod-env-redacted",
            "passwords are shown as *** in these patches, so they can't be applied; use --show-secrets or --format "
            "patch for whole ones",
            config.proxy_file.path);
  }
  JsonWriter json;
  json.BeginObject().Member("schema", 1).Member("patchType", options.patch_name).Key("objects").BeginArray();
  for (const PodEnvObject& object : report.objects) WriteObject(json, object);
  json.EndArray();
  WriteFindings(json, findings);
  return Outcome{0, json.EndObject().Text(), {}};
}

std::string Joined(const std::vector<std::string>& names) {
  return names.empty() ? "nothing" : fmt::format("{}", fmt::join(names, ", "));
}

// The contents of a report as findings, for standard error.
void ReportContainers(const PodEnvObject& object, const std::string& where, Findings& findings) {
  CappedFindings capped(findings, where);
  for (const publish::PodContainer& container : object.containers) {
    const std::string stale = container.stale.empty() ? "" : "; replaced " + Joined(container.stale);
    capped.Add(Severity::kInfo, "pod-env",
               fmt::format("{} \"{}\": added {}; kept {}{}", container.init ? "init container" : "container",
                           container.name, Joined(container.added), Joined(container.kept), stale),
               where);
  }
}

bool Lacks(const PodEnvObject& object) {
  return object.adds_volume || std::ranges::any_of(object.containers, &publish::PodContainer::Lacks);
}

// Whether a check shows it: also for what no patch changes.
bool IsShown(const PodEnvObject& object) {
  return Lacks(object) || std::ranges::any_of(object.containers, [](const publish::PodContainer& container) {
           return container.untrusted;
         });
}

// The cluster that --pod names, with the options for the source's.
source::SourceSpec ClusterOf(const PodEnvOptions& options) {
  source::SourceSpec out = options.source;
  out.source = options.pods;
  return out;
}

// Reads the objects of a file or of a cluster.
Result<std::vector<PodEnvObject>> ObjectsOf(machine::Host& host, const PodEnvOptions& options, Findings& findings) {
  std::vector<PodEnvObject> out;
  publish::PodEnvRequest request = options.request;
  const auto take = [&](const publish::Object& pods) -> Result<void> {
    publish::PodEnvReport report = PROV_TRY(publish::MakePodEnv(pods, request));
    std::ranges::move(report.objects, std::back_inserter(out));
    findings.insert(findings.end(), report.findings.begin(), report.findings.end());
    return {};
  };
  if (!source::IsKubeUri(options.pods)) {
    PROV_TRY(take(PROV_TRY(ReadPods(options.pods))));
    return out;
  }
  const source::SourceSpec cluster = ClusterOf(options);
  std::deque<publish::Object> others;  // RuntimeClasses, and empty lists
  PROV_TRY(ReadWorkloads(host, cluster, [&](std::string page, const std::string& where) -> Result<void> {
    publish::Object pods = PROV_TRY(publish::ReadManifest(std::move(page), where));
    const Result<void> taken = take(pods);
    if (taken || taken.error().code != Code::kKind) return taken;
    request.others.push_back(&others.emplace_back(std::move(pods)));
    return {};
  }));
  return out;
}

// What the admission policy gives to new pods is not lacking in their template. It replaces nothing and imports
// nothing. Pods of namespaces that it is not for are to have nothing of it.
void LeaveToPolicy(const ClusterPodPolicy& policy, std::vector<PodEnvObject>& objects) {
  std::erase_if(objects, [&](const PodEnvObject& object) { return !policy.Selects(object.name_space); });
  for (PodEnvObject& object : objects) {
    object.adds_volume = false;
    for (publish::PodContainer& container : object.containers) {
      container.added.clear();
      container.mounts = false;
    }
  }
}

void WriteWorkloads(JsonWriter& json, const std::vector<RestartedWorkload>& workloads) {
  json.Member("outdated", static_cast<std::size_t>(std::ranges::count_if(workloads, NeedsRestart)));
  json.Key("workloads").BeginArray();
  for (const RestartedWorkload& one : workloads) {
    json.BeginObject().Member("group", one.pods.workload.group).Member("kind", one.pods.workload.kind);
    json.Member("name", one.pods.workload.name);
    json.Member("namespace", one.pods.workload.name_space);
    json.Member("pods", one.pods.running).Member("outdatedPods", one.pods.outdated);
    WriteTextOrNull(json, "restart", NameOf(one.restart));
    WriteTextOrNull(json, "message", one.message);
    json.EndObject();
  }
  json.EndArray();
}

std::size_t CountStale(const std::vector<PodEnvObject>& objects) {
  std::size_t out = 0;
  for (const PodEnvObject& object : objects) {
    out += static_cast<std::size_t>(
        std::ranges::count_if(object.containers, [](const auto& container) { return !container.stale.empty(); }));
  }
  return out;
}

// Lists the objects that a patch would change and, in a cluster, the workloads whose pods were made before a change.
Result<Outcome> Check(machine::Host& host, const EgressConfig& config, PodEnvOptions options, Findings findings) {
  std::optional<ClusterPodPolicy> policy;
  RunningPodsCheck running(host, {ClusterOf(options), options.restart, options.wait_seconds}, findings);
  if (options.ChecksCluster()) policy = PROV_TRY(running.ReadPolicy());
  if (policy && policy->trust && !options.request.trust) options.request.trust = policy->trust;
  ReviewTrust(config, options, findings);
  NamesOfNamespaces without_bundle;
  if (policy && policy->trust) without_bundle = running.FindMissingMaps(*policy);
  std::vector<PodEnvObject> objects = PROV_TRY(ObjectsOf(host, options, findings));
  RunningPods pods;
  if (policy) {
    LeaveToPolicy(*policy, objects);
    const publish::PodParams params = publish::MakePodParams(config, options.request.trust);
    pods = PROV_TRY(
        running.Look({*policy, options.request, params.find(publish::kPodParamsDigest)->second}, without_bundle));
  }
  const auto lacking = static_cast<std::size_t>(std::ranges::count_if(objects, Lacks));
  JsonWriter json;
  json.BeginObject().Member("schema", 1).Member("lacking", lacking).Member("stale", CountStale(objects));
  json.Key("objects").BeginArray();
  for (const PodEnvObject& object : objects) {
    if (IsShown(object)) WriteObject(json, object);
  }
  json.EndArray();
  if (options.ChecksCluster()) WriteWorkloads(json, pods.workloads);
  WriteFindings(json, findings);
  return Outcome{lacking > 0 || pods.differs ? kExitDifferences : 0, json.EndObject().Text(), {}};
}

// A server before 1.36 refuses the policy as a whole; where the source is in a cluster, it is asked.
void ReviewServer(machine::Host& host, const PodEnvOptions& options, Findings& findings) {
  constexpr std::string_view kOlder =
      "patch the workloads there (--format patch), as kubectl refuses the policy (no matches for kind "
      "\"MutatingAdmissionPolicy\")";
  if (source::IsKubeUri(options.source.source)) {
    const auto knows = KnowsPodPolicies(host, options.source);
    if (knows && *knows) return;
    if (knows) {
      AddWarning(findings, "pod-policy-server",
                 fmt::format("this API server is older than Kubernetes 1.36 and does not know the policy; {}", kOlder),
                 options.source.source);
      return;
    }
  }
  AddInfo(findings, "pod-policy-server",
          fmt::format("the policy needs Kubernetes 1.36 or later; with an older server {}", kOlder),
          std::string(kPodEnvCommand));
}

// Contains the secrets, because the output is for use.
Result<Outcome> PrintPolicy(machine::Host& host, const EgressConfig& config, PodEnvOptions options, Findings findings) {
  options.admission.params = publish::MakePodParams(config, options.request.trust);
  options.admission.version = VersionNumber();
  ReviewTrust(config, options, findings);
  ReviewServer(host, options, findings);
  publish::ReviewPodParams(options.admission.params, config.proxy_file.path, findings);
  const publish::Object objects = PROV_TRY(publish::MakePodPolicy(options.admission));
  return Outcome{0, publish::WritePodPolicy(objects, options.json), std::move(findings)};
}

// Contains the secrets, because the output is for use. Uses the format of the manifest, YAML or JSON.
Result<Outcome> OnePatch(const publish::Object& pods, const PodEnvOptions& options, Findings findings) {
  const publish::PodEnvReport report = PROV_TRY(publish::MakePodEnv(pods, options.request));
  if (report.objects.size() != 1) {
    return Fail(Code::kUsage,
                fmt::format("holds {} pods or workloads, but --format patch prints the patch of one object; give one "
                            "object, or take the patches from --format json --show-secrets",
                            report.objects.size()),
                pods.where);
  }
  const PodEnvObject& object = report.objects.front();
  findings.insert(findings.end(), report.findings.begin(), report.findings.end());
  ReportContainers(object, pods.where, findings);
  const JsonValue nothing = publish::EmptyPatch(options.request.patch);
  const JsonValue& patch = object.patch.IsNull() ? nothing : object.patch;
  return Outcome{0, pods.is_json ? WriteJson(patch, publish::kJsonIndent) : publish::WriteYaml(patch),
                 std::move(findings)};
}

Result<Outcome> RunPodEnv(const Arguments& arguments, machine::Host& host) {
  PodEnvOptions options = PROV_TRY(ParsePodEnvOptions(arguments));
  const EgressConfig config = PROV_TRY(node::ReadSource(host, options.source)).config;
  Findings findings = PROV_TRY(ReviewSource(config, host.clock().NowUnix()));
  options.request.proxy = publish::ProxyValuesOf(config);
  if (options.policy) return PrintPolicy(host, config, std::move(options), std::move(findings));
  if (options.check) return Check(host, config, std::move(options), std::move(findings));
  ReviewTrust(config, options, findings);
  const publish::Object pods = PROV_TRY(ReadPods(options.pods));
  if (options.patch_only) return OnePatch(pods, options, std::move(findings));
  return ReportPatches(pods, config, std::move(options), std::move(findings));
}

}  // namespace

Command PodEnvCommand() {
  CommandSpec spec = {
      "pod-env",
      "Print patches that add the proxy variables to pods as AKS' webhook does.",
      "SOURCE",
      "Each container and init container gets the variables that it lacks: six for Linux (upper and lower case),\n"
      "HTTP_PROXY, HTTPS_PROXY and NO_PROXY for Windows (by spec.os.name, nodeSelector, required node affinity or a\n"
      "RuntimeClass in FILE). A value that differs from the source's, such as the former proxy, is replaced; one that\n"
      "is empty, refers to another variable or comes from another object is kept. A patch can be made and applied\n"
      "again. A pod whose metadata (a template's, not the Deployment's) says\n"
      "kubernetes.azure.com/no-http-proxy-vars: \"true\" is left alone. Where nothing is to change, an object's patch\n"
      "is null, and --format patch prints one that changes nothing. A JSON patch goes by index: it is for the object "
      "as\n"
      "--pod shows it. Pods and Jobs that exist can't be changed: patch their files.\n"
      "With --format admission-policy an API server (Kubernetes 1.36 and later) gives the variables to each pod when "
      "it\n"
      "is created; there, a value that a container has stays. A cluster with that policy is asked by --check for pods\n"
      "that were created before a change, and --restart rolls their workloads.",
      "  $ az aks show -g GROUP -n CLUSTER -o json | provisioner pod-env - --pod deployment.yaml --format patch > "
      "p.yaml\n"
      "  provisioner: info [pod-env]: container \"web\": added HTTP_PROXY, http_proxy, ...; kept nothing\n"
      "  $ kubectl patch deployment web --patch-file p.yaml     (after --patch json: with --type json)\n"
      "  $ provisioner pod-env kube:// --format admission-policy --trust configmap/user-ca \\\n"
      "      --namespace-selector egress-provisioner/trust=true | kubectl apply --server-side -f -\n"
      "  $ provisioner pod-env kube:// --check --restart        (after a change of the source)",
      JoinOptions(
          {{{"pod", "FILE",
             "Pod, Deployment, DaemonSet, StatefulSet, ReplicaSet, Job or CronJob, or several (List, YAML documents); "
             "with --check also kube://[CONTEXT]",
             Group::kTarget},
            {"patch", "strategic|json", "a strategic merge patch, or a JSON patch (RFC 6902) (default: strategic)",
             Group::kOutput},
            {"trust", "configmap/NAME[:KEY]",
             "also make containers trust the certificates of this ConfigMap: by a mount and SSL_CERT_FILE and similar "
             "variables, and on Windows by importing its *.cer keys (default KEY: ca-bundle.crt)",
             Group::kTrust},
            {"check", "",
             "only list pods and workloads that a patch would change, and workloads with pods that were created before "
             "a change; exit code 4 if there are any. --pod may be a cluster: kube://[CONTEXT] (default: that of the "
             "source)",
             Group::kChecks},
            {"restart", "",
             "roll the workloads whose pods were created before a change, one after the other, and wait until the new "
             "pods are available; with --check",
             Group::kRun},
            {"wait", "SECONDS", "how long --restart waits for one workload (default: 600)", Group::kRun},
            {"namespace-selector", "SELECTOR",
             "the labels of the namespaces that the policy is for, such as env=prod,!canary (default: all but those "
             "that AKS keeps webhooks away from; never kube-* and openshift-*)",
             Group::kTarget},
            {"params", "NAMESPACE/NAME",
             "the ConfigMap of the policy's parameters, as in controller --params (default: "
             "egress-provisioner/pod-params)",
             Group::kTarget}},
           SourceOptionSpecs(),
           {{"format", "json|patch|admission-policy",
             "json: the added and kept variables and the patches; patch: only the patch of one object, with passwords, "
             "in the format of FILE; admission-policy: a MutatingAdmissionPolicy with its binding and its ConfigMap, "
             "with passwords, as YAML or with --output json as JSON (default: json)",
             Group::kOutput},
            ShowSecretsOption()},
           OutputOptionSpecs()})};
  return {.spec = std::move(spec), .run = RunPodEnv, .always_json = true};
}

}  // namespace prov::cli
