// gzip (RFC 1952), in memory and piece by piece.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "provisioner/base/byte_reader.h"
#include "provisioner/base/result.h"

namespace prov::ignition {

// Whether `bytes` begin with the two magic bytes of gzip.
bool LooksLikeGzip(std::string_view bytes);

// Decompresses one or several members. Errors, with `where`: decompress (truncated, damaged, not gzip, or followed by
// other bytes); too-large (more than `limit` bytes), found as soon as the limit is exceeded, so that a decompression
// bomb takes no memory.
Result<std::string> Gunzip(std::string_view bytes, std::uint64_t limit, std::string_view where);

// Decompresses one or several members piece by piece.
class GunzipStream {
 public:
  // `where` names the input in errors.
  GunzipStream(ByteReader from, std::string where);
  ~GunzipStream();
  GunzipStream(const GunzipStream&) = delete;
  GunzipStream& operator=(const GunzipStream&) = delete;

  // Reads at most `size` bytes, above 0, and returns how many; 0 at the end. Errors: decompress, as Gunzip has them;
  // those of `from`; too-large if there is no memory. Do not use the stream after an error.
  Result<std::size_t> Read(char* to, std::size_t size);

  std::uint64_t taken() const;  // compressed bytes that were read
  std::uint64_t given() const;  // decompressed bytes that were returned

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace prov::ignition
