#include "provisioner/machine/log_file.h"

#include <fmt/format.h>

#include "provisioner/base/clock.h"
#include "provisioner/base/text.h"

namespace prov::machine {
namespace {

constexpr std::size_t kMostTextBytes = std::size_t{8} << 10U;

}  // namespace

std::string FormatLogLine(std::int64_t unix_seconds, Severity severity, std::uint16_t id, std::string_view text) {
  const std::string_view head = Shorten(text, kMostTextBytes);
  return fmt::format("{} {} {} {}{}\n", FormatUtc(unix_seconds), NameOf(severity), id, Printable(head),
                     head.size() < text.size() ? " [...]" : "");
}

Result<void> LogFile::Append(std::string_view line) {
  if (PROV_TRY(AppendWithin(path_, line, limit_))) return {};
  PROV_TRY(RenameFile(path_, path_ + ".1"));
  if (PROV_TRY(AppendWithin(path_, line, limit_))) return {};
  return Fail(Code::kIo, "the line is longer than the log may be", path_);
}

}  // namespace prov::machine
