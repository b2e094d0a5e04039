#include <fmt/format.h>

#include "provisioner/base/text.h"
#include "provisioner/machine/windows_calls.h"

namespace prov::machine {
namespace {

std::string SystemText(DWORD error) {
  LocalMemory<wchar_t*> text;
  const DWORD size = FormatMessageW(
      FORMAT_MESSAGE_ALLOCATE_BUFFER | FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS, nullptr, error, 0,
      reinterpret_cast<wchar_t*>(text.out()), 0, nullptr);  // with ALLOCATE_BUFFER it takes where to put the address
  std::string out = size == 0 ? std::string("an unknown error") : Narrow({text.get(), size});
  while (!out.empty() && (TrimBlanks(out).size() < out.size() || out.back() == '.')) out.pop_back();
  return out;
}

}  // namespace

std::wstring Wide(std::string_view utf8) {
  const std::string bytes = ToUtf16Le(utf8);
  std::wstring out(bytes.size() / 2, L'\0');
  bytes.copy(reinterpret_cast<char*>(out.data()), bytes.size());
  return out;
}

std::string Narrow(std::wstring_view wide) {
  const int length = static_cast<int>(wide.size());
  const int size = WideCharToMultiByte(CP_UTF8, 0, wide.data(), length, nullptr, 0, nullptr, nullptr);
  std::string out(static_cast<std::size_t>(size), '\0');
  WideCharToMultiByte(CP_UTF8, 0, wide.data(), length, out.data(), size, nullptr, nullptr);
  return out;
}

std::unexpected<Error> WindowsFailure(std::string_view what, DWORD error, std::string_view where) {
  const char* advice = error == ERROR_ACCESS_DENIED ? "; run this as an administrator or as SYSTEM" : "";
  return Fail(Code::kIo, fmt::format("{}: Windows says: {} ({}){}", what, SystemText(error), error, advice),
              std::string(where));
}

Result<SecurityAttributes> SecurityAttributes::FromSddl(std::string_view sddl) {
  SecurityAttributes out;
  if (ConvertStringSecurityDescriptorToSecurityDescriptorW(Wide(sddl).c_str(), SDDL_REVISION_1, out.descriptor_.out(),
                                                           nullptr) == 0) {
    return WindowsFailure("cannot make a security descriptor", GetLastError(), sddl);
  }
  out.attributes_ = {sizeof(SECURITY_ATTRIBUTES), out.descriptor_.get(), FALSE};
  return out;
}

}  // namespace prov::machine
