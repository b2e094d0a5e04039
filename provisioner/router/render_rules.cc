// Renders the forms that the programs in a router read.
#include <fmt/format.h>

#include <iterator>

#include "provisioner/base/text.h"
#include "provisioner/router/evaluation.h"
#include "provisioner/router/render_forms.h"

namespace prov::router {
namespace {

using Match = HttpRule::Match;

std::string Target(const RedirectRule& rule) { return WithPort(rule.to.ToString(), rule.to_port); }

std::string CniTarget(const RedirectRule& rule) {
  const std::string to = rule.to.ToString();
  return rule.to_port == 0 ? to : fmt::format("{}:{}", to, rule.to_port);
}

// The plugin of EgressRouter objects uses its own table, puts the rule for the source first, and writes no brackets.
std::string CniRules(const RouterPolicy& policy, const std::string& source) {
  const std::string_view family = policy.source->address.IsIpv4() ? "ip" : "ip6";
  std::string out = fmt::format("add rule {} egress_cni postrouting oif \"net1\" snat to {}\n", family, source);
  for (const RedirectRule& rule : policy.redirect) {
    fmt::format_to(std::back_inserter(out), "add rule {} egress_cni prerouting iif \"eth0\" {} dport {} dnat to {}\n",
                   family, NameOf(rule.protocol), rule.port, CniTarget(rule));
  }
  return out;
}

std::string NftRules(const RouterPolicy& policy, const std::string& source) {
  if (policy.is_cni) return CniRules(policy, source);
  std::string out;
  for (const RedirectRule& rule : policy.redirect) {
    out += "add rule ip nat prerouting iifname \"eth0\" ";
    if (!rule.fallback) fmt::format_to(std::back_inserter(out), "{} dport {} ", NameOf(rule.protocol), rule.port);
    fmt::format_to(std::back_inserter(out), "dnat to {}\n", Target(rule));
  }
  return out + fmt::format("add rule ip nat postrouting oifname \"macvlan0\" snat to {}\n", source);
}

std::string NftTable(const RouterPolicy& policy) {
  const std::string_view family = policy.is_cni && !policy.source->address.IsIpv4() ? "ip6" : "ip";
  const std::string_view table = policy.is_cni ? "egress_cni" : "nat";
  return fmt::format(
      "table {0} {1} {{\n"
      "  chain prerouting {{\n"
      "    type nat hook prerouting priority dstnat; policy accept;\n"
      "  }}\n"
      "  chain postrouting {{\n"
      "    type nat hook postrouting priority srcnat; policy accept;\n"
      "  }}\n"
      "}}\n"
      "flush table {0} {1}\n",
      family, table);
}

constexpr std::string_view kHaproxyDefaults = R"(
global
    log         127.0.0.1 local2

    pidfile     /var/lib/haproxy/run/haproxy.pid
    maxconn     4000
    user        haproxy
    group       haproxy

defaults
    log                     global
    mode                    tcp
    option                  dontlognull
    option                  tcplog
    option                  redispatch
    retries                 3
    timeout http-request    100s
    timeout queue           1m
    timeout connect         10s
    timeout client          1m
    timeout server          1m
    timeout http-keep-alive 100s
    timeout check           10s

)";

}  // namespace

Result<std::string> RenderNft(const RouterPolicy& policy, const RenderRequest& request) {
  const std::string rules = NftRules(policy, PROV_TRY(SourceText(policy, false)));
  return request.format == Format::kNftFile ? NftTable(policy) + rules : rules;
}

Result<std::string> RenderIptables(const RouterPolicy& policy, const RenderRequest& request) {
  const bool whole_file = request.format == Format::kIptablesFile;
  const std::string source = PROV_TRY(SourceText(policy, false));
  if (policy.is_cni && !policy.source->address.IsIpv4())
    return Fail(Code::kDestination, "iptables is for IPv4, and the addresses are of IPv6; use --format nft",
                policy.where);
  std::string out;
  if (whole_file) out = "*nat\n:PREROUTING ACCEPT [0:0]\n:POSTROUTING ACCEPT [0:0]\n";
  for (const RedirectRule& rule : policy.redirect) {
    out += "-A PREROUTING -i eth0 ";
    if (!rule.fallback) fmt::format_to(std::back_inserter(out), "-p {} --dport {} ", NameOf(rule.protocol), rule.port);
    fmt::format_to(std::back_inserter(out), "-j DNAT --to-destination {}\n", Target(rule));
  }
  fmt::format_to(std::back_inserter(out), "-A POSTROUTING -o macvlan0 -j SNAT --to-source {}\n", source);
  return whole_file ? out + "COMMIT\n" : out;
}

Result<std::string> RenderSquid(const RouterPolicy& policy, const RenderRequest& request) {
  std::string out;
  if (request.format == Format::kSquidConf) {
    out =
        "http_port 8080\n"
        "cache deny all\n"
        "access_log none all\n"
        "debug_options ALL,0\n"
        "shutdown_lifetime 0\n";
  }
  bool all = false;
  std::size_t number = 0;
  for (const HttpRule& rule : policy.http) {
    ++number;
    all = all || rule.match == Match::kAll;
    if (rule.match == Match::kAll) continue;
    fmt::format_to(std::back_inserter(out), "\nacl dest{0} {1} {2}\nhttp_access {3} dest{0}\n", number,
                   rule.match == Match::kNetwork ? "dst" : "dstdomain", rule.text, rule.allow ? "allow" : "deny");
  }
  return out + fmt::format("\nhttp_access {} all\n", all ? "allow" : "deny");
}

Result<std::string> RenderHaproxy(const RouterPolicy& policy, const RenderRequest& request) {
  std::string out(kHaproxyDefaults);
  out += "resolvers dns-resolver\n";
  std::size_t number = 0;
  for (const std::string& server : request.nameservers)
    fmt::format_to(std::back_inserter(out), "    nameserver ns{} {}:53\n", ++number, server);
  out += "    resolve_retries      3\n    timeout retry        1s\n    hold valid           10s\n\n";
  number = 0;
  for (const DnsRule& rule : policy.dns) {
    ++number;
    const auto found = request.a_records.find(AsciiLower(rule.to));
    const unsigned servers = rule.is_name && found != request.a_records.end() ? found->second : 1;
    const std::string server = servers > 1 ? fmt::format("server-template dest {}", servers) : "server dest1";
    fmt::format_to(
        std::back_inserter(out),
        "\nfrontend fe{0}\n    bind :{1}\n    default_backend be{0}\n\nbackend be{0}\n    {2} {3}:{4} check {5}\n\n",
        number, rule.port, server, rule.to, rule.to_port,
        rule.is_name ? "resolvers dns-resolver resolve-prefer ipv4" : "");
  }
  return out;
}

}  // namespace prov::router
