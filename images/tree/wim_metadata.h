// The metadata of one image in a WIM: its folders, files and security descriptors, edited in their stored form.
// Everything that is not changed stays byte for byte.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "images/tree/wim_format.h"
#include "provisioner/base/result.h"

namespace prov::images::wim {

// The place of an entry in the metadata; valid until the next change.
struct Entry {
  std::size_t at = 0;
  bool is_folder = false;
};

class Metadata {
 public:
  // `where` is for messages. Errors: target (damaged).
  static Result<Metadata> Read(std::string bytes, const std::string& where);

  const std::string& bytes() const { return bytes_; }

  Entry Root() const { return {root_, true}; }

  // The entry in a folder that Windows takes as `name`. Errors: link (two spellings; a reparse point), target (damaged;
  // encrypted).
  Result<std::optional<Entry>> Find(Entry folder, std::string_view name, const std::string& where) const;

  Hash HashOf(Entry file) const;

  // The stored security descriptor; nullopt: none, or an invalid index.
  std::optional<std::string> DescriptorOf(Entry entry) const;

  // Sets new contents of a file. This separates it from its hard links, which keep the old contents. `time`: FILETIME.
  Result<void> SetHash(Entry file, const Hash& hash, std::uint64_t time);

  // Sets another descriptor (self-relative) for a file or folder. Its hard links keep theirs. Other entries may move.
  Result<void> SetDescriptor(Entry entry, std::string_view descriptor);

  // Adds a file or, without a hash, a folder; `descriptor` is self-relative. Other entries may move.
  Result<void> Add(Entry folder, std::string_view name, std::optional<Hash> hash, std::string_view descriptor,
                   std::uint64_t time);

  // Removes an entry. Calls `on_hash` with the hashes of its contents and named streams.
  Result<void> Remove(Entry folder, Entry entry, const std::function<void(const Hash&)>& on_hash);

  Result<bool> IsEmpty(Entry folder) const;

 private:
  Metadata(std::string bytes, std::string where, std::size_t root)
      : bytes_(std::move(bytes)), where_(std::move(where)), root_(root) {}

  // The size of an entry with its streams; 0 at the end of a list.
  Result<std::size_t> SizeOf(std::size_t at) const;
  Result<std::size_t> EndOfList(std::size_t at) const;  // place of its terminator
  Result<void> ForEach(const std::function<void(std::size_t at)>& visit) const;
  Result<std::uint32_t> SecurityId(std::string_view descriptor);
  Result<std::size_t> ListOf(std::size_t folder);  // makes a missing list
  Result<void> Insert(std::size_t at, std::string_view bytes, std::size_t folder);
  Result<void> Move(std::size_t from, std::int64_t distance, std::size_t except);

  std::optional<std::size_t> UnnamedStream(std::size_t at) const;

  std::string bytes_;
  std::string where_;
  std::size_t root_;
  std::size_t last_list_ = 0;  // the last list, if we made it: nothing follows it
};

}  // namespace prov::images::wim
