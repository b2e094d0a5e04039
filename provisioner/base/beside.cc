#include "provisioner/base/beside.h"

#include <algorithm>

namespace prov {
namespace {

constexpr std::string_view kOld = ".old";

bool IsAlphanumeric(char c) { return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }

}  // namespace

std::string BesidePrefix(std::string_view name) { return "." + std::string(name) + ".provisioner-"; }

bool IsLeftover(std::string_view entry, std::string_view prefix, std::size_t random, Leftover which) {
  if (!entry.starts_with(prefix)) return false;
  entry.remove_prefix(prefix.size());
  if (which == Leftover::kReplaced) {
    if (!entry.ends_with(kOld)) return false;
    entry.remove_suffix(kOld.size());
  }
  return entry.size() == random && std::ranges::all_of(entry, IsAlphanumeric);
}

std::string AsideOf(const std::string& made) { return made + std::string(kOld); }

}  // namespace prov
