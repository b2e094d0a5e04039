// The port Programs on Windows. A program runs in a job that ends with the call, so none of its processes remains.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "provisioner/base/text.h"
#include "provisioner/machine/followed_file.h"
#include "provisioner/machine/live_ports.h"
#include "provisioner/machine/windows_calls.h"

namespace prov::machine {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr DWORD kReadPauseMilliseconds = 10;

// Whether the path begins with a drive or a share. Other paths depend on the current folder.
bool IsAbsolute(std::string_view folder) {
  const bool drive = folder.size() > 2 && folder[1] == ':' && (folder[2] == '\\' || folder[2] == '/');
  return drive || folder.starts_with("\\\\");
}

std::string PathVariable() {
  std::wstring value(GetEnvironmentVariableW(L"PATH", nullptr, 0), L'\0');
  value.resize(GetEnvironmentVariableW(L"PATH", value.data(), static_cast<DWORD>(value.size())));
  return Narrow(value);
}

// Quotes a word for the C library's parser, in which backslashes are special only before a quote.
std::wstring Quoted(std::wstring_view word) {
  std::wstring out = L"\"";
  std::size_t backslashes = 0;
  for (const wchar_t c : word) {
    if (c == L'"') out.append(backslashes + 1, L'\\');
    backslashes = c == L'\\' ? backslashes + 1 : 0;
    out += c;
  }
  return out.append(backslashes, L'\\') + L"\"";
}

std::unexpected<Error> CannotRun(std::string_view what, const std::string& path) {
  return win32::Failure(Code::kIo, fmt::format("cannot run the program: {}", what), path);
}

// One output of the program.
class Output {
 public:
  Result<void> Open(const std::string& path) {
    SECURITY_ATTRIBUTES inherited{sizeof inherited, nullptr, TRUE};
    HANDLE read = nullptr;
    HANDLE write = nullptr;
    if (CreatePipe(&read, &write, &inherited, 0) == 0) return CannotRun("no pipe", path);
    read_ = FileHandle(read);
    write_ = FileHandle(write);
    SetHandleInformation(read_.get(), HANDLE_FLAG_INHERIT, 0);
    return {};
  }

  HANDLE write_end() const { return write_.get(); }
  void CloseWriteEnd() { write_.Close(); }

  // Reads what is available without waiting. Drops bytes beyond `most`, so that the program can go on.
  void Take(std::size_t most) {
    DWORD there = 0;
    while (PeekNamedPipe(read_.get(), nullptr, 0, nullptr, &there, nullptr) != 0 && there > 0) {
      std::array<char, 4096> buffer;
      DWORD size = 0;
      if (::ReadFile(read_.get(), buffer.data(), static_cast<DWORD>(buffer.size()), &size, nullptr) == 0) return;
      const std::size_t fits = std::min<std::size_t>(size, most - text_.size());
      text_.append(buffer.data(), fits);
      whole_ = whole_ && fits == size;
    }
  }

  bool whole() const { return whole_; }
  std::string& text() { return text_; }

 private:
  FileHandle read_, write_;
  std::string text_;
  bool whole_ = true;
};

struct Started {
  FileHandle job, process;
};

Result<Started> Start(const ProgramCall& call, const Output& out, const Output& err) {
  SECURITY_ATTRIBUTES inherited{sizeof inherited, nullptr, TRUE};
  const FileHandle in(
      CreateFileW(L"NUL", GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_WRITE, &inherited, OPEN_EXISTING, 0, nullptr));
  FileHandle job(CreateJobObjectW(nullptr, nullptr));
  JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits{};
  limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
  SetInformationJobObject(job.get(), JobObjectExtendedLimitInformation, &limits, sizeof limits);
  STARTUPINFOW start{};
  start.cb = sizeof start;
  start.dwFlags = STARTF_USESTDHANDLES;
  start.hStdInput = in.get();
  start.hStdOutput = out.write_end();
  start.hStdError = err.write_end();
  const std::wstring program = win32::Path(call.path);
  std::wstring line = Quoted(program);
  for (const std::string& word : call.arguments) line += L' ' + Quoted(Wide(word));
  PROCESS_INFORMATION made{};
  if (CreateProcessW(program.c_str(), line.data(), nullptr, nullptr, TRUE, CREATE_SUSPENDED | CREATE_NO_WINDOW, nullptr,
                     nullptr, &start, &made) == 0) {
    const DWORD error = GetLastError();
    if (!win32::MeansMissing(error)) return CannotRun("it does not start", call.path);
    return Fail(Code::kTarget, "the program does not exist; check the path", call.path);
  }
  const FileHandle thread(made.hThread);
  FileHandle process(made.hProcess);
  AssignProcessToJobObject(job.get(), process.get());
  ResumeThread(thread.get());
  return Started{std::move(job), std::move(process)};
}

class WindowsPrograms final : public Programs {
 public:
  std::optional<std::string> Find(std::string_view name) override {
    const std::string path = PathVariable();
    for (std::string_view folder : Split(path, ';')) {
      while (!folder.empty() && (folder.front() == '"' || folder.front() == ' ')) folder.remove_prefix(1);
      while (!folder.empty() && (folder.back() == '"' || folder.back() == ' ' || folder.back() == '\\')) {
        folder.remove_suffix(1);
      }
      if (!IsAbsolute(fmt::format("{}\\", folder))) continue;
      std::string file = fmt::format("{}\\{}.exe", folder, name);
      const DWORD attributes = GetFileAttributesW(win32::Path(file).c_str());
      if (attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_DIRECTORY) == 0) return file;
    }
    return std::nullopt;
  }

  Result<void> CheckFile(std::string_view path) override { return CheckFollowed(LivePaths(), path); }

  Result<ProgramOutput> Run(const ProgramCall& call) override {
    Output out, err;
    PROV_TRY(out.Open(call.path));
    PROV_TRY(err.Open(call.path));
    const Started started = PROV_TRY(Start(call, out, err));
    out.CloseWriteEnd();
    err.CloseWriteEnd();
    const SteadyClock::time_point end = SteadyClock::now() + std::chrono::milliseconds(call.timeout_milliseconds);
    bool ended = false;
    while (!ended && SteadyClock::now() < end) {
      ended = WaitForSingleObject(started.process.get(), kReadPauseMilliseconds) == WAIT_OBJECT_0;
      out.Take(call.most_bytes);
      err.Take(call.most_bytes);
    }
    DWORD exit = 0;
    if (!ended || GetExitCodeProcess(started.process.get(), &exit) == 0) {
      return Fail(
          Code::kTarget,
          fmt::format("the program did not end within {} seconds and was stopped", call.timeout_milliseconds / 1000),
          call.path);
    }
    if (!out.whole() || !err.whole()) {
      return Fail(Code::kTooLarge, fmt::format("the program printed more than {} bytes", call.most_bytes), call.path);
    }
    return ProgramOutput{static_cast<int>(exit), std::move(out.text()), std::move(err.text())};
  }
};

}  // namespace

Programs& LivePrograms() {
  static WindowsPrograms programs;
  return programs;
}

}  // namespace prov::machine
