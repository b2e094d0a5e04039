#include "provisioner/router/router_check.h"

#include <fmt/format.h>

#include <map>
#include <string>
#include <utility>

#include "provisioner/router/cluster_network.h"
#include "provisioner/router/destinations.h"
#include "provisioner/router/egress_router.h"
#include "provisioner/router/manifest_check.h"
#include "provisioner/router/policy_reader.h"
#include "provisioner/router/policy_review.h"
#include "provisioner/router/policy_walk.h"
#include "provisioner/router/router_variables.h"
#include "provisioner/router/typography.h"

namespace prov::router {
namespace {

// No error ends the walk: each is a finding.
class Check final : public PolicyParts {
 public:
  Check(const CheckRequest& request, Findings& out) : request_(request), out_(out) {}

  // Continues with plain characters in the place of typographic ones, to report further faults.
  std::string Prepare(std::string text, const std::string& where) override {
    return FindTypography(text, where, out_) ? WithoutTypography(text) : text;
  }

  Result<void> List(std::string_view text, const std::string& where) override {
    auto read = ReadList(text, where, request_.kind);
    if (!read && read.error().code == Code::kKind) return std::unexpected(std::move(read).error());
    if (read) {
      Take(*std::move(read));
      return {};
    }
    RouterPolicy policy{.kind = request_.kind.value_or(LikelyKind(text)), .where = where};
    Wrong(CheckDestinations(text, policy));
    Take(std::move(policy));
    return {};
  }

  Result<void> Assignments(std::string_view text, const std::string& where) override {
    const Variables variables = PROV_TRY(ReadAssignments(text, where, out_));
    if (const auto kind = Policy(variables, where)) FindMissingAddresses(variables, *kind, where);
    return {};
  }

  Result<void> Cluster(const RouterObject& object) override { return AddClusterObject(object, network_); }

  Result<void> EgressRouter(const RouterObject& object) override {
    auto policy = ReadEgressRouter(object);
    if (!policy && policy.error().code != Code::kDestination) return std::unexpected(std::move(policy).error());
    if (policy) {
      Take(*std::move(policy));
    } else {
      Wrong({std::move(policy).error()});
    }
    return {};
  }

  Result<void> Pod(const RouterObject& object, ConfigMaps& maps) override {
    Faults faults;
    const auto containers = PROV_TRY(ReadContainers(object, maps, &faults));
    const Variables variables = Merge(containers);
    Wrong(std::move(faults));
    const auto kind = Policy(variables, object.At(object.object.path()), &object);
    if (!kind) return {};
    PROV_TRY(CheckManifest({object, containers, *kind, network_}, out_));
    return CheckNames(object);
  }

  Result<void> Map(const RouterObject& map, bool alone) override {
    const Variables data = PROV_TRY(ReadConfigMapData(map));
    if (Policy(data, map.At(map.object.At("data")), &map)) return CheckNames(map);
    const Variable* list = FindList(data, alone);
    if (list == nullptr) return {};
    PROV_TRY(List(list->text, list->where));
    return CheckNames(map);
  }

  bool IsEmpty() const override { return !found_ && !failed_; }

  Result<void> Failed(Error error) override {
    failed_ = true;
    AddError(out_, "router-document", std::move(error.message), std::move(error.where));
    return {};
  }

  void Finish() {
    for (const RouterPolicy& policy : policies_) ReviewNetwork(policy, network_, out_);
    FindSeveral();
    if (!IsEmpty()) return;
    AddError(out_, "router-document",
             "the files hold no egress router: no EGRESS_* variables, no ConfigMap with destinations and no "
             "EgressRouter");
  }

 private:
  void Wrong(Faults faults) {
    for (Error& fault : faults) {
      failed_ = true;
      if (fault.code == Code::kInvalidConfig) {
        AddWarning(out_, "router-reference", std::move(fault.message), std::move(fault.where));
      } else {
        AddError(out_, "router-destination", std::move(fault.message), std::move(fault.where));
      }
    }
  }

  void Take(RouterPolicy policy) {
    found_ = true;
    out_.insert(out_.end(), policy.findings.begin(), policy.findings.end());
    ReviewPolicy(policy, request_.node_networks, out_);
    policies_.push_back(std::move(policy));
  }

  // The policy that the variables describe, if any.
  std::optional<RouterKind> Policy(const Variables& variables, const std::string& where,
                                   const RouterObject* of = nullptr) {
    Faults faults;
    auto policy = PolicyOf(variables, where, &faults);
    Wrong(std::move(faults));
    if (!policy || !*policy) return std::nullopt;  // no errors: they are in `faults`
    const RouterKind kind = (*policy)->kind;
    if (of != nullptr) {
      (*policy)->name = of->Metadata("name").value_or("");
      (*policy)->name_space = of->Metadata("namespace").value_or("");
    }
    Take(**std::move(policy));
    return kind;
  }

  // The image that sets up the network stops without both addresses. A list of a proxy alone may be for the container
  // of the proxy, which needs none.
  void FindMissingAddresses(const Variables& variables, RouterKind kind, const std::string& where) {
    const bool source = variables.contains("EGRESS_SOURCE");
    const bool gateway = variables.contains("EGRESS_GATEWAY");
    if (!source && !gateway && kind != RouterKind::kRedirect && !variables.contains("EGRESS_ROUTER_MODE")) {
      AddWarning(out_, "router-source",
                 "EGRESS_SOURCE and EGRESS_GATEWAY are missing: the proxy's container needs neither, and the init "
                 "container, which sets up the network, stops without them",
                 where);
      return;
    }
    if (!source)
      AddError(out_, "router-source", "EGRESS_SOURCE is missing, without which the router's image stops", where);
    if (!gateway)
      AddError(out_, "router-gateway", "EGRESS_GATEWAY is missing, without which the router's image stops", where);
  }

  // Checks the names that the other readers need. Errors: type.
  static Result<void> CheckNames(const RouterObject& object) {
    for (const std::string_view key : {"name", "namespace"}) {
      if (auto text = object.Metadata(key); !text) return std::unexpected(std::move(text).error());
    }
    return {};
  }

  void FindSeveral() {
    std::map<std::string, std::string> sources;  // each with the place of the first use
    std::map<std::string, std::string> spaces;   // of EgressRouters
    for (const RouterPolicy& policy : policies_) {
      if (policy.source) {
        const std::string address = policy.source->address.ToString();
        const auto [first, fresh] = sources.emplace(address, policy.where);
        if (!fresh) {
          AddError(out_, "router-several",
                   fmt::format("the source address {} is that of another router ({}): both would answer for it",
                               address, first->second),
                   policy.where);
        }
      }
      if (!policy.is_cni) continue;
      const auto [first, fresh] = spaces.emplace(policy.name_space, policy.where);
      if (fresh) continue;
      AddError(out_, "router-several",
               fmt::format("the namespace has another EgressRouter ({}), and the network operator gives the objects of "
                           "both the same names",
                           first->second),
               policy.where);
    }
  }

  const CheckRequest& request_;
  Findings& out_;
  ClusterNetwork network_;
  std::vector<RouterPolicy> policies_;
  bool found_ = false;   // a router
  bool failed_ = false;  // an invalid part may have been a router
};

}  // namespace

Findings CheckRouters(const std::vector<PolicyFile>& files, const CheckRequest& request) {
  Findings out;
  Check check(request, out);
  (void)WalkFiles(files, check);  // never an error: see Check::Failed
  check.Finish();
  return out;
}

}  // namespace prov::router
