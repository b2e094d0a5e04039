#include "ignition/document.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "ignition/json_path.h"
#include "ignition/load.h"
#include "ignition/machine_config_pool.h"
#include "ignition/schema.h"
#include "ignition/yaml.h"
#include "provisioner/base/clock.h"
#include "provisioner/base/text.h"

namespace prov::ignition {
namespace {

constexpr std::string_view kRendered = "rendered-";
constexpr std::size_t kHashDigits = 32;

bool IsLowerHex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

constexpr std::size_t kNamesShown = 8;

// A MachineConfig in the document.
struct Candidate {
  const JsonValue* object = nullptr;
  std::string path;  // JSON path of the object: $ or $.items[2]
  std::string_view name;
  std::optional<std::int64_t> created;  // nullopt is less than any time
};

Result<std::string_view> KindOf(const JsonValue& object, const JsonPath& at) {
  const auto kind = PROV_TRY(StringMember(&object, "kind", at));
  return kind.value_or("");
}

Result<Candidate> ReadCandidate(const JsonValue& object, const JsonPath& at) {
  Candidate out;
  out.object = &object;
  out.path = at.Text();
  const JsonValue* metadata = PROV_TRY(ObjectMember(&object, "metadata", at));
  const JsonPath metadata_at = at.Key("metadata");
  out.name = PROV_TRY(StringMember(metadata, "name", metadata_at)).value_or("");
  out.created = ParseUtc(PROV_TRY(StringMember(metadata, "creationTimestamp", metadata_at)).value_or(""));
  return out;
}

// A pool in the document, which names the config that its nodes have.
struct Pool {
  MachineConfigPool object;
  std::string path;
};

constexpr std::string_view kBothCommand = "oc get machineconfigpools,machineconfigs -o json";

// A remedy for documents of other kinds that users may give.
std::string HintFor(std::string_view kind) {
  if (kind == "MachineConfigPool" || kind == "MachineConfigPoolList") {
    return fmt::format(
        "; its status.configuration.name names the config of its nodes: give the MachineConfigs with it, as {} prints "
        "them",
        kBothCommand);
  }
  if (kind == "Secret") return "; it has no data.userData, which in a Secret of a pool's machines is one";
  return fmt::format("; get the pool's config with: {}", kBothCommand);
}

std::unexpected<Error> WrongKind(std::string_view kind, const std::string& where) {
  return Fail(Code::kKind,
              fmt::format("expected a MachineConfig, a list of them or an Ignition config, found the kind {}{}",
                          Shorten(kind), HintFor(kind)),
              where);
}

// The error for a document that is not an object.
std::unexpected<Error> NoObject(const JsonValue& root, const std::string& where) {
  const std::string_view text = root.IsString() ? JsonTextOf(root) : std::string_view();
  if (text.starts_with('{') || text.starts_with('[')) {
    return Fail(Code::kKind,
                "holds JSON within quotes, as cmd.exe leaves them around a text, and jq without -r writes it; remove "
                "the outer quotes",
                where);
  }
  const bool markup = text.starts_with('<');
  return Fail(
      Code::kKind,
      markup
          ? "expected a MachineConfig or an Ignition config, found HTML or XML (the error or login page of a server?)"
          : fmt::format("expected a MachineConfig or an Ignition config, found {}{}", JsonTypeName(root),
                        root.IsArray() ? "; give a List, or the objects in a row" : ""),
      where);
}

std::string JoinNames(const std::vector<Candidate>& candidates) {
  std::string out;
  for (std::size_t i = 0; i < candidates.size() && i < kNamesShown; ++i) {
    if (i > 0) out += ", ";
    out += fmt::format("\"{}\"", Shorten(candidates[i].name));
  }
  if (candidates.size() > kNamesShown) out += fmt::format(" and {} more", candidates.size() - kNamesShown);
  return out;
}

class MachineConfigChooser {
 public:
  MachineConfigChooser(const std::string& where, const Selection& selection) : where_(where), selection_(selection) {}

  // Chooses the MachineConfig to read; nullopt: the root is a bare Ignition config.
  Result<std::optional<Candidate>> Choose(const JsonDocument& document) {
    const JsonValue& root = document.root();
    const JsonPath at("$");
    if (document.several) return PROV_TRY(FromDocuments(document));
    if (!root.IsObject()) return NoObject(root, where_);
    const std::string_view kind = PROV_TRY(KindOf(root, at));
    if (kind == "MachineConfig") return PROV_TRY(Single(root, at));
    if (kind == "List" || kind == "MachineConfigList") return PROV_TRY(FromList(root, at, kind));
    if (!kind.empty()) return WrongKind(kind, "$.kind");
    if (JsonMember(&root, "ignition") != nullptr) return std::nullopt;
    if (IsMachineConfig(root, kind)) return PROV_TRY(Single(root, at));
    return Fail(
        Code::kKind,
        "expected a MachineConfig (it has a \"kind\") or an Ignition config (it has an \"ignition\"), found neither",
        where_);
  }

  Findings& findings() { return findings_; }

 private:
  Result<Candidate> Single(const JsonValue& root, const JsonPath& at) {
    Candidate found = PROV_TRY(ReadCandidate(root, at));
    const std::string name_at = "$.metadata.name";
    if (!selection_.name.empty()) {
      if (selection_.name == found.name) return found;
      return Fail(
          Code::kNotFound,
          fmt::format("the MachineConfig \"{}\" is wanted, this is \"{}\"", selection_.name, Shorten(found.name)),
          name_at);
    }
    const auto pool = PoolOfRenderedName(found.name);
    if (!pool) {
      AddWarning(findings_, "not-rendered",
                 fmt::format("\"{}\" is not a rendered MachineConfig: it is one of several that a pool merges, and may "
                             "be overridden by others",
                             Shorten(found.name)),
                 name_at);
    } else if (*pool != selection_.pool) {
      AddWarning(findings_, "other-pool",
                 fmt::format("\"{}\" is rendered for the pool {}, not {}", Shorten(found.name), Shorten(*pool),
                             selection_.pool),
                 name_at);
    }
    return found;
  }

  Result<Candidate> FromList(const JsonValue& root, const JsonPath& at, std::string_view kind) {
    std::vector<Candidate> all;
    const JsonPath items_at = at.Key("items");
    if (const JsonValue* items = PROV_TRY(ArrayMember(&root, "items", at)))
      PROV_TRY(AddObjects(*items, items_at, kind, all));
    return Best(all, items_at);
  }

  Result<Candidate> FromDocuments(const JsonDocument& document) {
    std::vector<Candidate> all;
    for (rapidjson::SizeType i = 0; i < document.root().Size(); ++i) {
      if (document.root()[i].IsNull()) continue;
      const std::string place = document.PlaceOf(i);
      PROV_TRY(AddObject(document.root()[i], JsonPath(place), "", all));
    }
    return Best(all, JsonPath(document.places.empty() ? "$" : where_));
  }

  // The selected pool; nullptr if the document does not have it, or a name was given. Errors: not-found if two
  // disagree.
  Result<const Pool*> PoolOfNodes() const {
    const Pool* out = nullptr;
    if (!selection_.name.empty()) return out;
    for (const Pool& pool : pools_) {
      if (pool.object.name != selection_.pool) continue;
      if (out != nullptr && out->object.on_nodes != pool.object.on_nodes) {
        return Fail(Code::kNotFound,
                    fmt::format("two MachineConfigPools are called \"{}\" and name different configs of their nodes; "
                                "give a file of one cluster at one time",
                                Shorten(selection_.pool)),
                    pool.path);
      }
      out = &pool;
    }
    if (out != nullptr && out->object.on_nodes.empty()) {
      return Fail(Code::kNotFound,
                  fmt::format("the MachineConfigPool \"{}\" has no rendered config yet; try again when it has one",
                              Shorten(out->object.name)),
                  out->path + ".status.configuration.name");
    }
    return out;
  }

  Result<Candidate> Best(const std::vector<Candidate>& all, const JsonPath& at) {
    const Pool* pool = PROV_TRY(PoolOfNodes());
    const std::string_view name = pool != nullptr ? pool->object.on_nodes : std::string_view(selection_.name);
    const Candidate* best = nullptr;
    std::size_t matches = 0;
    for (const Candidate& candidate : all) {
      const bool match = name.empty() ? PoolOfRenderedName(candidate.name) == std::string_view(selection_.pool)
                                      : candidate.name == name;
      if (!match) continue;
      ++matches;
      // A missing or malformed time counts as the oldest.
      if (best == nullptr || best->created < candidate.created) best = &candidate;
    }
    if (pool != nullptr && best == nullptr) return NotOfPool(*pool, all);
    if (best == nullptr) return NotFound(all, at);
    if (pool != nullptr) ReportRollout(pool->object, pool->path, findings_);
    if (matches > 1 && pool == nullptr) ReportSeveral(matches, *best);
    return *best;
  }

  void ReportSeveral(std::size_t matches, const Candidate& best) {
    AddWarning(
        findings_, "newest-of-list",
        fmt::format(
            "{} of the listed MachineConfigs fit; the newest, {}, was taken. The nodes may have another one, which "
            "status.configuration.name of the MachineConfigPool {} names: give the pool, too, as {} prints both",
            matches, best.name, selection_.pool, kBothCommand),
        best.path + ".metadata.name");
  }

  Result<void> AddObjects(const JsonValue& items, const JsonPath& at, std::string_view list_kind,
                          std::vector<Candidate>& out, unsigned level = 1) {
    for (rapidjson::SizeType i = 0; i < items.Size(); ++i)
      PROV_TRY(AddObject(items[i], at.At(i), list_kind, out, level));
    return {};
  }

  // `list_kind` is "" for one of several documents. The object may be a list itself, `level` lists deep.
  Result<void> AddObject(const JsonValue& item, const JsonPath& item_at, std::string_view list_kind,
                         std::vector<Candidate>& out, unsigned level = 0) {
    PROV_TRY(RequireObject(item, item_at));
    std::string_view kind = PROV_TRY(KindOf(item, item_at));
    // In typed lists, the API server leaves out the kind of the items.
    if (kind.empty() && list_kind == "MachineConfigPoolList") kind = "MachineConfigPool";
    if (kind.empty() && (list_kind == "MachineConfigList" || IsMachineConfig(item, kind))) kind = "MachineConfig";
    if (!IsList(kind)) ++kinds_[std::string(Shorten(kind))];
    if (kind == "MachineConfig") out.push_back(PROV_TRY(ReadCandidate(item, item_at)));
    if (kind == "MachineConfigPool") pools_.push_back({ReadMachineConfigPool(item), item_at.Text()});
    const JsonValue* inner = IsList(kind) ? PROV_TRY(ArrayMember(&item, "items", item_at)) : nullptr;
    if (inner == nullptr) return {};
    if (level == kMostListLevels)
      return Fail(Code::kTooLarge, fmt::format("Lists are within each other more than {} levels deep", level),
                  item_at.Text());
    return AddObjects(*inner, item_at.Key("items"), kind, out, level + 1);
  }

  static bool IsList(std::string_view kind) {
    return kind == "List" || kind == "MachineConfigList" || kind == "MachineConfigPoolList";
  }

  static std::unexpected<Error> NotOfPool(const Pool& pool, const std::vector<Candidate>& all) {
    return Fail(Code::kNotFound,
                fmt::format("the nodes of the MachineConfigPool \"{}\" have the config \"{}\", which is not there; {} "
                            "is. Give both, as {} prints them",
                            Shorten(pool.object.name), Shorten(pool.object.on_nodes),
                            all.empty() ? "no MachineConfig at all" : JoinNames(all), kBothCommand),
                pool.path + ".status.configuration.name");
  }

  std::unexpected<Error> NotFound(const std::vector<Candidate>& all, const JsonPath& at) const {
    const std::string wanted = selection_.name.empty()
                                   ? fmt::format("a MachineConfig named rendered-{}-<32 hex digits>", selection_.pool)
                                   : fmt::format("the MachineConfig \"{}\"", selection_.name);
    return Fail(Code::kNotFound,
                all.empty()
                    ? fmt::format("{} is wanted, {}; get it with: {}", wanted, DescribeKinds(), kBothCommand)
                    : fmt::format("{} is wanted, the list holds {}; correct --pool or --name", wanted, JoinNames(all)),
                at.Text());
  }

  // "the list holds no MachineConfig, but 3 Node".
  std::string DescribeKinds() const {
    std::string counts;
    for (std::size_t shown = 0; const auto& [kind, count] : kinds_) {
      if (shown++ == kNamesShown) break;
      counts += fmt::format("{}{} {}", counts.empty() ? "" : ", ", count, kind.empty() ? "without a kind" : kind);
    }
    return counts.empty() ? "the list is empty" : "the list holds no MachineConfig, but " + counts;
  }

  const std::string& where_;
  const Selection& selection_;
  std::vector<Pool> pools_;
  std::map<std::string, std::size_t> kinds_;  // of the objects in a list, and how many there are
  Findings findings_;
};

}  // namespace

bool IsMachineConfig(const JsonValue& object, std::string_view kind) {
  if (kind == "MachineConfig") return true;
  const JsonValue* ignition = kind.empty() ? JsonAt(object, {"spec", "config", "ignition"}) : nullptr;
  return ignition != nullptr && ignition->IsObject();
}

std::optional<std::string_view> PoolOfRenderedName(std::string_view name) {
  if (!name.starts_with(kRendered)) return std::nullopt;
  name.remove_prefix(kRendered.size());
  if (name.size() < kHashDigits + 2) return std::nullopt;
  const std::string_view pool = name.substr(0, name.size() - kHashDigits - 1);
  const std::string_view hash = name.substr(pool.size() + 1);
  if (name[pool.size()] != '-' || !std::all_of(hash.begin(), hash.end(), IsLowerHex)) return std::nullopt;
  return pool;
}

Result<Document> ReadConfig(std::string bytes, const std::string& where, const Selection& selection,
                            const Limits& limits, Fetcher* fetcher) {
  auto parsed = ParseJsonOrYaml(std::move(bytes), limits);
  if (!parsed) {
    Error error = std::move(parsed).error();
    if (error.where.empty()) error.where = where;
    return std::unexpected(std::move(error));
  }
  return ReadParsed(*std::move(parsed), where, selection, limits, fetcher);
}

Result<Document> ReadParsed(std::unique_ptr<JsonDocument> parsed, const std::string& where, const Selection& selection,
                            const Limits& limits, Fetcher* fetcher) {
  const JsonValue& root = parsed->root();
  MachineConfigChooser chooser(where, selection);
  const std::optional<Candidate> candidate = PROV_TRY(chooser.Choose(*parsed));
  if (!candidate) {
    auto merged = PROV_TRY(LoadConfig(std::move(parsed), root, "$", limits, fetcher, chooser.findings()));
    return Document{"Ignition", "", Config(std::move(merged)), std::move(chooser.findings())};
  }
  const JsonPath at(candidate->path);
  const JsonValue* spec = PROV_TRY(ObjectMember(candidate->object, "spec", at));
  const JsonPath spec_at = at.Key("spec");
  const JsonValue* config = JsonMember(spec, "config");
  const JsonPath config_at = spec_at.Key("config");
  if (config == nullptr) {
    return Fail(Code::kNoConfig,
                fmt::format("the MachineConfig \"{}\" holds no Ignition config; give the rendered one of the pool",
                            Shorten(candidate->name)),
                config_at.Text());
  }
  std::string name(candidate->name);
  auto merged = PROV_TRY(LoadConfig(std::move(parsed), *config, config_at.Text(), limits, fetcher, chooser.findings()));
  return Document{"MachineConfig", std::move(name), Config(std::move(merged)), std::move(chooser.findings())};
}

}  // namespace prov::ignition
