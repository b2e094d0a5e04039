// What real clients do with rows of NO_PROXY and a request's URL. None of them sends anything.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace prov::differential {

struct ClientRow {
  std::string no_proxy;
  std::string url;
};

struct ClientAnswers {
  std::string version;
  std::string rows;  // for each row 'P' (the proxy), 'D' (direct) or '-' (the client makes no such request)
};

// Each gives nullopt and a reason where the client is missing.

struct PythonAnswers {
  ClientAnswers urllib;
  std::optional<ClientAnswers> requests;  // nullopt: this Python has none
};
std::optional<PythonAnswers> AskPython(const std::string& python, const std::vector<ClientRow>& rows,
                                       std::string& reason);

std::optional<ClientAnswers> AskJava(const std::vector<ClientRow>& rows, std::string& reason);

}  // namespace prov::differential
