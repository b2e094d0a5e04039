#include "provisioner/source/mcs_source.h"

#include <fmt/format.h>

#include <algorithm>

#include "provisioner/base/text.h"
#include "provisioner/egress/decision.h"
#include "provisioner/egress/proxy_url.h"

namespace prov::source {
namespace {

constexpr std::string_view kConfigPath = "config/";
constexpr std::uint16_t kPort = 22623;
// More than the largest MachineConfig that can be stored, in the form in which this server sends it.
constexpr std::uint64_t kMaxAnswerBytes = 64ULL << 20U;

bool IsPoolName(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.';
  });
}

std::string ExplainMcsStatus(int status) {
  switch (status) {
    case 400:
      return "this Machine Config Server does not serve the Ignition spec that "
             "was asked for";
    case 404:
      return "this server is not a Machine Config Server, or it has no config for the pool";
    case 405:
      return "this server is not a Machine Config Server";
    case 500:
      return "a Machine Config Server answers this for a pool that does not exist, "
             "and while the cluster is installed; "
             "check the pool's name (oc get machineconfigpool)";
    default:
      return {};
  }
}

}  // namespace

std::string AcceptOf(unsigned spec_major) {
  const char* version = spec_major == 2 ? "2.2.0" : "3.5.0";
  return fmt::format("application/vnd.coreos.ignition+json;version={}, */*;q=0.1", version);
}

Result<RemoteRequest> McsRequest(const std::string& uri, const std::string& default_pool,
                                 std::vector<std::string> roots) {
  const auto refuse = [&uri](std::string_view why) {
    return Fail(Code::kScheme, fmt::format("{}; expected mcs://api-int.CLUSTER:22623/POOL", why),
                egress::RedactUrl(uri));
  };
  const std::string rest = uri.substr(kMcsScheme.size());
  const std::string authority = rest.substr(0, rest.find('/'));
  if (rest.find_first_of("@?#") != std::string::npos) return refuse("takes no credentials, query or fragment");
  std::string_view pool = rest.size() > authority.size() ? std::string_view(rest).substr(authority.size() + 1) : "";
  if (pool.starts_with(kConfigPath)) pool.remove_prefix(kConfigPath.size());
  if (pool.empty()) pool = default_pool;
  if (!IsPoolName(pool)) return refuse("names no machine config pool");
  const auto target = egress::ParseRequestTarget("mcs://" + authority + "/");
  if (!target || target->host.empty()) return refuse("names no server");
  if (roots.empty()) {
    return Fail(Code::kUsage,
                "the CA of the Machine Config Server is missing: give it with "
                "--ca FILE, as oc get configmap -n "
                "openshift-machine-config-operator machine-config-server-ca "
                "prints it (or -n kube-system root-ca), or "
                "with the pointer config of the pool, --ca worker.ign",
                egress::RedactUrl(uri));
  }
  const std::string host =
      target->host.find(':') == std::string::npos ? target->host : fmt::format("[{}]", target->host);
  RemoteRequest out;
  out.url = fmt::format("https://{}:{}/{}{}", host, target->port == 0 ? kPort : target->port, kConfigPath, pool);
  out.headers = {{"Accept", AcceptOf(3)}};
  out.roots = std::move(roots);
  out.follow = false;
  out.most_bytes = kMaxAnswerBytes;
  out.explain = ExplainMcsStatus;
  return out;
}

Result<void> CheckMcsAnswer(const net::FetchAnswer& answer, const std::string& where) {
  const std::string type = AsciiLower(answer.Header("content-type"));
  const std::string_view media = TrimBlanks(std::string_view(type).substr(0, type.find(';')));
  if (media == "application/json" || media.ends_with("+json")) return {};
  return Fail(
      Code::kKind,
      fmt::format("the server sends \"{}\" instead of JSON, so it is not a Machine Config Server", Shorten(media, 60)),
      where);
}

}  // namespace prov::source
