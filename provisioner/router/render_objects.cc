// Renders the forms for deploying a router. Facts: docs/egress-router.md#manifests, #egressrouter.
#include <fmt/format.h>

#include <array>
#include <initializer_list>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>

#include "provisioner/base/json_writer.h"
#include "provisioner/base/text.h"
#include "provisioner/publish/objects.h"
#include "provisioner/publish/yaml_writer.h"
#include "provisioner/router/render_forms.h"
#include "provisioner/router/router_policy.h"

namespace prov::router {
namespace {

constexpr std::string_view kNetworkImage = "registry.redhat.io/openshift4/ose-egress-router";
constexpr std::string_view kPauseImage = "registry.redhat.io/openshift4/ose-pod";
// The network operator's fixed name, whatever the EgressRouter is called.
constexpr std::string_view kNadName = "egress-router-cni-nad";

Result<std::string> ToYaml(JsonWriter& json) {
  const publish::Object object = PROV_TRY(publish::ReadManifest(json.Text(), "the manifest"));
  return publish::WriteYaml(*object.root);
}

// The items of an object, one YAML document each.
Result<std::string> ItemsToYaml(JsonWriter& json) {
  publish::Object object = PROV_TRY(publish::ReadManifest(json.Text(), "the manifest"));
  object.root = &(*object.root)["items"];
  object.several = true;
  return publish::WriteManifest(object);
}

class ManifestWriter {
 public:
  ManifestWriter(const RouterPolicy& policy, const RenderRequest& request) : policy_(policy), request_(request) {}

  Result<std::string> ConfigMap() {
    PROV_TRY(ReadNames());
    PROV_TRY(WriteConfigMap());
    return ToYaml(json_);
  }

  Result<std::string> All() {
    // Checked first: without an address, nothing is written.
    PROV_TRY(ReadNames());
    if (WithEgressIp()) {
      PROV_TRY(CheckEgressIp());
    } else {
      source_ = PROV_TRY(SourceText(policy_, true));
      gateway_ = PROV_TRY(GatewayText(policy_));
    }
    json_.BeginObject().Key("items").BeginArray();
    Begin("v1", "ServiceAccount", name_);
    json_.EndObject();
    // Without an interface to set up, the images' scripts only need to be root.
    WriteRoleBinding(WithEgressIp() ? "anyuid" : "privileged");
    PROV_TRY(WriteConfigMap());
    WriteDeployment();
    WriteService();
    if (WithEgressIp()) WriteEgressIp();
    json_.EndArray().EndObject();
    return ItemsToYaml(json_);
  }

 private:
  Result<void> ReadNames() {
    name_ = PROV_TRY(ObjectName(policy_, request_));
    name_space_ = PROV_TRY(ObjectNamespace(policy_, request_));
    return {};
  }

  bool WithEgressIp() const { return !request_.egress_ips.empty(); }

  Result<void> CheckEgressIp() const {
    const auto refuse = [](std::string message) { return Fail(Code::kUsage, std::move(message), "--egress-ip"); };
    if (policy_.kind == RouterKind::kRedirect)
      return refuse("is for an http-proxy or a dns-proxy; a redirect router has an address of its own: --format cr");
    if (policy_.source)
      return refuse("takes the place of --source and of EGRESS_SOURCE, which only openshift-sdn sets up; give one");
    if (name_space_.empty()) return refuse("selects the proxy's pods by their namespace: give --namespace, too");
    for (const std::string& address : request_.egress_ips) {
      if (!IpAddress::Parse(address))
        return refuse(fmt::format("takes addresses such as 192.0.2.10, not \"{}\"", Shorten(address)));
    }
    return {};
  }

  // An EgressIP belongs to no namespace, but selects some.
  void WriteEgressIp() {
    json_.BeginObject().Member("apiVersion", "k8s.ovn.org/v1").Member("kind", "EgressIP");
    json_.Key("metadata").BeginObject().Member("name", fmt::format("{}-{}", name_space_, name_)).EndObject();
    json_.Key("spec").BeginObject().Strings("egressIPs", request_.egress_ips);
    json_.Key("namespaceSelector").BeginObject().Key("matchLabels").BeginObject();
    json_.Member("kubernetes.io/metadata.name", name_space_).EndObject().EndObject();
    json_.Key("podSelector").BeginObject();
    Labels("matchLabels");
    json_.EndObject().EndObject().EndObject();
  }

  void Begin(std::string_view version, std::string_view kind, std::string_view name) {
    json_.BeginObject().Member("apiVersion", version).Member("kind", kind);
    json_.Key("metadata").BeginObject().Member("name", name);
    if (!name_space_.empty()) json_.Member("namespace", name_space_);
    json_.EndObject();
  }

  void Labels(std::string_view key) { json_.Key(key).BeginObject().Member("app", name_).EndObject(); }

  // The binding that `oc adm policy add-scc-to-user CONSTRAINT -z NAME` creates.
  void WriteRoleBinding(std::string_view constraint) {
    Begin("rbac.authorization.k8s.io/v1", "RoleBinding", fmt::format("{}-{}", name_, constraint));
    json_.Key("roleRef").BeginObject().Member("apiGroup", "rbac.authorization.k8s.io").Member("kind", "ClusterRole");
    json_.Member("name", fmt::format("system:openshift:scc:{}", constraint)).EndObject();
    json_.Key("subjects").BeginArray().BeginObject().Member("kind", "ServiceAccount").Member("name", name_);
    if (!name_space_.empty()) json_.Member("namespace", name_space_);
    json_.EndObject().EndArray().EndObject();
  }

  Result<void> WriteConfigMap() {
    Begin("v1", "ConfigMap", name_ + "-destinations");
    json_.Key("data").BeginObject().Member("destination", PROV_TRY(DestinationsText(policy_)));
    json_.EndObject().EndObject();
    return {};
  }

  void Variable(std::string_view name, std::string_view value) {
    json_.BeginObject().Member("name", name).Member("value", value).EndObject();
  }

  void Destinations() {
    json_.BeginObject().Member("name", VariableOf(policy_.kind));
    json_.Key("valueFrom").BeginObject().Key("configMapKeyRef").BeginObject();
    json_.Member("name", name_ + "-destinations").Member("key", "destination");
    json_.EndObject().EndObject().EndObject();
  }

  void InitContainer() {
    const bool redirect = policy_.kind == RouterKind::kRedirect;
    json_.BeginObject().Member("name", "egress-router");
    json_.Member("image", request_.image.empty() ? kNetworkImage : std::string_view(request_.image));
    json_.Key("securityContext").BeginObject().Member("privileged", true).EndObject();
    json_.Key("env").BeginArray();
    Variable("EGRESS_SOURCE", source_);
    Variable("EGRESS_GATEWAY", gateway_);
    if (redirect) Destinations();
    Variable("EGRESS_ROUTER_MODE", redirect ? "init" : router::NameOf(policy_.kind));
    json_.EndArray().EndObject();
  }

  void Container() {
    if (policy_.kind == RouterKind::kRedirect) {
      json_.BeginObject().Member("name", "egress-router-wait");
      json_.Member("image", request_.proxy_image.empty() ? kPauseImage : std::string_view(request_.proxy_image));
      json_.EndObject();
      return;
    }
    const std::string usual = fmt::format("registry.redhat.io/openshift4/ose-egress-{}", router::NameOf(policy_.kind));
    json_.BeginObject().Member("name", fmt::format("egress-{}", router::NameOf(policy_.kind)));
    json_.Member("image", request_.proxy_image.empty() ? usual : request_.proxy_image);
    json_.Key("env").BeginArray();
    Destinations();
    json_.EndArray().EndObject();
  }

  void WriteDeployment() {
    Begin("apps/v1", "Deployment", name_);
    json_.Key("spec").BeginObject().Member("replicas", WithEgressIp() ? 2 : 1);
    // Only one pod at a time: two would have the same address.
    if (!WithEgressIp()) json_.Key("strategy").BeginObject().Member("type", "Recreate").EndObject();
    json_.Key("selector").BeginObject();
    Labels("matchLabels");
    json_.EndObject().Key("template").BeginObject().Key("metadata").BeginObject();
    Labels("labels");
    if (!WithEgressIp()) json_.Key("annotations").BeginObject().Member(kMacvlanAnnotation, "true").EndObject();
    json_.EndObject().Key("spec").BeginObject().Member("serviceAccountName", name_);
    json_.Key("nodeSelector").BeginObject().Member("kubernetes.io/os", "linux").EndObject();
    if (!WithEgressIp()) {
      json_.Key("initContainers").BeginArray();
      InitContainer();
      json_.EndArray();
    }
    json_.Key("containers").BeginArray();
    Container();
    json_.EndArray().EndObject().EndObject().EndObject().EndObject();
  }

  void Port(std::uint16_t port, Protocol protocol) {
    json_.BeginObject().Member("name", fmt::format("{}-{}", router::NameOf(protocol), port));
    json_.Member("protocol", AsciiUpper(router::NameOf(protocol))).Member("port", int{port}).EndObject();
  }

  // Writes no service for a fallback, because a service lists single ports.
  void WriteService() {
    if (policy_.kind == RouterKind::kRedirect && (policy_.redirect.empty() || policy_.redirect.front().fallback))
      return;
    if (policy_.kind == RouterKind::kDnsProxy && policy_.dns.empty()) return;
    Begin("v1", "Service", name_);
    json_.Key("spec").BeginObject();
    Labels("selector");
    json_.Key("ports").BeginArray();
    if (policy_.kind == RouterKind::kHttpProxy) Port(8080, Protocol::kTcp);
    for (const RedirectRule& rule : policy_.redirect) {
      if (!rule.fallback) Port(rule.port, rule.protocol);
    }
    for (const DnsRule& rule : policy_.dns) Port(rule.port, Protocol::kTcp);
    json_.EndArray().EndObject().EndObject();
  }

  const RouterPolicy& policy_;
  const RenderRequest& request_;
  std::string name_;
  std::string name_space_;
  std::string source_;
  std::string gateway_;
  JsonWriter json_;
};

// Double-quoted for systemd's EnvironmentFile= and for a shell.
std::string Assignment(std::string_view name, std::string_view value) {
  std::string out = fmt::format("{}=\"", name);
  for (const char c : value) {
    if (c == '"' || c == '\\' || c == '$' || c == '`') out += '\\';
    out += c;
  }
  return out + "\"\n";
}

// Upstream's form of a rule: "8080 TCP 10.0.0.1 80".
std::string CniDestination(const RedirectRule& rule) {
  const std::string out = fmt::format("{} {} {}", rule.port, AsciiUpper(NameOf(rule.protocol)), rule.to.ToString());
  return rule.to_port == 0 ? out : fmt::format("{} {}", out, rule.to_port);
}

// An EgressRouter's address needs the prefix: without it the gateway is unreachable.
Result<std::string> CniSource(const RouterPolicy& policy) {
  std::string source = PROV_TRY(SourceText(policy, true));
  if (policy.source->prefix) return source;
  return Fail(
      Code::kDestination,
      fmt::format("an EgressRouter needs the length of the network's prefix; give the source as {}/24 or so", source),
      "EGRESS_SOURCE");
}

// The rules that an EgressRouter can express.
Result<std::vector<RedirectRule>> EgressRouterRules(const RouterPolicy& policy) {
  std::vector<RedirectRule> out;
  out.reserve(policy.redirect.size());
  for (const RedirectRule& rule : policy.redirect) {
    if (rule.fallback) {
      return Fail(Code::kDestination,
                  fmt::format("the plugin of EgressRouter objects ignores a fallback, so they can't say {}; list the "
                              "ports that are needed",
                              rule.to.ToString()),
                  fmt::format("{}: line {}", policy.where, rule.line));
    }
    out.push_back(rule);
  }
  return out;
}

}  // namespace

Result<std::string> SourceText(const RouterPolicy& policy, bool with_prefix) {
  if (!policy.source) {
    return Fail(Code::kDestination,
                "EGRESS_SOURCE unspecified or invalid: the address that the router leaves the cluster with is missing; "
                "give --source IP/N",
                policy.where);
  }
  const std::string address = policy.source->address.ToString();
  return with_prefix && policy.source->prefix ? fmt::format("{}/{}", address, *policy.source->prefix) : address;
}

Result<std::string> GatewayText(const RouterPolicy& policy) {
  if (policy.gateway) return policy.gateway->ToString();
  return Fail(Code::kDestination, "EGRESS_GATEWAY unspecified or invalid: the gateway is missing; give --gateway IP",
              policy.where);
}

Result<std::string> DestinationsText(const RouterPolicy& policy) {
  if (!policy.is_cni) return policy.text;
  const auto ipv6 = [](const IpAddress& address) { return !address.IsIpv4(); };
  if ((policy.source && ipv6(policy.source->address)) || (policy.gateway && ipv6(*policy.gateway)))
    return Fail(Code::kDestination, "EGRESS_SOURCE and EGRESS_GATEWAY can't say IPv6; use --format cr", policy.where);
  std::string out;
  std::set<std::uint16_t> ports;
  for (const RedirectRule& rule : policy.redirect) {
    const std::string where = fmt::format("{}: line {}", policy.where, rule.line);
    if (rule.protocol == Protocol::kSctp || ipv6(rule.to))
      return Fail(Code::kDestination, "EGRESS_DESTINATION can say neither SCTP nor IPv6; use --format cr", where);
    if (!ports.insert(rule.port).second) {
      return Fail(
          Code::kDestination,
          fmt::format("EGRESS_DESTINATION has each port once, for tcp and udp together: port {} is there already; "
                      "use --format cr",
                      rule.port),
          where);
    }
    fmt::format_to(std::back_inserter(out), "{} {} {}", rule.port, NameOf(rule.protocol), rule.to.ToString());
    if (rule.to_port != 0) fmt::format_to(std::back_inserter(out), " {}", rule.to_port);
    out += '\n';
  }
  // The scripts accept a list of comments, but not an empty list.
  return out.empty() ? "# no destinations\n" : out;
}

Result<std::string> RenderEnv(const RouterPolicy& policy, const RenderRequest& /*request*/) {
  std::string out;
  if (policy.source) out += fmt::format("EGRESS_SOURCE={}\n", PROV_TRY(SourceText(policy, true)));
  if (policy.gateway) out += fmt::format("EGRESS_GATEWAY={}\n", policy.gateway->ToString());
  return out + Assignment(VariableOf(policy.kind), PROV_TRY(DestinationsText(policy)));
}

Result<std::string> RenderConfigMap(const RouterPolicy& policy, const RenderRequest& request) {
  return ManifestWriter(policy, request).ConfigMap();
}

Result<std::string> RenderManifest(const RouterPolicy& policy, const RenderRequest& request) {
  return ManifestWriter(policy, request).All();
}

Result<std::string> RenderCr(const RouterPolicy& policy, const RenderRequest& request) {
  const std::string name = PROV_TRY(ObjectName(policy, request));
  const std::string name_space = PROV_TRY(ObjectNamespace(policy, request));
  const std::string source = PROV_TRY(CniSource(policy));
  const std::string gateway = PROV_TRY(GatewayText(policy));
  const auto rules = PROV_TRY(EgressRouterRules(policy));
  JsonWriter json;
  json.BeginObject().Member("apiVersion", "network.operator.openshift.io/v1").Member("kind", "EgressRouter");
  json.Key("metadata").BeginObject().Member("name", name);
  if (!name_space.empty()) json.Member("namespace", name_space);
  json.EndObject().Key("spec").BeginObject().Member("mode", "Redirect");
  json.Key("networkInterface").BeginObject().Key("macvlan").BeginObject().Member("mode", "Bridge");
  json.EndObject().EndObject();
  json.Key("addresses").BeginArray().BeginObject().Member("ip", source).Member("gateway", gateway);
  json.EndObject().EndArray();
  json.Key("redirect").BeginObject().Key("redirectRules").BeginArray();
  for (const RedirectRule& rule : rules) {
    json.BeginObject().Member("destinationIP", rule.to.ToString()).Member("port", int{rule.port});
    json.Member("protocol", AsciiUpper(NameOf(rule.protocol)));
    if (rule.to_port != 0) json.Member("targetPort", int{rule.to_port});
    json.EndObject();
  }
  json.EndArray().EndObject().EndObject().EndObject();
  return ToYaml(json);
}

Result<std::string> RenderNad(const RouterPolicy& policy, const RenderRequest& request) {
  const std::string name_space = PROV_TRY(ObjectNamespace(policy, request));
  const std::string source = PROV_TRY(CniSource(policy));
  const std::string gateway = PROV_TRY(GatewayText(policy));
  const auto rules = PROV_TRY(EgressRouterRules(policy));
  JsonWriter config;
  config.BeginObject().Member("cniVersion", "0.4.0").Member("type", "egress-router").Member("name", kNadName);
  config.Key("ip").BeginObject().Key("addresses").BeginArray().String(source).EndArray();
  config.Key("destinations").BeginArray();
  for (const RedirectRule& rule : rules) config.String(CniDestination(rule));
  config.EndArray().Member("gateway", gateway).EndObject();
  config.Member("log_file", "/tmp/egress-router-log").Member("log_level", "debug").EndObject();
  JsonWriter json;
  json.BeginObject().Member("apiVersion", "k8s.cni.cncf.io/v1").Member("kind", "NetworkAttachmentDefinition");
  json.Key("metadata").BeginObject().Member("name", kNadName);
  if (!name_space.empty()) json.Member("namespace", name_space);
  json.EndObject().Key("spec").BeginObject().Member("config", config.Text()).EndObject().EndObject();
  return ToYaml(json);
}

}  // namespace prov::router
