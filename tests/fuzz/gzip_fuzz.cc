// Gunzip: agrees with a byte-by-byte use of zlib, keeps to its limit, refuses what is cut short, and gives back what
// was compressed.
#include "ignition/gzip.h"

#define ZLIB_CONST
#include <zlib.h>

#include <optional>

#include "tests/fuzz/check.h"

namespace prov::fuzz {
namespace {

constexpr std::uint64_t kLimit = 1 << 18;
constexpr std::string_view kWhere = "$.source";

// One member after the other, one input byte at a time. nullopt: damaged, cut short, trailing bytes or above the limit.
std::optional<std::string> Reference(std::string_view bytes) {
  std::string out;
  if (bytes.empty()) return std::nullopt;
  while (!bytes.empty()) {
    z_stream stream{};
    if (inflateInit2(&stream, 16 + MAX_WBITS) != Z_OK) std::abort();
    int result = Z_OK;
    while (result == Z_OK && !bytes.empty()) {
      stream.next_in = reinterpret_cast<const Bytef*>(bytes.data());
      stream.avail_in = 1;
      do {
        unsigned char chunk[4096];
        stream.next_out = chunk;
        stream.avail_out = sizeof(chunk);
        result = inflate(&stream, Z_NO_FLUSH);
        out.append(reinterpret_cast<const char*>(chunk), sizeof(chunk) - stream.avail_out);
      } while (result == Z_OK && stream.avail_out == 0 && out.size() <= kLimit);
      if (result == Z_BUF_ERROR) result = Z_OK;  // no progress, which is no fault here
      if (stream.avail_in == 0) bytes.remove_prefix(1);
      if (out.size() > kLimit) result = Z_MEM_ERROR;
    }
    inflateEnd(&stream);
    if (result != Z_STREAM_END) return std::nullopt;
  }
  return out;
}

std::string Compress(std::string_view bytes) {
  z_stream stream{};
  if (deflateInit2(&stream, 1, Z_DEFLATED, 16 + 9, 1, Z_DEFAULT_STRATEGY) != Z_OK) std::abort();
  std::string out(deflateBound(&stream, static_cast<uLong>(bytes.size())), '\0');
  stream.next_in = reinterpret_cast<const Bytef*>(bytes.data());
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  if (deflate(&stream, Z_FINISH) != Z_STREAM_END) std::abort();
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

}  // namespace
}  // namespace prov::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace prov::fuzz;
  using prov::ignition::Gunzip;
  const std::string_view bytes = TextOf(data, size);
  const auto ours = Gunzip(bytes, kLimit, kWhere);
  const auto reference = Reference(bytes);
  FUZZ_CHECK(ours.has_value() == reference.has_value());
  if (ours) {
    FUZZ_CHECK(*ours == *reference);
    FUZZ_CHECK(ours->size() <= kLimit);
    const auto exact = Gunzip(bytes, ours->size(), kWhere);
    FUZZ_CHECK(exact && *exact == *ours);
    if (!ours->empty()) {
      const auto less = Gunzip(bytes, ours->size() - 1, kWhere);
      FUZZ_CHECK(!less && less.error().code == prov::Code::kTooLarge);
    }
    FUZZ_CHECK(!Gunzip(bytes.substr(0, size - 1), kLimit, kWhere));
  } else {
    CheckError(ours.error());
    FUZZ_CHECK(ours.error().code == prov::Code::kDecompress || ours.error().code == prov::Code::kTooLarge);
    FUZZ_CHECK(ours.error().where == kWhere);
  }
  const std::string packed = Compress(bytes);
  const auto unpacked = Gunzip(packed, size, kWhere);
  FUZZ_CHECK(unpacked && *unpacked == bytes);
  FUZZ_CHECK(!Gunzip(std::string_view(packed).substr(0, packed.size() - 1 - size % packed.size()), kLimit, kWhere));
  return 0;
}
