#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>

#include "tests/support/process.h"

namespace prov::testing_support {

namespace {

// `begin` ends the child.
ProcessResult RunChild(const std::vector<std::string>& words, const std::string& input,
                       const std::vector<std::pair<std::string, std::string>>& environment,
                       const std::function<void(std::vector<char*>&)>& begin) {
  std::array<std::string, 3> names;
  for (std::string& name : names) {
    name = (std::getenv("TMPDIR") != nullptr ? std::string(std::getenv("TMPDIR")) : std::string("/tmp")) +
           "/provisioner-process-XXXXXX";
    close(mkstemp(name.data()));
  }
  std::ofstream(names[0], std::ios::binary) << input;
  std::cout.flush();  // else the child would print what waits here, too
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    for (int i = 0; i < 3; ++i) {
      const int fd = open(names[static_cast<std::size_t>(i)].c_str(), i == 0 ? O_RDONLY : O_WRONLY | O_TRUNC);
      dup2(fd, i);
    }
    for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
    std::vector<char*> argv;
    for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    begin(argv);
  }
  int status = 0;
  waitpid(child, &status, 0);
  const auto take = [](const std::string& name) {
    std::ifstream in(name, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  ProcessResult result{WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), take(names[1]),
                       take(names[2])};
  for (const std::string& name : names) unlink(name.c_str());
  return result;
}

}  // namespace

ProcessResult Run(const std::vector<std::string>& words, const std::string& input,
                  const std::vector<std::pair<std::string, std::string>>& environment) {
  return RunChild(words, input, environment, [](std::vector<char*>& argv) {
    execvp(argv[0], argv.data());
    _exit(127);
  });
}

ProcessResult RunCopy(MainFunction& main, const std::vector<std::string>& words, const std::string& input,
                      const std::vector<std::pair<std::string, std::string>>& environment) {
  return RunChild(words, input, environment, [&main](std::vector<char*>& argv) {
    const int exit = main(static_cast<int>(argv.size()) - 1, argv.data());
    std::cout.flush();
    std::cerr.flush();
    std::fflush(nullptr);
    _exit(exit);
  });
}

}  // namespace prov::testing_support
