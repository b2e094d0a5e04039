// JSON documents with one value changed, addressed by a JSON pointer.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

// clang-format off: it sets RapidJSON's switches, so it comes first
#include "tests/support/json_text.h"
#include <rapidjson/pointer.h>
// clang-format on

namespace prov::testing_support {

inline rapidjson::Document ParseForDamage(std::string_view json) {
  rapidjson::Document document;
  document.Parse(json.data(), json.size());
  return document;
}

inline rapidjson::Pointer PointerTo(const std::string& text) { return {text.data(), text.size()}; }

inline bool HasMember(std::string_view json, const std::string& pointer) {
  const rapidjson::Document document = ParseForDamage(json);
  return PointerTo(pointer).Get(document) != nullptr;
}

inline std::string WithoutMember(std::string_view json, const std::string& pointer) {
  rapidjson::Document document = ParseForDamage(json);
  PointerTo(pointer).Erase(document);
  return JsonOf(document);
}

// `value` is JSON itself.
inline std::string WithMember(std::string_view json, const std::string& pointer, std::string_view value) {
  rapidjson::Document document = ParseForDamage(json);
  rapidjson::Document replacement = ParseForDamage(value);
  PointerTo(pointer).Set(document, replacement);
  return JsonOf(document);
}

// "/files/0/path" as messages write it: "$.files[0].path".
inline std::string PathOf(std::string_view pointer) {
  std::string out = "$";
  for (std::size_t at = 0; at < pointer.size();) {
    const std::size_t end = std::min(pointer.find('/', at + 1), pointer.size());
    const std::string_view step = pointer.substr(at + 1, end - at - 1);
    const bool index = step.find_first_not_of("0123456789") == std::string_view::npos;
    out += index ? "[" + std::string(step) + "]" : "." + std::string(step);
    at = end;
  }
  return out;
}

}  // namespace prov::testing_support
