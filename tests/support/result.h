// The value of a result that a test needs, or its error.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "provisioner/base/result.h"

namespace prov {

// Ends the test, by an exception that says the error, if there is no value.
template <class T>
T Must(Result<T> result) {
  if (!result) throw std::runtime_error(fmt::format("{} ({})", result.error().message, result.error().where));
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

// The same of an optional value.
template <class T>
T Must(std::optional<T> value) {
  if (!value) throw std::runtime_error("there is no value");
  return *std::move(value);
}

// Ends the test if there is none.
template <class T>
Error ErrorIn(const Result<T>& result) {
  if (result) throw std::runtime_error("it should have failed");
  return result.error();
}

}  // namespace prov
