#include "provisioner/router/router_check.h"

#include <fmt/format.h>

#include <map>
#include <string>
#include <utility>

#include "provisioner/base/text.h"
#include "provisioner/router/destinations.h"
#include "provisioner/router/egress_router.h"
#include "provisioner/router/manifest_check.h"
#include "provisioner/router/policy_reader.h"
#include "provisioner/router/policy_review.h"
#include "provisioner/router/router_variables.h"
#include "provisioner/router/typography.h"
#include "provisioner/source/pod_environment_source.h"

namespace prov::router {
namespace {

class Check {
 public:
  Check(const CheckRequest& request, Findings& out) : request_(request), out_(out) {}

  void Add(const PolicyFile& file) {
    std::string text = file.bytes;
    if (!DecodeMarked(text)) {
      AddError(out_, "router-document", "is UTF-16 that is cut short or damaged", file.where);
      return;
    }
    const FileForm form = FormOf(text);
    // Continue with plain characters in their place, to report further faults.
    if (form != FileForm::kList && FindTypography(text, file.where, out_)) text = WithoutTypography(text);
    if (form == FileForm::kList) return List(text, file.where);
    if (form == FileForm::kAssignments) return Assignments(text, file.where);
    if (auto added = AddObjects(std::move(text), file.where, objects_); !added)
      Unreadable(std::move(added).error(), file.where);
  }

  void Finish() {
    ConfigMaps maps(objects_.objects);
    for (const RouterObject& object : objects_.objects) {
      if (object.kind == "EgressRouter") {
        EgressRouter(object);
      } else if (source::IsPodKind(object.kind)) {
        Note(Pod(object, maps), object.where);
      }
    }
    const bool alone = !found_ && !failed_ && maps.size() == 1;
    for (const RouterObject& object : objects_.objects) {
      if (object.kind == "ConfigMap" && !maps.IsTaken(object)) Note(Map(object, alone), object.where);
    }
    FindSeveral();
    if (!found_ && !failed_) {
      AddError(out_, "router-document",
               "the files hold no egress router: no EGRESS_* variables, no ConfigMap with destinations and no "
               "EgressRouter");
    }
  }

 private:
  void Unreadable(Error error, const std::string& where) {
    failed_ = true;
    if (!error.where.starts_with(where)) error = FailIn(where, std::move(error)).error();
    AddError(out_, "router-document", std::move(error.message), std::move(error.where));
  }

  void Note(Result<void> part, const std::string& where) {
    if (!part) Unreadable(std::move(part).error(), where);
  }

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

  void List(std::string_view text, const std::string& where) {
    auto read = ReadList(text, where, request_.kind);
    if (read) return Take(*std::move(read));
    if (read.error().code == Code::kKind) return Unreadable(std::move(read).error(), where);
    RouterPolicy policy{.kind = request_.kind.value_or(LikelyKind(text)), .where = where};
    Wrong(CheckDestinations(text, policy));
    Take(std::move(policy));
  }

  void Assignments(std::string_view text, const std::string& where) {
    auto variables = ReadAssignments(text, where, out_);
    if (!variables) return Unreadable(std::move(variables).error(), where);
    Policy(*variables, where);
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

  Result<void> Pod(const RouterObject& object, ConfigMaps& maps) {
    Faults faults;
    const auto containers = PROV_TRY(ReadContainers(object, maps, &faults));
    const Variables variables = Merge(containers);
    Wrong(std::move(faults));
    const auto kind = Policy(variables, object.At(object.object.path()), &object);
    if (!kind) return {};
    PROV_TRY(CheckManifest({object, containers, *kind}, out_));
    return CheckNames(object);
  }

  // Checks the names that the other readers need. Errors: type.
  static Result<void> CheckNames(const RouterObject& object) {
    for (const std::string_view key : {"name", "namespace"}) {
      if (auto text = object.Metadata(key); !text) return std::unexpected(std::move(text).error());
    }
    return {};
  }

  Result<void> Map(const RouterObject& map, bool alone) {
    const Variables data = PROV_TRY(ReadConfigMapData(map));
    if (Policy(data, map.At(map.object.At("data")), &map)) return CheckNames(map);
    const Variable* list = FindList(data, alone);
    if (list == nullptr) return {};
    List(list->text, list->where);
    return CheckNames(map);
  }

  void EgressRouter(const RouterObject& object) {
    auto policy = ReadEgressRouter(object);
    if (policy) return Take(*std::move(policy));
    if (policy.error().code != Code::kDestination) return Unreadable(std::move(policy).error(), object.where);
    Faults faults;
    faults.push_back(std::move(policy).error());
    Wrong(std::move(faults));
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
  RouterObjects objects_;
  std::vector<RouterPolicy> policies_;
  bool found_ = false;   // a router
  bool failed_ = false;  // an invalid part may have been a router
};

}  // namespace

Findings CheckRouters(const std::vector<PolicyFile>& files, const CheckRequest& request) {
  Findings out;
  Check check(request, out);
  for (const PolicyFile& file : files) check.Add(file);
  check.Finish();
  return out;
}

}  // namespace prov::router
