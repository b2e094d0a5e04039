#include "provisioner/base/base64.h"

#include <openssl/evp.h>

#include <array>
#include <cstdint>

namespace prov {
namespace {

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t kNoDigit = 0xFF;  // has bits that no digit's value has

constexpr std::array<std::uint8_t, 256> MakeTable() {
  std::array<std::uint8_t, 256> table{};
  table.fill(kNoDigit);
  for (std::size_t i = 0; i < kAlphabet.size(); ++i)
    table[static_cast<unsigned char>(kAlphabet[i])] = static_cast<std::uint8_t>(i);
  return table;
}
constexpr auto kTable = MakeTable();

std::uint32_t DigitValue(char c) { return kTable[static_cast<unsigned char>(c)]; }

std::size_t FirstBad(std::string_view text, std::size_t from) {
  for (std::size_t i = from; i < text.size(); ++i) {
    if (DigitValue(text[i]) == kNoDigit) return i;
  }
  return text.size();
}

// Decodes a text without its padding; returns the number of bytes. `bad`: the first invalid character, or the text's
// size if one character is left over.
std::size_t DecodeInto(char* const begin, std::string_view body, std::size_t& bad) {
  char* to = begin;
  std::size_t i = 0;
  for (; i + 4 <= body.size(); i += 4) {
    const std::uint32_t a = DigitValue(body[i]);
    const std::uint32_t b = DigitValue(body[i + 1]);
    const std::uint32_t c = DigitValue(body[i + 2]);
    const std::uint32_t d = DigitValue(body[i + 3]);
    if ((a | b | c | d) == kNoDigit) break;
    const std::uint32_t group = (a << 18U) | (b << 12U) | (c << 6U) | d;
    *to++ = static_cast<char>(group >> 16U);
    *to++ = static_cast<char>((group >> 8U) & 0xFFU);
    *to++ = static_cast<char>(group & 0xFFU);
  }
  const std::string_view rest = body.substr(i);
  const std::size_t first_bad = FirstBad(body, i);
  if (first_bad < body.size() || rest.size() == 1) {
    bad = first_bad;
    return 0;
  }
  if (rest.size() >= 2) *to++ = static_cast<char>((DigitValue(rest[0]) << 2U) | (DigitValue(rest[1]) >> 4U));
  if (rest.size() == 3) *to++ = static_cast<char>(((DigitValue(rest[1]) & 0xFU) << 4U) | (DigitValue(rest[2]) >> 2U));
  return static_cast<std::size_t>(to - begin);
}

}  // namespace

std::string EncodeBase64(std::string_view bytes) {
  std::string out((bytes.size() + 2) / 3 * 4, '\0');
  // Also writes a NUL behind the text, where std::string has one.
  EVP_EncodeBlock(reinterpret_cast<unsigned char*>(out.data()), reinterpret_cast<const unsigned char*>(bytes.data()),
                  static_cast<int>(bytes.size()));
  return out;
}

std::expected<std::string, std::size_t> DecodeBase64(std::string_view text) {
  std::size_t padding = 0;
  while (padding < 2 && padding < text.size() && text[text.size() - 1 - padding] == '=') ++padding;
  const std::string_view body = text.substr(0, text.size() - padding);
  if (text.size() % 4 != 0) {
    const std::size_t bad = FirstBad(body, 0);
    return std::unexpected(bad < body.size() ? bad : text.size());
  }
  std::string out;
  std::size_t bad = std::string_view::npos;
  out.resize_and_overwrite(text.size() / 4 * 3, [&](char* to, std::size_t) { return DecodeInto(to, body, bad); });
  if (bad != std::string_view::npos) return std::unexpected(bad == body.size() ? text.size() : bad);
  return out;
}

}  // namespace prov
