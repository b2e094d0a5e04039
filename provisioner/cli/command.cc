#include "provisioner/cli/command.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ctime>

#include "provisioner/base/file.h"
#include "provisioner/base/folder.h"
#include "provisioner/base/hash.h"
#include "provisioner/base/text.h"
#include "provisioner/payload/payload_reader.h"
#include "provisioner/payload/payload_signature.h"
#include "provisioner/source/aks_config_source.h"
#include "provisioner/source/source.h"
#include "provisioner/userdata/user_data_container.h"

namespace prov::cli {
namespace {

constexpr std::uint64_t kContainerLimit = 64ULL << 20U;
constexpr std::int64_t kLongestTimeout = 3600;
constexpr std::string_view kClusterSuffixes = "add-cluster-suffixes";

Result<std::vector<std::string>> SecretFiles(const payload::PayloadBytes& files, const std::string& folder) {
  std::vector<std::string> out;
  const auto manifest = files.find("manifest.json");
  if (manifest == files.end()) return out;
  for (const payload::ManifestEntry& entry : PROV_TRY(payload::ParseManifest(manifest->second, folder)).files) {
    if (entry.secret) out.push_back(folder + "/" + entry.path);
  }
  return out;
}

// What the options name, as it stands there.
Result<Source> ReadNamed(machine::Host& host, const SourceOptions& options,
                         const std::optional<pki::Certificate>& signer, source::SourceCache* cache) {
  const std::string& name = options.request.source;
  if (IsFolder(name)) {
    const payload::PayloadBytes files = PROV_TRY(payload::LoadPayloadFolder(
        name, signer ? &*signer : nullptr, options.stored ? LocalReader(host, options) : ReadRegularFile));
    payload::EgressDocument document = PROV_TRY(payload::ReadPayload(files, name));
    if (!signer && files.contains(payload::kSignaturePath)) {
      AddInfo(document.config.findings, "signature-unchecked",
              "the payload is signed, but its signature was not checked: no signer is pinned; name one with --signer",
              fmt::format("{}/{}", name, payload::kSignaturePath));
    }
    return Source{std::move(document.config),
                  std::move(document.options),
                  document.generation,
                  true,
                  PROV_TRY(SecretFiles(files, name)),
                  ToHex(Sha256(files.at("manifest.json")))};
  }
  if (signer) {
    return Fail(
        Code::kSignature,
        fmt::format(
            "is not a payload folder, but only payloads that {} signed are accepted here; make one with bake --sign",
            payload::NameOfSigner(*signer)),
        name);
  }
  if (userdata::IsContainerName(name)) {
    const std::string bytes = PROV_TRY(LocalReader(host, options)(name, kContainerLimit));
    payload::EgressDocument document = PROV_TRY(userdata::ReadContainer(bytes, name));
    return Source{std::move(document.config), std::move(document.options), document.generation, true, {},
                  ToHex(Sha256(bytes))};
  }
  const source::SourceRequest request = RequestOf(host, options);
  return Source{
      .config = PROV_TRY(source::Read(request, {host.http(), host.clock(), cache})), .choices = {}, .secret_files = {}};
}

}  // namespace

OptionSpec PoolOption() {
  return {"pool", "NAME",
          "machine config pool: from a list, take the config of this pool's nodes, or the newest config if the list "
          "does not contain the pool (default: worker)",
          Group::kSource};
}
OptionSpec NameOption() {
  return {"name", "NAME", "exact name of the MachineConfig to take; overrides --pool", Group::kSource};
}
OptionSpec ClusterSuffixesOption() {
  return {kClusterSuffixes, "",
          "with an AKS source: add .svc and .cluster.local to NO_PROXY, which AKS itself does not do", Group::kSource};
}
OptionSpec OutputOption() {
  return {"output", "text|json", "how results and errors are printed (default: text)", Group::kOutput};
}
OptionSpec HelpOption() { return {"help", "", "show this text", Group::kOutput}; }

std::vector<OptionSpec> RemoteOptionSpecs() {
  return {
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

void AddRemoteOptions(CommandSpec& spec) {
  const auto name = std::ranges::find(spec.options, "name", &OptionSpec::name);
  std::vector<OptionSpec> more = RemoteOptionSpecs();
  more.insert(more.begin(), ClusterSuffixesOption());
  spec.options.insert(name == spec.options.end() ? name : name + 1, more.begin(), more.end());
}

Result<SourceOptions> ParseSourceOptions(const Arguments& arguments) {
  SourceOptions out;
  source::SourceRequest& request = out.request;
  request.source = arguments.positional();
  request.selection.pool = arguments.Get("pool", request.selection.pool);
  request.selection.name = arguments.Get("name");
  request.ca_file = arguments.Get("ca");
  request.kubeconfig = arguments.Get("kubeconfig");
  if (arguments.Has("source-proxy")) {
    request.proxy_url = Secret(arguments.Get("source-proxy"));
    PROV_TRY(source::CheckProxyUrl(*request.proxy_url, "--source-proxy"));
  }
  if (arguments.Has("source-timeout")) {
    const std::int64_t seconds = PROV_TRY(Number(arguments, "source-timeout", 0));
    if (seconds < 1 || seconds > kLongestTimeout) {
      return Fail(Code::kUsage, fmt::format("takes 1 to {} seconds", kLongestTimeout), "--source-timeout");
    }
    request.timeout_seconds = static_cast<int>(seconds);
  }
  out.add_cluster_suffixes = arguments.Has(kClusterSuffixes);
  out.stored = arguments.Has("stored");
  return out;
}

source::SourceRequest RequestOf(machine::Host& host, const SourceOptions& options) {
  source::SourceRequest out = options.request;
  if (options.stored) out.read_followed = LocalReader(host, options);
  return out;
}

FileReader LocalReader(machine::Host& host, const SourceOptions& options) {
  if (!options.stored) return ReadFile;
  return
      [&host](const std::string& path, std::uint64_t limit) { return host.installation().ReadFollowed(path, limit); };
}

Result<Source> ReadSource(machine::Host& host, const SourceOptions& options,
                          const std::optional<pki::Certificate>& signer, source::SourceCache* cache) {
  Source out = PROV_TRY(ReadNamed(host, options, signer, cache));
  if (!options.add_cluster_suffixes) return out;
  auto added = source::AddClusterSuffixes(out.config);
  if (added) return out;
  added.error().where = fmt::format("--{}", kClusterSuffixes);
  return std::unexpected(std::move(added).error());
}

Result<bool> WantsJson(const Arguments& arguments) {
  constexpr std::array<std::string_view, 2> kAllowed = {"text", "json"};
  return PROV_TRY(OneOf(arguments, "output", kAllowed)) == "json";
}

std::size_t CountFindings(const Findings& findings, Severity severity) {
  return static_cast<std::size_t>(std::ranges::count(findings, severity, &Finding::severity));
}

void WriteTextOrNull(JsonWriter& json, std::string_view key, std::string_view text) {
  json.Key(key);
  text.empty() ? json.Null() : json.String(text);
}

std::int64_t NowUnix() { return static_cast<std::int64_t>(std::time(nullptr)); }

}  // namespace prov::cli
