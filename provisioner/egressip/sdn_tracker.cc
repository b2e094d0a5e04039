#include "provisioner/egressip/sdn_tracker.h"

#include <algorithm>
#include <utility>

namespace prov::egressip {
namespace {

// Rounds remove or assign addresses; usually the third one changes nothing. The master never ends if it moves addresses
// back and forth.
constexpr int kMostRounds = 16;

bool Holds(const SdnNode& node, const IpAddress& address) {
  return std::ranges::any_of(node.cidrs, [&](const IpNetwork& cidr) { return cidr.Contains(address); });
}

}  // namespace

SdnTracker::SdnTracker(std::vector<SdnNode> nodes, std::vector<SdnGroup> groups)
    : nodes_(std::move(nodes)), groups_(std::move(groups)) {
  Claim();
}

void SdnTracker::Claim() {
  claims_.clear();
  for (std::size_t node = 0; node < nodes_.size(); ++node) {
    for (const IpAddress& address : nodes_[node].addresses) claims_[address].nodes.push_back(node);
  }
  for (std::size_t group = 0; group < groups_.size(); ++group) {
    for (const IpAddress& address : groups_[group].requested) claims_[address].groups.push_back(group);
  }
}

const SdnClaim* SdnTracker::ClaimOf(const IpAddress& address) const {
  const auto found = claims_.find(address);
  return found == claims_.end() ? nullptr : &found->second;
}

std::optional<std::size_t> SdnTracker::ActiveNode(const IpAddress& address) const {
  const SdnClaim* claim = ClaimOf(address);
  if (claim == nullptr || claim->nodes.size() != 1 || claim->groups.size() != 1) return std::nullopt;
  for (const IpAddress& other : groups_[claim->groups.front()].requested) {
    if (other != address && ClaimOf(other)->nodes == claim->nodes) return std::nullopt;
  }
  return claim->nodes.front();
}

// The addresses with no request or with too many.
AddressSet SdnTracker::NotForCidrs() const {
  AddressSet out;
  for (const auto& [address, claim] : claims_) {
    if (claim.groups.size() != 1 || claim.nodes.size() > 1) out.insert(address);
  }
  return out;
}

// Active addresses stay on a node that is online and has a network for them. Returns whether some did not; they can be
// assigned elsewhere in the next round.
bool SdnTracker::AllocateExisting(Allocation& allocation, AddressSet& done) const {
  bool removed = false;
  for (std::size_t node = 0; node < nodes_.size(); ++node) {
    if (!nodes_[node].cidrs.empty()) allocation[node];
  }
  for (const auto& [address, claim] : claims_) {
    const auto node = ActiveNode(address);
    if (!node || done.contains(address)) continue;
    if (Holds(nodes_[*node], address) && !nodes_[*node].offline) {
      allocation[*node].insert(address);
    } else {
      removed = true;
    }
    done.insert(address);
  }
  return removed;
}

// A namespace gets at most one address of a node.
bool SdnTracker::HasOneOfItsGroup(const IpAddress& address, std::size_t node, const Allocation& allocation) const {
  const auto there = allocation.find(node);
  if (there == allocation.end()) return false;
  const std::size_t group = claims_.at(address).groups.front();
  return std::ranges::any_of(groups_[group].requested,
                             [&](const IpAddress& one) { return there->second.contains(one); });
}

// The node with the fewest addresses; of several, the first.
SdnTracker::Found SdnTracker::Find(const IpAddress& address, const Allocation& allocation) const {
  Found out;
  std::size_t fewest = 0;
  for (std::size_t node = 0; node < nodes_.size(); ++node) {
    if (nodes_[node].offline || !Holds(nodes_[node], address) || HasOneOfItsGroup(address, node, allocation)) continue;
    const auto there = allocation.find(node);
    const std::size_t count = there == allocation.end() ? 0 : there->second.size();
    if (out.node) out.others = true;
    if (out.node && fewest <= count) continue;
    out.node = node;
    fewest = count;
  }
  return out;
}

// Assigns addresses with only one possible node first.
void SdnTracker::AllocateNew(Allocation& allocation, AddressSet& done, AddressSet& chosen) const {
  for (const bool only_one : {true, false}) {
    for (const auto& [address, claim] : claims_) {
      if (done.contains(address)) continue;
      const Found found = Find(address, allocation);
      if (!found.node || (only_one && found.others)) continue;
      allocation[*found.node].insert(address);
      done.insert(address);
      if (found.others) chosen.insert(address);
    }
  }
}

SdnTracker::Allocation SdnTracker::Reallocate(AddressSet& chosen) const {
  Allocation allocation;
  AddressSet done = NotForCidrs();
  const bool removed = AllocateExisting(allocation, done);
  AllocateNew(allocation, done, chosen);
  if (removed) return allocation;

  // The distribution from scratch: a node with less than half of its share gets addresses in the next round.
  Allocation full;
  AddressSet full_done = NotForCidrs();
  AddressSet not_done;
  AllocateNew(full, full_done, not_done);
  AddressSet to_move;
  for (const auto& [node, addresses] : full) {
    if (allocation[node].size() < addresses.size() / 2) to_move.insert(addresses.begin(), addresses.end());
  }
  if (to_move.empty()) return allocation;
  allocation.clear();
  done = NotForCidrs();
  done.insert(to_move.begin(), to_move.end());
  AllocateExisting(allocation, done);
  AllocateNew(allocation, done, chosen);
  return allocation;
}

AddressSet SdnTracker::AssignByCidrs() {
  if (std::ranges::none_of(nodes_, [](const SdnNode& node) { return !node.cidrs.empty(); })) return {};
  AddressSet chosen;
  for (int round = 0; round < kMostRounds; ++round) {
    bool moved = false;
    for (auto& [node, addresses] : Reallocate(chosen)) {
      if (nodes_[node].cidrs.empty() || nodes_[node].addresses == addresses) continue;
      nodes_[node].addresses = addresses;
      moved = true;
    }
    if (!moved) break;
    Claim();
  }
  return chosen;
}

}  // namespace prov::egressip
