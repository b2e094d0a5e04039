#include "images/registry/hive_editor_security.h"

#include "images/registry/hive_records.h"

namespace prov::images::regf {

Result<std::size_t> SecurityTable::Add(CellMap& cells, std::uint32_t cell) {
  PROV_TRY(cells.Take(cell, "security descriptor"));
  const SecurityRecord record = PROV_TRY(LookSecurity(cells, cell));
  SecurityEntry entry;
  entry.descriptor = record.descriptor;
  entry.cell = cell;
  entry.next = record.next;
  entry.previous = record.previous;
  entries_.push_back(entry);
  by_cell_.emplace(cell, entries_.size() - 1);
  return entries_.size() - 1;
}

Result<std::size_t> SecurityTable::CountKey(CellMap& cells, std::uint32_t cell) {
  const auto known = by_cell_.find(cell);
  const std::size_t index = known != by_cell_.end() ? known->second : PROV_TRY(Add(cells, cell));
  ++entries_[index].file_keys;
  return index;
}

void SecurityTable::FollowRing(CellMap& cells, std::uint32_t first) {
  std::uint32_t previous = entries_[IndexOf(first)].previous;
  std::uint32_t at = first;
  do {
    const auto known = by_cell_.find(at);
    const Result<std::size_t> index = known != by_cell_.end() ? Result<std::size_t>(known->second) : Add(cells, at);
    if (!index || entries_[*index].on_ring || entries_[*index].previous != previous) break;
    entries_[*index].on_ring = true;
    ring_.push_back(*index);
    previous = at;
    at = entries_[*index].next;
    ring_is_whole_ = at == first && entries_[ring_.front()].previous == previous;
  } while (at != first);
  // Of equal descriptors, one that can be relied upon to stay reachable is used further.
  for (const std::size_t index : ring_) by_descriptor_.try_emplace(entries_[index].descriptor, index);
  for (std::size_t i = 0; i < entries_.size(); ++i) by_descriptor_.try_emplace(entries_[i].descriptor, i);
}

std::size_t SecurityTable::Find(std::string_view descriptor) {
  const auto known = by_descriptor_.find(descriptor);
  if (known != by_descriptor_.end()) return known->second;
  SecurityEntry entry;
  entry.descriptor = own_.emplace_back(descriptor);
  entries_.push_back(entry);
  by_descriptor_.emplace(entry.descriptor, entries_.size() - 1);
  return entries_.size() - 1;
}

void SecurityTable::ResetKeys() {
  for (SecurityEntry& entry : entries_) entry.keys = entry.file_keys;
}

Result<std::vector<std::size_t>> SecurityTable::NewRing() const {
  std::vector<std::size_t> ring;
  for (const std::size_t index : ring_) {
    if (!IsRemoved(entries_[index])) ring.push_back(index);
  }
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (!IsNew(entries_[i])) continue;
    if (!ring_is_whole_) return Damaged(entries_.front().cell, "the ring of security descriptors is broken");
    ring.push_back(i);
  }
  if (!ring_is_whole_) ring.clear();
  return ring;
}

}  // namespace prov::images::regf
