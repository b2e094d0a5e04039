// The metadata of one image in a WIM: its folders, files and security descriptors, edited in their stored form.
// Everything that is not changed stays as it is, byte for byte.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "images/tree/wim_format.h"
#include "provisioner/base/result.h"

namespace prov::images::wim {

// Where an entry lies in the metadata, until the next change.
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

  // The entry in a folder that Windows takes for `name`. Errors: link (two spellings; a reparse point), target
  // (damaged; encrypted).
  Result<std::optional<Entry>> Find(Entry folder, std::string_view name, const std::string& where) const;

  Hash HashOf(Entry file) const;

  // The security descriptor as it is stored; nullopt: none, or one that is not there.
  std::optional<std::string> DescriptorOf(Entry entry) const;

  // Sets new contents for a file. This separates it from its hard links, which keep the old contents. `time`: Windows'
  // FILETIME.
  Result<void> SetHash(Entry file, const Hash& hash, std::uint64_t time);

  // Another owner and other rights for a file or folder; `descriptor` is self-relative. Its hard links keep theirs.
  // Afterwards other entries may have moved.
  Result<void> SetDescriptor(Entry entry, std::string_view descriptor);

  // A new file or, without a hash, folder; `descriptor` is self-relative. Afterwards other entries may have moved.
  Result<void> Add(Entry folder, std::string_view name, std::optional<Hash> hash, std::string_view descriptor,
                   std::uint64_t time);

  // Removes an entry. `on_hash` gets the hashes of its contents and named streams.
  Result<void> Remove(Entry folder, Entry entry, const std::function<void(const Hash&)>& on_hash);

  Result<bool> IsEmpty(Entry folder) const;

 private:
  Metadata(std::string bytes, std::string where, std::size_t root)
      : bytes_(std::move(bytes)), where_(std::move(where)), root_(root) {}

  // The bytes that an entry takes with its streams; 0 at the end of a list.
  Result<std::size_t> SizeOf(std::size_t at) const;
  Result<std::size_t> EndOfList(std::size_t at) const;  // where its terminator lies
  Result<void> ForEach(const std::function<void(std::size_t at)>& visit) const;
  Result<std::uint32_t> SecurityId(std::string_view descriptor);
  Result<std::size_t> ListOf(std::size_t folder);  // made where there is none
  Result<void> Insert(std::size_t at, std::string_view bytes, std::size_t folder);
  Result<void> Move(std::size_t from, std::int64_t distance, std::size_t except);

  std::optional<std::size_t> UnnamedStream(std::size_t at) const;

  std::string bytes_;
  std::string where_;
  std::size_t root_;
  std::size_t last_list_ = 0;  // the last list, if it is ours: nothing lies behind it
};

}  // namespace prov::images::wim
