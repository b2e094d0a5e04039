// What a plain (unquoted) YAML scalar means.
#pragma once

#include <cstdint>
#include <string_view>

namespace prov::ignition {

struct PlainScalar {
  enum class Kind { kNull, kBool, kInt, kUint, kDouble, kNotFinite, kString };
  Kind kind = Kind::kString;
  bool boolean = false;
  std::int64_t integer = 0;            // kInt
  std::uint64_t unsigned_integer = 0;  // kUint: more than an int64 holds
  double number = 0;                   // kDouble, also integers that fit nothing else
};

// Nulls (empty, ~, null, Null, NULL), booleans (true, false in three spellings each), integers and floats as
// Kubernetes' YAML reader has them; a leading 0 is octal ("0644" = 420). yes, no, on and off are strings: that reader
// and YAML 1.2 disagree about them, and `oc` quotes them where they are text.
PlainScalar ResolvePlainScalar(std::string_view text);

}  // namespace prov::ignition
