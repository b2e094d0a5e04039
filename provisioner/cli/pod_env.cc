// `pod-env`: the variables that AKS' webhook would add to the pods of a manifest, as patches.
#include "provisioner/publish/pod_env.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <iterator>
#include <utility>

#include "provisioner/base/file.h"
#include "provisioner/base/json_writer.h"
#include "provisioner/cli/cluster_workloads.h"
#include "provisioner/cli/command.h"
#include "provisioner/egress/no_proxy.h"
#include "provisioner/egress/review.h"
#include "provisioner/node/source_reader.h"
#include "provisioner/publish/yaml_writer.h"
#include "provisioner/source/kube_uri.h"

namespace prov::cli {
namespace {

using egress::EgressConfig;
using publish::PatchKind;
using publish::PodEnvObject;
using publish::ProxyValues;

constexpr std::string_view kPodEnvCommand = "provisioner pod-env";

struct PodEnvOptions {
  source::SourceSpec source;
  std::string pods;         // the file
  bool patch_only = false;  // --format patch
  bool show_secrets = false;
  bool check = false;  // exit with 4 if a patch would change a pod
  std::string patch_name;
  publish::PodEnvRequest request;
};

// --check prints no patches; reading from a cluster needs --check.
Result<PodEnvOptions> CheckedOptions(PodEnvOptions options) {
  if (!options.check) {
    if (!source::IsKubeUri(options.pods)) return options;
    return Fail(Code::kUsage, "names a cluster, which needs --check; give a file to get patches", options.pods);
  }
  if (options.patch_only)
    return Fail(Code::kUsage, "--check prints no patches; leave out --format patch", std::string(kPodEnvCommand));
  options.request.patch = PatchKind::kNone;
  options.request.lists_all = source::IsKubeUri(options.pods);  // list all: one workload must not hide the others
  return options;
}

Result<PodEnvOptions> ParsePodEnvOptions(const Arguments& arguments) {
  PROV_TRY(WantsJson(arguments));
  PodEnvOptions out;
  out.patch_only = PROV_TRY(OneOf(arguments, "format")) == "patch";
  out.patch_name = PROV_TRY(OneOf(arguments, "patch"));
  if (out.patch_name == "json") out.request.patch = PatchKind::kJson;
  out.pods = arguments.Get("pod");
  if (out.pods.empty()) {
    return Fail(Code::kUsage, "--pod FILE is missing; give a Pod, Deployment or other workload as JSON or YAML",
                std::string(kPodEnvCommand));
  }
  out.show_secrets = arguments.Has("show-secrets");
  if (arguments.Has("trust")) out.request.trust = PROV_TRY(publish::ParsePodTrust(arguments.Get("trust"), "--trust"));
  out.check = arguments.Has("check");
  out.source = PROV_TRY(ParseSourceSpec(arguments));
  return CheckedOptions(std::move(out));
}

Result<publish::Object> ReadPods(const std::string& path) {
  return publish::ReadManifest(PROV_TRY(ReadFile(path, publish::kObjectLimits.input)), path);
}

ProxyValues ValuesOf(const EgressConfig& config) {
  return {config.http_proxy.value_or(Secret()), config.https_proxy.value_or(Secret()), config.no_proxy.value_or("")};
}

ProxyValues Redacted(const ProxyValues& values) {
  const auto shown = [](const Secret& url) { return Secret(egress::RedactUrl(url.Reveal())); };
  return {shown(values.http_proxy), shown(values.https_proxy), egress::RedactNoProxy(values.no_proxy)};
}

// Findings about the source's meaning for pods, besides its review.
Result<Findings> ReviewSource(const EgressConfig& config, const PodEnvOptions& options, std::int64_t now_unix) {
  Findings out = PROV_TRY(egress::Review(config, {}, now_unix));
  DropFindings(out, "untrusted");  // certificates that Windows' stores don't get; pods' bundles are others
  Findings told;                   // dropped: the review reports them
  PROV_TRY(egress::ParseProxySettings(config, told));
  if (ValuesOf(config).IsEmpty()) {
    AddWarning(out, "pod-env-nothing",
               "the source has no proxy, so the patches add no proxy variables; those that pods already have stay",
               config.proxy_file.path);
  }
  if (options.request.trust) {
    AddInfo(out, "pod-trust",
            "programs that read the bundle from a variable trust only this bundle (except Node.js), so the key of the "
            "ConfigMap must also contain public CAs; on Windows, the container imports one certificate from each key "
            "that ends in .cer when it starts as ContainerAdministrator",
            fmt::format("configmap/{}", options.request.trust->config_map));
  } else if (!config.certificates.empty()) {
    AddInfo(out, "pod-env-trust",
            "AKS brings trusted certificates to nodes only: pods that talk to a proxy which opens TLS need the bundle "
            "in their image or by a volume (--trust configmap/NAME)",
            config.trust_file.path);
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
    json.Member("mounts", container.mounts).Member("imports", container.imports).EndObject();
  }
  json.EndArray().Member("addsVolume", object.adds_volume).Key("patch").Json(WriteJson(object.patch, 0)).EndObject();
}

Result<Outcome> ReportPatches(const publish::Object& pods, const EgressConfig& config, PodEnvOptions options,
                              Findings findings) {
  if (!options.show_secrets) options.request.shown = Redacted(options.request.proxy);
  const publish::PodEnvReport report = PROV_TRY(publish::MakePodEnv(pods, options.request));
  findings.insert(findings.end(), report.findings.begin(), report.findings.end());
  if (options.request.shown && *options.request.shown != options.request.proxy) {
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
  source::SourceSpec cluster = options.source;
  cluster.source = options.pods;
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

// Lists the objects that a patch would change.
Result<Outcome> Check(machine::Host& host, const PodEnvOptions& options, Findings findings) {
  const std::vector<PodEnvObject> objects = PROV_TRY(ObjectsOf(host, options, findings));
  const auto lacking = static_cast<std::size_t>(std::ranges::count_if(objects, Lacks));
  JsonWriter json;
  json.BeginObject().Member("schema", 1).Member("lacking", lacking).Key("objects").BeginArray();
  for (const PodEnvObject& object : objects) {
    if (Lacks(object)) WriteObject(json, object);
  }
  json.EndArray();
  WriteFindings(json, findings);
  return Outcome{lacking == 0 ? 0 : kExitDifferences, json.EndObject().Text(), {}};
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
  Findings findings = PROV_TRY(ReviewSource(config, options, host.clock().NowUnix()));
  options.request.proxy = ValuesOf(config);
  if (options.check) return Check(host, options, std::move(findings));
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
      "--pod shows it. Pods and Jobs that exist can't be changed: patch their files.",
      "  $ az aks show -g GROUP -n CLUSTER -o json | provisioner pod-env - --pod deployment.yaml --format patch > "
      "p.yaml\n"
      "  provisioner: info [pod-env]: container \"web\": added HTTP_PROXY, http_proxy, ...; kept nothing\n"
      "  $ kubectl patch deployment web --patch-file p.yaml     (after --patch json: with --type json)",
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
             "only list pods and workloads that a patch would change; exit code 4 if there are any. --pod "
             "may be a cluster: kube://[CONTEXT]",
             Group::kChecks}},
           SourceOptionSpecs(),
           {{"format", "json|patch",
             "json: the added and kept variables and the patches; patch: only the patch of one object, with passwords, "
             "in the format of FILE (default: json)",
             Group::kOutput},
            ShowSecretsOption()},
           OutputOptionSpecs()})};
  return {.spec = std::move(spec), .run = RunPodEnv, .always_json = true};
}

}  // namespace prov::cli
