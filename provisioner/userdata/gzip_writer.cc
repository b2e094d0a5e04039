#include "provisioner/userdata/gzip_writer.h"

#include <zlib.h>

#include <array>
#include <new>

namespace prov::userdata {
namespace {

class Deflater {
 public:
  Deflater() {
    constexpr int kGzip = 16;
    constexpr int kUnknownSystem = 255;
    header_.os = kUnknownSystem;  // else zlib writes the one it was built for
    // It fails for lack of memory only.
    if (deflateInit2(&stream_, Z_BEST_COMPRESSION, Z_DEFLATED, MAX_WBITS + kGzip, MAX_MEM_LEVEL, Z_DEFAULT_STRATEGY) !=
        Z_OK) {
      throw std::bad_alloc();
    }
    deflateSetHeader(&stream_, &header_);
  }
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;
  ~Deflater() { deflateEnd(&stream_); }

  void Add(std::string_view bytes, int flush) {
    // zlib's interface has no const; it doesn't write there.
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream_.avail_in = static_cast<uInt>(bytes.size());
    std::array<char, 16384> buffer{};
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(buffer.data());
      stream_.avail_out = static_cast<uInt>(buffer.size());
      deflate(&stream_, flush);
      out_.append(buffer.data(), buffer.size() - stream_.avail_out);
    } while (stream_.avail_out == 0);
  }

  std::string Take() { return std::move(out_); }

 private:
  z_stream stream_{};
  gz_header header_{};
  std::string out_;
};

}  // namespace

std::string Gzip(std::span<const std::string_view> parts) {
  Deflater deflater;
  for (const std::string_view part : parts) deflater.Add(part, Z_BLOCK);
  deflater.Add({}, Z_FINISH);
  return deflater.Take();
}

}  // namespace prov::userdata
