#include "provisioner/machine/log_file.h"
#include "provisioner/machine/windows_file.h"

namespace prov::machine {
namespace {

// Returns false and writes nothing if the file would grow beyond `limit` bytes.
Result<bool> AppendWithin(const std::string& path, std::string_view bytes, std::uint64_t limit) {
  const std::wstring wide = Wide(path);
  // Without FILE_WRITE_DATA all writes go to the end, whoever else writes there.
  constexpr DWORD kAppend = FILE_APPEND_DATA | FILE_READ_ATTRIBUTES | SYNCHRONIZE;
  FileHandle file = PROV_TRY(OpenSecret(wide, kAppend, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, 0));
  if (!file) file = PROV_TRY(MakeSecretFile(wide, kAppend, CREATE_NEW));
  LARGE_INTEGER now{};
  if (GetFileSizeEx(file.get(), &now) == 0) return win32::Failure(Code::kIo, "cannot look at the file", path);
  const auto size = static_cast<std::uint64_t>(now.QuadPart);
  if (size > limit || bytes.size() > limit - size) return false;
  DWORD written = 0;
  if (WriteFile(file.get(), bytes.data(), static_cast<DWORD>(bytes.size()), &written, nullptr) == 0) {
    return win32::Failure(Code::kIo, "cannot write", path);
  }
  return true;
}

}  // namespace

Result<void> AppendToLog(const std::string& path, std::string_view line, std::uint64_t limit) {
  if (PROV_TRY(AppendWithin(path, line, limit))) return {};
  const DWORD error = MoveOver(Wide(path), Wide(path + ".1"));
  if (error != ERROR_SUCCESS) return win32::Failure(Code::kIo, "cannot rename", path, error);
  if (PROV_TRY(AppendWithin(path, line, limit))) return {};
  return Fail(Code::kIo, "the line is longer than the log may be", path);
}

}  // namespace prov::machine
