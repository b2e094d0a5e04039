// A small reader of DER (X.690) for certificates: definite lengths in their shortest form, one-byte tags. Every access
// is checked against the available bytes. Nothing is copied, so results live as long as the input does. Each nested
// element needs a new reader, so the caller controls the depth and there is no recursion.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace prov::pki {

// Identifier octets, with class and constructed bit.
namespace der {
inline constexpr std::uint8_t kBoolean = 0x01;
inline constexpr std::uint8_t kInteger = 0x02;
inline constexpr std::uint8_t kBitString = 0x03;
inline constexpr std::uint8_t kOctetString = 0x04;
inline constexpr std::uint8_t kOid = 0x06;
inline constexpr std::uint8_t kUtcTime = 0x17;
inline constexpr std::uint8_t kGeneralizedTime = 0x18;
inline constexpr std::uint8_t kSequence = 0x30;
inline constexpr std::uint8_t kSet = 0x31;
constexpr std::uint8_t Context(unsigned number) { return static_cast<std::uint8_t>(0x80U | number); }  // [n] primitive
constexpr std::uint8_t ContextConstructed(unsigned number) {
  return static_cast<std::uint8_t>(0xA0U | number);
}  // [n] constructed
}  // namespace der

struct DerElement {
  std::uint8_t tag = 0;
  std::string_view content;  // the value
  std::string_view whole;    // identifier, length and value
};

// Walks the elements of one level.
class DerReader {
 public:
  explicit DerReader(std::string_view bytes) : rest_(bytes) {}

  bool AtEnd() const { return rest_.empty(); }
  std::string_view Rest() const { return rest_; }
  // Whether the next element has this tag; false at the end.
  bool NextIs(std::uint8_t tag) const { return !rest_.empty() && static_cast<std::uint8_t>(rest_.front()) == tag; }

  // The next element; nullopt at the end, for a length that is cut short, indefinite, not in its shortest form or of
  // more than four bytes, and for multi-byte tags. After nullopt the reader's position is unchanged.
  std::optional<DerElement> Next();
  // The content of the next element if it has this tag; otherwise nullopt, with the position unchanged.
  std::optional<std::string_view> Read(std::uint8_t tag);

 private:
  std::string_view rest_;
};

// The content of the only element in `bytes`; nullopt if it has another tag, or if bytes follow.
std::optional<std::string_view> OnlyElement(std::string_view bytes, std::uint8_t tag);

// The content of an OBJECT IDENTIFIER as "2.5.4.3"; nullopt if it is malformed or an arc needs more than 64 bits.
std::optional<std::string> DottedOid(std::string_view content);

// Whether this is the content of an INTEGER: not empty and in its shortest form.
bool IsDerInteger(std::string_view content);
// The number of significant bits of a non-negative INTEGER's content; 0 for zero, negative or malformed ones.
std::size_t IntegerBits(std::string_view content);
// Lower-case hex of an INTEGER's magnitude in whole bytes, without padding: "00" for zero, "-05" for minus five.
std::string IntegerHex(std::string_view content);

}  // namespace prov::pki
