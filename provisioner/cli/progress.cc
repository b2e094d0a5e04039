#include "provisioner/cli/progress.h"

#include <fmt/format.h>

#include <cstdio>

#include "provisioner/cli/terminal.h"

namespace prov::cli {
namespace {

constexpr std::chrono::milliseconds kInterval{200};

}  // namespace

Progress::Progress(std::string_view what, std::size_t total)
    : what_(what), total_(total), terminal_(IsTerminal(stderr)), next_(Clock::now() + kInterval) {}

Progress::~Progress() {
  if (printed_ > 0) std::fprintf(stderr, "\r%*s\r", static_cast<int>(printed_), "");  // throws nothing
}

void Progress::Show(std::size_t done) {
  if (!terminal_) return;
  const Clock::time_point now = Clock::now();
  if (now < next_) return;
  next_ = now + kInterval;
  const std::string line = fmt::format("{} {} of {}", what_, done, total_);
  fmt::print(stderr, "\r{:{}}", line, printed_);
  std::fflush(stderr);
  printed_ = line.size();
}

}  // namespace prov::cli
