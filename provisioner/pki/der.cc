#include "provisioner/pki/der.h"

#include <bit>
#include <charconv>
#include <limits>

#include "provisioner/base/text.h"

namespace prov::pki {
namespace {

std::uint8_t Byte(std::string_view bytes, std::size_t at) { return static_cast<std::uint8_t>(bytes[at]); }

bool IsNegative(std::string_view integer) { return (Byte(integer, 0) & 0x80U) != 0; }

// Two's complement of a negative integer's content.
std::string Negate(std::string_view content) {
  std::string out(content);
  unsigned carry = 1;
  for (std::size_t i = out.size(); i-- > 0;) {
    const unsigned value = (~static_cast<unsigned>(Byte(out, i)) & 0xFFU) + carry;
    out[i] = static_cast<char>(value & 0xFFU);
    carry = value >> 8U;
  }
  return out;
}

}  // namespace

std::optional<DerElement> DerReader::Next() {
  if (rest_.size() < 2) return std::nullopt;
  const std::uint8_t tag = Byte(rest_, 0);
  if ((tag & 0x1FU) == 0x1FU) return std::nullopt;
  std::size_t length = Byte(rest_, 1);
  std::size_t header = 2;
  if (length >= 0x80) {
    const std::size_t octets = length & 0x7FU;
    if (octets == 0 || octets > 4 || rest_.size() - header < octets) return std::nullopt;
    length = 0;
    for (std::size_t i = 0; i < octets; ++i) length = (length << 8U) | Byte(rest_, header + i);
    const bool shortest = length >= 0x80 && (length >> (8 * (octets - 1))) != 0;
    if (!shortest) return std::nullopt;
    header += octets;
  }
  if (rest_.size() - header < length) return std::nullopt;
  const DerElement element{tag, rest_.substr(header, length), rest_.substr(0, header + length)};
  rest_.remove_prefix(header + length);
  return element;
}

std::optional<std::string_view> DerReader::Read(std::uint8_t tag) {
  if (!NextIs(tag)) return std::nullopt;
  const auto element = Next();
  if (!element) return std::nullopt;
  return element->content;
}

std::optional<std::string_view> OnlyElement(std::string_view bytes, std::uint8_t tag) {
  DerReader reader(bytes);
  const auto content = reader.Read(tag);
  if (!content || !reader.AtEnd()) return std::nullopt;
  return content;
}

std::optional<std::string> DottedOid(std::string_view content) {
  if (content.empty() || (Byte(content, content.size() - 1) & 0x80U) != 0) return std::nullopt;
  std::string out;
  const auto append = [&out](std::uint64_t arc) {
    char digits[20];
    const auto end = std::to_chars(digits, digits + sizeof digits, arc).ptr;
    if (!out.empty()) out.push_back('.');
    out.append(digits, end);
  };
  std::uint64_t arc = 0;
  bool at_start = true;
  for (std::size_t i = 0; i < content.size(); ++i) {
    const std::uint8_t byte = Byte(content, i);
    if (at_start && byte == 0x80) return std::nullopt;  // padded
    if (arc > (std::numeric_limits<std::uint64_t>::max() >> 7U)) return std::nullopt;
    arc = (arc << 7U) | (byte & 0x7FU);
    at_start = (byte & 0x80U) == 0;
    if (!at_start) continue;
    if (out.empty()) {
      const std::uint64_t first = arc < 40 ? 0 : (arc < 80 ? 1 : 2);
      append(first);
      arc -= first * 40;
    }
    append(arc);
    arc = 0;
  }
  return out;
}

bool IsDerInteger(std::string_view content) {
  if (content.empty()) return false;
  if (content.size() == 1) return true;
  const bool second_is_negative = (Byte(content, 1) & 0x80U) != 0;
  const std::uint8_t first = Byte(content, 0);
  return !(first == 0x00 && !second_is_negative) && !(first == 0xFF && second_is_negative);
}

std::size_t IntegerBits(std::string_view content) {
  if (!IsDerInteger(content) || IsNegative(content)) return 0;
  if (content.front() == '\0') content.remove_prefix(1);
  if (content.empty()) return 0;
  return (content.size() - 1) * 8 + static_cast<std::size_t>(std::bit_width(Byte(content, 0)));
}

std::string IntegerHex(std::string_view content) {
  if (content.empty()) return "00";
  if (!IsNegative(content)) {
    if (content.size() > 1 && content.front() == '\0') content.remove_prefix(1);
    return ToHex(content);
  }
  const std::string magnitude = Negate(content);
  std::string_view digits = magnitude;
  while (digits.size() > 1 && digits.front() == '\0') digits.remove_prefix(1);
  return "-" + ToHex(digits);
}

}  // namespace prov::pki
