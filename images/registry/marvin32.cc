#include "images/registry/marvin32.h"

#include <bit>

#include "images/registry/hive_format.h"

namespace prov::images::regf {
namespace {

class State {
 public:
  explicit State(std::uint64_t seed)
      : low_(static_cast<std::uint32_t>(seed & 0xFFFFFFFFU)), high_(static_cast<std::uint32_t>(seed >> 32U)) {}

  void Mix(std::uint32_t word) {
    low_ += word;
    high_ ^= low_;
    low_ = std::rotl(low_, 20) + high_;
    high_ = std::rotl(high_, 9) ^ low_;
    low_ = std::rotl(low_, 27) + high_;
    high_ = std::rotl(high_, 19);
  }

  std::uint64_t Value() const { return (std::uint64_t{high_} << 32U) | low_; }

 private:
  std::uint32_t low_;
  std::uint32_t high_;
};

}  // namespace

std::uint64_t Marvin32(std::string_view bytes, std::uint64_t seed) {
  State state(seed);
  const std::size_t whole = bytes.size() / 4 * 4;
  for (std::size_t at = 0; at < whole; at += 4) state.Mix(Load32(bytes, at));
  // The last word is what remains, with 0x80 behind it.
  std::uint32_t last = 0x80;
  for (std::size_t at = bytes.size(); at > whole; --at)
    last = (last << 8U) | static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at - 1]));
  state.Mix(last);
  state.Mix(0);
  return state.Value();
}

}  // namespace prov::images::regf
