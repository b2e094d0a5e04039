#include "provisioner/source/kube_source.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "ignition/machine_config_pool.h"
#include "provisioner/base/json.h"
#include "provisioner/base/text.h"
#include "provisioner/source/document_source.h"
#include "provisioner/source/kube_client.h"
#include "provisioner/source/reading.h"
#include "provisioner/source/trust_objects.h"

namespace prov::source {
namespace {

// Limits for the objects that are parsed here, which are small. The others go to their readers unparsed.
JsonLimits SmallObject() {
  JsonLimits out;
  out.input = 16ULL << 20U;
  out.depth = 100;
  return out;
}

Result<std::unique_ptr<JsonDocument>> Parse(std::string body, const KubeObject& object) {
  auto document = ParseJson(std::move(body), SmallObject());
  if (!document) {
    Error error = std::move(document).error();
    error.where = error.where.empty() ? object.Path() : fmt::format("{}, {}", object.Path(), error.where);
    return std::unexpected(std::move(error));
  }
  if (!(*document)->root().IsObject()) return Fail(Code::kType, "the answer is not an object", object.Path());
  return document;
}

class KubeSourceReader {
 public:
  KubeSourceReader(const SourceRequest& request, KubeClient& client) : request_(request), client_(client) {}

  Result<egress::EgressConfig> Read(const KubeTarget& target) {
    switch (target.kind) {
      case KubeKind::kMachineConfig:
        return ReadObject(ObjectOf(target), target.name);
      case KubeKind::kControllerConfig:
      case KubeKind::kRancherCluster:
        return ReadObject(ObjectOf(target), "");
      case KubeKind::kProxy:
        return ReadProxy();
      case KubeKind::kConfigMap:
        return ReadTrustMap(ObjectOf(target), target.key);
      case KubeKind::kClusterTrustBundle:
        return ReadTrustBundle(ObjectOf(target));
      case KubeKind::kHostedCluster:
        return ReadHosted(ObjectOf(target));
      case KubeKind::kPool:
      case KubeKind::kData:  // none that a URI names
        break;
    }
    return ReadPool(target.name);
  }

 private:
  Result<egress::EgressConfig> ReadObject(const KubeObject& object, const std::string& name) {
    return ReadBytes(PROV_TRY(client_.Get(object)), object, name);
  }

  Result<egress::EgressConfig> ReadBytes(std::string bytes, const KubeObject& from, const std::string& name) {
    ignition::Selection selection = request_.selection;
    selection.name = name;
    return ReadDocument(std::move(bytes), from.Path(), selection, nullptr);
  }

  // The rendered config that the pool's nodes have. The pool's newest config may not be on all nodes yet.
  Result<std::string> RenderedName(const KubeObject& pool, Findings& findings) {
    const auto document = PROV_TRY(Parse(PROV_TRY(client_.Get(pool)), pool));
    const ignition::MachineConfigPool said = ignition::ReadMachineConfigPool(document->root());
    std::string name(said.on_nodes);
    if (name.empty()) {
      return Fail(Code::kNotFound, "the pool has no rendered config yet (status.configuration.name)", pool.Path());
    }
    if (!IsKubeName(name)) return Fail(Code::kType, "status.configuration.name is not a valid name", pool.Path());
    ignition::ReportRollout(said, pool.Path(), findings);
    return name;
  }

  Result<egress::EgressConfig> ReadPool(const std::string& pool_name) {
    const KubeObject pool = PoolObject(pool_name);
    Findings findings;
    std::string name = PROV_TRY(RenderedName(pool, findings));
    Result<egress::EgressConfig> out = ReadObject(MachineConfigObject(name), name);
    if (!out && out.error().code == Code::kNotFound) {
      // It may have been replaced and removed between the two requests.
      findings.clear();
      const std::string again = PROV_TRY(RenderedName(pool, findings));
      if (again != name) out = ReadObject(MachineConfigObject(again), again);
    }
    if (out) out->findings.insert(out->findings.begin(), findings.begin(), findings.end());
    return out;
  }

  // A ConfigMap of the cluster, which becomes an item of a list, so it must be one complete object; nullopt if it does
  // not exist.
  Result<std::optional<std::string>> FindConfigMap(std::string_view name_space, std::string_view name) {
    const KubeObject map = ConfigMapObject(std::string(name_space), std::string(name));
    Result<std::string> body = client_.Get(map);
    if (body) {
      PROV_TRY(Parse(*body, map));
      return *std::move(body);
    }
    // A missing token file is not-found as well, so compare the path.
    if (body.error().code == Code::kNotFound && body.error().where == map.Path()) return std::nullopt;
    return std::unexpected(std::move(body).error());
  }

  static std::unexpected<Error> NotThere(std::string_view name_space, std::string_view name, std::string_view kind,
                                         const KubeObject& object) {
    return Fail(Code::kNotFound,
                fmt::format("the ConfigMap \"{}\" is not in the namespace {}, although the {} names it", name,
                            name_space, kind),
                object.Path());
  }

  static std::string ListOf(std::string_view items) {
    return fmt::format(R"({{"apiVersion":"v1","kind":"List","items":[{}]}})", items);
  }

  Result<egress::EgressConfig> ReadTrustMap(const KubeObject& object, const std::string& key) {
    const auto document = PROV_TRY(Parse(PROV_TRY(client_.Get(object)), object));
    auto reading = [&]() -> Result<Reading> {
      return ReadConfigMap(PROV_TRY(ReadConfigMapHead(PROV_TRY(ObjectView::Of(document->root(), "$")))), key);
    }();
    return FinishIn(std::move(reading), object.Path());
  }

  // In the newest version that the server has.
  Result<egress::EgressConfig> ReadTrustBundle(const KubeObject& object) {
    Result<egress::EgressConfig> out = ReadObject(object, "");
    const bool is_served = out || out.error().code != Code::kNotFound || out.error().where != object.CollectionPath();
    const std::optional<KubeObject> older = is_served ? std::nullopt : InOlderVersion(object);
    return older ? ReadTrustBundle(*older) : std::move(out);
  }

  // Reads the HostedCluster with the ConfigMaps that it names.
  Result<egress::EgressConfig> ReadHosted(const KubeObject& object) {
    std::string items = PROV_TRY(client_.Get(object));
    const auto document = PROV_TRY(Parse(items, object));
    const JsonValue& root = document->root();
    std::string_view before;
    for (const std::string_view name : {JsonTextAt(root, {"spec", "additionalTrustBundle", "name"}),
                                        JsonTextAt(root, {"spec", "configuration", "proxy", "trustedCA", "name"})}) {
      if (name.empty() || name == std::exchange(before, name)) continue;
      if (!IsKubeName(name))
        return Fail(Code::kType, "the name of a ConfigMap in it is not a valid name", object.Path());
      const auto map = PROV_TRY(FindConfigMap(object.name_space, name));
      if (!map) return NotThere(object.name_space, name, "HostedCluster", object);
      items += "," + *map;
    }
    return ReadBytes(ListOf(items), object, "");
  }

  // Reads what nodes get: the Proxy with openshift-config/user-ca-bundle, if there is one, and the ConfigMap that it
  // names.
  Result<egress::EgressConfig> ReadProxy() {
    const KubeObject proxy = ProxyObject();
    std::string items = PROV_TRY(client_.Get(proxy));
    const auto document = PROV_TRY(Parse(items, proxy));
    const std::string trusted(JsonTextAt(document->root(), {"spec", "trustedCA", "name"}));
    const auto user = PROV_TRY(FindConfigMap(kConfigNamespace, kUserBundle));
    if (user) items += "," + *user;
    if (!trusted.empty() && trusted != kUserBundle) {
      if (!IsKubeName(trusted)) return Fail(Code::kType, "spec.trustedCA.name is not a valid name", proxy.Path());
      const std::string_view name_space = trusted == kMergedBundle ? kManagedNamespace : kConfigNamespace;
      const auto named = PROV_TRY(FindConfigMap(name_space, trusted));
      if (!named) return NotThere(name_space, trusted, "Proxy", proxy);
      items += "," + *named;
    } else if (!trusted.empty() && !user) {
      return NotThere(kConfigNamespace, trusted, "Proxy", proxy);
    }
    egress::EgressConfig out = PROV_TRY(ReadBytes(ListOf(items), proxy, ""));
    // In a file, this may be a manifest that was never in a cluster. Here, the operator has not checked the spec yet,
    // and may refuse it.
    if (HasFinding(out.findings, "proxy-not-accepted")) {
      return Fail(Code::kInvalidConfig,
                  "the cluster has not accepted the Proxy's spec yet (its status is empty; see oc get clusteroperator "
                  "network); nothing is taken from it",
                  proxy.Path());
    }
    // The cluster was read and has none, so this is a statement, and not a file that lacks it.
    if (!user) DropFindings(out.findings, "no-user-ca-bundle");
    if (trusted.empty() && !user) {
      out.trust_file = DescribeFile("$.spec.trustedCA", "", 0);
      DropFindings(out.findings, "no-trust-file");
    }
    return out;
  }

  const SourceRequest& request_;
  KubeClient& client_;
};

}  // namespace

Result<egress::EgressConfig> ReadKube(const SourceRequest& request, const SourcePorts& ports,
                                      const KubeEnvironment& here) {
  const KubeTarget target = PROV_TRY(ParseKubeUri(request.source, request.selection));
  const KubeAccess access = PROV_TRY(KubeAccess::Open(request, target.context, here));
  KubeClient client(access, ports);
  return KubeSourceReader(request, client).Read(target);
}

}  // namespace prov::source
