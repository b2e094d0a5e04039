// Space for the cells of a new hive.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace prov::images::regf {

// Hands out cells in bins of 16 KiB (the size that one segment of big data fills exactly), or larger where one cell
// needs it; pages that the last bin does not use are cut off in the end. Gaps at the ends of the last few bins are
// filled by later, smaller cells (best fit among a fixed number, so time stays linear). Everything is zero until
// written.
class BinAllocator {
 public:
  // `filetime` stands in the first bin; `expected_bytes` of cells are reserved at once.
  BinAllocator(std::uint64_t filetime, std::size_t expected_bytes);
  // Goes on behind the bins of a hive, of which a copy is made: `file` ends with its last bin. Their free space stays
  // as it is.
  BinAllocator(std::string_view file, std::size_t expected_bytes);

  // A new cell in use for `content_bytes`: its offset in the bins, which is above `after`.
  std::uint32_t Allocate(std::size_t content_bytes, std::uint32_t after = 0);

  // Marks a cell of that hive free and wipes its content, which may have been a secret.
  void Free(std::uint32_t offset);

  // Where the content of a cell is written; valid until the next Allocate.
  char* Content(std::uint32_t offset);

  // The file so far: the base block (4096 zero bytes in a new hive), then the bins with their free space marked. The
  // allocator is empty afterwards.
  std::string Finish();

  std::size_t BinsBytes() const;

 private:
  // The unused end of a bin, offsets in the bins; empty when begin == end.
  struct Gap {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    std::uint32_t Bytes() const { return end - begin; }
  };

  Gap& AddBin(std::uint32_t cell_bytes);
  void MarkFree(const Gap& gap);
  void TrimLastBin();

  std::string file_;
  std::uint64_t filetime_ = 0;
  std::uint32_t last_bin_ = 0;  // its offset
  std::array<Gap, 16> gaps_{};
};

}  // namespace prov::images::regf
