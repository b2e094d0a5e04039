#include "provisioner/registries/mirror_rules.h"

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace prov::registries {
namespace {

// Mirrors with the wish of each entry: this one before that one.
class Order {
 public:
  void Add(const std::string& first, const std::string& second) {
    nodes_[first].after.insert(second);
    nodes_[second].before.insert(first);
  }

  // An order that suits all wishes, if there is one. Where they contradict each other, the names decide.
  std::vector<std::string> Sorted() const {
    std::map<std::string, Node> left = nodes_;
    std::deque<std::string> ready;
    for (const auto& [name, node] : left) {
      if (node.before.empty()) ready.push_back(name);
    }
    std::vector<std::string> out;
    while (!left.empty()) {
      std::string next = left.begin()->first;
      if (!ready.empty()) {
        next = std::move(ready.front());
        ready.pop_front();
      }
      const std::set<std::string> after = std::move(left.at(next).after);
      left.erase(next);
      for (const std::string& one : after) {
        const auto found = left.find(one);
        if (found != left.end() && found->second.before.erase(next) != 0 && found->second.before.empty())
          ready.push_back(one);
      }
      out.push_back(std::move(next));
    }
    return out;
  }

 private:
  struct Node {
    std::set<std::string> before, after;
  };
  std::map<std::string, Node> nodes_;
};

struct MergedSource {
  Order order;
  bool never_contact_source = false;
};

bool HasRealMirror(const MirrorRule& rule) {
  return std::ranges::any_of(rule.mirrors, [&](const std::string& mirror) { return mirror != rule.source; });
}

// The sources, by name, of the rules for tags or of those for digests.
std::map<std::string, MergedSource> Merge(std::span<const MirrorRule> rules, bool by_tag) {
  std::map<std::string, MergedSource> out;
  for (const MirrorRule& rule : rules) {
    if (rule.by_tag != by_tag || !HasRealMirror(rule)) continue;
    MergedSource& source = out[rule.source];
    source.never_contact_source = source.never_contact_source || rule.never_contact_source;
    for (std::size_t i = 1; i < rule.mirrors.size(); ++i) source.order.Add(rule.mirrors[i - 1], rule.mirrors[i]);
    const bool names_source = std::ranges::find(rule.mirrors, rule.source) != rule.mirrors.end();
    if (!names_source) source.order.Add(rule.mirrors.back(), rule.source);
  }
  return out;
}

Registry& EntryOf(std::vector<Registry>& all, const std::string& scope) {
  const auto found = std::ranges::find(all, scope, &Registry::prefix);
  if (found != all.end()) return *found;
  Registry made;
  made.prefix = scope;
  if (!scope.starts_with("*.")) made.location = scope;
  return all.emplace_back(std::move(made));
}

void AddMirrors(const std::map<std::string, MergedSource>& sources, MirrorUse use, std::vector<Registry>& all) {
  for (const auto& [name, source] : sources) {
    Registry& entry = EntryOf(all, name);
    entry.blocked = entry.blocked || source.never_contact_source;
    std::vector<std::string> mirrors = source.order.Sorted();
    if (mirrors.back() == name) mirrors.pop_back();  // the source is asked last in any case
    for (std::string& mirror : mirrors) entry.mirrors.push_back({std::move(mirror), false, use});
  }
}

// Whether `scope` lies in `wider`: the same, a path below it, or a host that its wildcard takes.
bool LiesIn(std::string_view scope, std::string_view wider) {
  if (scope == wider) return true;
  if (scope.starts_with(wider) && scope[wider.size()] == '/') return true;
  if (!wider.starts_with("*.")) return false;
  return scope.substr(0, scope.find_first_of("/:")).ends_with(wider.substr(1));
}

}  // namespace

std::vector<Registry> RegistriesOf(std::span<const MirrorRule> rules, const RegistrySources& sources) {
  std::vector<Registry> out;
  const auto digests = Merge(rules, false);
  const auto tags = Merge(rules, true);
  AddMirrors(digests, MirrorUse::kDigestOnly, out);
  AddMirrors(tags, MirrorUse::kTagOnly, out);
  for (const std::string& scope : sources.blocked) EntryOf(out, scope);
  for (const std::string& scope : sources.insecure) {
    EntryOf(out, scope).insecure = true;
    for (Registry& one : out) {
      one.insecure = one.insecure || LiesIn(one.prefix, scope);
      for (Mirror& mirror : one.mirrors) mirror.insecure = mirror.insecure || LiesIn(mirror.location, scope);
    }
  }
  for (const std::string& scope : sources.blocked) {
    for (Registry& one : out) one.blocked = one.blocked || LiesIn(one.prefix, scope);
  }
  for (const auto* merged : {&digests, &tags}) {
    for (const auto& [name, source] : *merged) {
      if (name.starts_with("*.")) continue;  // a mirror of it has no path that a scope within it could extend
      const std::vector<Mirror> mirrors = EntryOf(out, name).mirrors;
      for (Registry& one : out) {
        if (one.prefix == name || !one.mirrors.empty() || !LiesIn(one.prefix, name)) continue;
        one.mirrors = mirrors;
        for (Mirror& mirror : one.mirrors) mirror.location += one.prefix.substr(name.size());
      }
    }
  }
  return out;
}

}  // namespace prov::registries
