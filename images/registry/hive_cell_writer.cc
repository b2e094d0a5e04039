#include "images/registry/hive_cell_writer.h"

#include <algorithm>

#include "images/registry/hive_cells.h"
#include "images/registry/hive_format.h"

namespace prov::images::regf {
namespace {

constexpr std::size_t kUsualBinBytes = 4 * kBinAlignment;

}  // namespace

BinAllocator::BinAllocator(std::uint64_t filetime, std::size_t expected_bytes)
    : file_(kBaseBlockBytes, '\0'), filetime_(filetime) {
  file_.reserve(2 * kBaseBlockBytes + expected_bytes + expected_bytes / 32);
}

BinAllocator::BinAllocator(std::string_view file, const std::vector<std::uint32_t>& freed, std::size_t expected_bytes) {
  file_.reserve(file.size() + 2 * kUsualBinBytes + expected_bytes + expected_bytes / 16);
  file_ = file;
  for (const std::uint32_t offset : freed) Wipe(offset);
  Gap gap;
  const auto add = [&] {
    if (gap.Bytes() != 0) free_.emplace(gap.Bytes(), gap.begin);
  };
  ForEachCell(std::string_view(file_).substr(kBaseBlockBytes), [&](std::uint32_t at, std::uint32_t bytes, bool in_use) {
    if (in_use) return;
    if (at == gap.end) {
      Store32(Cell(at), 0);
    } else {
      add();
      gap.begin = at;
    }
    gap.end = at + bytes;
  });
  add();
}

std::size_t BinAllocator::BinsBytes() const { return file_.size() - kBaseBlockBytes; }

std::uint32_t BinAllocator::Allocate(std::size_t content_bytes, std::uint32_t after) {
  const auto cell_bytes = static_cast<std::uint32_t>((kCellHeaderBytes + content_bytes + 7) / 8 * 8);
  const std::optional<std::uint32_t> reused = AllocateFree(cell_bytes, after);
  const std::uint32_t offset = reused ? *reused : AllocateNew(cell_bytes, after);
  Store32(Cell(offset), 0U - cell_bytes);
  return offset;
}

std::optional<std::uint32_t> BinAllocator::AllocateFree(std::uint32_t cell_bytes, std::uint32_t after) {
  auto best = free_.lower_bound({cell_bytes, 0});
  while (best != free_.end() && best->second <= after) ++best;
  if (best == free_.end()) return std::nullopt;
  const auto [bytes, offset] = *best;
  free_.erase(best);
  if (bytes != cell_bytes) free_.emplace(bytes - cell_bytes, offset + cell_bytes);
  // A free cell may have had any content.
  std::fill_n(Cell(offset), cell_bytes, '\0');
  return offset;
}

std::uint32_t BinAllocator::AllocateNew(std::uint32_t cell_bytes, std::uint32_t after) {
  Gap* best = nullptr;
  for (Gap& gap : gaps_) {
    if (gap.begin > after && gap.Bytes() >= cell_bytes && (best == nullptr || gap.Bytes() < best->Bytes())) best = &gap;
  }
  if (best == nullptr) best = &AddBin(cell_bytes);
  const std::uint32_t offset = best->begin;
  best->begin += cell_bytes;
  return offset;
}

void BinAllocator::Wipe(std::uint32_t offset) {
  const std::uint32_t cell_bytes = 0U - Load32(file_, kBaseBlockBytes + offset);
  Store32(Cell(offset), cell_bytes);
  std::fill_n(Content(offset), cell_bytes - kCellHeaderBytes, '\0');
}

char* BinAllocator::Cell(std::uint32_t offset) { return file_.data() + kBaseBlockBytes + offset; }
char* BinAllocator::Content(std::uint32_t offset) { return Cell(offset) + kCellHeaderBytes; }

BinAllocator::Gap& BinAllocator::AddBin(std::uint32_t cell_bytes) {
  const auto begin = static_cast<std::uint32_t>(BinsBytes());
  const std::size_t needed = (kBinHeaderBytes + cell_bytes + kBinAlignment - 1) / kBinAlignment * kBinAlignment;
  const auto bin_bytes = static_cast<std::uint32_t>(std::max(needed, kUsualBinBytes));
  file_.resize(file_.size() + bin_bytes);
  char* const header = file_.data() + kBaseBlockBytes + begin;
  StoreBytes(header, "hbin");
  Store32(header + 4, begin);
  Store32(header + 8, bin_bytes);
  if (begin == 0) Store64(header + 20, filetime_);
  last_bin_ = begin;
  Gap& smallest = *std::ranges::min_element(gaps_, {}, &Gap::Bytes);
  MarkFree(smallest);
  smallest = {static_cast<std::uint32_t>(begin + kBinHeaderBytes), begin + bin_bytes};
  return smallest;
}

void BinAllocator::MarkFree(const Gap& gap) {
  if (gap.Bytes() != 0) Store32(Cell(gap.begin), gap.Bytes());
}

void BinAllocator::TrimLastBin() {
  const auto end = static_cast<std::uint32_t>(BinsBytes());
  const auto last = std::ranges::find(gaps_, end, &Gap::end);
  if (last == gaps_.end()) return;
  const auto unused = static_cast<std::uint32_t>(last->Bytes() / kBinAlignment * kBinAlignment);
  last->end -= unused;
  file_.resize(file_.size() - unused);
  Store32(file_.data() + kBaseBlockBytes + last_bin_ + 8, end - unused - last_bin_);
}

std::string BinAllocator::Finish() {
  if (BinsBytes() != 0) TrimLastBin();
  for (Gap& gap : gaps_) MarkFree(std::exchange(gap, {}));
  for (const auto& [bytes, offset] : std::exchange(free_, {})) Store32(Cell(offset), bytes);
  return std::move(file_);
}

namespace {

std::uint32_t WriteBytes(BinAllocator& bins, std::string_view bytes) {
  const std::uint32_t offset = bins.Allocate(bytes.size());
  StoreBytes(bins.Content(offset), bytes);
  return offset;
}

std::uint32_t WriteBigData(BinAllocator& bins, std::string_view data) {
  const std::size_t segments = (data.size() + kBigDataBytes - 1) / kBigDataBytes;
  const std::uint32_t record = bins.Allocate(kBigDataRecordBytes);
  const std::uint32_t list = bins.Allocate(4 * segments);
  std::uint32_t segment = 0;
  for (std::size_t i = 0; i < segments; ++i) {
    const std::string_view part = data.substr(i * kBigDataBytes, kBigDataBytes);
    // For other readers: libhivex takes the last four bytes of a segment's cell as padding, and reglookup reads
    // segments in the order of their offsets.
    segment = bins.Allocate(part.size() + 4, segment);
    StoreBytes(bins.Content(segment), part);
    Store32(bins.Content(list) + 4 * i, segment);
  }
  char* const db = bins.Content(record);
  StoreBytes(db, "db");
  Store16(db + 2, static_cast<std::uint16_t>(segments));
  Store32(db + 4, list);
  return record;
}

std::uint32_t WriteLeaf(BinAllocator& bins, std::string_view kind, const std::vector<ListedKey>& keys,
                        std::size_t begin, std::size_t end) {
  const std::size_t entry_bytes = kind == "li" ? 4 : 8;
  const std::uint32_t leaf = bins.Allocate(4 + entry_bytes * (end - begin));
  char* entry = bins.Content(leaf);
  StoreBytes(entry, kind);
  Store16(entry + 2, static_cast<std::uint16_t>(end - begin));
  entry += 4;
  for (std::size_t i = begin; i < end; ++i, entry += entry_bytes) {
    Store32(entry, keys[i].key);
    if (entry_bytes == 8) Store32(entry + 4, keys[i].hint);
  }
  return leaf;
}

}  // namespace

std::uint32_t ListHint(std::string_view kind, std::u16string_view name) {
  if (kind == "lh") return LookupHash(Upcase(name));
  return kind == "lf" ? NameStart(name).value_or(0) : 0;
}

std::uint32_t WriteValue(BinAllocator& bins, const StoredName& name, RegType type, std::string_view data,
                         std::uint32_t minor) {
  const std::uint32_t offset = bins.Allocate(kValueBytes + name.bytes.size());
  const auto size = static_cast<std::uint32_t>(data.size());
  const bool is_inline = size <= 4;
  std::uint32_t data_offset = 0;
  if (!is_inline) data_offset = size > kBigDataBytes && minor > 3 ? WriteBigData(bins, data) : WriteBytes(bins, data);
  char* const vk = bins.Content(offset);
  StoreBytes(vk, "vk");
  Store16(vk + 2, static_cast<std::uint16_t>(name.bytes.size()));
  Store32(vk + 4, is_inline ? size | kInlineData : size);
  Store32(vk + 8, data_offset);
  if (is_inline) StoreBytes(vk + 8, data);
  Store32(vk + 12, static_cast<std::uint32_t>(type));
  Store16(vk + 16, name.latin1 && !name.bytes.empty() ? kValueLatin1Name : 0);
  StoreBytes(vk + kValueBytes, name.bytes);
  return offset;
}

std::uint32_t WriteSubkeyList(BinAllocator& bins, std::string_view kind, const std::vector<ListedKey>& keys) {
  if (keys.empty()) return kNil;
  std::vector<std::uint32_t> leaves;
  for (std::size_t begin = 0; begin < keys.size(); begin += kMaxLeafNames) {
    leaves.push_back(WriteLeaf(bins, kind, keys, begin, std::min(keys.size(), begin + kMaxLeafNames)));
  }
  if (leaves.size() == 1) return leaves.front();
  const std::uint32_t index = bins.Allocate(4 + 4 * leaves.size());
  char* const ri = bins.Content(index);
  StoreBytes(ri, "ri");
  Store16(ri + 2, static_cast<std::uint16_t>(leaves.size()));
  for (std::size_t i = 0; i < leaves.size(); ++i) Store32(ri + 4 + 4 * i, leaves[i]);
  return index;
}

std::uint32_t WriteSecurity(BinAllocator& bins, std::string_view descriptor) {
  const std::uint32_t offset = bins.Allocate(kSecurityBytes + descriptor.size());
  char* const sk = bins.Content(offset);
  StoreBytes(sk, "sk");
  Store32(sk + 16, static_cast<std::uint32_t>(descriptor.size()));
  StoreBytes(sk + kSecurityBytes, descriptor);
  return offset;
}

std::uint32_t AllocateKey(BinAllocator& bins, const StoredName& name) {
  return bins.Allocate(kKeyBytes + name.bytes.size());
}

void WriteKey(BinAllocator& bins, const KeyRecord& key, const StoredName& name, std::uint64_t filetime) {
  char* const nk = bins.Content(key.offset);
  StoreBytes(nk, "nk");
  Store16(nk + 2, static_cast<std::uint16_t>(key.flags | (name.latin1 ? kKeyLatin1Name : 0)));
  Store32(nk + 16, key.parent);
  Store32(nk + 32, kNil);  // volatile subkeys
  Store32(nk + 48, kNil);  // class name
  Store16(nk + 72, static_cast<std::uint16_t>(name.bytes.size()));
  StoreBytes(nk + kKeyBytes, name.bytes);
  UpdateKey(bins, key, filetime);
}

void UpdateKey(BinAllocator& bins, const KeyRecord& key, std::uint64_t filetime) {
  char* const nk = bins.Content(key.offset);
  Store64(nk + 4, filetime);
  Store32(nk + 20, key.subkey_count);
  Store32(nk + 28, key.subkey_list);
  Store32(nk + 36, key.value_count);
  Store32(nk + 40, key.value_list);
  Store32(nk + 44, key.security);
  Store16(nk + 52, static_cast<std::uint16_t>(key.max_subkey_name));  // the upper half holds flags
  Store32(nk + 60, key.max_value_name);
  Store32(nk + 64, key.max_value_data);
}

void SetSecurityLinks(BinAllocator& bins, std::uint32_t cell, std::uint32_t next, std::uint32_t previous) {
  char* const sk = bins.Content(cell);
  Store32(sk + 4, next);
  Store32(sk + 8, previous);
}

void SetSecurityReferences(BinAllocator& bins, std::uint32_t cell, std::uint32_t references) {
  Store32(bins.Content(cell) + 12, references);
}

}  // namespace prov::images::regf
