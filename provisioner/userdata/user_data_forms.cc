#include "provisioner/userdata/user_data_forms.h"

#include <fmt/format.h>
#include <zlib.h>

#include <array>
#include <cstdint>
#include <new>

#include "provisioner/base/base64.h"

namespace prov::userdata {
namespace {

class Deflater {
 public:
  Deflater() {
    constexpr int kGzip = 16;
    constexpr int kUnknownSystem = 255;
    header_.os = kUnknownSystem;  // otherwise zlib writes the system that it was built for
    // fails only for lack of memory
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
    // zlib's interface lacks const; it does not write there.
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

constexpr std::size_t kGroup = 4;
constexpr std::uint32_t kBase = 85;
constexpr std::uint32_t kZero = '!';

}  // namespace

std::string Gzip(std::span<const std::string_view> parts) {
  Deflater deflater;
  for (const std::string_view part : parts) deflater.Add(part, Z_BLOCK);
  deflater.Add({}, Z_FINISH);
  return deflater.Take();
}

std::string EncodeAscii85(std::string_view bytes) {
  std::string out;
  out.reserve((bytes.size() / kGroup + 1) * (kGroup + 1));
  for (std::size_t at = 0; at < bytes.size(); at += kGroup) {
    std::uint32_t value = 0;
    for (std::size_t i = at; i < at + kGroup; ++i) {
      value = value << 8U | (i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0U);
    }
    std::array<char, kGroup + 1> digits{};
    for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit) {
      *digit = static_cast<char>(kZero + value % kBase);
      value /= kBase;
    }
    out.append(digits.data(), digits.size());
  }
  return out;
}

std::optional<std::string> DecodeAscii85(std::string_view text) {
  std::string out;
  std::uint64_t value = 0;
  std::size_t digits = 0;
  for (const char c : text) {
    if (c == ' ' || c == '\n' || c == '\r') continue;
    const auto digit = static_cast<std::uint32_t>(static_cast<unsigned char>(c)) - kZero;
    if (digit >= kBase) return std::nullopt;
    value = value * kBase + digit;
    if (++digits % (kGroup + 1) != 0) continue;
    if (value > UINT32_MAX) return std::nullopt;
    for (std::size_t i = kGroup; i-- > 0;) out += static_cast<char>(value >> (8 * i) & 0xFFU);
    value = 0;
  }
  return digits % (kGroup + 1) == 0 ? std::optional(out) : std::nullopt;
}

std::string InTags(std::string_view script, bool persist) {
  return fmt::format("<powershell>\n{}</powershell>{}", script, persist ? "\n<persist>true</persist>" : "");
}

std::string WithCloudbaseMark(std::string_view script) { return fmt::format("#ps1_sysnative\n{}", script); }

std::string InGuestInfo(std::string_view user_data) { return EncodeBase64(Gzip(std::array{user_data})); }

}  // namespace prov::userdata
