// The security descriptors of a hive that is edited: which keys use them, which cells hold them, how these form a ring.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "images/registry/hive_cells.h"
#include "images/registry/hive_format.h"
#include "provisioner/base/result.h"

namespace prov::images::regf {

struct SecurityEntry {
  std::string_view descriptor;
  std::uint32_t cell = kNil;      // in the file; kNil: not there
  std::uint32_t next = kNil;      // as the file says
  std::uint32_t previous = kNil;  // as the file says
  std::uint32_t file_keys = 0;    // keys of the file that use it, counted by us
  std::uint32_t keys = 0;         // the same after the edits
  bool on_ring = false;           // of the file
};

class SecurityTable {
 public:
  // Counts a key of the file that uses this cell; the cell's first use takes it from `cells`. Gives its index.
  Result<std::size_t> CountKey(CellMap& cells, std::uint32_t cell);
  // Follows the ring from the root key's cell, which has been counted. A ring that is broken is no error until it has
  // to change.
  void FollowRing(CellMap& cells, std::uint32_t first);

  std::size_t IndexOf(std::uint32_t cell) const { return by_cell_.at(cell); }
  // The index of an equal descriptor, or of a new entry.
  std::size_t Find(std::string_view descriptor);
  const SecurityEntry& at(std::size_t index) const { return entries_[index]; }
  std::size_t size() const { return entries_.size(); }

  // To be called for what the edits change, after Reset.
  void ResetKeys();
  void AddKey(std::size_t index) { ++entries_[index].keys; }
  void RemoveKey(std::size_t index) { --entries_[index].keys; }

  // The ring after the edits, as indices: without what no key uses any more, with what is new; nothing of a broken ring
  // that may stay so. Error: hive, when it has to change and is broken.
  Result<std::vector<std::size_t>> NewRing() const;
  static bool IsNew(const SecurityEntry& entry) { return entry.cell == kNil && entry.keys != 0; }
  // Whether the edits take the last key from a descriptor that can leave the ring.
  bool IsRemoved(const SecurityEntry& entry) const {
    return ring_is_whole_ && entry.on_ring && entry.file_keys != 0 && entry.keys == 0;
  }

 private:
  Result<std::size_t> Add(CellMap& cells, std::uint32_t cell);

  std::vector<SecurityEntry> entries_;
  std::unordered_map<std::uint32_t, std::size_t> by_cell_;
  std::unordered_map<std::string_view, std::size_t> by_descriptor_;
  std::deque<std::string> own_;  // what new entries point into
  std::vector<std::size_t> ring_;
  bool ring_is_whole_ = false;
};

}  // namespace prov::images::regf
