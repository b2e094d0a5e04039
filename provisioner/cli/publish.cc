// `publish`: writes what the cluster's network operator derives from a Proxy, as JSON and as files.
#include "provisioner/publish/publish.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "provisioner/base/file.h"
#include "provisioner/base/hash.h"
#include "provisioner/base/json_writer.h"
#include "provisioner/base/text.h"
#include "provisioner/cli/command.h"
#include "provisioner/egress/no_proxy.h"
#include "provisioner/egress/proxy_url.h"

namespace prov::cli {
namespace {

using publish::Publication;

constexpr std::uint64_t kMostPublishInputBytes = 16ULL << 20U;
constexpr unsigned kSecretMode = 0600;
constexpr unsigned kMode = 0644;

std::string PathOf(const std::string& folder, const std::string& name) { return fmt::format("{}/{}", folder, name); }
unsigned ModeOf(const publish::PublishedFile& file) { return file.secret ? kSecretMode : kMode; }

// Also true for a pipe, which has no other readers, and on Windows, where files have no such bits.
bool IsOwnerOnly(const std::string& path) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  const auto others = std::filesystem::perms::others_read;
  return !error && std::filesystem::is_regular_file(status) &&
         (status.permissions() & others) == std::filesystem::perms::none;
}

Result<publish::NamedBytes> Load(const std::string& path) {
  return publish::NamedBytes{PROV_TRY(ReadFile(path, kMostPublishInputBytes)), path, IsOwnerOnly(path)};
}

Result<publish::NamedBytes> LoadRequired(const Arguments& arguments, std::string_view option) {
  const std::string path = arguments.Get(option);
  if (!path.empty()) return Load(path);
  return Fail(Code::kUsage, fmt::format("--{} FILE is missing; provisioner publish --help shows an example", option),
              "provisioner publish");
}

Result<std::optional<publish::NamedBytes>> LoadOptional(const Arguments& arguments, std::string_view option) {
  if (!arguments.Has(option)) return std::nullopt;
  return PROV_TRY(LoadRequired(arguments, option));
}

struct PublishOptions {
  std::string folder;  // "": writes nothing
  publish::PublishRequest request;
};

Result<PublishOptions> ParsePublishOptions(const Arguments& arguments) {
  PROV_TRY(WantsJson(arguments));  // checks the value only; the output is always JSON
  PublishOptions options;
  options.folder = arguments.Get("out");
  publish::PublishRequest& out = options.request;
  out.render = !options.folder.empty();
  if (!out.render && arguments.Has("out")) {
    return Fail(Code::kUsage, "--out FOLDER is missing: name the folder for the files", "provisioner publish");
  }
  out.proxy = PROV_TRY(LoadRequired(arguments, "proxy"));
  out.infrastructure = PROV_TRY(LoadRequired(arguments, "infrastructure"));
  out.network = PROV_TRY(LoadRequired(arguments, "network"));
  out.install_config = PROV_TRY(LoadOptional(arguments, "install-config"));
  out.user_ca = PROV_TRY(LoadOptional(arguments, "user-ca"));
  out.system_ca = PROV_TRY(LoadOptional(arguments, "system-ca"));
  out.probe = arguments.Has("probe");
  out.internal_apiserver_address = arguments.Has("internal-apiserver-address");
  return options;
}

void WriteProxyStatus(JsonWriter& json, const publish::ProxyValues& status) {
  json.Key("status").BeginObject();
  json.Member("httpProxy", egress::RedactUrl(status.http_proxy.Reveal()));
  json.Member("httpsProxy", egress::RedactUrl(status.https_proxy.Reveal()));
  json.Member("noProxy", egress::RedactNoProxy(status.no_proxy)).EndObject();
}

void WriteReadinessProbes(JsonWriter& json, const std::vector<publish::Probe>& probes) {
  json.Key("probes").BeginArray();
  for (const publish::Probe& probe : probes) {
    json.BeginObject().Member("url", probe.url).Member("via", probe.via).Member("ok", probe.ok);
    json.Member("status", probe.status).Member("tries", probe.tries).Member("error", probe.error).EndObject();
  }
  json.EndArray();
}

std::string PublicationJson(const Publication& publication, const std::string& folder) {
  JsonWriter json;
  json.BeginObject().Member("schema", 1).Member("valid", publication.valid());
  json.Strings("errors", publication.errors);
  WriteFindings(json, publication.findings);
  WriteProxyStatus(json, publication.status);
  WriteReadinessProbes(json, publication.probes);
  json.Key("files").BeginArray();
  for (const publish::PublishedFile& file : publication.files) {
    json.BeginObject().Member("path", PathOf(folder, file.name)).Member("sha256", ToHex(Sha256(file.bytes)));
    json.Member("bytes", file.bytes.size()).Member("mode", fmt::format("{:04o}", ModeOf(file))).EndObject();
  }
  return json.EndArray().EndObject().Text();
}

Result<void> WriteFiles(const std::vector<publish::PublishedFile>& files, const std::string& folder) {
  if (files.empty()) return {};
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return Fail(Code::kTarget, fmt::format("cannot make the folder: {}", error.message()), folder);
  for (const publish::PublishedFile& file : files)
    PROV_TRY(WriteFileAtomically(PathOf(folder, file.name), file.bytes, ModeOf(file)));
  return {};
}

Result<Outcome> RunPublish(const Arguments& arguments, machine::Host& host) {
  PublishOptions options = PROV_TRY(ParsePublishOptions(arguments));
  const Publication publication = PROV_TRY(publish::Publish(std::move(options.request), {host.http(), host.clock()}));
  const std::string& folder = options.folder;
  PROV_TRY(WriteFiles(publication.files, folder));
  return Outcome{publication.valid() ? 0 : InfoOf(Code::kInvalidConfig).exit, PublicationJson(publication, folder), {}};
}

}  // namespace

Command PublishCommand() {
  CommandSpec spec = {
      "publish",
      "Validate a Proxy and write what a cluster makes of it: the status, the trust bundle and proxy.env.",
      "",
      "Does on files what the cluster's network operator does: validates the Proxy's spec with the operator's own\n"
      "messages, adds the entries that the cluster needs to noProxy, and merges the trusted certificates with those\n"
      "of the system. --out writes proxy.yaml (the Proxy with its status), proxy.env (as nodes get it),\n"
      "ca-bundle.crt and trusted-ca-bundle.yaml (the ConfigMap). Only the owner can read files with credentials, and\n"
      "proxy.yaml if others could not read the Proxy (mode 0600). An invalid spec writes nothing. Exit code\n"
      "0: valid; 11: not valid.",
      "  $ provisioner publish --proxy proxy.yaml --infrastructure infrastructure.yaml --network network.yaml \\\n"
      "      --install-config install-config.yaml --user-ca user-ca-bundle.yaml --out published\n"
      "  {\"schema\": 1, \"valid\": true, \"errors\": [], ... \"status\": {\"httpProxy\": "
      "\"http://user:***@proxy...\"}}",
      JoinOptions(
          {{{"proxy", "FILE", "the Proxy, as `oc get proxy cluster -o yaml` or `-o json` prints it", Group::kSource},
            {"infrastructure", "FILE", "the Infrastructure (`oc get infrastructure cluster -o yaml`)", Group::kSource},
            {"network", "FILE", "the Network (`oc get network.config cluster -o yaml`)", Group::kSource},
            {"install-config", "FILE", "install-config.yaml, or the ConfigMap kube-system/cluster-config-v1",
             Group::kSource},
            {"user-ca", "FILE", "the ConfigMap that spec.trustedCA names, or its certificates as PEM", Group::kSource},
            {"system-ca", "FILE",
             "the system's certificates, which follow the user's in the merged bundle: PEM or ConfigMap",
             Group::kSource},
            {"out", "FOLDER", "write the files here; each is replaced as a whole", Group::kOutput},
            {"internal-apiserver-address", "",
             "merge noProxy as HyperShift does for a control plane with a public address "
             "(PROXY_INTERNAL_APISERVER_ADDRESS=true): the API server is not in it; .hypershift.local is, unless the "
             "Infrastructure has another controlPlaneTopology than External",
             Group::kSource},
            {"probe", "",
             "ask the spec's readiness endpoints through the new proxy, three times each at most; where trustedCA is "
             "set, --user-ca and --system-ca must be given",
             Group::kChecks}},
           OutputOptionSpecs()})};
  return {.spec = std::move(spec), .run = RunPublish, .always_json = true};
}

}  // namespace prov::cli
