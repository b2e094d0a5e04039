#include <fmt/format.h>

#include "provisioner/machine/windows_calls.h"

namespace prov::machine {

std::unexpected<Error> WindowsFailure(std::string_view what, DWORD error, std::string_view where) {
  const char* advice = error == ERROR_ACCESS_DENIED ? "; run this as an administrator or as SYSTEM" : "";
  return Fail(Code::kIo, fmt::format("{}: Windows says: {}{}", what, win32::MessageOf(error), advice),
              std::string(where));
}

}  // namespace prov::machine
