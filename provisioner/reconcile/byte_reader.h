// Reads and writes the fields of WinHTTP's and WinINET's binary values: little-endian numbers, and texts preceded by
// their length.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "images/registry/registry_key.h"

namespace prov::reconcile {

class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

  std::optional<std::uint32_t> Dword() {
    if (rest_.size() < 4) return std::nullopt;
    std::uint32_t value = 0;
    for (std::size_t i = 4; i-- > 0;) value = (value << 8U) | static_cast<unsigned char>(rest_[i]);
    rest_.remove_prefix(4);
    return value;
  }
  std::optional<std::string> Text() {
    const std::optional<std::uint32_t> size = Dword();
    if (!size || *size > rest_.size()) return std::nullopt;
    std::string text(rest_.substr(0, *size));
    rest_.remove_prefix(*size);
    return text;
  }
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

inline void PutText(std::string& out, std::string_view text) {
  out += images::EncodeDword(static_cast<std::uint32_t>(text.size()));
  out += text;
}

}  // namespace prov::reconcile
