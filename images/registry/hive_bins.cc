#include "images/registry/hive_bins.h"

#include <algorithm>
#include <utility>

#include "images/registry/hive_cells.h"
#include "images/registry/hive_format.h"
#include "provisioner/base/large_pages.h"

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
  UseLargePages(file_);
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
  const std::optional<std::uint32_t> reused = TakeFree(cell_bytes, after);
  const std::uint32_t offset = reused ? *reused : TakeNew(cell_bytes, after);
  Store32(Cell(offset), 0U - cell_bytes);
  return offset;
}

std::optional<std::uint32_t> BinAllocator::TakeFree(std::uint32_t cell_bytes, std::uint32_t after) {
  auto best = free_.lower_bound({cell_bytes, 0});
  while (best != free_.end() && best->second <= after) ++best;
  if (best == free_.end()) return std::nullopt;
  const auto [bytes, offset] = *best;
  free_.erase(best);
  if (bytes != cell_bytes) free_.emplace(bytes - cell_bytes, offset + cell_bytes);
  // Free cells may have any content.
  std::fill_n(Cell(offset), cell_bytes, '\0');
  return offset;
}

std::uint32_t BinAllocator::TakeNew(std::uint32_t cell_bytes, std::uint32_t after) {
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

}  // namespace prov::images::regf
