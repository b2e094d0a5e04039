// What several tests of this room make their policies of.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "provisioner/router/destinations.h"

namespace prov::router {

// Of a list that can be read.
inline RouterPolicy ListedPolicy(RouterKind kind, std::string_view text) {
  RouterPolicy out{.kind = kind, .where = "list"};
  const auto read = ReadDestinations(text, out);
  EXPECT_TRUE(read) << text << ": " << (read ? "" : read.error().message);
  return out;
}

// With `to` for the first `from`, which must be there.
inline std::string ReplacedOnce(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

}  // namespace prov::router
