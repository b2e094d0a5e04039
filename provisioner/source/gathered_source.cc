#include "provisioner/source/gathered_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "ignition/yaml.h"
#include "provisioner/base/hash.h"
#include "provisioner/base/text.h"
#include "provisioner/source/document_source.h"
#include "provisioner/source/gathered_files.h"
#include "provisioner/source/object_view.h"

namespace prov::source {
namespace {

constexpr std::string_view kList = "List";

using Allocator = rapidjson::Document::AllocatorType;

JsonValue Copied(std::string_view text, Allocator& memory) {
  return JsonValue(text.data(), static_cast<rapidjson::SizeType>(text.size()), memory);
}

// In a list of one kind, the API server leaves out kind and apiVersion of the items.
void AddMember(JsonValue& item, std::string_view name, std::string_view text, Allocator& memory) {
  if (text.empty() || HasMember(item, name)) return;
  item.AddMember(Copied(name, memory), Copied(text, memory), memory);
}

// What tells an object of a cluster from the others; "": it has no name or no kind.
std::string KeyOf(const JsonValue& object) {
  const std::string_view kind = JsonTextAt(object, {"kind"});
  const std::string_view name = JsonTextAt(object, {"metadata", "name"});
  if (kind.empty() || name.empty()) return {};
  return fmt::format("{}\n{}\n{}\n{}", GroupOf(object), kind, JsonTextAt(object, {"metadata", "namespace"}), name);
}

// The digest of what an object says besides its metadata.
std::string DigestOf(const JsonValue& object) {
  std::map<std::string_view, std::string> members;
  for (auto member = object.MemberBegin(); member != object.MemberEnd(); ++member) {
    const std::string_view name = JsonTextOf(member->name);
    if (name != "metadata") members[name] = WriteJson(member->value, 0);
  }
  std::string out;
  for (const auto& [name, text] : members) out.append(name).append("\n").append(text).append("\n");
  return Sha256(out);
}

std::optional<std::uint64_t> VersionOf(const JsonValue& object) {
  const std::string_view text = JsonTextAt(object, {"metadata", "resourceVersion"});
  return text.empty() ? std::nullopt : ParseDecimal(text, UINT64_MAX / 16);
}

}  // namespace

void GatheredObjects::AddOne(JsonValue& value, const std::string& path, std::string place) {
  objects_.push_back({path, objects_.size(), std::move(place), &value});
}

void GatheredObjects::AddList(JsonDocument& part, JsonValue& value, const std::string& path, const std::string& place) {
  if (!value.IsObject()) return AddOne(value, path, place);
  const std::string_view kind = JsonTextAt(value, {"kind"});
  const auto items = value.FindMember("items");
  if (!kind.ends_with(kList) || items == value.MemberEnd() || !items->value.IsArray())
    return AddOne(value, path, place);
  const std::string_view item_kind = kind.substr(0, kind.size() - kList.size());
  for (rapidjson::SizeType i = 0; i < items->value.Size(); ++i) {
    JsonValue& item = items->value[i];
    if (item.IsObject() && !item_kind.empty()) {
      AddMember(item, "kind", item_kind, part.dom.GetAllocator());
      AddMember(item, "apiVersion", JsonTextAt(value, {"apiVersion"}), part.dom.GetAllocator());
    }
    AddOne(item, path, fmt::format("{}.items[{}]", place, i));
  }
}

Result<void> GatheredObjects::Add(const std::string& path, std::string bytes) {
  if (TrimBlanks(bytes).empty()) {
    return Fail(Code::kYaml, "is empty; was the collection cut short?", path);
  }
  auto read = ignition::ParseJsonOrYaml(std::move(bytes), left_, ignition::Documents::kSeveral);
  if (!read) return FailIn(path, std::move(read).error());
  JsonDocument& part = *parts_.emplace_back(*std::move(read));
  left_.values -= std::min(left_.values, part.values);
  if (!part.several) {
    AddList(part, part.dom, path, fmt::format("{}: $", path));
    return {};
  }
  for (rapidjson::SizeType i = 0; i < part.dom.Size(); ++i)
    if (!part.dom[i].IsNull()) AddList(part, part.dom[i], path, fmt::format("{}: $[{}]", path, i));
  return {};
}

Result<std::vector<GatheredObjects::One>> GatheredObjects::WithoutCopies(Findings& findings) {
  struct Taken {
    std::size_t at = 0;  // in `out`
    bool differ = false;
    std::string digest = {};  // "": not computed yet, as for most objects
  };
  std::vector<One> out;
  out.reserve(objects_.size());
  std::map<std::string, Taken> seen;
  for (One& one : objects_) {
    const std::string key = one.value->IsObject() ? KeyOf(*one.value) : std::string();
    const auto [entry, is_new] = key.empty() ? std::pair(seen.end(), true) : seen.emplace(key, Taken{out.size()});
    if (is_new) {
      out.push_back(std::move(one));
      continue;
    }
    One& taken = out[entry->second.at];
    std::string& digest = entry->second.digest;
    if (digest.empty()) digest = DigestOf(*taken.value);
    std::string other = DigestOf(*one.value);
    if (digest == other) continue;
    const bool same = JsonTextAt(*taken.value, {"metadata", "uid"}) == JsonTextAt(*one.value, {"metadata", "uid"});
    const auto before = VersionOf(*taken.value);
    const auto now = VersionOf(*one.value);
    if (!same || !before || !now || before == now) {
      return Fail(
          Code::kInvalidConfig,
          fmt::format("the {} \"{}\" differs from the copy at {}, and {}; give the folder of one collection",
                      Shorten(JsonTextAt(*one.value, {"kind"})), Shorten(JsonTextAt(*one.value, {"metadata", "name"})),
                      taken.place, same ? "none has a newer resourceVersion" : "is another object by its uid"),
          one.place);
    }
    if (*now > *before) {
      taken = std::move(one);
      digest = std::move(other);
    }
    entry->second.differ = true;
  }
  CappedFindings capped(findings, "");
  for (const auto& [key, taken] : seen) {
    if (!taken.differ) continue;
    const One& one = out[taken.at];
    capped.Add(
        Severity::kInfo, "newest-of-copies",
        fmt::format("the copies of the {} \"{}\" differ; the newest was taken, by its resourceVersion",
                    Shorten(JsonTextAt(*one.value, {"kind"})), Shorten(JsonTextAt(*one.value, {"metadata", "name"}))),
        one.place);
  }
  return out;
}

Result<std::unique_ptr<JsonDocument>> GatheredObjects::Join(Findings& findings) && {
  std::ranges::sort(objects_, {}, [](const One& one) { return std::tie(one.path, one.order); });
  auto out = std::make_unique<JsonDocument>();
  out->several = true;
  out->dom.SetArray();
  std::vector<One> objects = PROV_TRY(WithoutCopies(findings));
  out->places.reserve(objects.size());
  for (One& one : objects) {
    out->dom.PushBack(std::move(*one.value), out->dom.GetAllocator());
    out->places.push_back(std::move(one.place));
  }
  for (const auto& part : parts_) out->values += part->values;
  out->parts = std::move(parts_);
  return out;
}

namespace {

Result<egress::EgressConfig> ReadObjects(GatheredObjects objects, const std::string& where,
                                         const ignition::Selection& selection, ignition::Fetcher* fetcher,
                                         const ignition::Limits& limits) {
  if (objects.empty()) {
    return Fail(Code::kKind,
                "holds no object that states settings, as oc adm must-gather or oc adm inspect collects them "
                "(cluster-scoped-resources/machineconfiguration.openshift.io/machineconfigs/NAME.yaml); collect them "
                "with: oc adm inspect machineconfigpools machineconfigs; if it is a payload or a document in an "
                "archive, unpack it, and give the folder or the document",
                where);
  }
  Findings findings;
  auto document = std::move(objects).Join(findings);
  if (!document) {
    document.error().file = where;
    return std::unexpected(std::move(document).error());
  }
  egress::EgressConfig out = PROV_TRY(ReadParsedDocument(*std::move(document), where, selection, fetcher, limits));
  std::ranges::move(findings, std::back_inserter(out.findings));
  return out;
}

// Adds the name of the collection to an error whose place is a file in it.
Result<void> In(Result<void> read, const std::string& where) {
  if (!read && read.error().file.empty() && !read.error().where.starts_with(where)) read.error().file = where;
  return read;
}

}  // namespace

Result<egress::EgressConfig> ReadGatheredFolder(const std::string& folder, const ignition::Selection& selection,
                                                ignition::Fetcher* fetcher, const ignition::Limits& limits) {
  GatheredObjects objects(limits);
  const TakeFile take = [&](const std::string& path, std::string bytes) {
    return In(objects.Add(path, std::move(bytes)), folder);
  };
  PROV_TRY(ReadFolderFiles(folder, take));
  return ReadObjects(std::move(objects), folder, selection, fetcher, limits);
}

Result<egress::EgressConfig> ReadGatheredArchive(ByteReader from, const std::string& where,
                                                 const ignition::Selection& selection, ignition::Fetcher* fetcher,
                                                 const ignition::Limits& limits) {
  GatheredObjects objects(limits);
  const TakeFile take = [&](const std::string& path, std::string bytes) {
    return In(objects.Add(path, std::move(bytes)), where);
  };
  PROV_TRY(ReadArchivedFiles(std::move(from), where, take));
  return ReadObjects(std::move(objects), where, selection, fetcher, limits);
}

}  // namespace prov::source
