// Challenges of registries: the values of WWW-Authenticate headers (RFC 7235).
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace prov::pull {

struct Challenge {
  std::string scheme;                             // lower case: "bearer", "basic"
  std::map<std::string, std::string> parameters;  // names in lower case: "realm", "service", "scope"

  std::string Get(const std::string& name) const;  // "": it has none
};

// The challenges of one header's value, in order; a malformed rest is left out.
std::vector<Challenge> ParseChallenges(std::string_view value);

}  // namespace prov::pull
