#include <io.h>

#include <cstdlib>

#include "provisioner/base/text.h"
#include "provisioner/base/windows_api.h"
#include "provisioner/cli/terminal.h"

namespace prov::cli {

bool IsTerminal(std::FILE* file) { return _isatty(_fileno(file)) != 0; }

bool SupportsColour(std::FILE* file) {
  const char* no_color = std::getenv("NO_COLOR");
  if (no_color != nullptr && *no_color != '\0') return false;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): that is how the C library gives a handle
  HANDLE handle = reinterpret_cast<HANDLE>(_get_osfhandle(_fileno(file)));
  DWORD mode = 0;
  // A console interprets colours only when this mode is set; setting it fails for anything else.
  return GetConsoleMode(handle, &mode) != 0 && SetConsoleMode(handle, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING) != 0;
}

std::string QuotedForShell(std::string_view text) { return QuotedForPowerShell(text); }

// On Windows, a failed write is an error already.
void MakeFailedWritesErrors() {}

}  // namespace prov::cli
