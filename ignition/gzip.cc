#include "ignition/gzip.h"

#include <fmt/format.h>
#define ZLIB_CONST  // makes input pointers const
#include <zlib.h>

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

namespace prov::ignition {
namespace {

constexpr std::size_t kChunk = 65536;
constexpr int kGzipOnly = 16 + MAX_WBITS;  // inflateInit2: only the gzip format, not zlib or raw

std::unexpected<Error> RefuseDecompression(std::string_view what, std::string_view where) {
  return Fail(Code::kDecompress, fmt::format("cannot decompress: {}", what), std::string(where));
}

}  // namespace

bool LooksLikeGzip(std::string_view bytes) { return bytes.starts_with("\x1f\x8b"); }

struct GunzipStream::State {
  State(ByteReader reader, std::string name)
      : from(std::move(reader)), where(std::move(name)), ready(inflateInit2(&stream, kGzipOnly) == Z_OK) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    if (ready) inflateEnd(&stream);
  }

  // Reads more input when there is none left. Returns false at its end.
  Result<bool> Refill() {
    if (stream.avail_in > 0) return true;
    const std::size_t size = PROV_TRY(from(chunk.data(), chunk.size()));
    stream.next_in = reinterpret_cast<const Bytef*>(chunk.data());
    stream.avail_in = static_cast<uInt>(size);
    taken += size;
    return size > 0;
  }

  // Begins the next member. Returns false at the end of the input.
  Result<bool> Begin() {
    if (!PROV_TRY(Refill())) return false;
    // inflate() itself says that a first byte begins no member.
    if (inflateReset(&stream) != Z_OK) return Fail(Code::kInternal, "zlib cannot go on", where);
    in_member = true;
    return true;
  }

  std::unexpected<Error> Refuse(int result) const {
    if (result == Z_MEM_ERROR) return Fail(Code::kTooLarge, "not enough memory to decompress", where);
    if (result == Z_DATA_ERROR && members > 0 && stream.total_out == 0 && stream.total_in <= 2)
      return RefuseDecompression("bytes that are not gzip follow the stream", where);
    return RefuseDecompression(
        fmt::format("the gzip stream is damaged ({})", stream.msg != nullptr ? stream.msg : "unknown reason"), where);
  }

  ByteReader from;
  std::string where;
  z_stream stream{};
  bool ready;
  std::vector<char> chunk = std::vector<char>(kChunk);
  bool in_member = false;
  std::size_t members = 0;  // that are complete
  std::uint64_t taken = 0;
  std::uint64_t given = 0;
};

GunzipStream::GunzipStream(ByteReader from, std::string where)
    : state_(std::make_unique<State>(std::move(from), std::move(where))) {}
GunzipStream::~GunzipStream() = default;

std::uint64_t GunzipStream::taken() const { return state_->taken; }
std::uint64_t GunzipStream::given() const { return state_->given; }

Result<std::size_t> GunzipStream::Read(char* to, std::size_t size) {
  State& state = *state_;
  if (!state.ready) return Fail(Code::kInternal, "zlib cannot start", state.where);
  z_stream& stream = state.stream;
  const std::size_t most = std::min<std::size_t>(size, std::numeric_limits<uInt>::max());
  stream.next_out = reinterpret_cast<Bytef*>(to);
  stream.avail_out = static_cast<uInt>(most);
  while (stream.avail_out == most) {
    if (!state.in_member && !PROV_TRY(state.Begin())) return 0;
    const bool has_input = PROV_TRY(state.Refill());
    const int result = inflate(&stream, Z_NO_FLUSH);  // output may be left without input
    if (result == Z_STREAM_END) {
      state.in_member = false;
      ++state.members;
    } else if (result == Z_BUF_ERROR && !has_input) {
      return RefuseDecompression("the gzip stream ends too early (cut short?)", state.where);
    } else if (result != Z_OK && result != Z_BUF_ERROR) {
      return state.Refuse(result);
    }
  }
  state.given += most - stream.avail_out;
  return most - stream.avail_out;
}

Result<std::string> Gunzip(std::string_view bytes, std::uint64_t limit, std::string_view where) {
  if (!LooksLikeGzip(bytes))
    return RefuseDecompression(bytes.empty() ? "the contents are empty" : "the contents are not gzip (invalid header)",
                               where);
  GunzipStream stream(ReadBytesOf(bytes), std::string(where));
  std::vector<char> chunk(kChunk);
  std::string out;
  for (;;) {
    const std::size_t produced = PROV_TRY(stream.Read(chunk.data(), chunk.size()));
    if (produced == 0) return out;
    if (produced > limit - out.size())
      return Fail(Code::kTooLarge, fmt::format("decompresses to more than {} bytes", limit), std::string(where));
    out.append(chunk.data(), produced);
  }
}

}  // namespace prov::ignition
