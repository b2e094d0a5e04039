#include "provisioner/source/aks_config_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "provisioner/base/text.h"
#include "provisioner/egress/cluster_no_proxy.h"
#include "provisioner/egress/no_proxy.h"
#include "provisioner/source/source_members.h"

namespace prov::source {
namespace {

// The known facts of a cluster; an empty member is unknown.
struct AksFacts {
  std::vector<std::string> api_servers;  // host names
  std::vector<std::string> service_cidrs;
  std::vector<std::string> pod_cidrs;  // of kubenet and overlay clusters
  std::vector<std::string> vnet_cidrs;
  std::vector<std::string> subnet_cidrs;  // of the nodes, with Azure's CNI
};

// The entries that AKS adds to noProxy: five constants, then those from the known facts.
std::vector<std::string> AksInjected(const AksFacts& facts) {
  std::vector<std::string> out = {"localhost", "127.0.0.1", "168.63.129.16", "169.254.169.254", "konnectivity"};
  for (const auto* list :
       {&facts.api_servers, &facts.service_cidrs, &facts.pod_cidrs, &facts.vnet_cidrs, &facts.subnet_cidrs})
    out.insert(out.end(), list->begin(), list->end());
  return out;
}

// A phrase with the facts that AKS adds and that are unknown here; "" if none.
std::string AksUnknown(const AksFacts& facts) {
  std::string out;
  const auto add = [&](bool known, std::string_view words) {
    if (known) return;
    if (!out.empty()) out += ", ";
    out += words;
  };
  add(!facts.api_servers.empty(), "the API server's name");
  add(!facts.service_cidrs.empty(), "the service range");
  // A cluster has one of the two, depending on its network plugin.
  add(!facts.pod_cidrs.empty() || !facts.subnet_cidrs.empty(), "the pods' or nodes' range");
  add(!facts.vnet_cidrs.empty(), "the virtual network's range");
  return out;
}

// The user's entries in order, then the others sorted, each once. AKS lists them in no fixed order, and the same set
// must give the same text.
std::string JoinNoProxy(std::span<const std::string_view> user, std::vector<std::string> others) {
  std::ranges::sort(others);
  std::set<std::string_view> seen;
  std::string out;
  const auto add = [&](std::string_view entry) {
    if (entry.empty() || !seen.insert(entry).second) return;
    if (!out.empty()) out += ',';
    out += entry;
  };
  for (const std::string_view entry : user) add(entry);
  for (const std::string& entry : others) add(entry);
  return out;
}

using egress::EgressConfig;
using egress::ProxyVariable;

constexpr std::string_view kConfig = "httpProxyConfig";
constexpr std::string_view kTrust = "trustedCa";
constexpr std::string_view kCustomTrust = "customCaTrustCertificates";
constexpr std::array<std::string_view, 5> kMembers = {"httpProxy", "httpsProxy", "noProxy", "enabled",
                                                      "effectiveNoProxy"};
constexpr std::string_view kPemFailure = "HTTPProxyTrustedCAPEMDecodeFailure: ";
constexpr std::size_t kMostCertificateBytes = std::size_t{35} * 1024;
constexpr std::size_t kMostCertificates = 20;
constexpr std::string_view kFacts = "clusterFacts";
constexpr std::size_t kMaxNamedEntries = 40;

constexpr std::string_view kClusterType = "Microsoft.ContainerService/managedClusters";
constexpr std::string_view kPoolType = "Microsoft.ContainerService/managedClusters/agentPools";
constexpr std::string_view kInnerPoolType = "agentPools";  // below the resource of its cluster
constexpr std::string_view kDeployed = "provisioningState";

bool IsTrustKey(std::string_view name) { return EqualsIgnoreAsciiCase(name, kTrust); }

// Refuses unknown members. The command line's own file (not `wrapped`) may also have the cluster's facts.
Result<void> RefuseUnknownMembers(const ObjectView& config, bool wrapped) {
  for (const std::string_view name : config.Names()) {
    if (IsTrustKey(name) || std::ranges::find(kMembers, name) != kMembers.end()) continue;
    if (!wrapped && name == kFacts) continue;
    return Fail(
        Code::kInvalidConfig,
        fmt::format("the key \"{}\" is none of those that AKS knows: httpProxy, httpsProxy, noProxy, trustedCa, "
                    "enabled, effectiveNoProxy",
                    Shorten(name)),
        config.path());
  }
  return {};
}

// The spec of OpenShift's Proxy, taken out of its object, has members of these names with other types. Errors: type.
Result<void> RefuseProxySpec(const ObjectView& config) {
  for (const std::string_view name : config.Names()) {
    const JsonValue* value = config.Find(name);
    const bool text = name == "noProxy" && value != nullptr && value->IsString();
    const bool reference = IsTrustKey(name) && value != nullptr && value->IsObject();
    if (!text && !reference) continue;
    return Fail(Code::kType,
                fmt::format("expected {}, as in the spec of OpenShift's Proxy: give that object as a whole (oc get "
                            "proxy cluster -o yaml), or correct the file for AKS",
                            text ? "an array of strings, found a string" : "a string, found an object"),
                config.At(name));
  }
  return {};
}

// Accepts a boolean, or its text as in the documentation. True unless the value says otherwise.
Result<bool> IsEnabled(const ObjectView& config) {
  const JsonValue* value = config.Find("enabled");
  if (value == nullptr) return true;
  if (value->IsBool()) return value->GetBool();
  const std::string_view text = value->IsString() ? JsonTextOf(*value) : "";
  if (EqualsIgnoreAsciiCase(text, "true")) return true;
  if (EqualsIgnoreAsciiCase(text, "false")) return false;
  return Fail(Code::kType, "expected true or false", config.At("enabled"));
}

// Reports what AKS would refuse. The URLs of all sources are checked elsewhere.
void ReviewUrl(const Secret& url, ProxyVariable variable, const std::string& where, Findings& findings) {
  Findings doubts;
  const auto parsed = egress::ParseProxyUrl(url, variable, where, doubts);
  if (!parsed && parsed.error().code == Code::kFailOpen) return;  // AKS accepts it
  if (!parsed) {
    AddError(findings, "aks-url", "HTTPProxyWrongUrlError: AKS refuses this URL: " + parsed.error().message, where);
    return;
  }
  if (HasFinding(doubts, "proxy-url-no-scheme")) {
    AddError(findings, "aks-url",
             "HTTPProxyWrongUrlError: AKS refuses this URL: it has no scheme; write http://HOST:PORT/", where);
  }
  if (parsed->has_credentials()) {
    AddError(findings, "aks-credentials", "AKS supports no user and password in the URL of a proxy", where);
  }
}

Result<void> ReadUrls(const ObjectView& config, EgressConfig& out) {
  const std::string_view http = PROV_TRY(config.TextOr("httpProxy", ""));
  const std::string_view https = PROV_TRY(config.TextOr("httpsProxy", ""));
  if (http.empty() && https.empty()) {
    return Fail(Code::kInvalidConfig, "HTTPProxyConfigInputError: HTTPProxy and HTTPSProxy both cannot be empty",
                config.path());
  }
  if (!http.empty()) {
    out.http_proxy = Secret(std::string(http));
    ReviewUrl(*out.http_proxy, ProxyVariable::kHttp, config.At("httpProxy"), out.findings);
  }
  out.https_proxy = Secret(std::string(https.empty() ? http : https));
  if (!https.empty()) {
    ReviewUrl(*out.https_proxy, ProxyVariable::kHttps, config.At("httpsProxy"), out.findings);
  } else {
    AddInfo(out.findings, "aks-https-default", "httpsProxy is not given: AKS takes httpProxy for both",
            config.At("httpsProxy"));
  }
  return {};
}

void AddText(std::string_view text, std::vector<std::string>& out) {
  if (!text.empty()) out.emplace_back(text);
}

// Adds a member with one text, and its plural with a list of them.
Result<void> AddRanges(const ObjectView& object, std::string_view one, std::string_view many,
                       std::vector<std::string>& out) {
  AddText(PROV_TRY(object.TextOr(one, "")), out);
  for (const std::string_view text : PROV_TRY(object.Texts(many)).value_or(std::vector<std::string_view>()))
    AddText(text, out);
  std::ranges::sort(out);
  const auto rest = std::ranges::unique(out);
  out.erase(rest.begin(), rest.end());
  return {};
}

// What a person says of the cluster in clusterFacts: the names of a member with one text, and with a list.
struct GivenFact {
  std::string_view one, many;
  std::vector<std::string> AksFacts::* facts;
};
constexpr std::array<GivenFact, 5> kGivenFacts = {{
    {"apiServerFqdn", "apiServerFqdns", &AksFacts::api_servers},
    {"serviceCidr", "serviceCidrs", &AksFacts::service_cidrs},
    {"podCidr", "podCidrs", &AksFacts::pod_cidrs},
    {"vnetCidr", "vnetCidrs", &AksFacts::vnet_cidrs},
    {"subnetCidr", "subnetCidrs", &AksFacts::subnet_cidrs},
}};

Result<AksFacts> ReadGivenFacts(const ObjectView& given) {
  AksFacts facts;
  for (const GivenFact& one : kGivenFacts) PROV_TRY(AddRanges(given, one.one, one.many, facts.*one.facts));
  for (const std::string_view name : given.Names()) {
    if (std::ranges::any_of(kGivenFacts, [&](const GivenFact& one) { return name == one.one || name == one.many; }))
      continue;
    std::string known;
    for (const GivenFact& one : kGivenFacts) known += fmt::format("{}{}", known.empty() ? "" : ", ", one.many);
    return Fail(Code::kInvalidConfig,
                fmt::format("\"{}\" is no fact about a cluster; known are {}", Shorten(name), known), given.At(name));
  }
  return facts;
}

// What clusterFacts says, and of the rest what `az aks show` knows.
Result<AksFacts> ReadAksFacts(const ObjectView& cluster) {
  AksFacts shown;
  AddText(PROV_TRY(cluster.TextOr("fqdn", "")), shown.api_servers);
  AddText(PROV_TRY(cluster.TextOr("privateFqdn", "")), shown.api_servers);
  if (const auto network = PROV_TRY(cluster.Object("networkProfile"))) {
    PROV_TRY(AddRanges(*network, "serviceCidr", "serviceCidrs", shown.service_cidrs));
    PROV_TRY(AddRanges(*network, "podCidr", "podCidrs", shown.pod_cidrs));
  }
  const auto given = PROV_TRY(cluster.Object(kFacts));
  AksFacts facts = given ? PROV_TRY(ReadGivenFacts(*given)) : AksFacts();
  for (const GivenFact& one : kGivenFacts) {
    if ((facts.*one.facts).empty()) facts.*one.facts = shown.*one.facts;
  }
  return facts;
}

std::string Shown(std::string_view entry) { return std::string(Shorten(egress::RedactNoProxyEntry(entry))); }

void ReviewEntries(std::span<const std::string_view> entries, const std::string& where, Findings& findings) {
  CappedFindings capped(findings, where);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const std::string_view entry = entries[i];
    if (entry == "*" || egress::IsNoProxyItem(AsciiLower(entry))) continue;
    const std::string_view advice =
        entry.find('*') != std::string_view::npos
            ? "no \"*\" within an entry; a leading dot covers the names below a domain"
        : entry.find(',') != std::string_view::npos
            ? "one name or range in each entry of the list: make an entry of each"
            : "names, domains, addresses and ranges in CIDR notation, without scheme, port, brackets and blanks";
    capped.Warn("aks-no-proxy", fmt::format("\"{}\" is not an entry that AKS takes: it takes {}", Shown(entry), advice),
                fmt::format("{}[{}]", where, i));
  }
}

// Reports the entries that AKS adds to the user's list.
void ReportInjected(std::span<const std::string_view> user, std::span<const std::string> injected, std::string where,
                    Findings& findings) {
  std::set<std::string_view> seen(user.begin(), user.end());
  std::string named;
  std::size_t count = 0;
  for (const std::string& entry : injected) {
    if (entry.empty() || !seen.insert(entry).second || ++count > kMaxNamedEntries) continue;
    named += fmt::format("{}{}", named.empty() ? "" : ", ", Shorten(entry));
  }
  if (count == 0) return;
  if (count > kMaxNamedEntries) named += fmt::format(" and {} more", count - kMaxNamedEntries);
  AddInfo(findings, "aks-injected",
          fmt::format("{} {} that AKS itself adds {} added, as far as the cluster is known: {}", count,
                      count == 1 ? "entry" : "entries", count == 1 ? "was" : "were", named),
          std::move(where));
}

Result<void> ReadNoProxy(const ObjectView& cluster, const ObjectView& config, EgressConfig& out) {
  const auto user = PROV_TRY(config.Texts("noProxy")).value_or(std::vector<std::string_view>());
  ReviewEntries(user, config.At("noProxy"), out.findings);
  const AksFacts facts = PROV_TRY(ReadAksFacts(cluster));
  if (!facts.api_servers.empty()) out.facts.api_host = facts.api_servers.front();
  out.facts.service_ranges = facts.service_cidrs;
  out.facts.metadata_address = egress::kMetadataAddress;
  if (const auto effective = PROV_TRY(config.Texts("effectiveNoProxy")); effective && !effective->empty()) {
    out.no_proxy = JoinNoProxy(user, {effective->begin(), effective->end()});
    return {};
  }
  const std::vector<std::string> injected = AksInjected(facts);
  out.no_proxy = JoinNoProxy(user, injected);
  ReportInjected(user, injected, config.At("noProxy"), out.findings);
  const std::string unknown = AksUnknown(facts);
  if (unknown.empty()) return {};
  AddWarning(
      out.findings, "no-proxy-incomplete",
      fmt::format("AKS also adds what the source does not tell: {}; take `az aks show` with its effectiveNoProxy, "
                  "or put \"clusterFacts\" beside httpProxyConfig",
                  unknown),
      config.At("noProxy"));
  return {};
}

// The name of the key, in any case; some widely copied examples spell it trustedCA.
Result<std::optional<std::string_view>> TrustKey(const ObjectView& config, Findings& findings) {
  std::optional<std::string_view> key;
  for (const std::string_view name : config.Names()) {
    if (!IsTrustKey(name)) continue;
    if (name != kTrust) {
      AddWarning(findings, "aks-key", "the key is written trustedCa in AKS' API; other spellings may be ignored there",
                 config.At(name));
    }
    if (key && PROV_TRY(config.Text(*key)) != PROV_TRY(config.Text(name))) {
      return Fail(Code::kInvalidConfig, "trustedCa is there in two spellings with different values: leave one",
                  config.At(name));
    }
    key = name;
  }
  return key;
}

void ReviewBundle(const TrustText& trust, Findings& findings) {
  constexpr std::string_view kBegin = "-----BEGIN CERTIFICATE-----";
  std::size_t count = 0;
  for (std::size_t at = trust.bytes.find(kBegin); at != std::string::npos; at = trust.bytes.find(kBegin, at + 1))
    ++count;
  if (count <= kMostCertificates && trust.bytes.size() <= kMostCertificateBytes) return;
  AddWarning(findings, "aks-limit",
             fmt::format("AKS takes at most {} certificates in 35 KB; these are {} in {} bytes", kMostCertificates,
                         count, trust.bytes.size()),
             trust.where);
}

// The certificates of trustedCa. Absent: no statement; null: none.
Result<std::optional<TrustText>> ReadProxyTrust(const ObjectView& config, Findings& findings) {
  const auto key = PROV_TRY(TrustKey(config, findings));
  if (!key) return std::nullopt;
  TrustText out{config.At(*key), ""};
  const auto text = PROV_TRY(config.Text(*key));
  if (!text) return out;
  out.bytes = PROV_TRY(DecodeTrustBase64(*text, kPemFailure, out.where));
  if (out.bytes.find("-----BEGIN ") == std::string::npos) {
    return Fail(Code::kCert,
                fmt::format("{}failed to decode HTTPProxyConfig.TrustedCA to PEM after base64 decoding: the {} bytes "
                            "hold no PEM block",
                            kPemFailure, out.bytes.size()),
                out.where);
  }
  out.may_be_empty = false;
  ReviewBundle(out, findings);
  return out;
}

// Adds the certificates that the cluster has beside its proxy. The command line writes the name in another case than
// Azure's API.
Result<void> AddCustomTrust(const ObjectView& cluster, Reading& out) {
  const auto profile = PROV_TRY(cluster.Object("securityProfile"));
  if (!profile) return {};
  for (const std::string_view name : profile->Names()) {
    if (!EqualsIgnoreAsciiCase(name, kCustomTrust)) continue;
    const auto texts = PROV_TRY(profile->Texts(name)).value_or(std::vector<std::string_view>());
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const std::string where = fmt::format("{}[{}]", profile->At(name), i);
      out.trust.push_back({where, PROV_TRY(DecodeTrustBase64(texts[i], "", where)), false});
    }
    if (texts.empty()) continue;
    AddInfo(out.config.findings, "aks-custom-trust",
            "AKS itself gives these certificates to Linux nodes only; here Windows nodes get them, too",
            profile->At(name));
  }
  return {};
}

// States that there is no proxy, so that nodes remove an earlier one.
void StateNothing(std::string path, std::string message, Reading& out) {
  AddInfo(out.config.findings, "aks-disabled", std::move(message), path);
  StateProxy(out.config, path);
  out.trust.push_back({std::move(path), ""});
}

// The object that holds httpProxyConfig and its neighbours, or `object` itself if it is the configuration.
Result<ObjectView> HolderOf(const ObjectView& object) {
  if (object.Has(kConfig)) return object;
  return PROV_TRY(object.Object("properties")).value_or(object);
}

// The object's members below "properties", as in ARM, or at its top, as the command line prints them.
const JsonValue& InnerOf(const JsonValue& object) {
  const JsonValue* properties = JsonMember(&object, "properties");
  return properties != nullptr && properties->IsObject() ? *properties : object;
}

bool IsCluster(const JsonValue& object) { return EqualsIgnoreAsciiCase(JsonTextAt(object, {"type"}), kClusterType); }

// Whether it is Azure's answer about an existing cluster. Azure leaves out what a cluster does not have.
bool IsDeployed(const JsonValue& object) { return IsCluster(object) && HasMember(InnerOf(object), kDeployed); }

// Whether templates compute the text. Two brackets are an escaped bracket.
bool IsExpression(std::string_view text) {
  return text.starts_with('[') && !text.starts_with("[[") && text.ends_with(']');
}

Result<void> RefuseExpression(const JsonValue& value, std::string_view name, const std::string& where) {
  if (!value.IsString() || !IsExpression(JsonTextOf(value))) return {};
  return Fail(
      Code::kInvalidConfig,
      fmt::format("{} is an expression of the template, whose value only the deployment knows; take the deployed "
                  "cluster: az aks show -g GROUP -n CLUSTER",
                  name),
      where);
}

}  // namespace

bool IsAksConfig(const JsonValue& object) {
  if (HasMember(object, kConfig) || HasMember(InnerOf(object), kConfig) || IsDeployed(object)) return true;
  if (HasMember(object, "kind")) return false;
  return std::any_of(object.MemberBegin(), object.MemberEnd(), [](const auto& member) {
    const std::string_view name = JsonTextOf(member.name);
    return name == "httpProxy" || name == "httpsProxy" || name == "effectiveNoProxy" || IsTrustKey(name);
  });
}

bool IsAksResource(const JsonValue& resource) { return IsCluster(resource) && HasMember(InnerOf(resource), kConfig); }

Result<void> RefuseExpressions(const JsonValue& resource, const std::string& path) {
  const JsonValue* config = JsonMember(&InnerOf(resource), kConfig);
  if (config == nullptr) return {};
  const std::string at = fmt::format("{}.properties.{}", path, kConfig);
  PROV_TRY(RefuseExpression(*config, kConfig, at));
  if (!config->IsObject()) return {};
  for (auto member = config->MemberBegin(); member != config->MemberEnd(); ++member) {
    const std::string_view name = JsonTextOf(member->name);
    const std::string member_at = fmt::format("{}.{}", at, Shorten(name));
    PROV_TRY(RefuseExpression(member->value, Shorten(name), member_at));
    if (!member->value.IsArray()) continue;
    for (rapidjson::SizeType i = 0; i < member->value.Size(); ++i) {
      PROV_TRY(RefuseExpression(member->value[i], Shorten(name), fmt::format("{}[{}]", member_at, i)));
    }
  }
  return {};
}

namespace {

bool IsWindowsPool(const JsonValue& pool) {
  return EqualsIgnoreAsciiCase(JsonTextAt(InnerOf(pool), {"osType"}), "Windows");
}

// An expression says neither of two clusters.
std::string_view Literal(std::string_view name) { return IsExpression(name) ? std::string_view() : name; }

}  // namespace

void AddWindowsPools(const JsonValue& resource, const std::string& path, std::vector<AksPool>& out) {
  const std::string_view name = JsonTextAt(resource, {"name"});
  if (EqualsIgnoreAsciiCase(JsonTextAt(resource, {"type"}), kPoolType) && IsWindowsPool(resource)) {
    const std::size_t slash = Literal(name).find('/');  // "CLUSTER/POOL"
    const bool split = slash != std::string_view::npos;
    out.push_back(
        {std::string(split ? name.substr(0, slash) : ""), std::string(split ? name.substr(slash + 1) : name), path});
  }
  const JsonValue* inner = IsCluster(resource) ? JsonMember(&resource, "resources") : nullptr;
  if (inner == nullptr || !inner->IsArray()) return;
  for (rapidjson::SizeType i = 0; i < inner->Size(); ++i) {
    const JsonValue& pool = (*inner)[i];
    if (!EqualsIgnoreAsciiCase(JsonTextAt(pool, {"type"}), kInnerPoolType) || !IsWindowsPool(pool)) continue;
    out.push_back({std::string(Literal(name)), std::string(JsonTextAt(pool, {"name"})),
                   fmt::format("{}.resources[{}]", path, i)});
  }
}

namespace {

// Reads httpProxyConfig, or states that there is none.
Result<void> ReadProxyConfig(const ObjectView& object, const ObjectView& holder, Reading& out) {
  constexpr const char* kNone = "the cluster has no HTTP proxy: what was set is removed";
  const bool wrapped = holder.Has(kConfig);
  if (holder.IsNull(kConfig) || (!wrapped && IsDeployed(object.value()))) {
    StateNothing(holder.At(kConfig), kNone, out);
    return {};
  }
  const ObjectView config = wrapped ? *PROV_TRY(holder.Object(kConfig)) : object;
  if (!wrapped) PROV_TRY(RefuseProxySpec(config));
  PROV_TRY(RefuseUnknownMembers(config, wrapped));
  if (!PROV_TRY(IsEnabled(config))) {
    StateNothing(config.path(), "the HTTP proxy is disabled (enabled: false): what was set is removed", out);
    return {};
  }
  PROV_TRY(ReadUrls(config, out.config));
  PROV_TRY(ReadNoProxy(holder, config, out.config));
  StateProxy(out.config, config.path());
  if (auto trust = PROV_TRY(ReadProxyTrust(config, out.config.findings))) out.trust.push_back(*std::move(trust));
  return {};
}

// Facts: docs/egress-systems.md#aks-httpproxyconfig.
void ReportPools(std::string_view names, std::string where, EgressConfig& config) {
  if (names.empty() || (!config.http_proxy && !config.https_proxy)) return;
  AddWarning(config.findings, "aks-windows-upgrade",
             fmt::format("the cluster has httpProxyConfig and Windows pools ({}), which AKS does not support together: "
                         "it makes such a pool, but may refuse to upgrade the cluster (\"HTTPProxyConfig is not "
                         "supported\", with the OSType)",
                         Shorten(names)),
             std::move(where));
}

// Names the pools of Windows nodes of a cluster with a proxy.
void ReportWindowsPools(const ObjectView& holder, EgressConfig& config) {
  const JsonValue* pools = holder.Find("agentPoolProfiles");
  if (pools == nullptr || !pools->IsArray()) return;
  std::string names;
  for (const JsonValue& pool : pools->GetArray()) {
    if (!EqualsIgnoreAsciiCase(JsonTextAt(pool, {"osType"}), "Windows")) continue;
    names.append(names.empty() ? "" : ", ").append(Shorten(JsonTextAt(pool, {"name"})));
  }
  ReportPools(names, holder.At("agentPoolProfiles"), config);
}

}  // namespace

void ReportWindowsPools(std::span<const AksPool> pools, egress::EgressConfig& config) {
  const std::string_view cluster = Literal(config.source.name);
  std::string names;
  const AksPool* first = nullptr;
  for (const AksPool& pool : pools) {
    if (!pool.cluster.empty() && !cluster.empty() && !EqualsIgnoreAsciiCase(pool.cluster, cluster)) continue;
    if (first == nullptr) first = &pool;
    names.append(names.empty() ? "" : ", ").append(Shorten(pool.name));
  }
  if (first != nullptr) ReportPools(names, first->path, config);
}

Result<Reading> ReadAksConfig(const ObjectView& object) {
  Reading out;
  const ObjectView holder = PROV_TRY(HolderOf(object));
  const bool of_cluster = holder.Has(kConfig) || IsDeployed(object.value());
  out.config.source = {"AKS", std::string(of_cluster ? PROV_TRY(object.TextOr("name", "")) : ""), ""};
  PROV_TRY(ReadProxyConfig(object, holder, out));
  if (!of_cluster) return out;
  // Without the whole cluster, an absent trustedCa says nothing about what it held.
  out.config.not_read.trust = out.trust.empty() && !IsDeployed(object.value());
  PROV_TRY(AddCustomTrust(holder, out));
  ReportWindowsPools(holder, out.config);
  ReportOtherMembers("AKS", holder, out.config);
  return out;
}

namespace {

bool Holds(std::string_view list, std::string_view wanted) {
  return std::ranges::any_of(Split(list, ','),
                             [&](std::string_view entry) { return EqualsIgnoreAsciiCase(TrimBlanks(entry), wanted); });
}

}  // namespace

Result<void> AddClusterSuffixes(egress::EgressConfig& config) {
  if (config.source.kind != "AKS") {
    return Fail(Code::kKind,
                fmt::format("applies to AKS' httpProxyConfig only, whose NO_PROXY lacks .svc and .cluster.local; this "
                            "source ({}) has a complete list: omit the option, or add the suffixes to the source",
                            config.source.kind),
                config.proxy_file.path);
  }
  if (!config.no_proxy) return {};
  std::string added;
  for (const std::string_view suffix : {".svc", ".cluster.local"}) {
    if (Holds(*config.no_proxy, suffix)) continue;
    *config.no_proxy += fmt::format("{}{}", config.no_proxy->empty() ? "" : ",", suffix);
    added += fmt::format("{}{}", added.empty() ? "" : " and ", suffix);
  }
  if (added.empty()) return {};
  AddInfo(config.findings, "aks-cluster-suffixes",
          fmt::format("--add-cluster-suffixes added {}; AKS itself does not, so on its own nodes and in pods the names "
                      "of services go to the proxy",
                      added),
          config.proxy_file.path);
  StateProxy(config, config.proxy_file.path);
  return {};
}

}  // namespace prov::source
