#include "provisioner/egress/dialect_patterns.h"

#include <algorithm>

namespace prov::egress {

bool MatchesGlob(std::string_view pattern, std::string_view text) {
  std::size_t p = 0;
  std::size_t t = 0;
  // Where to continue after a mismatch: the last star matches one more character.
  std::size_t star = std::string_view::npos;
  std::size_t taken = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      taken = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p, ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++taken;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

void PatternSet::Put(Found& found, bool itself, bool below, Entry entry, const Port& port) {
  if (port) {
    found.ports.push_back({*port, itself ? entry : kNone, below ? entry : kNone});
    return;
  }
  if (itself) found.itself = std::min(found.itself, entry);
  if (below) found.below = std::min(found.below, entry);
}

PatternSet::Entry PatternSet::Least(const Found& found, bool itself, std::uint16_t port) {
  Entry least = itself ? found.itself : found.below;
  for (const PortEntry& one : found.ports) {
    if (one.port == port) least = std::min(least, itself ? one.itself : one.below);
  }
  return least;
}

void PatternSet::AddAll(Entry entry) { all_ = std::min(all_, entry); }

void PatternSet::AddName(std::string_view name, bool itself, bool below, Entry entry, Port port) {
  Put(names_[std::string(name)], itself, below, entry, port);
}

void PatternSet::AddAddress(const IpAddress& address, AddressFamily family, Entry entry, Port port) {
  Put(addresses_[static_cast<std::size_t>(family)][address.bytes()], true, false, entry, port);
}

void PatternSet::AddNetwork(const IpAddress& address, unsigned bits, AddressFamily family, Entry entry) {
  Put(networks_[{bits, family}][address.Masked(bits).bytes()], true, false, entry, {});
}

void PatternSet::AddGlob(std::string_view pattern, Entry entry) {
  const auto stars = std::ranges::count(pattern, '*');
  if (pattern == "*") {
    AddAll(entry);
  } else if (stars == 0) {
    AddName(pattern, true, false, entry);
  } else if (stars == 1 && pattern.starts_with("*.")) {
    AddName(pattern.substr(2), false, true, entry);
  } else {
    globs_.emplace_back(pattern, entry);
  }
}

PatternSet::Entry PatternSet::FindName(std::string_view host, std::uint16_t port) const {
  Entry least = kNone;
  if (names_.empty()) return least;
  bool itself = true;
  while (true) {
    if (const auto found = names_.find(host); found != names_.end())
      least = std::min(least, Least(found->second, itself, port));
    const std::size_t dot = host.find('.');
    if (dot == std::string_view::npos) return least;
    host.remove_prefix(dot + 1);
    itself = false;
  }
}

PatternSet::Entry PatternSet::FindAddress(const IpAddress& address, AddressFamily family, std::uint16_t port) const {
  Entry least = kNone;
  const AddressTable& single = addresses_[static_cast<std::size_t>(family)];
  if (const auto found = single.find(address.bytes()); found != single.end()) least = Least(found->second, true, port);
  return std::min(least, FindNetwork(address, 128, family));
}

PatternSet::Entry PatternSet::FindNetwork(const IpAddress& address, unsigned bits, AddressFamily family) const {
  Entry least = kNone;
  for (const auto& [kind, table] : networks_) {
    if (kind.second != family || kind.first > bits) continue;
    if (const auto found = table.find(address.Masked(kind.first).bytes()); found != table.end())
      least = std::min(least, found->second.itself);
  }
  return least;
}

PatternSet::Entry PatternSet::FindText(std::string_view text) const {
  const Entry least = std::min(all_, FindName(text));
  for (const auto& [pattern, entry] : globs_) {
    if (MatchesGlob(pattern, text)) return std::min(least, entry);
  }
  return least;
}

}  // namespace prov::egress
