#include "provisioner/userdata/ascii85.h"

#include <array>
#include <cstdint>

namespace prov::userdata {
namespace {

constexpr std::size_t kGroup = 4;
constexpr std::uint32_t kBase = 85;
constexpr std::uint32_t kZero = '!';

}  // namespace

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

}  // namespace prov::userdata
