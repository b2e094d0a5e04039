#include "provisioner/cli/command.h"

#include <fmt/format.h>

#include <algorithm>

#include "provisioner/base/folder.h"
#include "provisioner/payload/manifest.h"
#include "provisioner/payload/payload_reader.h"
#include "provisioner/source/source.h"

namespace prov::cli {
namespace {

constexpr std::string_view kClusterSuffixes = "add-cluster-suffixes";

// The payload whose egress.json `source` is, because it is read with its manifest and certificates; or else `source`.
std::string PayloadOr(const std::string& source) {
  const std::size_t name = source.find_last_of("/\\") + 1;
  if (source::IsRemote(source) || std::string_view(source).substr(name) != "egress.json") return source;
  const std::string folder = name == 0 ? "." : source.substr(0, std::max<std::size_t>(name - 1, 1));
  const bool is_payload =
      ReadRegularFile(fmt::format("{}/{}", folder, payload::kManifestName), payload::kMostManifestBytes).has_value();
  return is_payload ? folder : source;
}

std::size_t CountFindings(const Findings& findings, Severity severity) {
  return static_cast<std::size_t>(std::ranges::count(findings, severity, &Finding::severity));
}

}  // namespace

OptionSpec ClusterSuffixesOption() {
  return {kClusterSuffixes, "",
          "with an AKS source: add .svc and .cluster.local to NO_PROXY, which AKS itself does not do", Group::kSource};
}

OptionSpec ShowSecretsOption() {
  return {"show-secrets", "", "print passwords in JSON instead of ***", Group::kOutput};
}

OptionGroup OutputOptionSpecs() {
  return {{"output", "text|json", "how results and errors are printed (default: text)", Group::kOutput},
          {"verbose", "", "print each finding; otherwise text has one line for all known limits", Group::kOutput},
          {"help", "", "show this text; --help all shows every option", Group::kOutput}};
}

OptionGroup SourceOptionSpecs() {
  return {
      {"pool", "NAME",
       "machine config pool: from a list, take the config of this pool's nodes, or the newest config if the list "
       "does not contain the pool (default: worker)",
       Group::kSource},
      {"name", "NAME", "exact name of the MachineConfig to take; overrides --pool", Group::kSource},
      ClusterSuffixesOption(),
      {"ca", "FILE",
       "PEM certificates of the CAs that verify the server of a remote source (default: those of the kubeconfig, else "
       "the system's, which a source that a node follows never uses)",
       Group::kSource},
      {"kubeconfig", "FILE|in-cluster",
       "kubeconfig for a kube:// source (default: $KUBECONFIG, ~/.kube/config, then in-cluster)", Group::kSource},
      {"source-proxy", "URL", "proxy for the requests that read a remote source (default: none)", Group::kSource, true},
      {"source-timeout", "SECONDS",
       "total time for reading a remote source (default: 60, for kube:// 90; retries within the first 10)",
       Group::kSource}};
}

Result<source::SourceSpec> ParseSourceSpec(const Arguments& arguments) {
  source::SourceSpec out;
  out.source = PayloadOr(arguments.positional());
  out.selection.pool = arguments.Get("pool", out.selection.pool);
  out.selection.name = arguments.Get("name");
  out.ca_file = arguments.Get("ca");
  out.kubeconfig = arguments.Get("kubeconfig");
  if (arguments.Has("source-proxy")) {
    out.proxy_url = Secret(arguments.Get("source-proxy"));
    PROV_TRY(source::CheckProxyUrl(*out.proxy_url, "--source-proxy"));
  }
  if (arguments.Has("source-timeout")) {
    const std::int64_t seconds = PROV_TRY(Number(arguments, "source-timeout", 0));
    if (seconds < 1 || seconds > source::kLongestTimeout) {
      return Fail(Code::kUsage, fmt::format("takes 1 to {} seconds", source::kLongestTimeout), "--source-timeout");
    }
    out.timeout_seconds = static_cast<int>(seconds);
  }
  out.add_cluster_suffixes = arguments.Has(kClusterSuffixes);
  return out;
}

Result<void> CheckStandardInput(const Arguments& arguments, std::span<const std::string_view> options) {
  std::string place = arguments.positional() == "-" ? "SOURCE" : "";
  for (const std::string_view option : options) {
    for (const std::string& value : arguments.All(option)) {
      if (value != "-") continue;
      if (!place.empty()) {
        return Fail(Code::kUsage,
                    fmt::format("standard input (-) can't also be {}, because it is read once; name a file", place),
                    fmt::format("--{} -", option));
      }
      place = fmt::format("--{}", option);
    }
  }
  return {};
}

Result<bool> WantsJson(const Arguments& arguments) {
  Result<std::string> output = OneOf(arguments, "output");
  if (output) return *output == "json";
  std::string& message = output.error().message;
  if (arguments.Knows("out") && message.find("did you mean") == std::string::npos) message += "; did you mean --out?";
  return std::unexpected(std::move(output).error());
}

bool IsValid(const Findings& findings, bool strict) {
  return std::ranges::none_of(findings, [&](const Finding& finding) {
    return finding.severity == Severity::kError || (strict && finding.severity == Severity::kWarning);
  });
}

std::string DescribeCounts(const Findings& findings) {
  Findings rest = findings;
  const std::size_t limits = std::erase_if(rest, IsLimit);
  return fmt::format("{} error(s), {} warning(s){}", CountFindings(rest, Severity::kError),
                     CountFindings(rest, Severity::kWarning),
                     limits == 0 ? "" : fmt::format(", {} known limit(s)", limits));
}

void WriteValidity(JsonWriter& json, const Findings& findings, bool valid) {
  json.Member("valid", valid).Member("errors", CountFindings(findings, Severity::kError));
  json.Member("warnings", CountFindings(findings, Severity::kWarning));
  json.Strings("knownLimits", LimitsIn(findings));
  WriteFindings(json, findings);
}

void AddNewFindings(Findings& findings, const Findings& more) {
  for (const Finding& one : more) {
    if (std::ranges::find(findings, one) == findings.end()) findings.push_back(one);
  }
}

void WriteTextOrNull(JsonWriter& json, std::string_view key, std::string_view text) {
  json.Key(key);
  text.empty() ? json.Null() : json.String(text);
}

bool BeginObjectOrNull(JsonWriter& json, std::string_view key, bool present) {
  json.Key(key);
  present ? json.BeginObject() : json.Null();
  return present;
}

void WriteError(JsonWriter& json, const Error& error) {
  json.Key("error").BeginObject().Member("code", InfoOf(error.code).name).Member("message", error.message);
  json.Member("where", error.where).EndObject();
}

}  // namespace prov::cli
