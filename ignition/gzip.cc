#include "ignition/gzip.h"

#include <fmt/format.h>
#define ZLIB_CONST  // makes input pointers const
#include <zlib.h>

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

namespace prov::ignition {
namespace {

constexpr int kGzipOnly = 16 + MAX_WBITS;  // inflateInit2: only the gzip format, not zlib or raw

class Inflater {
 public:
  Inflater() : ready_(inflateInit2(&stream_, kGzipOnly) == Z_OK) {}
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater() {
    if (ready_) inflateEnd(&stream_);
  }

  bool ready() const { return ready_; }
  z_stream& stream() { return stream_; }

 private:
  z_stream stream_{};
  bool ready_;
};

std::unexpected<Error> RefuseDecompression(std::string_view what, std::string_view where) {
  return Fail(Code::kDecompress, fmt::format("cannot decompress: {}", what), std::string(where));
}

}  // namespace

bool LooksLikeGzip(std::string_view bytes) { return bytes.starts_with("\x1f\x8b"); }

Result<std::string> Gunzip(std::string_view bytes, std::uint64_t limit, std::string_view where) {
  if (!LooksLikeGzip(bytes))
    return RefuseDecompression(bytes.empty() ? "the contents are empty" : "the contents are not gzip (invalid header)",
                               where);
  Inflater inflater;
  if (!inflater.ready()) return Fail(Code::kInternal, "zlib cannot start", std::string(where));
  z_stream& stream = inflater.stream();
  constexpr std::size_t kChunk = 65536;
  std::vector<unsigned char> chunk(kChunk);
  std::string out;
  std::string_view rest = bytes;
  for (;;) {
    // zlib counts in 32 bits, so large inputs are passed in pieces.
    const std::size_t piece = std::min<std::size_t>(rest.size(), std::numeric_limits<uInt>::max());
    stream.next_in = reinterpret_cast<const Bytef*>(rest.data());
    stream.avail_in = static_cast<uInt>(piece);
    stream.next_out = chunk.data();
    stream.avail_out = static_cast<uInt>(chunk.size());
    const int result = inflate(&stream, Z_NO_FLUSH);
    rest.remove_prefix(piece - stream.avail_in);
    const std::size_t produced = chunk.size() - stream.avail_out;
    if (produced > limit - out.size()) {
      return Fail(Code::kTooLarge, fmt::format("decompresses to more than {} bytes", limit), std::string(where));
    }
    out.append(reinterpret_cast<const char*>(chunk.data()), produced);
    if (result == Z_STREAM_END) {
      if (rest.empty()) return out;
      if (!LooksLikeGzip(rest))
        return RefuseDecompression(fmt::format("{} bytes that are not gzip follow the stream", rest.size()), where);
      if (inflateReset(&stream) != Z_OK) return Fail(Code::kInternal, "zlib cannot go on", std::string(where));
    } else if (result == Z_BUF_ERROR || (result == Z_OK && rest.empty() && stream.avail_out != 0)) {
      return RefuseDecompression("the gzip stream ends too early (cut short?)", where);
    } else if (result == Z_MEM_ERROR) {
      return Fail(Code::kTooLarge, "not enough memory to decompress", std::string(where));
    } else if (result != Z_OK) {
      return RefuseDecompression(
          fmt::format("the gzip stream is damaged ({})", stream.msg != nullptr ? stream.msg : "unknown reason"), where);
    }
  }
}

}  // namespace prov::ignition
