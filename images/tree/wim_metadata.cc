#include "images/tree/wim_metadata.h"

#include <fmt/format.h>

#include <vector>

#include "images/registry/hive_format.h"
#include "images/registry/hive_names.h"
#include "images/tree/tree_path.h"

namespace prov::images::wim {
namespace {

using regf::Load16;
using regf::Load32;
using regf::Load64;
using regf::Store16;
using regf::Store32;
using regf::Store64;

// An entry: fixed part, name, short name, further data; then its streams. All parts are aligned to eight bytes.
constexpr std::size_t kFixedBytes = 102;
constexpr std::size_t kAttributesAt = 8, kSecurityAt = 12, kListAt = 16, kCreatedAt = 40, kAccessedAt = 48,
                      kWrittenAt = 56, kHashAt = 64, kLinksAt = 88, kStreamsAt = 96, kShortNameAt = 98, kNameAt = 100;
constexpr std::size_t kStreamFixedBytes = 38, kStreamHashAt = 16, kStreamNameAt = 36;
constexpr std::size_t kEndBytes = 8;  // end of a list: a length of zero

constexpr std::uint32_t kFolderAttribute = 0x10, kArchiveAttribute = 0x20, kReparseAttribute = 0x400,
                        kEncryptedAttribute = 0x4000;

// The descriptors: total size, number, the size of each, the descriptors.
constexpr std::size_t kSecurityFixedBytes = 8;
constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);

constexpr std::size_t Aligned(std::size_t size) { return (size + 7) & ~std::size_t{7}; }

std::u16string NameAt(std::string_view bytes, std::size_t at) {
  std::u16string out(Load16(bytes, at + kNameAt) / 2U, u'\0');
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = Load16(bytes, at + kFixedBytes + 2 * i);
  return out;
}

std::string NewEntry(std::string_view name, bool folder, std::uint32_t security, const Hash& hash, std::uint64_t time) {
  const std::u16string units = regf::NameFromUtf8(name).value_or(u"");
  const std::size_t size = Aligned(kFixedBytes + 2 * units.size() + 2);
  std::string out(size, '\0');
  Store64(out.data(), size);
  Store32(&out[kAttributesAt], folder ? kFolderAttribute : kArchiveAttribute);
  Store32(&out[kSecurityAt], security);
  for (const std::size_t at : {kCreatedAt, kAccessedAt, kWrittenAt}) Store64(&out[at], time);
  regf::StoreBytes(&out[kHashAt], {hash.data(), hash.size()});
  Store16(&out[kNameAt], static_cast<std::uint16_t>(2 * units.size()));
  for (std::size_t i = 0; i < units.size(); ++i) Store16(&out[kFixedBytes + 2 * i], units[i]);
  return out;
}

Hash LoadHash(std::string_view bytes, std::size_t at) {
  Hash out{};
  bytes.copy(out.data(), out.size(), at);
  return out;
}

}  // namespace

Result<Metadata> Metadata::Read(std::string bytes, const std::string& where) {
  if (bytes.size() < kSecurityFixedBytes) return Damaged("an image has no metadata", where);
  const std::size_t total = std::max<std::size_t>(Load32(bytes, 0), kSecurityFixedBytes);
  const std::size_t count = Load32(bytes, 4);
  const std::size_t root = Aligned(total);
  if (root >= bytes.size() || count > (total - kSecurityFixedBytes) / 8) {
    return Damaged("the security descriptors of an image", where);
  }
  std::uint64_t used = kSecurityFixedBytes + 8 * count;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t size = Load64(bytes, kSecurityFixedBytes + 8 * i);
    if (size > total - used) return Damaged("the security descriptors of an image", where);
    used += size;
  }
  Metadata out(std::move(bytes), where, root);
  const std::size_t size = PROV_TRY(out.SizeOf(root));
  if (size == 0 || (Load32(out.bytes_, root + kAttributesAt) & kFolderAttribute) == 0) {
    return Damaged("the root of an image", where);
  }
  return out;
}

Result<std::size_t> Metadata::SizeOf(std::size_t at) const {
  const auto damaged = [&] { return Damaged(fmt::format("entry {} of an image", at), where_); };
  const auto has = [&](std::size_t from, std::uint64_t size) {
    return from <= bytes_.size() && size <= bytes_.size() - from;
  };
  if (at < root_ || !has(at, 8)) return damaged();
  const std::uint64_t length = Load64(bytes_, at);
  if (length <= 8) return std::size_t{0};
  if (length < kFixedBytes || !has(at, length)) return damaged();
  const std::size_t name = Load16(bytes_, at + kNameAt), short_name = Load16(bytes_, at + kShortNameAt);
  if (name % 2 != 0 || kFixedBytes + name + short_name > length) return damaged();
  std::size_t end = at + Aligned(static_cast<std::size_t>(length));
  for (unsigned left = Load16(bytes_, at + kStreamsAt); left > 0; --left) {
    if (!has(end, kStreamFixedBytes)) return damaged();
    const std::uint64_t stream = Load64(bytes_, end);
    if (stream < kStreamFixedBytes || !has(end, stream)) return damaged();
    end += Aligned(static_cast<std::size_t>(stream));
  }
  if (!has(end, kEndBytes)) return damaged();
  return end - at;
}

Result<std::size_t> Metadata::EndOfList(std::size_t at) const {
  for (;;) {
    const std::size_t size = PROV_TRY(SizeOf(at));
    if (size == 0) return at;
    at += size;
  }
}

Result<void> Metadata::ForEach(const std::function<void(std::size_t at)>& visit) const {
  std::size_t left = bytes_.size() / kFixedBytes + 1;  // more would be a cycle
  visit(root_);
  std::vector<std::size_t> lists = {static_cast<std::size_t>(Load64(bytes_, root_ + kListAt))};
  while (!lists.empty()) {
    std::size_t at = lists.back();
    lists.pop_back();
    if (at == 0) continue;
    while (const std::size_t size = PROV_TRY(SizeOf(at))) {
      if (left-- == 0) return Damaged("a folder of an image lies in itself", where_);
      // Before the visit, which may move the list.
      if ((Load32(bytes_, at + kAttributesAt) & kFolderAttribute) != 0) {
        lists.push_back(static_cast<std::size_t>(Load64(bytes_, at + kListAt)));
      }
      visit(at);
      at += size;
    }
  }
  return {};
}

Result<std::optional<Entry>> Metadata::Find(Entry folder, std::string_view name, const std::string& where) const {
  const NameMatcher matcher(name);
  std::optional<std::size_t> found;
  auto at = static_cast<std::size_t>(Load64(bytes_, folder.at + kListAt));
  if (at == 0) return std::nullopt;
  while (const std::size_t size = PROV_TRY(SizeOf(at))) {
    if (matcher.CanMatch(Load16(bytes_, at + kNameAt) / 2U) && matcher.Matches(NameAt(bytes_, at))) {
      if (found) {
        return TwoSpellings(regf::NameToUtf8(NameAt(bytes_, *found)), regf::NameToUtf8(NameAt(bytes_, at)), where);
      }
      found = at;
    }
    at += size;
  }
  if (!found) return std::nullopt;
  const std::uint32_t attributes = Load32(bytes_, *found + kAttributesAt);
  if ((attributes & kReparseAttribute) != 0) {
    return Fail(Code::kLink, "is a link or another reparse point: only files and folders are used in an image", where);
  }
  const bool is_folder = (attributes & kFolderAttribute) != 0;
  if (!is_folder && (attributes & kEncryptedAttribute) != 0) {
    return Fail(Code::kTarget, "is encrypted (EFS), so it can be neither read nor replaced", where);
  }
  return Entry{*found, is_folder};
}

// A file with named streams has its contents among them, as an unnamed stream.
std::optional<std::size_t> Metadata::UnnamedStream(std::size_t at) const {
  std::size_t stream = at + Aligned(static_cast<std::size_t>(Load64(bytes_, at)));
  for (unsigned left = Load16(bytes_, at + kStreamsAt); left > 0; --left) {
    if (Load16(bytes_, stream + kStreamNameAt) == 0) return stream;
    stream += Aligned(static_cast<std::size_t>(Load64(bytes_, stream)));
  }
  return std::nullopt;
}

Hash Metadata::HashOf(Entry file) const {
  const Hash hash = LoadHash(bytes_, file.at + kHashAt);
  if (hash != kNoHash) return hash;
  const auto stream = UnnamedStream(file.at);
  return stream ? LoadHash(bytes_, *stream + kStreamHashAt) : kNoHash;
}

std::optional<std::string> Metadata::DescriptorOf(Entry entry) const {
  const std::uint32_t id = Load32(bytes_, entry.at + kSecurityAt), count = Load32(bytes_, 4);
  if (id >= count) return std::nullopt;
  const auto size_of = [&](std::uint32_t i) {
    return static_cast<std::size_t>(Load64(bytes_, kSecurityFixedBytes + std::size_t{8} * i));
  };
  std::size_t at = kSecurityFixedBytes + std::size_t{8} * count;
  for (std::uint32_t i = 0; i < id; ++i) at += size_of(i);
  return bytes_.substr(at, size_of(id));
}

Result<void> Metadata::SetHash(Entry file, const Hash& hash, std::uint64_t time) {
  const std::string_view bytes(hash.data(), hash.size());
  const Hash old = HashOf(file);
  const std::uint64_t links = Load64(bytes_, file.at + kLinksAt);
  if (links != 0) {
    // Hard links may store their common contents in only one of the entries.
    PROV_TRY(ForEach([&](std::size_t at) {
      const std::uint32_t attributes = Load32(bytes_, at + kAttributesAt);
      if ((attributes & (kFolderAttribute | kReparseAttribute)) != 0 || Load64(bytes_, at + kLinksAt) != links) return;
      if (at != file.at && HashOf({at, false}) == kNoHash) regf::StoreBytes(&bytes_[at + kHashAt], {old.data(), 20});
    }));
    Store64(&bytes_[file.at + kLinksAt], 0);
  }
  const auto stream = UnnamedStream(file.at);
  if (stream) regf::StoreBytes(&bytes_[*stream + kStreamHashAt], bytes);
  if (!stream || LoadHash(bytes_, file.at + kHashAt) != kNoHash) {
    regf::StoreBytes(&bytes_[file.at + kHashAt], bytes);
  }
  Store64(&bytes_[file.at + kWrittenAt], time);
  return {};
}

// Updates the references to lists that begin at or after `from` and have moved, except that of `except`.
Result<void> Metadata::Move(std::size_t from, std::int64_t distance, std::size_t except) {
  std::vector<std::size_t> moved;
  // Collect first: changing the places would disturb the walk.
  PROV_TRY(ForEach([&](std::size_t at) {
    if (at != except && Load64(bytes_, at + kListAt) >= from) moved.push_back(at);
  }));
  for (const std::size_t at : moved) {
    Store64(&bytes_[at + kListAt], Load64(bytes_, at + kListAt) + static_cast<std::uint64_t>(distance));
  }
  return {};
}

// Appends bytes to the list of `folder`.
Result<void> Metadata::Insert(std::size_t at, std::string_view bytes, std::size_t folder) {
  const bool is_last =
      last_list_ != 0 && Load64(bytes_, folder + kListAt) == last_list_ && at + kEndBytes == bytes_.size();
  if (!is_last) PROV_TRY(Move(at, static_cast<std::int64_t>(bytes.size()), folder));
  if (!is_last && last_list_ >= at) last_list_ += bytes.size();
  bytes_.insert(at, bytes);
  return {};
}

Result<std::size_t> Metadata::ListOf(std::size_t folder) {
  const auto list = static_cast<std::size_t>(Load64(bytes_, folder + kListAt));
  if (list != 0) return list;
  bytes_.resize(Aligned(bytes_.size()));
  last_list_ = bytes_.size();
  Store64(&bytes_[folder + kListAt], last_list_);
  bytes_.append(kEndBytes, '\0');
  return last_list_;
}

Result<std::uint32_t> Metadata::SecurityId(std::string_view descriptor) {
  const std::uint32_t count = Load32(bytes_, 4);
  const std::size_t sizes_end = kSecurityFixedBytes + std::size_t{8} * count;
  std::size_t at = sizes_end;
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto size = static_cast<std::size_t>(Load64(bytes_, kSecurityFixedBytes + std::size_t{8} * i));
    if (std::string_view(bytes_).substr(at, size) == descriptor) return i;
    at += size;
  }
  std::string section(kSecurityFixedBytes, '\0');
  section.append(bytes_, kSecurityFixedBytes, sizes_end - kSecurityFixedBytes);
  section.append(8, '\0');
  Store64(&section[sizes_end], descriptor.size());
  section.append(bytes_, sizes_end, at - sizes_end).append(descriptor);
  section.resize(Aligned(section.size()));
  Store32(section.data(), static_cast<std::uint32_t>(section.size()));
  Store32(&section[4], count + 1);
  const auto distance = static_cast<std::int64_t>(section.size()) - static_cast<std::int64_t>(root_);
  PROV_TRY(Move(1, distance, kNowhere));
  bytes_.replace(0, root_, section);
  root_ = section.size();
  if (last_list_ != 0) last_list_ += static_cast<std::size_t>(distance);
  return count;
}

Result<void> Metadata::SetDescriptor(Entry entry, std::string_view descriptor) {
  const std::size_t old_root = root_;
  const std::uint32_t security = PROV_TRY(SecurityId(descriptor));
  Store32(&bytes_[entry.at + (root_ - old_root) + kSecurityAt], security);
  return {};
}

Result<void> Metadata::Add(Entry folder, std::string_view name, std::optional<Hash> hash, std::string_view descriptor,
                           std::uint64_t time) {
  const std::size_t old_root = root_;
  const std::uint32_t security = PROV_TRY(SecurityId(descriptor));
  const std::size_t parent = folder.at + (root_ - old_root);
  const std::size_t end = PROV_TRY(EndOfList(PROV_TRY(ListOf(parent))));
  PROV_TRY(Insert(end, NewEntry(name, !hash, security, hash.value_or(kNoHash), time), parent));
  if (!hash) PROV_TRY(ListOf(end));
  return {};
}

Result<void> Metadata::Remove(Entry folder, Entry entry, const std::function<void(const Hash&)>& on_hash) {
  const std::size_t size = PROV_TRY(SizeOf(entry.at));
  const std::size_t end = PROV_TRY(EndOfList(static_cast<std::size_t>(Load64(bytes_, folder.at + kListAt))));
  if (const Hash hash = LoadHash(bytes_, entry.at + kHashAt); hash != kNoHash) on_hash(hash);
  std::size_t stream = entry.at + Aligned(static_cast<std::size_t>(Load64(bytes_, entry.at)));
  for (unsigned left = Load16(bytes_, entry.at + kStreamsAt); left > 0; --left) {
    if (const Hash hash = LoadHash(bytes_, stream + kStreamHashAt); hash != kNoHash) on_hash(hash);
    stream += Aligned(static_cast<std::size_t>(Load64(bytes_, stream)));
  }
  // Moves the following entries up. Only their list refers to them, so other lists stay in place.
  const std::string rest = bytes_.substr(entry.at + size, end - entry.at - size);
  bytes_.replace(entry.at, end - entry.at, rest + std::string(size, '\0'));
  return {};
}

Result<bool> Metadata::IsEmpty(Entry folder) const {
  const auto list = static_cast<std::size_t>(Load64(bytes_, folder.at + kListAt));
  return list == 0 || PROV_TRY(SizeOf(list)) == 0;
}

}  // namespace prov::images::wim
