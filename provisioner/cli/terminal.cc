#include "provisioner/cli/terminal.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "provisioner/base/sentence.h"
#include "provisioner/base/text.h"

namespace prov::cli {
namespace {

std::string_view ColourOf(Severity severity) {
  if (severity == Severity::kError) return kRed;
  return severity == Severity::kWarning ? kYellow : kCyan;
}

void PrintLine(std::FILE* to, Severity severity, std::string_view word, std::string_view code, std::string_view message,
               std::string_view where) {
  const bool colour = SupportsColour(to);
  const std::string line = fmt::format("provisioner: {}{}{} [{}]: {}\n", colour ? ColourOf(severity) : "", word,
                                       colour ? kColourEnd : "", code, Printable(SentenceWithPlace(message, where)));
  std::fwrite(line.data(), 1, line.size(), to);
}

}  // namespace

Progress::Progress(std::string_view what)
    : what_(what), terminal_(IsTerminal(stderr)), next_(Clock::now() + kInterval) {}

Progress::~Progress() {
  if (printed_ > 0) std::fprintf(stderr, "\r%*s\r", static_cast<int>(printed_), "");  // does not throw
}

void Progress::Show(std::uint64_t done, std::uint64_t total) {
  if (!terminal_) return;
  const Clock::time_point now = Clock::now();
  if (now < next_) return;
  next_ = now + kInterval;
  const std::string line = fmt::format("{} {} of {}", what_, done, total);
  fmt::print(stderr, "\r{:{}}", line, printed_);
  std::fflush(stderr);
  printed_ = line.size();
}

void PrintError(std::FILE* to, const Error& error) {
  PrintLine(to, Severity::kError, NameOf(Severity::kError), InfoOf(error.code).name, error.message, PlaceOf(error));
}

void PrintFindings(std::FILE* to, const Findings& findings, bool all) {
  for (const Severity severity : {Severity::kError, Severity::kWarning, Severity::kInfo}) {
    for (const Finding& f : findings) {
      const bool limit = IsLimit(f);
      if (f.severity != severity || (limit && !all)) continue;
      PrintLine(to, severity, limit ? "known limit" : NameOf(severity), f.code, f.message, f.where);
    }
  }
  const auto count = std::ranges::count_if(findings, IsLimit);
  if (all || count == 0) return;
  const std::vector<std::string_view> codes = LimitsIn(findings);
  fmt::print(to, "provisioner: {} known limit{} ({}): provisioner explain-code {}, or --verbose\n", count,
             count == 1 ? "" : "s", fmt::join(codes, ", "), codes.front());
}

}  // namespace prov::cli
