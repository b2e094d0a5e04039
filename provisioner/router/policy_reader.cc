#include "provisioner/router/policy_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "ignition/yaml.h"
#include "provisioner/base/text.h"
#include "provisioner/egress/environment_file.h"
#include "provisioner/publish/objects.h"
#include "provisioner/router/destinations.h"
#include "provisioner/router/egress_router.h"
#include "provisioner/router/typography.h"
#include "provisioner/source/object_view.h"
#include "provisioner/source/pod_environment_source.h"

namespace prov::router {
namespace {

constexpr std::size_t kMostObjects = 10'000;

Result<RouterPolicy> ReadListAs(RouterKind kind, std::string_view text, const std::string& where) {
  RouterPolicy out{.kind = kind, .where = where};
  PROV_TRY(ReadDestinations(text, out));
  return out;
}

// Adds the file to an error whose place names none.
std::unexpected<Error> InFile(Error error, const std::string& where) {
  const bool named = error.where.starts_with(where) || error.where.starts_with("--");
  return named ? std::unexpected(std::move(error)) : FailIn(where, std::move(error));
}

class Collector {
 public:
  explicit Collector(const PolicyRequest& request) : request_(request) {}

  Result<void> Add(const PolicyFile& file) {
    std::string bytes = file.bytes;
    if (!DecodeMarked(bytes)) return Fail(Code::kDestination, "is UTF-16 that is cut short or damaged", file.where);
    switch (FormOf(bytes)) {
      case FileForm::kObjects: {
        if (auto added = AddObjects(std::move(bytes), file.where, objects_); !added)
          return Explained(std::move(added).error(), file);
        return {};
      }
      case FileForm::kAssignments: {
        Findings findings;
        const Variables variables = PROV_TRY(ReadAssignments(bytes, file.where, findings));
        auto policy = PROV_TRY(PolicyOf(variables, file.where));
        if (!policy) return {};
        std::ranges::move(findings, std::back_inserter(policy->findings));
        out_.push_back(*std::move(policy));
        return {};
      }
      case FileForm::kList:
        out_.push_back(PROV_TRY(ReadList(bytes, file.where, request_.kind)));
        return {};
    }
    return {};
  }

  Result<std::vector<RouterPolicy>> Finish() {
    ConfigMaps maps(objects_.objects);
    for (const RouterObject& object : objects_.objects) {
      auto added = AddRouter(object, maps);
      if (!added) return InFile(std::move(added).error(), object.where);
    }
    // Add ConfigMaps that no pod uses; one that a pod uses is part of the pod's router.
    const bool alone = out_.empty() && maps.size() == 1;
    for (const RouterObject& object : objects_.objects) {
      if (object.kind != "ConfigMap" || maps.IsTaken(object)) continue;
      auto policy = ReadMap(object, alone);
      if (!policy) return InFile(std::move(policy).error(), object.where);
      if (*policy) out_.push_back(**std::move(policy));
    }
    for (RouterPolicy& policy : out_) PROV_TRY(Complete(policy));
    return std::move(out_);
  }

 private:
  // Adds typographic characters to a YAML error: a manifest may have been pasted from a web page.
  static std::unexpected<Error> Explained(Error error, const PolicyFile& file) {
    std::string text = file.bytes;
    Findings found;
    if (error.code == Code::kYaml && DecodeMarked(text) && FindTypography(text, file.where, found))
      error.message += "; the file holds typographic quotes or dashes, which `provisioner router check` lists";
    return std::unexpected(std::move(error));
  }

  Result<void> AddRouter(const RouterObject& object, ConfigMaps& maps) {
    if (object.kind == "EgressRouter") out_.push_back(PROV_TRY(ReadEgressRouter(object)));
    if (source::IsPodKind(object.kind)) PROV_TRY(AddPod(object, maps));
    return {};
  }

  Result<void> AddPod(const RouterObject& object, ConfigMaps& maps) {
    const Variables variables = Merge(PROV_TRY(ReadContainers(object, maps)));
    auto policy = PROV_TRY(PolicyOf(variables, object.At(object.object.path())));
    if (!policy) return {};
    PROV_TRY(SetName(object, *policy));
    out_.push_back(*std::move(policy));
    return {};
  }

  static Result<void> SetName(const RouterObject& object, RouterPolicy& policy) {
    policy.name = PROV_TRY(object.Metadata("name"));
    policy.name_space = PROV_TRY(object.Metadata("namespace"));
    return {};
  }

  Result<std::optional<RouterPolicy>> ReadMap(const RouterObject& map, bool alone) {
    const Variables data = PROV_TRY(ReadConfigMapData(map));
    auto policy = PROV_TRY(PolicyOf(data, map.At("$.data")));
    if (!policy) {
      const Variable* list = FindList(data, alone);
      if (list == nullptr) return std::nullopt;
      policy = PROV_TRY(ReadList(list->text, list->where, request_.kind));
    }
    PROV_TRY(SetName(map, *policy));
    return policy;
  }

  // Adds the settings of the command line.
  Result<void> Complete(RouterPolicy& policy) const {
    if (!policy.source && !request_.source.empty()) PROV_TRY(ReadSource(request_.source, "--source", policy));
    if (!policy.gateway && !request_.gateway.empty()) PROV_TRY(ReadGateway(request_.gateway, "--gateway", policy));
    return {};
  }

  const PolicyRequest& request_;
  RouterObjects objects_;
  std::vector<RouterPolicy> out_;
};

Result<void> AddObject(const source::DocumentValue& one, const std::string& where, RouterObjects& out) {
  if (out.objects.size() == kMostObjects)
    return Fail(Code::kTooLarge, fmt::format("more than {} objects are in the files", kMostObjects), where);
  auto view = source::ObjectView::Of(*one.value, one.path);
  if (!view) return FailIn(where, std::move(view).error());
  out.objects.push_back({*view, std::string(one.kind), where});
  return {};
}

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

FileForm FormOf(std::string_view bytes) {
  if (ignition::BeginsAsJson(bytes)) return FileForm::kObjects;
  constexpr std::array<std::string_view, 6> kMembers = {
      "apiVersion:", "kind:", "metadata:", "spec:", "items:", "data:"};
  for (std::string_view line : Split(bytes, '\n')) {
    if (line.starts_with("- ")) line.remove_prefix(2);
    if (std::ranges::any_of(kMembers, [&](std::string_view member) { return line.starts_with(member); }))
      return FileForm::kObjects;
    line = TrimBlanks(line);
    if (line.starts_with("export ")) line.remove_prefix(7);
    if (line.starts_with("EGRESS_") && line.find('=') != std::string_view::npos) return FileForm::kAssignments;
  }
  return FileForm::kList;
}

Result<void> AddObjects(std::string bytes, const std::string& where, RouterObjects& out) {
  publish::Object read = PROV_TRY(publish::ReadManifest(std::move(bytes), where));
  const JsonDocument& document = *out.documents.emplace_back(std::move(read.document));
  return source::VisitValues(document, [&](const source::DocumentValue& one) -> Result<void> {
    if (!one.value->IsObject()) return {};
    return AddObject(one, where, out);
  });
}

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
  for (const PolicyFile& file : files) {
    auto added = collector.Add(file);
    if (!added) return InFile(std::move(added).error(), file.where);
  }
  const std::string first = files.empty() ? std::string("the files") : files.front().where;
  auto out = collector.Finish();
  if (!out) return std::unexpected(std::move(out).error());
  if (out->empty()) {
    return Fail(
        Code::kKind,
        "holds no egress router; give a file with EGRESS_* variables, a ConfigMap with destinations or an EgressRouter",
        first);
  }
  return out;
}

Result<RouterPolicy> ReadRouterPolicy(std::string bytes, const std::string& where, const PolicyRequest& request) {
  std::vector<RouterPolicy> found = PROV_TRY(ReadRouterPolicies({{std::move(bytes), where}}, request));
  if (found.size() == 1) return std::move(found.front());
  return Fail(Code::kKind, fmt::format("holds {} egress routers; give the file of one", found.size()), where);
}

}  // namespace prov::router
