// Renders a policy in each form: the rules, byte for byte as the images' scripts write them, and the objects and files
// of a deployment. The same policy gives the same bytes.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "provisioner/base/finding.h"
#include "provisioner/base/result.h"
#include "provisioner/router/router_policy.h"

namespace prov::router {

enum class Format {
  kNft,           // the rules, as EGRESS_ROUTER_MODE=unit-test prints them
  kNftFile,       // for `nft -f`: the table, and the rules
  kIptables,      // the rules of images before June 2026
  kIptablesFile,  // for `iptables-restore --noflush`
  kSquid,         // the ACLs
  kSquidConf,     // a complete squid.conf
  kHaproxy,       // a complete haproxy.cfg
  kEnv,           // EGRESS_* assignments
  kConfigMap,     // with the destinations
  kManifest,      // all objects of a router's deployment
  kCr,            // EgressRouter
  kNad,           // the NetworkAttachmentDefinition that the network operator creates for it
};

inline constexpr std::array<std::string_view, 12> kFormatNames = {
    "nft",     "nft-file", "iptables",  "iptables-file", "squid", "squid-conf",
    "haproxy", "env",      "configmap", "manifest",      "cr",    "nad"};
std::optional<Format> FormatOf(std::string_view name);

struct RenderRequest {
  Format format = Format::kEnv;
  std::string name = {};                           // name of the objects; "": the policy's, else "egress-router"
  std::string name_space = {};                     // "": the policy's
  std::string image = {};                          // of the container that sets up the network; "": a placeholder
  std::string proxy_image = {};                    // of squid or haproxy
  std::map<std::string, unsigned> a_records = {};  // number of addresses by name: haproxy gets a server for each
  std::vector<std::string> nameservers = {};       // for haproxy
  // Of a manifest for a cluster without openshift-sdn: a proxy's pods without an interface of their own, and the
  // EgressIP with which they leave.
  std::vector<std::string> egress_ips = {};
};

// Errors: usage if the router's kind has no such format, or Kubernetes does not accept a name; destination if the
// format can't express the policy, or an address is missing; yaml.
Result<std::string> Render(const RouterPolicy& policy, const RenderRequest& request);

}  // namespace prov::router
