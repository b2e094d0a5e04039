#include <sys/mman.h>

#include <cstddef>
#include <cstdint>

#include "provisioner/base/large_pages.h"

namespace prov {

void UseLargePages(const std::string& buffer) {
  constexpr std::size_t kLargePage = std::size_t{2} << 20U;
  const auto begin = (reinterpret_cast<std::uintptr_t>(buffer.data()) + kLargePage - 1) / kLargePage * kLargePage;
  const auto end = (reinterpret_cast<std::uintptr_t>(buffer.data()) + buffer.capacity()) / kLargePage * kLargePage;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): an address within the buffer
  if (end > begin) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
}

}  // namespace prov
