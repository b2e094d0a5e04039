#include "provisioner/egress/augment.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "provisioner/base/text.h"

namespace prov::egress {
namespace {

using Kind = NoProxyEntry::Kind;

constexpr std::size_t kMostListBytes = kMaxVariableUnits - sizeof("NO_PROXY=");

// Whether the name with a leading dot is a valid entry for its subdomains.
bool TakesSubdomains(std::string_view name) {
  return !name.empty() && name.size() <= 253 && !name.ends_with('.') && IsAscii(name);
}

class Augmenter {
 public:
  explicit Augmenter(const NoProxy& list) : out_{list.text(), {}} {
    for (const NoProxyEntry& entry : list.entries()) known_.insert(AsciiLower(entry.text));
  }

  void Add(const NoProxyEntry& entry) {
    if (entry.port) return;
    if (entry.kind == Kind::kHost && TakesSubdomains(entry.name)) Put("." + entry.name);
    if (entry.address && !entry.address->IsIpv4()) Put("[" + entry.address->ToString() + "]");
    if (!entry.network || entry.network->bits() < 128) return;
    const std::string address = entry.network->address().ToString();
    Put(address);
    if (!entry.network->IsIpv4()) Put("[" + address + "]");
  }

  void Put(std::string text) {
    if (known_.contains(text) || out_.text.size() + 1 + text.size() > kMostListBytes) return;
    if (!out_.text.ends_with(',')) out_.text += ',';
    out_.text += text;
    known_.insert(text);
    out_.added.push_back(std::move(text));
  }

  AugmentedNoProxy Release() && { return std::move(out_); }

 private:
  AugmentedNoProxy out_;
  std::unordered_set<std::string> known_;
};

}  // namespace

AugmentedNoProxy Augment(const NoProxy& list) {
  Augmenter augmenter(list);
  if (list.entries().empty() || list.HasAll()) return std::move(augmenter).Release();
  for (const NoProxyEntry& entry : list.entries()) augmenter.Add(entry);
  for (const char* loopback : {"127.0.0.1", "::1", "[::1]"}) augmenter.Put(loopback);
  return std::move(augmenter).Release();
}

Result<void> AugmentNoProxy(EgressConfig& config) {
  const std::string where = config.proxy_file.path + ": NO_PROXY";
  AugmentedNoProxy augmented = Augment(PROV_TRY(NoProxy::Parse(config.no_proxy.value_or(""), where)));
  if (augmented.added.empty()) return {};
  constexpr std::size_t kMostShown = 10;
  std::string names;
  for (std::size_t i = 0; i < std::min(kMostShown, augmented.added.size()); ++i)
    names += (i > 0 ? ", " : "") + augmented.added[i];
  const std::size_t more = augmented.added.size() - std::min(kMostShown, augmented.added.size());
  AddInfo(config.findings, "no-proxy-augmented",
          fmt::format("entries were added for clients that read the list in another way than Go: {}{}", names,
                      more > 0 ? fmt::format(" and {} more", more) : ""),
          where);
  config.no_proxy = std::move(augmented.text);
  return {};
}

}  // namespace prov::egress
