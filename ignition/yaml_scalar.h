// The meaning of a plain (unquoted) YAML scalar.
#pragma once

#include <cstdint>
#include <string_view>

namespace prov::ignition {

struct PlainScalar {
  enum class Kind { kNull, kBool, kInt, kUint, kDouble, kNotFinite, kString };
  Kind kind = Kind::kString;
  bool boolean = false;
  std::int64_t integer = 0;            // kInt
  std::uint64_t unsigned_integer = 0;  // kUint: too large for an int64
  double number = 0;                   // kDouble; also integers too large for both
};

// Resolves nulls (empty, ~, null, Null, NULL), booleans (true, yes, on, y and false, no, off, n, each in lower case,
// upper case and with a capital), integers and floats as Kubernetes' YAML reader does (measured with kubectl 1.32). A
// leading 0 is octal ("0644" = 420). In YAML 1.2, yes, no, on, off, y and n are text; writers of text quote them, as
// `oc` does.
PlainScalar ResolvePlainScalar(std::string_view text);

}  // namespace prov::ignition
