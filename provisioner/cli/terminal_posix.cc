#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>

#include "provisioner/cli/terminal.h"

namespace prov::cli {

bool IsTerminal(std::FILE* file) { return isatty(fileno(file)) == 1; }

bool SupportsColour(std::FILE* file) {
  const char* no_color = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  const bool wanted = no_color == nullptr || *no_color == '\0';
  const bool able = term != nullptr && std::strcmp(term, "dumb") != 0;
  return wanted && able && IsTerminal(file);
}

std::string QuotedForShell(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? R"('\'')" : std::string(1, c);
  return out + "'";
}

void MakeFailedWritesErrors() { std::signal(SIGXFSZ, SIG_IGN); }

}  // namespace prov::cli
