// A list of destinations as people write it: one on a line.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "provisioner/base/result.h"
#include "provisioner/egress/dialect.h"

namespace prov::router {

struct ListedDestination {
  std::string text;    // the line without its comment and the blanks around it; not empty
  std::string place;   // "FILE, line 3"
  std::size_t number;  // 3
};

// Parses UTF-8, or UTF-16 with a byte order mark. A '#' at the beginning of a word begins a comment. Errors: row (not
// text), too-large (over kMostDestinations).
Result<std::vector<ListedDestination>> ReadDestinationList(std::string bytes, const std::string& where);

// The destination of a line or its first word: a URL, a host or host:port. Errors: row, also for a pattern, several
// hosts and a network, to which no request goes.
Result<egress::Destination> ParseListed(std::string_view text, const std::string& place);

}  // namespace prov::router
