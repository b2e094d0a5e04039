#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "provisioner/base/windows_api.h"
#include "tests/support/process.h"

namespace prov::testing_support {
namespace {

using win32::Handle;
using win32::Wide;

std::wstring TemporaryFile() {
  wchar_t folder[MAX_PATH];
  wchar_t name[MAX_PATH];
  GetTempPathW(MAX_PATH, folder);
  GetTempFileNameW(folder, L"prv", 0, name);
  return name;
}

HANDLE OpenInherited(const std::wstring& name, bool write) {
  SECURITY_ATTRIBUTES inherited{sizeof inherited, nullptr, TRUE};
  return CreateFileW(name.c_str(), write ? GENERIC_WRITE : GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_WRITE, &inherited,
                     OPEN_EXISTING, 0, nullptr);
}

// As the C library's parser takes it apart: backslashes count only before a quote.
std::wstring Quoted(const std::wstring& word) {
  std::wstring out = L"\"";
  std::size_t backslashes = 0;
  for (const wchar_t c : word) {
    if (c == L'"') out.append(backslashes + 1, L'\\');
    backslashes = c == L'\\' ? backslashes + 1 : 0;
    out += c;
  }
  return out.append(backslashes, L'\\') + L"\"";
}

std::string Take(const std::wstring& name) {
  std::ifstream in(std::filesystem::path(name), std::ios::binary);
  std::string out{std::istreambuf_iterator<char>(in), {}};
  in.close();
  DeleteFileW(name.c_str());
  return out;
}

}  // namespace

ProcessResult Run(const std::vector<std::string>& words, const std::string& input,
                  const std::vector<std::pair<std::string, std::string>>& environment) {
  const std::array<std::wstring, 3> names = {TemporaryFile(), TemporaryFile(), TemporaryFile()};
  std::ofstream(std::filesystem::path(names[0]), std::ios::binary) << input;
  std::wstring line;
  for (const std::string& word : words) line += (line.empty() ? L"" : L" ") + Quoted(Wide(word));
  for (const auto& [name, value] : environment) SetEnvironmentVariableW(Wide(name).c_str(), Wide(value).c_str());
  int exit = 127;
  std::string failure;  // of starting it
  {
    const Handle in(OpenInherited(names[0], false));
    const Handle out(OpenInherited(names[1], true));
    const Handle err(OpenInherited(names[2], true));
    STARTUPINFOW start{};
    start.cb = sizeof start;
    start.dwFlags = STARTF_USESTDHANDLES;
    start.hStdInput = in.get();
    start.hStdOutput = out.get();
    start.hStdError = err.get();
    PROCESS_INFORMATION process{};
    if (CreateProcessW(nullptr, line.data(), nullptr, nullptr, TRUE, 0, nullptr, nullptr, &start, &process) != 0) {
      const Handle thread(process.hThread);
      const Handle child(process.hProcess);
      WaitForSingleObject(child.get(), INFINITE);
      DWORD code = 0;
      GetExitCodeProcess(child.get(), &code);
      exit = static_cast<int>(code);
    } else {
      failure = "the program could not be started: Windows error " + std::to_string(GetLastError());
    }
  }
  for (const auto& [name, value] : environment) SetEnvironmentVariableW(Wide(name).c_str(), nullptr);
  Take(names[0]);
  return {exit, Take(names[1]), Take(names[2]) + failure};
}

ProcessResult RunCopy(MainFunction& /*main*/, const std::vector<std::string>& words, const std::string& input,
                      const std::vector<std::pair<std::string, std::string>>& environment) {
  return Run(words, input, environment);
}

}  // namespace prov::testing_support
