#include "images/registry/hive_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "images/registry/hive_format.h"
#include "provisioner/base/text.h"

namespace prov::images::regf {
namespace {

// The units first, first + stride, ... last have the upper case unit + delta.
struct CaseRun {
  char16_t first;
  char16_t last;
  int stride;
  int delta;
};

// Ascending and disjoint.
// clang-format off
constexpr CaseRun kCaseRuns[] = {
    {0x0061, 0x007A, 1, -32}, {0x00E0, 0x00F6, 1, -32}, {0x00F8, 0x00FE, 1, -32}, {0x00FF, 0x00FF, 1, 121},
    {0x0101, 0x012F, 2, -1}, {0x0133, 0x0137, 2, -1}, {0x013A, 0x0148, 2, -1}, {0x014B, 0x0177, 2, -1},
    {0x017A, 0x017E, 2, -1}, {0x0180, 0x0180, 1, 195}, {0x0183, 0x0185, 2, -1}, {0x0188, 0x0188, 1, -1},
    {0x018C, 0x018C, 1, -1}, {0x0192, 0x0192, 1, -1}, {0x0195, 0x0195, 1, 97}, {0x0199, 0x0199, 1, -1},
    {0x019A, 0x019A, 1, 163}, {0x019E, 0x019E, 1, 130}, {0x01A1, 0x01A5, 2, -1}, {0x01A8, 0x01A8, 1, -1},
    {0x01AD, 0x01AD, 1, -1}, {0x01B0, 0x01B0, 1, -1}, {0x01B4, 0x01B6, 2, -1}, {0x01B9, 0x01B9, 1, -1},
    {0x01BD, 0x01BD, 1, -1}, {0x01BF, 0x01BF, 1, 56}, {0x01C6, 0x01C6, 1, -2}, {0x01C9, 0x01C9, 1, -2},
    {0x01CC, 0x01CC, 1, -2}, {0x01CE, 0x01DC, 2, -1}, {0x01DD, 0x01DD, 1, -79}, {0x01DF, 0x01EF, 2, -1},
    {0x01F3, 0x01F3, 1, -2}, {0x01F5, 0x01F5, 1, -1}, {0x01F9, 0x021F, 2, -1}, {0x0223, 0x0233, 2, -1},
    {0x023C, 0x023C, 1, -1}, {0x0242, 0x0242, 1, -1}, {0x0247, 0x024F, 2, -1}, {0x0250, 0x0250, 1, 10783},
    {0x0251, 0x0251, 1, 10780}, {0x0253, 0x0253, 1, -210}, {0x0254, 0x0254, 1, -206}, {0x0256, 0x0257, 1, -205},
    {0x0259, 0x0259, 1, -202}, {0x025B, 0x025B, 1, -203}, {0x0260, 0x0260, 1, -205}, {0x0263, 0x0263, 1, -207},
    {0x0268, 0x0268, 1, -209}, {0x0269, 0x0269, 1, -211}, {0x026B, 0x026B, 1, 10743}, {0x026F, 0x026F, 1, -211},
    {0x0271, 0x0271, 1, 10749}, {0x0272, 0x0272, 1, -213}, {0x0275, 0x0275, 1, -214}, {0x027D, 0x027D, 1, 10727},
    {0x0280, 0x0280, 1, -218}, {0x0283, 0x0283, 1, -218}, {0x0288, 0x0288, 1, -218}, {0x0289, 0x0289, 1, -69},
    {0x028A, 0x028B, 1, -217}, {0x028C, 0x028C, 1, -71}, {0x0292, 0x0292, 1, -219}, {0x0371, 0x0373, 2, -1},
    {0x0377, 0x0377, 1, -1}, {0x037B, 0x037D, 1, 130}, {0x03AC, 0x03AC, 1, -38}, {0x03AD, 0x03AF, 1, -37},
    {0x03B1, 0x03C1, 1, -32}, {0x03C3, 0x03CB, 1, -32}, {0x03CC, 0x03CC, 1, -64}, {0x03CD, 0x03CE, 1, -63},
    {0x03D7, 0x03D7, 1, -8}, {0x03D9, 0x03EF, 2, -1}, {0x03F2, 0x03F2, 1, 7}, {0x03F8, 0x03F8, 1, -1},
    {0x03FB, 0x03FB, 1, -1}, {0x0430, 0x044F, 1, -32}, {0x0450, 0x045F, 1, -80}, {0x0461, 0x0481, 2, -1},
    {0x048B, 0x04BF, 2, -1}, {0x04C2, 0x04CE, 2, -1}, {0x04CF, 0x04CF, 1, -15}, {0x04D1, 0x0523, 2, -1},
    {0x0561, 0x0586, 1, -48}, {0x1D79, 0x1D79, 1, 35332}, {0x1D7D, 0x1D7D, 1, 3814}, {0x1E01, 0x1E95, 2, -1},
    {0x1EA1, 0x1EFF, 2, -1}, {0x1F00, 0x1F07, 1, 8}, {0x1F10, 0x1F15, 1, 8}, {0x1F20, 0x1F27, 1, 8},
    {0x1F30, 0x1F37, 1, 8}, {0x1F40, 0x1F45, 1, 8}, {0x1F51, 0x1F57, 2, 8}, {0x1F60, 0x1F67, 1, 8},
    {0x1F70, 0x1F71, 1, 74}, {0x1F72, 0x1F75, 1, 86}, {0x1F76, 0x1F77, 1, 100}, {0x1F78, 0x1F79, 1, 128},
    {0x1F7A, 0x1F7B, 1, 112}, {0x1F7C, 0x1F7D, 1, 126}, {0x1F80, 0x1F87, 1, 8}, {0x1F90, 0x1F97, 1, 8},
    {0x1FA0, 0x1FA7, 1, 8}, {0x1FB0, 0x1FB1, 1, 8}, {0x1FB3, 0x1FB3, 1, 9}, {0x1FC3, 0x1FC3, 1, 9},
    {0x1FD0, 0x1FD1, 1, 8}, {0x1FE0, 0x1FE1, 1, 8}, {0x1FE5, 0x1FE5, 1, 7}, {0x1FF3, 0x1FF3, 1, 9},
    {0x214E, 0x214E, 1, -28}, {0x2170, 0x217F, 1, -16}, {0x2184, 0x2184, 1, -1}, {0x24D0, 0x24E9, 1, -26},
    {0x2C30, 0x2C5E, 1, -48}, {0x2C61, 0x2C61, 1, -1}, {0x2C65, 0x2C65, 1, -10795}, {0x2C66, 0x2C66, 1, -10792},
    {0x2C68, 0x2C6C, 2, -1}, {0x2C73, 0x2C73, 1, -1}, {0x2C76, 0x2C76, 1, -1}, {0x2C81, 0x2CE3, 2, -1},
    {0x2D00, 0x2D25, 1, -7264}, {0xA641, 0xA65F, 2, -1}, {0xA663, 0xA66D, 2, -1}, {0xA681, 0xA697, 2, -1},
    {0xA723, 0xA72F, 2, -1}, {0xA733, 0xA76F, 2, -1}, {0xA77A, 0xA77C, 2, -1}, {0xA77F, 0xA787, 2, -1},
    {0xA78C, 0xA78C, 1, -1}, {0xFF41, 0xFF5A, 1, -32},
};
// clang-format on

constexpr bool IsHighSurrogate(char32_t c) { return c >= 0xD800 && c <= 0xDBFF; }
constexpr bool IsLowSurrogate(char32_t c) { return c >= 0xDC00 && c <= 0xDFFF; }

// Decodes one code point (surrogates included) from the front of `rest`; nullopt if malformed.
std::optional<char32_t> DecodeCodePoint(std::string_view& rest) {
  const auto lead = static_cast<unsigned char>(rest.front());
  std::size_t length = 1;
  char32_t value = lead;
  char32_t least = 0;
  if (lead >= 0xC0 && lead <= 0xDF) {
    length = 2, value = lead & 0x1FU, least = 0x80;
  } else if (lead >= 0xE0 && lead <= 0xEF) {
    length = 3, value = lead & 0x0FU, least = 0x800;
  } else if (lead >= 0xF0 && lead <= 0xF7) {
    length = 4, value = lead & 0x07U, least = 0x10000;
  } else if (lead >= 0x80) {
    return std::nullopt;
  }
  if (rest.size() < length) return std::nullopt;
  for (std::size_t i = 1; i < length; ++i) {
    const auto next = static_cast<unsigned char>(rest[i]);
    if ((next & 0xC0U) != 0x80) return std::nullopt;
    value = (value << 6U) | (next & 0x3FU);
  }
  if (value < least || value > 0x10FFFF) return std::nullopt;
  rest.remove_prefix(length);
  return value;
}

}  // namespace

char16_t Upcase(char16_t unit) {
  if (unit < 0x80) return unit >= u'a' && unit <= u'z' ? static_cast<char16_t>(unit - 0x20) : unit;
  const auto* const run = std::ranges::lower_bound(kCaseRuns, unit, {}, &CaseRun::last);
  const bool found = run != std::end(kCaseRuns) && unit >= run->first && (unit - run->first) % run->stride == 0;
  return found ? static_cast<char16_t>(unit + run->delta) : unit;
}

std::u16string Upcase(std::u16string_view name) {
  std::u16string out(name);
  for (char16_t& unit : out) unit = Upcase(unit);
  return out;
}

std::uint32_t LookupHash(std::u16string_view upper_case_name) {
  std::uint32_t hash = 0;
  for (const char16_t unit : upper_case_name) hash = hash * 37 + unit;
  return hash;
}

std::optional<std::uint32_t> NameStart(std::u16string_view name) {
  std::uint32_t start = 0;
  for (std::size_t i = 0; i < std::min<std::size_t>(name.size(), 4); ++i) {
    if (name[i] > 0xFF) return std::nullopt;
    start |= static_cast<std::uint32_t>(name[i]) << (8 * i);
  }
  return start;
}

std::optional<std::u16string> NameFromUtf8(std::string_view utf8) {
  std::u16string out;
  out.reserve(utf8.size());
  bool after_lone_high = false;
  while (!utf8.empty()) {
    const std::optional<char32_t> c = DecodeCodePoint(utf8);
    // A pair written as two times three bytes would be a second spelling of the same name.
    if (!c || (after_lone_high && IsLowSurrogate(*c))) return std::nullopt;
    after_lone_high = IsHighSurrogate(*c);
    if (*c < 0x10000) {
      out.push_back(static_cast<char16_t>(*c));
    } else {
      out.push_back(static_cast<char16_t>(0xD800 + ((*c - 0x10000) >> 10U)));
      out.push_back(static_cast<char16_t>(0xDC00 + ((*c - 0x10000) & 0x3FFU)));
    }
  }
  return out;
}

std::string NameToUtf8(std::u16string_view name) {
  std::string out;
  out.reserve(name.size());
  for (std::size_t i = 0; i < name.size(); ++i) {
    char32_t c = name[i];
    if (IsHighSurrogate(c) && i + 1 < name.size() && IsLowSurrogate(name[i + 1])) {
      c = 0x10000 + ((c - 0xD800) << 10U) + (name[i + 1] - 0xDC00U);
      ++i;
    }
    AppendUtf8(out, c);
  }
  return out;
}

Result<std::u16string> CheckValue(const RegValue& value) {
  std::optional<std::u16string> name = NameFromUtf8(value.name);
  if (!name) return Fail(Code::kHive, "the value's name is not well-formed UTF-8");
  if (name->size() > kMaxValueNameUnits) {
    return Fail(Code::kSizeLimit,
                fmt::format("the value's name has {} characters, Windows takes {}", name->size(), kMaxValueNameUnits));
  }
  if (value.data.size() > kMaxValueBytes) {
    return Fail(Code::kSizeLimit,
                fmt::format("the value has {} bytes, the registry takes {}", value.data.size(), kMaxValueBytes));
  }
  return *std::move(name);
}

std::string ValuePlace(std::string_view key, std::string_view name) {
  return fmt::format("{}, value \"{}\"", key.empty() ? "the root key" : key, name);
}

StoredName Store(std::u16string_view name) {
  StoredName stored;
  stored.latin1 = std::ranges::all_of(name, [](char16_t unit) { return unit < 0x100; });
  stored.bytes.resize(stored.latin1 ? name.size() : 2 * name.size());
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (stored.latin1) {
      stored.bytes[i] = static_cast<char>(static_cast<unsigned char>(name[i]));
    } else {
      Store16(stored.bytes.data() + 2 * i, name[i]);
    }
  }
  return stored;
}

std::optional<std::u16string> Load(std::string_view bytes, bool latin1) {
  std::u16string out;
  if (latin1) {
    out.reserve(bytes.size());
    for (const char c : bytes) out.push_back(static_cast<unsigned char>(c));
    return out;
  }
  if (bytes.size() % 2 != 0) return std::nullopt;
  out.reserve(bytes.size() / 2);
  for (std::size_t i = 0; i < bytes.size(); i += 2) out.push_back(Load16(bytes, i));
  return out;
}

}  // namespace prov::images::regf
