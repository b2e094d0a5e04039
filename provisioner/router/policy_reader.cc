#include "provisioner/router/policy_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

#include "provisioner/base/text.h"
#include "provisioner/egress/environment_file.h"
#include "provisioner/router/cluster_network.h"
#include "provisioner/router/destinations.h"
#include "provisioner/router/egress_router.h"
#include "provisioner/router/policy_walk.h"
#include "provisioner/router/typography.h"
#include "provisioner/source/pod_environment_source.h"

namespace prov::router {
namespace {

Result<RouterPolicy> ReadListAs(RouterKind kind, std::string_view text, const std::string& where) {
  RouterPolicy out{.kind = kind, .where = where};
  PROV_TRY(ReadDestinations(text, out));
  return out;
}

Result<std::map<std::string, std::string, std::less<>>> LabelsOfPod(const RouterObject& object) {
  std::map<std::string, std::string, std::less<>> out;
  const auto pod = PROV_TRY(source::PodOf(object.object, object.kind));
  const auto metadata = pod ? PROV_TRY(pod->Object("metadata")) : std::nullopt;
  const auto labels = metadata ? PROV_TRY(metadata->Object("labels")) : std::nullopt;
  if (!labels) return out;
  for (const std::string_view name : labels->Names())
    out.emplace(std::string(name), std::string(PROV_TRY(labels->TextOr(name, ""))));
  return out;
}

// The first error ends the walk.
class Collector final : public PolicyParts {
 public:
  explicit Collector(const PolicyRequest& request) : request_(request) {}

  std::string Prepare(std::string text, const std::string& where) override {
    Findings found;
    has_typography_ = FindTypography(text, where, found);
    return text;
  }

  Result<void> List(std::string_view text, const std::string& where) override {
    out_.push_back(PROV_TRY(ReadList(text, where, request_.kind)));
    return {};
  }

  Result<void> Assignments(std::string_view text, const std::string& where) override {
    Findings findings;
    const Variables variables = PROV_TRY(ReadAssignments(text, where, findings));
    auto policy = PROV_TRY(PolicyOf(variables, where));
    if (!policy) return {};
    std::ranges::move(findings, std::back_inserter(policy->findings));
    out_.push_back(*std::move(policy));
    return {};
  }

  Result<void> Cluster(const RouterObject& object) override { return AddClusterObject(object, network_); }

  Result<void> EgressRouter(const RouterObject& object) override {
    out_.push_back(PROV_TRY(ReadEgressRouter(object)));
    return {};
  }

  Result<void> Pod(const RouterObject& object, ConfigMaps& maps) override {
    const Variables variables = Merge(PROV_TRY(ReadContainers(object, maps)));
    auto policy = PROV_TRY(PolicyOf(variables, object.At(object.object.path())));
    if (policy) policy->labels = PROV_TRY(LabelsOfPod(object));
    return Add(std::move(policy), object);
  }

  Result<void> Map(const RouterObject& map, bool alone) override {
    const Variables data = PROV_TRY(ReadConfigMapData(map));
    auto policy = PROV_TRY(PolicyOf(data, map.At("$.data")));
    if (!policy) {
      const Variable* list = FindList(data, alone);
      if (list != nullptr) policy = PROV_TRY(ReadList(list->text, list->where, request_.kind));
    }
    return Add(std::move(policy), map);
  }

  bool IsEmpty() const override { return out_.empty(); }

  // Adds typographic characters to a YAML error: a manifest may have been pasted from a web page.
  Result<void> Failed(Error error) override {
    if (error.code == Code::kYaml && has_typography_)
      error.message += "; the file holds typographic quotes or dashes, which `provisioner router check` lists";
    return std::unexpected(std::move(error));
  }

  Result<std::vector<RouterPolicy>> Finish() {
    for (RouterPolicy& policy : out_) {
      PROV_TRY(Complete(policy));
      ReviewNetwork(policy, network_, policy.findings);
    }
    return std::move(out_);
  }

 private:
  Result<void> Add(std::optional<RouterPolicy> policy, const RouterObject& object) {
    if (!policy) return {};
    policy->name = PROV_TRY(object.Metadata("name"));
    policy->name_space = PROV_TRY(object.Metadata("namespace"));
    out_.push_back(*std::move(policy));
    return {};
  }

  // Adds the settings of the command line.
  Result<void> Complete(RouterPolicy& policy) const {
    if (!policy.source && !request_.source.empty()) PROV_TRY(ReadSource(request_.source, "--source", policy));
    if (!policy.gateway && !request_.gateway.empty()) PROV_TRY(ReadGateway(request_.gateway, "--gateway", policy));
    return {};
  }

  const PolicyRequest& request_;
  ClusterNetwork network_;
  std::vector<RouterPolicy> out_;
  bool has_typography_ = false;  // the file that is being read
};

// Removes "export ", as in a shell script: systemd would read it as part of the name.
std::string WithoutExport(std::string_view bytes) {
  constexpr std::string_view kExport = "export ";
  std::string out;
  out.reserve(bytes.size());
  for (std::string_view line : Split(bytes, '\n')) {
    if (line.starts_with(kExport) && line.substr(kExport.size()).starts_with("EGRESS_"))
      line.remove_prefix(kExport.size());
    out.append(line) += '\n';
  }
  if (!out.empty()) out.pop_back();
  return out;
}

// Keeps the findings about changed values. The others concern systemd, which never reads this file.
Result<void> TakeFindings(Findings read, Findings& out) {
  for (Finding& one : read) {
    if (one.code == "env-quote") {
      return Fail(Code::kDestination,
                  "this quote is never closed: the file is cut short, or a quote is missing; write the closing quote",
                  std::move(one.where));
    }
    const bool lost_line = one.code == "env-line";
    if (!lost_line && (one.code != "env-duplicate" || !one.message.starts_with("EGRESS_"))) continue;
    if (lost_line && one.message.starts_with("this line"))
      one.message = "this line has no '=', so it belongs to no variable; put a value of several lines in quotes";
    out.push_back(std::move(one));
  }
  return {};
}

}  // namespace

Result<Variables> ReadAssignments(std::string_view bytes, const std::string& where, Findings& findings) {
  Findings read;
  Variables out;
  const auto assignments = PROV_TRY(egress::ParseEnvironmentFile(WithoutExport(bytes), where, read));
  PROV_TRY(TakeFindings(std::move(read), findings));
  for (const egress::Assignment& assignment : assignments) {
    if (!assignment.name.starts_with("EGRESS_")) continue;
    out[assignment.name] = {std::string(assignment.value.Reveal()), fmt::format("{}: {}", where, assignment.name)};
  }
  return out;
}

RouterKind LikelyKind(std::string_view text) {
  for (const std::string_view whole : Split(text, '\n')) {
    const std::string_view line = TrimBlanks(whole);
    if (line.empty() || line.front() == '#') continue;
    if (line.front() < '0' || line.front() > '9' || line.find(' ') == std::string_view::npos) continue;
    const std::string lower = AsciiLower(line);
    const bool protocol = lower.find(" tcp") != std::string::npos || lower.find(" udp") != std::string::npos;
    return protocol ? RouterKind::kRedirect : RouterKind::kDnsProxy;
  }
  return RouterKind::kHttpProxy;
}

Result<RouterPolicy> ReadList(std::string_view text, const std::string& where, std::optional<RouterKind> kind) {
  if (kind) return ReadListAs(*kind, text, where);
  std::optional<RouterPolicy> found;
  for (const RouterKind one : {RouterKind::kRedirect, RouterKind::kHttpProxy, RouterKind::kDnsProxy}) {
    auto policy = ReadListAs(one, text, where);
    if (!policy) continue;
    if (found) {
      return Fail(Code::kKind,
                  fmt::format("can be the destinations of {} as well as of {}; say with --kind which router it is for",
                              NameOf(found->kind), NameOf(one)),
                  where);
    }
    found = *std::move(policy);
  }
  if (found) return *std::move(found);
  return ReadListAs(LikelyKind(text), text, where);
}

Result<std::vector<RouterPolicy>> ReadRouterPolicies(const std::vector<PolicyFile>& files,
                                                     const PolicyRequest& request) {
  Collector collector(request);
  PROV_TRY(WalkFiles(files, collector));
  auto out = collector.Finish();
  if (!out || !out->empty()) return out;
  return Fail(
      Code::kKind,
      "holds no egress router; give a file with EGRESS_* variables, a ConfigMap with destinations or an EgressRouter",
      files.empty() ? std::string("the files") : files.front().where);
}

Result<RouterPolicy> ReadRouterPolicy(std::string bytes, const std::string& where, const PolicyRequest& request) {
  std::vector<RouterPolicy> found = PROV_TRY(ReadRouterPolicies({{std::move(bytes), where}}, request));
  if (found.size() == 1) return std::move(found.front());
  return Fail(Code::kKind, fmt::format("holds {} egress routers; give the file of one", found.size()), where);
}

}  // namespace prov::router
