#include "ignition/load.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "ignition/json_path.h"
#include "ignition/resource.h"
#include "ignition/schema.h"

namespace prov::ignition {
namespace {

class Loader {
 public:
  Loader(MergedConfig& to, Findings& findings) : to_(to), findings_(findings) {}

  // The place that refers to a config, and its depth: 0 for the outermost config.
  struct Referrer {
    unsigned depth = 0;
    std::uint32_t scope = FetchScopes::kOutermost;
    bool is_base = true;  // the outermost config or its replacement, whose version is that of the result
    bool replaced = false;
  };

  Result<void> Load(std::unique_ptr<JsonDocument> owner, const JsonValue& root, const std::string& prefix,
                    const Referrer& referrer) {
    const JsonPath at(prefix);
    values_ += owner->values;
    PROV_TRY(RequireObject(root, at));
    const std::string_view version_text = PROV_TRY(VersionText(root, at));
    const SpecVersion version = PROV_TRY(Version(version_text, prefix));
    if (referrer.is_base) to_.version_text = version_text;
    const JsonValue* ignition = JsonMember(&root, "ignition");
    const JsonPath ignition_at = at.Key("ignition");
    const JsonValue* references = PROV_TRY(ObjectMember(ignition, "config", ignition_at));
    const JsonPath references_at = ignition_at.Key("config");
    const JsonValue* replace = PROV_TRY(ObjectMember(references, "replace", references_at));
    const JsonPath replace_at = references_at.Key("replace");
    const Resource replacement = PROV_TRY(ReadResourceMembers(replace, replace_at));
    const bool replaced = replacement.source && (version.major == 3 || !replacement.source->empty());
    const std::uint32_t scope = to_.scopes.Add(root, version, prefix, referrer.scope, referrer.replaced);
    Referrer self{referrer.depth, scope, referrer.is_base, replaced};
    if (replaced) {
      to_.replaced.push_back(std::move(owner));
      return Follow(replacement, version, replace_at, self);
    }
    self.is_base = false;
    const std::string_view list_name = version.major == 3 ? "merge" : "append";
    const JsonValue* list = PROV_TRY(ArrayMember(references, list_name, references_at));
    PROV_TRY(to_.Add({std::move(owner), &root, version, prefix, scope}));
    if (list == nullptr) return {};
    return FollowAll(*list, version, references_at.Key(list_name), self);
  }

 private:
  Result<SpecVersion> Version(std::string_view text, const std::string& prefix) {
    const std::string where = prefix + ".ignition.version";
    const SpecVersion version = PROV_TRY(ParseSpecVersion(text, where));
    if (version.IsOld())
      AddInfo(findings_, "old-version", fmt::format("Ignition spec {} is read as 2.2.0", text), where);
    if (version.IsNewer()) {
      AddWarning(findings_, "newer-version",
                 fmt::format("Ignition spec {} is newer than 3.{}.0, the newest this program knows; it is read as that",
                             text, kNewestMinor),
                 where);
    }
    if (!major_) major_ = version.major;
    if (*major_ != version.major) {
      return Fail(Code::kVersion,
                  fmt::format("the config has spec {}, the one that refers to it has spec {}.x; they can't be mixed",
                              text, *major_),
                  where);
    }
    return version;
  }

  Result<void> FollowAll(const JsonValue& list, SpecVersion version, const JsonPath& list_at, const Referrer& self) {
    std::unordered_set<std::string_view> sources;
    for (rapidjson::SizeType i = 0; i < list.Size(); ++i) {
      const JsonPath at = list_at.At(i);
      PROV_TRY(RequireObject(list[i], at));
      const Resource reference = PROV_TRY(ReadResourceMembers(&list[i], at));
      const bool is_new = sources.insert(reference.source.value_or("")).second;
      if (version.major == 3 && !is_new && reference.source) {
        return Fail(Code::kInvalidConfig, "two references have the same source", at.Key("source").Text());
      }
      PROV_TRY(Follow(reference, version, at, self));
    }
    return {};
  }

  Result<void> Follow(const Resource& reference, SpecVersion version, const JsonPath& at, const Referrer& self) {
    std::string where = at.Key("source").Text();
    if (!reference.source || reference.source->empty())
      return Fail(Code::kInvalidConfig, "a reference to a config needs a source", where);
    if (self.depth >= to_.limits.merge_depth) {
      return Fail(Code::kTooLarge,
                  fmt::format("configs refer to each other more than {} levels deep", to_.limits.merge_depth), where);
    }
    if (++followed_ > to_.limits.merged_configs) {
      return Fail(Code::kTooLarge, fmt::format("more than {} configs are referred to", to_.limits.merged_configs),
                  where);
    }
    ResourceContext context;
    context.use = ResourceUse::kConfig;
    context.version = version;
    context.limit = to_.limits.merged_configs_total - used_;
    context.fetcher = to_.fetcher;
    context.settings = [this, &self] { return to_.scopes.SettingsOf(self.scope, to_.fetcher); };
    std::string bytes = PROV_TRY(ReadResource(reference, context, at.Text()));
    used_ += bytes.size();
    // Small compressed configs may hold many values, so all of them share the limit.
    Limits limits = to_.limits;
    limits.values -= std::min(limits.values, values_);
    auto document = ParseJson(std::move(bytes), limits);
    if (!document) {
      Error error = std::move(document).error();
      error.message = "the config referred to: " + error.message;
      return FailIn(where, std::move(error));
    }
    const JsonValue& root = (*document)->root();
    return Load(*std::move(document), root, where + ": $", {self.depth + 1, self.scope, self.is_base, self.replaced});
  }

  MergedConfig& to_;
  Findings& findings_;
  std::optional<unsigned> major_;
  std::uint64_t used_ = 0;
  std::uint64_t values_ = 0;
  unsigned followed_ = 0;
};

}  // namespace

Result<std::unique_ptr<const MergedConfig>> LoadConfig(std::unique_ptr<JsonDocument> document, const JsonValue& root,
                                                       const std::string& prefix, const Limits& limits,
                                                       Fetcher* fetcher, Findings& findings) {
  auto merged = std::make_unique<MergedConfig>();
  merged->limits = limits;
  merged->fetcher = fetcher;
  PROV_TRY(Loader(*merged, findings).Load(std::move(document), root, prefix, {}));
  return merged;
}

}  // namespace prov::ignition
