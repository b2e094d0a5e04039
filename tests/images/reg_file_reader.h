// A reader for well-formed .reg files, with which tests compare what was written or exported.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "images/registry/registry_key.h"
#include "provisioner/base/text.h"

namespace prov::images::testing {

// One [key] section.
struct RegSection {
  std::string key;
  std::vector<RegValue> values;

  bool operator==(const RegSection&) const = default;
};

// Removes a text in quotes from the front of the line, and returns it.
inline std::string TakeQuoted(std::string_view& line) {
  std::string out;
  for (line.remove_prefix(1); !line.starts_with('"'); line.remove_prefix(1)) {
    if (line.starts_with('\\')) line.remove_prefix(1);
    out += line.at(0);
  }
  line.remove_prefix(1);
  return out;
}

inline RegValue ReadRegValue(std::string_view line) {
  RegValue out;
  if (line.starts_with('@')) {
    line.remove_prefix(1);
  } else {
    out.name = TakeQuoted(line);
  }
  line.remove_prefix(1);  // the =
  if (line.starts_with('"')) return {out.name, RegType::kSz, EncodeSz(TakeQuoted(line))};
  const std::string kind(line.substr(0, line.find(':')));
  std::string digits(line.substr(kind.size() + 1));
  const auto number = [](const std::string& hex) { return static_cast<std::uint32_t>(std::stoul(hex, nullptr, 16)); };
  if (kind == "dword") return {out.name, RegType::kDword, EncodeDword(number(digits))};
  out.type = kind == "hex" ? RegType::kBinary : static_cast<RegType>(number(kind.substr(4)));  // hex(N)
  std::erase(digits, ',');
  out.data = FromHex(digits).value();
  return out;
}

inline std::vector<RegSection> ReadRegFile(std::string text) {
  EXPECT_TRUE(DecodeMarked(text));
  std::erase(text, '\r');
  constexpr std::string_view kWrap = "\\\n  ";
  for (std::size_t at = text.find(kWrap); at != std::string::npos; at = text.find(kWrap, at))
    text.erase(at, kWrap.size());
  std::vector<RegSection> out;
  for (const std::string_view line : Split(text, '\n')) {
    if (line.starts_with('[')) out.push_back({std::string(line.substr(1, line.rfind(']') - 1)), {}});
    if (line.starts_with('"') || line.starts_with('@')) out.back().values.push_back(ReadRegValue(line));
  }
  return out;
}

}  // namespace prov::images::testing
