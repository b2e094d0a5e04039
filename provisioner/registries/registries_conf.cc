#include "provisioner/registries/registries_conf.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "provisioner/base/text.h"
#include "provisioner/registries/toml_document.h"

namespace prov::registries {
namespace {

constexpr std::array<std::pair<std::string_view, MirrorUse>, 3> kUses = {
    {{"all", MirrorUse::kAll}, {"digest-only", MirrorUse::kDigestOnly}, {"tag-only", MirrorUse::kTagOnly}}};

// Keys that say nothing about where a full reference is asked for.
constexpr std::array<std::string_view, 5> kOtherKeys = {"unqualified-search-registries", "short-name-mode", "aliases",
                                                        "credential-helpers", "additional-layer-store-auth-helper"};
constexpr std::array<std::string_view, 6> kRegistryKeys = {"prefix",  "location", "insecure",
                                                           "blocked", "mirror",   "mirror-by-digest-only"};
constexpr std::array<std::string_view, 3> kMirrorKeys = {"location", "insecure", "pull-from-mirror"};

class Reader {
 public:
  Reader(const std::string& where, Findings& findings) : where_(where), findings_(findings) {}

  Result<std::vector<Registry>> Read(const toml::table& root) {
    if (root.contains("registries")) {
      return Refuse(*root.get("registries"),
                    "is of version 1 of registries.conf (tables [registries.search], [registries.insecure], "
                    "[registries.block]); write it in version 2, with [[registry]]");
    }
    for (const auto& [key, value] : root) {
      if (key != "registry" && std::ranges::find(kOtherKeys, key.str()) == kOtherKeys.end()) Name(key, value);
    }
    std::vector<Registry> out;
    std::set<std::string> prefixes;
    for (const toml::table* one : PROV_TRY(Tables(root, "registry"))) {
      Registry registry = PROV_TRY(ReadRegistry(*one));
      if (prefixes.insert(registry.prefix).second) out.push_back(std::move(registry));
    }
    PROV_TRY(CheckConflicts());
    return out;
  }

 private:
  std::unexpected<Error> Refuse(const toml::node& node, std::string message) const {
    return Fail(Code::kRegistries, std::move(message), PlaceIn(where_, node.source()));
  }

  void Name(const toml::key& key, const toml::node& node) {
    AddInfo(findings_, "not-read",
            fmt::format("the key \"{}\" is not read: no known version of registries.conf has it", Shorten(key.str())),
            PlaceIn(where_, node.source()));
  }

  template <std::size_t N>
  void NameOthers(const toml::table& table, const std::array<std::string_view, N>& known) {
    for (const auto& [key, value] : table) {
      if (std::ranges::find(known, key.str()) == known.end()) Name(key, value);
    }
  }

  Result<std::vector<const toml::table*>> Tables(const toml::table& in, std::string_view key) const {
    std::vector<const toml::table*> out;
    const toml::node* node = in.get(key);
    if (node == nullptr) return out;
    const toml::array* list = node->as_array();
    if (list == nullptr) return Refuse(*node, fmt::format("\"{0}\" has to be a list: write [[{0}]]", key));
    for (const toml::node& one : *list) {
      if (one.as_table() == nullptr) return Refuse(one, fmt::format("\"{}\" has to be a list of tables", key));
      out.push_back(one.as_table());
    }
    return out;
  }

  Result<std::string> Text(const toml::table& table, std::string_view key) const {
    const toml::node* node = table.get(key);
    if (node == nullptr) return std::string();
    const auto* text = node->as_string();
    if (text == nullptr) return Refuse(*node, fmt::format("\"{}\" has to be a text", key));
    return text->get();
  }

  Result<bool> Flag(const toml::table& table, std::string_view key) const {
    const toml::node* node = table.get(key);
    if (node == nullptr) return false;
    const auto* flag = node->as_boolean();
    if (flag == nullptr) return Refuse(*node, fmt::format("\"{}\" has to be true or false", key));
    return flag->get();
  }

  // A place of images, without slashes at its end.
  Result<std::string> Location(const toml::table& table, std::string_view key) const {
    std::string out = PROV_TRY(Text(table, key));
    if (out.starts_with("http://") || out.starts_with("https://"))
      return Refuse(*table.get(key), fmt::format("\"{}\" must not have a scheme: leave out http:// or https://", key));
    while (out.ends_with('/')) out.pop_back();
    return out;
  }

  Result<Mirror> ReadMirror(const toml::table& table, bool by_digest_only) {
    NameOthers(table, kMirrorKeys);
    Mirror out;
    out.location = PROV_TRY(Location(table, "location"));
    if (out.location.empty()) return Refuse(table, "a mirror has no location");
    out.insecure = PROV_TRY(Flag(table, "insecure"));
    const std::string use = PROV_TRY(Text(table, "pull-from-mirror"));
    if (use.empty()) {
      out.use = by_digest_only ? MirrorUse::kDigestOnly : MirrorUse::kAll;
      return out;
    }
    if (by_digest_only) {
      return Refuse(*table.get("pull-from-mirror"),
                    "pull-from-mirror can't be set beside mirror-by-digest-only of the registry; use one of them");
    }
    const auto* found = std::ranges::find(kUses, use, [](const auto& one) { return one.first; });
    if (found == kUses.end()) {
      return Refuse(*table.get("pull-from-mirror"),
                    fmt::format("pull-from-mirror is all, digest-only or tag-only, not \"{}\"", Shorten(use)));
    }
    out.use = found->second;
    return out;
  }

  Result<Registry> ReadRegistry(const toml::table& table) {
    if (const toml::node* use = table.get("pull-from-mirror"))
      return Refuse(*use, "pull-from-mirror belongs to a mirror: write it below [[registry.mirror]]");
    NameOthers(table, kRegistryKeys);
    Registry out;
    out.location = PROV_TRY(Location(table, "location"));
    out.prefix = PROV_TRY(Location(table, "prefix"));
    if (out.prefix.empty()) out.prefix = out.location;
    if (out.prefix.empty()) return Refuse(table, "a registry has neither a prefix nor a location");
    if (out.location.empty() && !out.prefix.starts_with("*."))
      return Refuse(table, "a registry without a location needs a prefix with a wildcard, such as *.example.com");
    if (out.prefix.starts_with("*.") && out.prefix.find_first_of("/@:*", 2) != std::string::npos)
      return Refuse(*table.get("prefix"), "a wildcard stands at the beginning of a host name, without port and path");
    out.blocked = PROV_TRY(Flag(table, "blocked"));
    out.insecure = PROV_TRY(Flag(table, "insecure"));
    const bool by_digest_only = PROV_TRY(Flag(table, "mirror-by-digest-only"));
    for (const toml::table* mirror : PROV_TRY(Tables(table, "mirror")))
      out.mirrors.push_back(PROV_TRY(ReadMirror(*mirror, by_digest_only)));
    seen_.push_back({out.location.empty() ? out.prefix : out.location, out.insecure, out.blocked, &table});
    return out;
  }

  // The same place can't be both blocked and not, or both insecure and not: the tools refuse the file.
  Result<void> CheckConflicts() {
    std::ranges::sort(seen_, {}, [](const Seen& one) { return std::pair(one.place, one.table->source().begin.line); });
    for (std::size_t i = 1; i < seen_.size(); ++i) {
      const Seen& a = seen_[i - 1];
      const Seen& b = seen_[i];
      if (a.place != b.place || (a.insecure == b.insecure && a.blocked == b.blocked)) continue;
      return Refuse(*b.table, fmt::format("{} stands in two registries that differ in \"{}\"; make them equal",
                                          Shorten(b.place), a.insecure == b.insecure ? "blocked" : "insecure"));
    }
    return {};
  }

  struct Seen {
    std::string place;
    bool insecure, blocked;
    const toml::table* table;
  };

  const std::string& where_;
  Findings& findings_;
  std::vector<Seen> seen_;
};

}  // namespace

Result<std::vector<Registry>> ParseRegistriesConf(std::string_view text, const std::string& where, Findings& findings) {
  return Reader(where, findings).Read(PROV_TRY(ParseToml(text, where)));
}

void MergeRegistries(std::vector<Registry> later, std::vector<Registry>& into) {
  for (Registry& one : later) {
    const auto same = std::ranges::find(into, one.prefix, &Registry::prefix);
    if (same == into.end()) {
      into.push_back(std::move(one));
    } else {
      *same = std::move(one);
    }
  }
}

std::string_view NameOf(MirrorUse use) {
  return std::ranges::find(kUses, use, [](const auto& one) { return one.second; })->first;
}

}  // namespace prov::registries
