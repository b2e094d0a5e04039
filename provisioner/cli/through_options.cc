#include "provisioner/cli/through_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "provisioner/base/file.h"
#include "provisioner/base/text.h"
#include "provisioner/cli/terminal.h"
#include "provisioner/egressip/egress_objects.h"
#include "provisioner/router/evaluation.h"
#include "provisioner/router/policy_review.h"
#include "provisioner/router/policy_walk.h"

namespace prov::cli {
namespace {

using egress::Dialect;
using egress::Explainer;
using router::RequestPath;
using router::Requirement;

constexpr std::uint64_t kMostExplainFileBytes = 16ULL << 20U;  // of --through and --required

Result<std::vector<router::PolicyFile>> ReadThroughFiles(const std::vector<std::string>& files) {
  std::vector<router::PolicyFile> out;
  out.reserve(files.size());
  for (const std::string& file : files) out.push_back({PROV_TRY(ReadFile(file, kMostExplainFileBytes)), file});
  return out;
}

// Of the files that hold objects.
Result<egressip::EgressObjects> ReadThroughObjects(const std::vector<router::PolicyFile>& files) {
  egressip::EgressObjects out;
  for (const router::PolicyFile& file : files) {
    if (router::FormOf(file.bytes) == router::FileForm::kObjects)
      PROV_TRY(egressip::AddEgressObjects(file.bytes, file.where, out));
  }
  return out;
}

// The namespace in "NAME.NAMESPACE.svc…"; "" if the host is another name.
std::string NamespaceOf(std::string_view host) {
  const auto labels = Split(host, '.');
  return labels.size() > 2 && labels[2] == "svc" ? std::string(labels[1]) : std::string();
}

Result<void> CheckSources(const std::vector<Requirement>& required, const std::string& file) {
  const auto found = std::ranges::find_if(required, [](const Requirement& one) { return one.source.has_value(); });
  if (found == required.end()) return {};
  return Fail(
      Code::kUsage,
      "--through FILE is missing: give the settings of the egress routers, from which the source address follows",
      fmt::format("{}, line {}", file, found->line));
}

}  // namespace

OptionGroup ThroughOptionSpecs() {
  return {
      {"through", "FILE...",
       "egress routers behind the proxy (EGRESS_* values, lists of destinations, ConfigMaps, manifests, EgressRouter "
       "objects), and what their pods leave the cluster by (EgressIPs with Nodes and Namespaces, EgressFirewalls, "
       "NetworkPolicies): also show what they do with each request, and its source address outside the cluster",
       Group::kRequests},
      {"resolve", "NAME=IP[,IP]",
       "DNS answer that rules of the routers depend on; NAME= does not resolve, IP=NAME is a reverse lookup; may be "
       "repeated",
       Group::kRequests},
      {"required", "FILE",
       "destinations that must be reached, one per line: URL [proxy|direct] [source-IP]; exit code 4 if a client is "
       "refused or goes another way",
       Group::kRequests}};
}

Result<ThroughOptions> ThroughOptions::Read(const Arguments& arguments) {
  if (arguments.Has("resolve") && !arguments.Has("through"))
    return Fail(Code::kUsage, "--resolve is for the routers that --through names", "provisioner explain");
  ThroughOptions out;
  for (const std::string& one : arguments.All("resolve")) PROV_TRY(out.answers_.Add(one));
  if (arguments.Has("through")) PROV_TRY(out.ReadThrough(PROV_TRY(ReadThroughFiles(arguments.All("through")))));
  if (!arguments.Has("required")) return out;
  const std::string file = arguments.Get("required");
  out.required_ = PROV_TRY(router::ReadRequirements(PROV_TRY(ReadFile(file, kMostExplainFileBytes)), file));
  if (!out.chain_) PROV_TRY(CheckSources(out.required_, file));
  return out;
}

Result<void> ThroughOptions::ReadThrough(const std::vector<router::PolicyFile>& files) {
  auto policies = router::ReadRouterPolicies(files);
  if (!policies && policies.error().code != Code::kKind) return std::unexpected(std::move(policies).error());
  egressip::EgressObjects objects = PROV_TRY(ReadThroughObjects(files));
  const bool last_hop = egressip::PodEgress::Concerns(objects);
  const bool lists = std::ranges::any_of(
      files, [](const router::PolicyFile& file) { return router::FormOf(file.bytes) != router::FileForm::kObjects; });
  only_objects_ = !policies && last_hop && !lists;
  if (only_objects_) policies.emplace();
  if (!policies) return std::unexpected(std::move(policies).error());
  std::vector<std::string> name_spaces;
  name_spaces.reserve(policies->size());
  for (const router::RouterPolicy& policy : *policies) {
    std::ranges::copy(policy.findings, std::back_inserter(findings_));
    router::ReviewPolicy(policy, {}, findings_);
    name_spaces.push_back(policy.name_space);
  }
  if (last_hop) {
    last_hop_ = PROV_TRY(egressip::PodEgress::Make(std::move(objects), name_spaces));
    std::ranges::copy(last_hop_->findings(), std::back_inserter(findings_));
  }
  chain_.emplace(*std::move(policies), answers_);
  return {};
}

Findings ThroughOptions::FindingsOf(const egress::ClientSettings& settings, const std::string& file) const {
  Findings out = findings_;
  if (!chain_) return out;
  const auto check = [&](const Secret& text, egress::ProxyVariable variable) {
    Findings ignored;  // reported by the source's review
    const std::string where = fmt::format("{}: {}", file, egress::NameOf(variable));
    const auto proxy = egress::ParseProxyUrl(text, egress::ProxyVariable::kHttps, where, ignored);
    if (proxy) chain_->CheckProxy(*proxy, where, out);
  };
  check(settings.http_proxy, egress::ProxyVariable::kHttp);
  if (settings.https_proxy != settings.http_proxy) check(settings.https_proxy, egress::ProxyVariable::kHttps);
  return out;
}

std::optional<RequestPath> ThroughOptions::Follow(const egress::Destination& to,
                                                  const egress::ClientDecision& decision) const {
  if (!chain_) return std::nullopt;
  RequestPath out = chain_->Follow(to, decision);
  if (!last_hop_) return out;
  const bool proxied = decision.route == egress::Route::kProxy;
  if (proxied && only_objects_) {
    out = {.end = RequestPath::End::kRouter, .verdict = router::Verdict::kAllow, .router = &unread_};
    out.to = router::WithPort(to.name, to.port);
    out.note = "the proxy is taken to be a pod, and to allow it";
  }
  Findings ignored;
  const auto url = egress::ParseProxyUrl(Secret(std::string(decision.proxy)), egress::ProxyVariable::kHttps, "proxy",
                                         ignored, egress::ProxyReaders::kThisProgram);
  AddLastHop(!proxied ? to.name : url ? url->host() : std::string(), out);
  return out;
}

// A router with an interface of its own leaves by that.
void ThroughOptions::AddLastHop(const std::string& proxy_host, RequestPath& way) const {
  if (way.end != RequestPath::End::kRouter || !way.Passes() || way.router->source || way.router->is_cni) return;
  const auto asked = router::ParseRouterDestination(router::RouterKind::kHttpProxy, way.to);
  if (!asked) return;
  egressip::EgressPod pod{.name_space = way.router->name_space, .labels = way.router->labels};
  if (pod.name_space.empty()) pod.name_space = NamespaceOf(proxy_host);
  if (pod.name_space.empty()) pod.name_space = last_hop_->OnlyNamespace();
  if (pod.name_space.empty()) {
    way.note += "; the namespace of the proxy's pods, on which its way out depends, is not known";
    return;
  }
  egressip::EgressTarget target{.host = asked->host, .addresses = {}, .port = asked->port};
  if (asked->address) target.addresses.emplace({*asked->address});
  if (const auto known = answers_.addresses.find(asked->host); known != answers_.addresses.end())
    target.addresses = known->second;
  const egressip::PodEgressAnswer answer = last_hop_->Follow(pod, target);
  way.note += "; " + answer.note;
  way.source = answer.source;
  if (answer.verdict == egressip::PodEgressAnswer::Verdict::kPasses) return;
  const bool stopped = answer.verdict == egressip::PodEgressAnswer::Verdict::kStopped;
  way.verdict = stopped ? router::Verdict::kDeny : router::Verdict::kDepends;
  way.line = 0;
  if (stopped) way.to.clear();
}

std::string_view ThroughOptions::EndOf(const egress::Destination& to, const egress::ClientDecision& decision) const {
  const auto way = Follow(to, decision);
  if (!way || way->end == RequestPath::End::kInvalid || way->Passes()) return NameOf(decision.route);
  if (way->end == RequestPath::End::kUnknown) return "unknown";
  return way->verdict == router::Verdict::kDepends ? "depends" : "refused";
}

std::vector<RequiredResult> ThroughOptions::Judge(const Explainer& explainer,
                                                  const std::vector<Dialect>& clients) const {
  std::vector<RequiredResult> out;
  for (const Requirement& one : required_) {
    RequiredResult& result = out.emplace_back(RequiredResult{&one, {}});
    for (const Dialect client : clients) {
      const egress::ClientDecision decision = explainer.Decide(client, one.to);
      const auto way = Follow(one.to, decision);
      std::string objection = router::Objection(one, decision, way ? &*way : nullptr);
      if (!objection.empty()) result.objections.emplace_back(client, std::move(objection));
    }
  }
  return out;
}

std::string_view NameOf(egress::Route route) {
  if (route == egress::Route::kDirect) return "direct";
  return route == egress::Route::kProxy ? "proxy" : "invalid";
}

std::string ColouredCell(egress::Route route, std::string_view text, std::size_t width, bool colour) {
  std::string padded = fmt::format("{:<{}}", text, width);
  if (!colour) return padded;
  const std::string_view start = route == egress::Route::kDirect  ? kGreen
                                 : route == egress::Route::kProxy ? kCyan
                                                                  : kRed;
  return fmt::format("{}{}{}", start, padded, kColourEnd);
}

void WriteRoute(JsonWriter& json, const RequestPath* way) {
  json.Key("route").BeginObject().Member("decision", way == nullptr ? "invalid" : way->decision());
  const bool has_line = way != nullptr && way->line != 0;
  json.Member("line", has_line ? std::optional(way->line) : std::nullopt);
  WriteTextOrNull(json, "to", way == nullptr ? "" : way->to);
  WriteTextOrNull(json, "source", way == nullptr ? "" : way->source);
  WriteTextOrNull(json, "router", way == nullptr || way->router == nullptr ? "" : way->router->where);
  json.Member("note", way == nullptr ? "" : way->note).EndObject();
}

void WriteRequired(JsonWriter& json, const std::vector<RequiredResult>& results) {
  json.Key("required").BeginArray();
  for (const RequiredResult& result : results) {
    const Requirement& one = *result.required;
    json.BeginObject().Member("url", one.shown).Member("line", one.line);
    WriteTextOrNull(json, "decision", one.route ? NameOf(*one.route) : "");
    WriteTextOrNull(json, "source", one.source ? one.source->ToString() : "");
    json.Member("ok", result.objections.empty()).Key("objections").BeginArray();
    for (const auto& [client, why] : result.objections)
      json.BeginObject().Member("client", egress::NameOf(client)).Member("reason", why).EndObject();
    json.EndArray().EndObject();
  }
  json.EndArray();
}

std::string DescribePath(const RequestPath& way) {
  std::string out = fmt::format("{:<8} {}", way.decision(), Printable(way.note));
  if (way.end != RequestPath::End::kRouter) return out;
  if (way.Passes()) {
    if (!way.to.empty()) out += fmt::format("; to {}", Printable(way.to));
    out += way.source.empty() ? "; the files do not give its source address" : fmt::format("; seen as {}", way.source);
  }
  return out + fmt::format(" ({})", Printable(way.router->where));
}

std::vector<std::pair<std::string, std::string>> GroupObjections(const RequiredResult& result) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const auto& [client, why] : result.objections) {
    const auto same = std::ranges::find(out, why, &std::pair<std::string, std::string>::second);
    if (same == out.end()) {
      out.emplace_back(egress::NameOf(client), why);
    } else {
      same->first += fmt::format(", {}", egress::NameOf(client));
    }
  }
  return out;
}

std::string DescribeRequired(const std::vector<RequiredResult>& results, bool colour) {
  std::string out;
  std::size_t failed = 0;
  for (const RequiredResult& result : results) {
    const bool ok = result.objections.empty();
    failed += ok ? 0 : 1;
    out += fmt::format("required {}{:<6}{} {}\n",
                       !colour ? ""
                       : ok    ? kGreen
                               : kRed,
                       ok ? "ok" : "FAILED", colour ? kColourEnd : "", Printable(result.required->shown));
    for (const auto& [clients, why] : GroupObjections(result))
      out += fmt::format("  {}: {}\n", clients, Printable(why));
  }
  if (failed > 0)
    out += fmt::format("{} of {} required destinations would not be reached as they must be\n", failed, results.size());
  return out;
}

}  // namespace prov::cli
