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

// Nulls (empty, ~, null, Null, NULL), booleans (true, yes, on, y and false, no, off, n, each in lower case, upper case
// and with a capital), integers and floats as Kubernetes' YAML reader has them (measured with kubectl 1.32); a leading
// 0 is octal ("0644" = 420). YAML 1.2 reads yes, no, on, off, y and n as text: whoever means text quotes them, as `oc`
// does.
PlainScalar ResolvePlainScalar(std::string_view text);

}  // namespace prov::ignition
