// main() of provisioner.exe: arguments in UTF-8, streams without translation, no dialogs.
#include <fcntl.h>
#include <io.h>

#include <cstdio>
#include <string>
#include <vector>

#include "provisioner/base/windows_api.h"
#include "provisioner/cli/main.h"

// The C library must not expand "*" in arguments.
extern "C" {
int _dowildcard = 0;  // NOLINT(bugprone-reserved-identifier): its name for this switch
}

namespace {

// Sets the console to UTF-8, and restores its code page at the end, because the console outlives this program.
class ConsoleIsUtf8 {
 public:
  ConsoleIsUtf8() : before_(GetConsoleOutputCP()) { SetConsoleOutputCP(CP_UTF8); }
  ConsoleIsUtf8(const ConsoleIsUtf8&) = delete;
  ConsoleIsUtf8& operator=(const ConsoleIsUtf8&) = delete;
  ~ConsoleIsUtf8() {
    if (before_ != 0) SetConsoleOutputCP(before_);
  }

 private:
  UINT before_;
};

}  // namespace

int wmain(int argc, wchar_t** argv) {
  // A dialog would wait for a user who may not be there.
  SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX | SEM_NOOPENFILEERRORBOX);
  // The same bytes as on Linux: no CR is added or removed, and Ctrl-Z does not end the input.
  for (std::FILE* stream : {stdin, stdout, stderr}) _setmode(_fileno(stream), _O_BINARY);
  const ConsoleIsUtf8 console;
  std::vector<std::string> words;
  words.reserve(static_cast<std::size_t>(argc));
  for (int i = 0; i < argc; ++i) words.push_back(prov::win32::Narrow(argv[i]));
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return prov::cli::Main(argc, pointers.data());
}
