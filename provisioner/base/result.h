// Result<T>: a value or an Error. g++ 12's std::expected has no monadic members, so a macro carries errors upwards.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <utility>

#include "provisioner/base/error.h"

namespace prov {

template <class T>
using Result = std::expected<T, Error>;

inline std::unexpected<Error> Fail(Code code, std::string message, std::string where = {}) {
  return std::unexpected(Error{code, std::move(message), std::move(where)});
}

// The error with the document of its place: "WHERE: line 3, column 7", or WHERE if it names no place.
inline std::unexpected<Error> FailIn(std::string_view where, Error error) {
  error.where = std::string(where) + (error.where.empty() ? "" : ": " + error.where);
  return std::unexpected(std::move(error));
}

}  // namespace prov

// PROV_TRY(expr): the value of a Result, or return its error from the enclosing function. Works for Result<void> as a
// statement.
#define PROV_TRY(expr)                                                                \
  ({                                                                                  \
    auto prov_try_result = (expr);                                                    \
    if (!prov_try_result) return std::unexpected(std::move(prov_try_result).error()); \
    *std::move(prov_try_result);                                                      \
  })
