#include <algorithm>

#include "provisioner/base/opened_file.h"
#include "provisioner/base/windows_api.h"

namespace prov {

Result<std::uint64_t> SizeOfOpened(NativeFile opened, const std::string& /*where*/) {
  HANDLE file = reinterpret_cast<HANDLE>(opened);
  LARGE_INTEGER size{};
  const bool known = GetFileType(file) == FILE_TYPE_DISK && GetFileSizeEx(file, &size) != 0;
  return known ? static_cast<std::uint64_t>(size.QuadPart) : 0;
}

Result<std::size_t> ReadSome(NativeFile opened, char* to, std::size_t size, const std::string& where) {
  constexpr std::size_t kMostAtOnce = std::size_t{1} << 30U;
  const auto wanted = static_cast<DWORD>(std::min(size, kMostAtOnce));
  DWORD got = 0;
  const bool read = ::ReadFile(reinterpret_cast<HANDLE>(opened), to, wanted, &got, nullptr) != 0;
  const DWORD error = read ? ERROR_SUCCESS : GetLastError();
  // The writer of a pipe has closed it: the file ends here.
  if (read || error == ERROR_BROKEN_PIPE || error == ERROR_HANDLE_EOF) return got;
  return win32::Failure(Code::kIo, "cannot read", where, error);
}

}  // namespace prov
