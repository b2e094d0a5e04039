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

}  // namespace prov::machine
