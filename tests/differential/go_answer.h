// What Go's HTTP clients do with a row: answers of proxy_oracle.go, built and run with the installed Go.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tests/differential/proxy_rows.h"

namespace prov::differential {

struct GoAnswer {
  enum class Kind { kBadUrl, kDirect, kProxy };

  Kind kind = Kind::kDirect;
  // Of the proxy:
  std::string scheme;
  std::string host;  // as given, addresses in canonical form
  std::string port;
  bool has_userinfo = false;
  std::string user;
  std::string password;
};

struct GoAnswers {
  std::string version;
  std::vector<GoAnswer> rows;
};

// nullopt and a reason where there is no Go, or none with its vendored packages. `folder` takes what is built.
std::optional<GoAnswers> AskGo(const std::vector<Row>& rows, const std::string& folder, std::string& reason);

}  // namespace prov::differential
